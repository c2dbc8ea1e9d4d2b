from datetime import datetime

import pytest
from hmem.errors import QueryError, UnknownKeyError
from hmem.search.dates import Span, parse_moment, parse_span
from hmem.search.filters import Scene, below_mask, evaluate, glob_mask
from hmem.search.globs import path_glob, value_glob
from hmem.search.grammar import Op, parse_condition

from filter_tables import Table, chosen

NOW = datetime(2025, 3, 31, 15, 30)
SCENE = Scene(NOW, "/abs/notes")


def matching(expression: str, rows: list[dict], *, lenient: bool = False) -> list[int]:
    return chosen(evaluate(parse_condition(expression, lenient=lenient), Table(rows), SCENE))


def values(key: str, *found: object) -> list[dict]:
    """One row per value, and a last one without the key."""
    return [{f"meta.{key}": value} for value in found] + [{}]


# -- the grammar


@pytest.mark.parametrize(
    ("text", "key", "op", "alternatives"),
    [
        ("service=billing", "service", "=", ("billing",)),
        (" service = billing ", "service", "=", ("billing",)),
        ("service=billing,auth", "service", "=", ("billing", "auth")),
        ("service = billing , auth ", "service", "=", ("billing", "auth")),
        ("service!=billing,auth", "service", "!=", ("billing", "auth")),
        ("priority>=2", "priority", ">=", ("2",)),
        ("priority<2", "priority", "<", ("2",)),
        ("path~wiki/**", "path", "~", ("wiki/**",)),
        ("path~*.{md,txt}", "path", "~", ("*.{md,txt}",)),
        ("path~*.{md,txt},*.rst", "path", "~", ("*.{md,txt}", "*.rst")),
        ("status=in review", "status", "=", ("in review",)),
        ('title="Hello, world"', "title", "=", ("Hello, world",)),
        ("title='say \"hi\"'", "title", "=", ('say "hi"',)),
        (r'title="a \"b\" \\ c"', "title", "=", (r'a "b" \ c',)),
        ('title="=x"', "title", "=", ("=x",)),
        ('title="a" , b', "title", "=", ("a", "b")),
        ("meta.a.b=1", "meta.a.b", "=", ("1",)),
        ("due date=today", "due date", "=", ("today",)),
        ("owner=", "owner", "=", ("",)),
        ("a=b=c", "a", "=", ("b=c",)),
        (r"path=C:\x", "path", "=", (r"C:\x",)),
        ("title=O'Reilly", "title", "=", ("O'Reilly",)),
    ],
)
def test_parse_condition(text, key, op, alternatives):
    condition = parse_condition(text)
    assert (condition.key, condition.op, condition.values) == (key, op, alternatives)
    assert condition.text == text.strip()


@pytest.mark.parametrize(
    ("text", "position"),
    [
        ("", 0),
        ("service", 7),
        ("=billing", 0),
        ("a!b=c", 1),
        ("a==b", 1),
        ("a=~b", 1),
        ("a<>b", 1),
        ("a='b", 2),
        ('a="b" c', 6),
        ("a<1,2", 2),
    ],
)
def test_parse_condition_points_at_the_fault(text, position):
    with pytest.raises(QueryError) as raised:
        parse_condition(text)
    assert raised.value.position == position
    assert raised.value.text == text
    assert f"at character {position + 1}" in raised.value.message


# -- types, inferred from the data


def test_text_compares_exactly_but_for_unicode_form():
    rows = values("owner", "Zoë", "Zoe\u0308", "zoë")
    assert matching("owner=Zoë", rows) == [0, 1]
    assert matching("owner!=Zoë", rows) == [2, 3]


def test_missing_key_fails_all_operators_but_unequal():
    rows = [{"meta.x": 1}, {}]
    for operator in Op:
        expected = operator is Op.NE
        assert (1 in matching(f"x{operator.value}1", rows)) is expected


def test_numbers_compare_as_numbers():
    rows = values("priority", 2, 10, 2.5, "10", "x")
    assert matching("priority>2", rows) == [1, 2, 3]
    assert matching("priority>=2.5", rows) == [1, 2, 3]
    assert matching("priority=10", rows) == [1, 3]
    assert matching("priority=10.0", rows) == [1]
    assert matching("priority=2,2.5", rows) == [0, 2]
    assert matching("priority~1*", rows) == [1, 3]


def test_large_numbers_stay_exact():
    rows = values("ticket", 9007199254740993, 9007199254740992)
    assert matching("ticket=9007199254740993", rows) == [0]


def test_truth_values():
    rows = values("draft", True, False, "true", "yes")
    assert matching("draft=true", rows) == [0, 2]
    assert matching("draft=yes", rows) == [0, 3]
    assert matching("draft!=true", rows) == [1, 3, 4]
    assert matching("draft=1", rows) == []


def test_dates_compare_as_dates():
    rows = values("due", "2025-03-01", "2025-03-31", "2025-03-31T10:15:00", "2024-12-31", "soon")
    assert matching("due>=2025-03-31", rows) == [1, 2]
    assert matching("due>2025-03-31", rows) == []
    assert matching("due=2025-03-31", rows) == [1, 2]
    assert matching("due=2025-03", rows) == [0, 1, 2]
    assert matching("due<2025", rows) == [3]
    assert matching("due<=2025-03-01", rows) == [0, 3]
    assert matching("due>2025-03-31 10:00", rows) == [2]
    assert matching("due=today", rows) == [1, 2]
    assert matching("due>=30d", rows) == [0, 1, 2]


def test_offsets_are_converted_to_local_time():
    rows = values("at", "2025-03-01T12:00:00+00:00", "2025-03-01T14:00:00+02:00")
    assert matching("at=2025-03-01T12:00:00Z", rows) == [0, 1]
    assert matching("at<2025-03-01T12:30:00+01:00", rows) == []


def test_lists_match_if_any_element_does():
    rows = values("team", ["billing", "auth"], ["search"], "auth")
    assert matching("team=auth", rows) == [0, 2]
    assert matching("team!=auth", rows) == [1, 3]
    assert matching("team~b*", rows) == [0]
    assert matching("team=search,billing", rows) == [0, 1]
    assert matching("n>2", values("n", [1, 3], [1])) == [0]


def test_text_orders_as_text_only_against_text():
    rows = values("version", "1.10.0", "1.2.0", "beta")
    assert matching("version>=1.2.0", rows) == [1, 2]
    with pytest.raises(QueryError, match="cannot be compared"):
        matching("level>3", values("level", "high", "low"))


def test_comparison_without_sense_is_an_error_not_an_empty_answer():
    with pytest.raises(QueryError) as raised:
        matching("priority>high", values("priority", 1, 2))
    assert raised.value.position == len("priority>")
    assert matching("priority>high", values("priority", 1, 2), lenient=True) == []


def test_empty_value_matches_null_and_empty():
    assert matching("owner=", values("owner", "", "x")) == [0]


# -- keys


def test_unknown_key_names_the_nearest():
    rows = values("service", "billing")
    with pytest.raises(UnknownKeyError) as raised:
        matching("servce=billing", rows)
    assert raised.value.nearest == "service"
    with pytest.raises(UnknownKeyError) as raised:
        matching("titel=x", rows)
    assert raised.value.nearest == "title"
    assert matching("servce=billing", rows, lenient=True) == []
    assert matching("servce!=billing", rows, lenient=True) == [0, 1]


def test_meta_means_the_documents_own_metadata():
    rows = [{"title": "Built in", "meta.title": "Own"}, {"title": "Own"}]
    assert matching("title=Own", rows) == [1]
    assert matching("meta.title=Own", rows) == [0]
    assert matching("meta.service=x", [{"meta.service": "x"}]) == [0]
    assert matching("a.b=1", [{"meta.a.b": 1}]) == [0]
    assert matching("meta.x=1", [{"meta.meta.x": 1}]) == [0]


def test_built_in_keys_take_the_forms_that_people_write():
    rows = [{"ext": "md", "lang": "python", "kind": "note", "tags": ["proj/a", "todo"], "size": 2048}]
    for expression in ("ext=.MD", "lang=Python", "kind=Note", "tags=#todo", "tags~proj/**", "size>=2k", "size<1M"):
        assert matching(expression, rows) == [0], expression
    with pytest.raises(QueryError, match="unknown kind"):
        matching("kind=notes", rows)
    with pytest.raises(QueryError, match="expected a size"):
        matching("size>big", rows)
    with pytest.raises(QueryError, match="is a date"):
        matching("mtime>big", [{"mtime": NOW}])


def test_file_times_are_dates():
    rows = [{"mtime": datetime(2025, 3, 30, 23, 59)}, {"mtime": NOW}]
    assert matching("mtime>=2025-03-31", rows) == [1]
    assert matching("mtime<today", rows) == [0]
    assert matching("mtime=2025-03", rows) == [0, 1]
    assert matching("mtime>2 hours ago", rows) == [1]


# -- paths and globs

PATHS = ["pool.md", "wiki/pool.md", "wiki/a/b.md", "src/wiki/x.py", "archive/old/pool.md"]
FILES = [{"path": [path, f"/abs/notes/{path}"]} for path in PATHS]


def paths(expression: str) -> list[str]:
    return [PATHS[index] for index in matching(expression, FILES)]


def test_path_globs_are_those_of_gitignore():
    assert paths("path~*.md") == ["pool.md", "wiki/pool.md", "wiki/a/b.md", "archive/old/pool.md"]
    assert paths("path~wiki/*") == ["wiki/pool.md"]
    assert paths("path~wiki/**") == ["wiki/pool.md", "wiki/a/b.md"]
    assert paths("path~**/wiki/**") == ["wiki/pool.md", "wiki/a/b.md", "src/wiki/x.py"]
    assert paths("path~**/pool.md") == ["pool.md", "wiki/pool.md", "archive/old/pool.md"]
    assert paths("path~/abs/notes/wiki/*") == ["wiki/pool.md"]
    assert paths("path~{wiki,src}/**,pool.md") == [
        "pool.md",
        "wiki/pool.md",
        "wiki/a/b.md",
        "src/wiki/x.py",
        "archive/old/pool.md",
    ]


def test_path_equals_any_of_its_names():
    assert paths("path=wiki/pool.md") == ["wiki/pool.md"]
    assert paths("path=./wiki/pool.md") == ["wiki/pool.md"]
    assert paths("path=/abs/notes/wiki/pool.md") == ["wiki/pool.md"]
    assert len(paths("path!=wiki/pool.md")) == 4
    rows = [{"path": ["b.md", "/abs/notes/sub/b.md"]}]  # a collection below the working directory
    assert matching("path=sub/b.md", rows) == [0]


@pytest.mark.parametrize(
    ("globs", "expected"),
    [
        (["*.py"], ["src/wiki/x.py"]),
        (["!*.md"], ["src/wiki/x.py"]),
        (["!archive"], ["pool.md", "wiki/pool.md", "wiki/a/b.md", "src/wiki/x.py"]),
        (["!archive/"], ["pool.md", "wiki/pool.md", "wiki/a/b.md", "src/wiki/x.py"]),
        (["wiki/"], ["wiki/pool.md", "wiki/a/b.md", "src/wiki/x.py"]),
        (["!abs", "!notes"], PATHS),
        (["!/abs/notes/wiki"], ["pool.md", "src/wiki/x.py", "archive/old/pool.md"]),
        (["*.md", "!wiki/**"], ["pool.md", "archive/old/pool.md"]),
        (["!wiki/**", "*.md"], ["pool.md", "wiki/pool.md", "wiki/a/b.md", "archive/old/pool.md"]),
        (["/pool.md"], ["pool.md"]),
        (["pool.??"], ["pool.md", "wiki/pool.md", "archive/old/pool.md"]),
        (["[!p]*.md"], ["wiki/a/b.md"]),
        (["[z-a]"], []),
    ],
)
def test_globs_are_those_of_ripgrep(globs, expected):
    assert [PATHS[index] for index in chosen(glob_mask(globs, Table(FILES), SCENE))] == expected


def test_below_is_by_component():
    rows = [{"path": ["a.md", path]} for path in ("/abs/note/a.md", "/abs/notes/a.md", "/abs/notes/a.md.bak")]
    assert chosen(below_mask(["/abs/note"], Table(rows))) == [0]
    assert chosen(below_mask(["/abs/notes/a.md"], Table(rows))) == [1]
    assert chosen(below_mask(["/abs/note", "/abs/notes/"], Table(rows))) == [0, 1, 2]


def test_value_glob_has_no_components():
    assert value_glob("*pool*")("client/server pool")
    assert value_glob("client/**")("client/server pool")
    assert not value_glob("pool")("Pool")
    assert value_glob("a[b]c")("abc")


@pytest.mark.parametrize(
    ("glob", "name", "other"),
    [
        (r"a\[b", "a[b", r"a\[b"),
        (r"\*x", "*x", "yx"),
        (r"\**", "*x", "x*"),
        (r"a\?", "a?", "ab"),
        (r"\{a,b\}", "{a,b}", "a"),
        (r"[\]a]z", "]z", "z"),
        ("[!]]", "a", "]"),
    ],
)
def test_a_backslash_takes_the_sign_as_it_is(glob, name, other):
    for test in (value_glob(glob), path_glob(glob)):
        assert test(name)
        assert not test(other)


def test_globs_do_not_backtrack():
    long = "a" * 20_000
    assert not value_glob("*a" * 40 + "b")(long)
    assert not path_glob("/".join(["**", "a"] * 40) + "/b")("/".join("a" * 400))
    with pytest.raises(QueryError, match="too many alternatives"):
        value_glob("{a,b}" * 12)


# -- dates


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2025", "2025-01-01", "2026-01-01"),
        ("2025-02", "2025-02-01", "2025-03-01"),
        ("2024-12", "2024-12-01", "2025-01-01"),
        ("2025-3-1", "2025-03-01", "2025-03-02"),
        ("2025/03/01", "2025-03-01", "2025-03-02"),
        ("2025-03-01T10:15", "2025-03-01T10:15", "2025-03-01T10:16"),
        ("2025-03-01 10:15:30", "2025-03-01T10:15:30", "2025-03-01T10:15:31"),
        ("today", "2025-03-31", "2025-04-01"),
        ("Yesterday", "2025-03-30", "2025-03-31"),
        ("tomorrow", "2025-04-01", "2025-04-02"),
        ("7d", "2025-03-24", "2025-03-25"),
        ("2 weeks ago", "2025-03-17", "2025-03-18"),
        ("a week ago", "2025-03-24", "2025-03-25"),
        ("1mo", "2025-02-28", "2025-03-01"),
        ("1 month ago", "2025-02-28", "2025-03-01"),
        ("2y", "2023-03-31", "2023-04-01"),
        ("9999", "9999-01-01", "9999-12-31T23:59:59.999999"),
    ],
)
def test_parse_span(text, start, end):
    assert parse_span(text, NOW) == Span(datetime.fromisoformat(start), datetime.fromisoformat(end))


def test_parse_span_of_hours_is_a_moment():
    span = parse_span("3h", NOW)
    assert span is not None
    assert span.start == datetime(2025, 3, 31, 12, 30)


@pytest.mark.parametrize(
    "text", ["", "soon", "2025-13", "2025-02-30", "25-03-01", "7 parsecs", "d", "0001 x", "999999y x"]
)
def test_parse_span_refuses(text):
    assert parse_span(text, NOW) is None


@pytest.mark.parametrize(
    "text", ["999999y", "999999 weeks ago", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"]
)
def test_dates_beyond_the_calendar_do_not_raise(text):
    parse_span(text, NOW)
    parse_moment(text)


def test_parse_moment_reads_iso_only():
    assert parse_moment("2025-03") == datetime(2025, 3, 1)
    assert parse_moment("2025-03-01 10:15") == datetime(2025, 3, 1, 10, 15)
    for text in ("2025", "20250301", "2025-W10-1", "2025-3-1", "yesterday", "2025-02-30"):
        assert parse_moment(text) is None
