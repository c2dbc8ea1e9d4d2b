"""Front matter: what it means, what is none, what is broken, and that it cannot do harm."""

import datetime
import json
import time

import pytest
import tomli
import yaml
from hmem.parse.frontmatter import MAX_ALIASES, MAX_DEPTH, MAX_SIZE, FrontMatter, plain_value, read_front_matter
from hypothesis import given, settings
from hypothesis import strategies as st

NONE = FrontMatter()


def read(block, fence="---"):
    return read_front_matter(f"{fence}\n{block}\n{fence}\nbody\n")


def test_yaml():
    front = read("title: A page\nservice: billing\nnested:\n  key: [1, 2.5, true, null, ~]\nempty:")
    assert front.metadata == {
        "title": "A page",
        "service": "billing",
        "nested": {"key": [1, 2.5, True, None, None]},
        "empty": None,
    }
    assert front.body_line == front.scan_line == 8
    assert front.warning is None


def test_yaml_may_end_with_dots():
    assert read_front_matter("---\na: 1\n...\nbody").body_line == 4


def test_toml():
    front = read('title = "A page"\ndate = 2024-01-05\nat = 2024-01-05T10:00:00Z\n[extra]\nn = [1, 2.5, inf]', "+++")
    assert front.metadata == {
        "title": "A page",
        "date": "2024-01-05",
        "at": "2024-01-05T10:00:00+00:00",
        "extra": {"n": [1, 2.5, "inf"]},
    }
    assert front.body_line == 8


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("", None),
        ("~", None),
        ("true", True),
        ("False", False),
        ("no", "no"),
        ("on", "on"),
        ("42", 42),
        ("-7", -7),
        ("1.10", 1.1),
        ("1.5e3", 1500.0),
        ("007", "007"),
        ("+49301234", "+49301234"),
        ("12e4567", "12e4567"),
        ("0x1F", "0x1F"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("1.0.21", "1.0.21"),
        ("9" * 5000, "9" * 5000),
        ("1.0e999", "1.0e999"),
        (".inf", ".inf"),
        ("2024-01-05", "2024-01-05"),
        ("2024-1-5", "2024-01-05"),
        ("2024-13-45", "2024-13-45"),
        ("2024-01-05 7:30", "2024-01-05T07:30:00"),
        ("2024-01-05T07:30:15.5Z", "2024-01-05T07:30:15.500000+00:00"),
        ("2024-01-05 07:30:00 +2", "2024-01-05T07:30:00+02:00"),
        ("2024-01-05T07:30:00-0330", "2024-01-05T07:30:00-03:30"),
        ("2024-01-05 25:00", "2024-01-05 25:00"),
        ("DEC-0054", "DEC-0054"),
    ],
)
def test_plain_values(word, value):
    assert plain_value(word) == value
    assert read(f"key: {word}").metadata == {"key": value}


def test_quoted_values_stay_text():
    assert read("a: \"42\"\nb: 'true'\nc: !!str 7\nd: |-\n  x\n  y").metadata == {
        "a": "42",
        "b": "true",
        "c": "7",
        "d": "x\ny",
    }


def test_keys_are_text():
    assert read("1: a\ntrue: b\nnull: c\n2024-01-05: d\n1.5: e").metadata == {
        "1": "a",
        "true": "b",
        "null": "c",
        "2024-01-05": "d",
        "1.5": "e",
    }


def test_an_alias_and_a_merge():
    front = read("base: &b {x: 1, y: 2}\ncopy: *b\nmore:\n  <<: *b\n  y: 3")
    assert front.metadata["copy"] == {"x": 1, "y": 2}
    assert front.metadata["more"] == {"x": 1, "y": 3}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text",
        "---",
        "---\n",
        "--- some-plugin: X\ntext",
        "--- columns: two\ntext",
        " ---\na: 1\n---\n",
        "----\na: 1\n----\n",
        "\n---\na: 1\n---\n",
        "---\n**Acme Widgets**\n---\nbody zebra1",
        "---\nAcme Widgets\n---\nbody",
        "---\n- a list\n- of things\n---\nbody",
        "---\n# Heading\n\n[link]: x\n---\n",
        "---\n\nA rule above and below.\n\n---\n",
        "---\nnever closed, and no key\n",
        "+++\nnot toml at all\n+++\n",
    ],
)
def test_what_is_no_front_matter_is_left_alone(text):
    assert read_front_matter(text) == NONE


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("---\nsummary: a: b: c\n---\nbody", "mapping values are not allowed in this context (line 2)"),
        ("---\ntitle: ok\ntags: [a, b\n---\nbody", "line"),
        ("---\ntitle: x\n\tindented: y\n---\n", "line"),
        ("---\na: *nowhere\n---\n", "no anchor"),
        ("---\n? [a, b]\n: c\n---\n", None),
        ("---\na: 1\n{x: y}: 2\n---\n", "key"),
        ("---\ntitle: never closed\n\nbody", "not closed"),
        ("+++\ntitle = never closed\n+++\n", "line 1"),
        ("+++\na = 1\na = 2\n+++\n", "line 2"),
    ],
)
def test_broken_front_matter_is_reported_with_its_reason(text, reason):
    front = read_front_matter(text)
    assert front.metadata == {}
    assert front.body_line == 1
    if reason is not None:
        assert front.warning.startswith("front matter ignored: ")
        assert reason in front.warning
        assert "\n" not in front.warning


def test_the_lines_of_a_broken_block_are_not_read_as_prose():
    front = read_front_matter("---\nsummary: a: b: c\n---\nbody")
    assert (front.body_line, front.scan_line) == (1, 4)


def test_an_empty_block_is_front_matter_without_keys():
    assert read_front_matter("---\n---\nbody") == FrontMatter(body_line=3, scan_line=3)


def nested_aliases(levels, width):
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines)


HOSTILE = {
    "aliases": nested_aliases(10, 9),
    "merges": "a: &a {k: v}\n" + "\n".join(f"m{n}:\n  <<: *a" for n in range(MAX_ALIASES + 1)),
    "depth": "a: " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
    "unbalanced": "a: " + "[" * 60_000,
    "values": "a: [" + "1, " * 15_000 + "1]",
    "size": "a: b\n" * (MAX_SIZE // 4),
    "recursion": "a: &a [*a]",
    "object": "a: !!python/object/apply:os.system [[true]]\n  b",
    "control": "a: \x01",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_yaml_is_refused_in_little_time(name):
    start = time.process_time()
    front = read(HOSTILE[name])
    assert time.process_time() - start < 1
    assert front.metadata == {}
    assert front.warning


def test_the_aliases_that_are_allowed_cannot_grow_into_much():
    front = read(nested_aliases(5, 2))
    assert front.warning is None
    assert len(json.dumps(front.metadata)) < 1000


def test_tags_of_yaml_are_not_acted_on():
    front = read("a: !!python/object/apply:os.getcwd []\nb: !!timestamp x\nc: !custom {d: 1}\ne: !!binary zzz")
    assert front.metadata == {"a": [], "b": "x", "c": {"d": 1}, "e": "zzz"}


@pytest.mark.parametrize(
    "block", ["a = " + "[" * 60_000, "x = " + "[" * 40 + "]" * 40, ".".join("a" * 30_000) + " = 1"]
)
def test_hostile_toml_is_refused(block):
    front = read(block, "+++")
    assert front.metadata == {}
    assert front.warning


words = st.text(alphabet="abcz AB:-#'\"1", min_size=1, max_size=12)
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**12), 10**12) | words | st.floats(-1e6, 1e6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words, inner, max_size=4),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(words, values, min_size=1, max_size=5), st.sampled_from([None, True, False]))
def test_what_yaml_writes_comes_back(data, flow):
    text = f"---\n{yaml.safe_dump(data, default_flow_style=flow, allow_unicode=True)}---\nbody"
    front = read_front_matter(text)
    assert front.warning is None
    assert front.metadata == data
    assert text.split("\n")[front.body_line - 1] == "body"


@settings(deadline=None)
@given(st.text(alphabet="abc:-[]{}&*!|>'\"#%@,\n\t 01", max_size=120), st.sampled_from(["---", "+++"]))
def test_any_block_has_an_answer_that_is_json(block, fence):
    front = read(block, fence)
    json.dumps(front.metadata, allow_nan=False)
    assert 1 <= front.body_line <= front.scan_line


@settings(deadline=None)
@given(st.dates(), st.times())
def test_dates_of_both_languages_agree(day, moment):
    stamp = datetime.datetime.combine(day, moment.replace(microsecond=0))
    toml = tomli.loads(f"at = {stamp.isoformat()}")["at"]
    assert plain_value(str(stamp)) == toml.isoformat()
