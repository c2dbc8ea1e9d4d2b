"""Files as documents: what `parse` makes of bytes and a path."""

import json

import pytest
from hmem.parse import parse
from hmem.types import Kind
from hypothesis import given, settings
from hypothesis import strategies as st


def test_a_page_with_everything():
    data = b"""---\r
title: Pool exhaustion\r
service: billing\r
tags: [db, "#ops"]\r
date: 2024-01-05\r
---\r
# Another heading\r
\r
Text #inline [[Target|alias]].\r
"""
    page = parse("wiki/pool.md", data)
    assert page.kind is Kind.WIKI
    assert page.lang == "markdown"
    assert page.title == "Pool exhaustion"
    assert page.text == data.decode().replace("\r", "")
    assert page.metadata == {
        "title": "Pool exhaustion",
        "service": "billing",
        "tags": ["db", "#ops"],
        "date": "2024-01-05",
    }
    assert page.tags == ("db", "ops", "inline")
    assert page.links == ("Target",)
    assert page.body_line == 7
    assert [(each.line, each.title) for each in page.sections] == [(7, "Another heading")]
    assert page.warnings == ()


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("a/name.md", "text", "name"),
        ("name.md", "## Second\n\n# First", "First"),
        ("name.md", "First\n=====", "First"),
        ("name.md", "---\ntitle: 2024\n---\n# First", "2024"),
        ("name.md", "---\nTitle: Big\n---\n# First", "Big"),
        ("name.md", "---\ntitle:\n---\n# First", "First"),
        ("name.md", "---\ntitle: [a]\n---\n# First", "First"),
        ("name.md", "#\n\n# First", "First"),
        ("name.org", "#+title: Declared\n* First", "Declared"),
        ("name.rst", "First\n=====", "First"),
        ("name.wiki", "== Second ==", "name"),
        ("archive.tar.md", "", "archive.tar"),
        ("README", "text", "README"),
        ("src/mod.py", "# First", "mod"),
        ("bad\udcff.md", "", "bad�"),
    ],
)
def test_titles(path, text, title):
    assert parse(path, text.encode()).title == title


@pytest.mark.parametrize(
    ("declared", "tags"),
    [
        ("tags: [a, b]", ("a", "b")),
        ("tags: a, b c", ("a", "b c")),
        ("tags: a b", ("a", "b")),
        ("tags:\n  - a\n  - 7\n  - [x]", ("a", "7")),
        ("tag: a", ("a",)),
        ("tags: {a: b}", ()),
        ("tags:", ()),
    ],
)
def test_tags_of_front_matter(declared, tags):
    assert parse("a.md", f"---\n{declared}\n---\n".encode()).tags == tags


@pytest.mark.parametrize("path", ["a.md", "a.txt", "a.rst", "a.adoc", "a.org", "a.wiki"])
def test_every_prose_syntax_may_have_front_matter(path):
    page = parse(path, b"---\nservice: billing\n---\nText\n")
    assert page.metadata == {"service": "billing"}
    assert page.body_line == 4


def test_a_letterhead_is_text():
    page = parse("a.md", b"---\n**Acme Widgets**\n---\nbody zebra1")
    assert page.metadata == {}
    assert page.warnings == ()
    assert page.body_line == 1
    assert "zebra1" in page.text


def test_broken_front_matter_is_kept_as_text_with_one_warning():
    page = parse("a.md", b"---\nsummary: a: b: c\n---\n# Title\n\nbody zebra1")
    assert page.warnings == ("front matter ignored: mapping values are not allowed in this context (line 2)",)
    assert page.body_line == 1
    assert [each.title for each in page.sections] == ["Title"]
    assert page.text.startswith("---\nsummary")


def test_the_first_line_with_words_behind_the_dashes_is_text():
    page = parse("a.md", b"--- columns: two\ntext")
    assert (page.metadata, page.warnings, page.body_line) == ({}, (), 1)


def test_code_and_data_are_not_read_as_prose():
    assert parse("a.py", b"# Title\ndef f(): pass\n").sections == ()
    assert parse("a.json", b'{"a": "#tag [[link]]"}').tags == ()
    assert parse("a.yaml", b"---\na: 1\n---\n").metadata == {}


def test_code_has_definitions():
    assert [each.name for each in parse("a.py", b"def f():\n    pass\n").definitions] == ["f"]


def test_a_text_of_too_many_lines_has_no_structure_and_says_so():
    page = parse("a.md", b"---\na: 1\n---\n" + b"# h\n" * 250_000)
    assert page.sections == ()
    assert page.metadata == {"a": 1}
    assert page.warnings == ("structure ignored: more than 250,000 lines",)


def test_what_a_document_declares_is_bounded():
    text = " ".join(f"#tag{n} [[link{n}]]" for n in range(20_000))
    page = parse("a.md", text.encode())
    assert len(page.tags) == len(page.links) == 10_000


PATHS = ["a.md", "a.txt", "a.rst", "a.adoc", "a.org", "a.wiki", "a.py", "a.json", "a"]
SIGNS = st.text(alphabet="ab =-*#`~|+:.[]<>{}!/\\_'\"\n\n\n\t1", max_size=200)


@settings(deadline=None)
@given(
    st.sampled_from(PATHS), st.binary(max_size=200) | SIGNS.map(str.encode) | SIGNS.map(lambda s: b"---\n" + s.encode())
)
def test_any_bytes_are_a_document(path, data):
    page = parse(path, data)
    count = page.text.count("\n") + 1
    json.dumps(page.metadata, allow_nan=False)
    assert page.title
    assert 1 <= page.body_line <= count + 1
    assert [each.line for each in page.sections] == sorted(each.line for each in page.sections)
    assert all(each.line + each.lines - 1 <= count for each in page.sections)
    assert all(1 <= first <= last <= count for first, last in page.fences)
    assert list(page.fences) == sorted(page.fences)
