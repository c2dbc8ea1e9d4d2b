"""What holds of the chunks of any document, and that no document costs more than its size allows."""

import time
from itertools import pairwise, takewhile

import pytest
from hmem.chunk import chunk
from hmem.chunk.lines import LEAST, LIMIT
from hmem.parse import parse
from hmem.types import Kind
from hypothesis import given, settings
from hypothesis import strategies as st

PROSE = ["a.md", "a.txt", "a.rst", "a.adoc", "a.org", "a.wiki"]
PATHS = [*PROSE, "a.py", "a.json", "a"]

WORDS = "pool of connections is exhausted, and nobody knows why. "
PIECES = st.one_of(
    st.sampled_from(
        ["", "", "# One", "## Two", "### Three", "Title\n=====", "- item", "* star", "= One", "== Two ==", "1. x", "::"]
    ),
    st.integers(1, 60).map(lambda n: WORDS * n),
    st.integers(1, 60).map(lambda n: "\n".join([WORDS] * n)),
    st.integers(1, 120).map(lambda n: "```sh\n" + "# code\n\n" * n + "```"),
    st.integers(1, 120).map(lambda n: "| a |\n|---|" + "\n| 1 |" * n),
    st.integers(1, 3000).map(lambda n: "x" * n),
    st.text(alphabet="ab #`-=*\n\t.", max_size=30),
)
FRONT = st.sampled_from(["", "", "---\na: 1\n---\n", "---\n" + "key: value\n" * 50 + "---\n", "---\na: b: c\n---\n"])
TEXTS = st.tuples(FRONT, st.lists(PIECES, max_size=25)).map(lambda parts: parts[0] + "\n".join(parts[1]))


def checked(path, text):
    page = parse(path, text.encode())
    chunks = chunk(page)
    assert "".join(each.text for each in chunks) == page.text
    line = 1
    for each in chunks:
        assert each.text
        assert len(each.text) <= LIMIT
        assert each.start_line == line
        assert each.end_line == line + each.text[:-1].count("\n")
        line += each.text.count("\n")
    return page, chunks


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(PATHS), TEXTS)
def test_chunks_cover_the_document_without_gap(path, text):
    checked(path, text)


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(PROSE), TEXTS)
def test_a_block_that_fits_is_not_cut(path, text):
    page, chunks = checked(path, text)
    lines = page.text.split("\n")
    inside = {line for each in chunks for line in range(each.start_line + 1, each.end_line + 1)}
    for first, last in page.fences:
        if len("\n".join(lines[first - 1 : last])) < LIMIT:
            assert inside >= set(range(first + 1, last + 1))


def bodies(page):
    """Return the path of titles above every line that is text, by its number."""
    above, paths, titles = [], {}, set()
    sections = {each.line: each for each in page.sections}
    for number, line in enumerate(page.text.split("\n"), 1):
        if number in sections:
            section = sections[number]
            above = [*(one for one in above if one.level < section.level), section]
            titles = set(range(number, number + section.lines))
        if line.strip() and number not in titles and number >= page.body_line:
            paths[number] = tuple(one.title for one in above if one.title)
    return paths


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(PROSE), TEXTS)
def test_a_heading_is_what_the_texts_of_a_chunk_have_in_common(path, text):
    page, chunks = checked(path, text)
    paths = bodies(page)
    for each in chunks:
        inside = [paths[line] for line in range(each.start_line, each.end_line + 1) if line in paths]
        if inside:
            shared = takewhile(lambda titles: len(set(titles)) == 1, zip(*inside, strict=False))
            assert each.heading == tuple(titles[0] for titles in shared)


@settings(deadline=None, max_examples=150)
@given(TEXTS)
def test_small_chunks_only_where_a_neighbour_is_full(text):
    _, chunks = checked("a.md", text)
    for one, two in pairwise(chunks):
        if len(one.text) + len(two.text) <= LEAST:
            pytest.fail(f"{one.text!r} and {two.text!r} could be one chunk")


@settings(deadline=None, max_examples=200)
@given(st.sampled_from(PATHS), st.binary(max_size=3000))
def test_any_bytes(path, data):
    page = parse(path, data)
    assert "".join(each.text for each in chunk(page)) == page.text


# Each is long enough for anything quadratic to take minutes.
HOSTILE = {
    "headings": "# h\n" * 100_000,
    "nested headings": "".join("#" * (n % 6 + 1) + f" h{n}\n" for n in range(30_000)),
    "underlined": "a\n==\n" * 30_000,
    "quotes": ">" * 10_000 + " x\n" + (">" * 300 + " x\n") * 1000,
    "lists": "".join(" " * (2 * n) + "- x\n" for n in range(700)) + "- " * 10_000 + "x\n" + "\n" * 50_000,
    "one line": "x" * 16_000_000,
    "one line of words": "ab " * 2_000_000,
    "one line of sentences": "Ab. " * 1_000_000,
    "blank lines": "\n" * 100_000,
    "fences": "```\nx\n```\n" * 30_000,
    "backticks": "".join("`" * (n % 300) + "x" for n in range(3000)),
    "brackets": "[[a](b" * 100_000,
    "titles of brackets": ("# " + "[a](b" * 160 + "\n") * 500,
    "table": "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 50_000,
    "pipes": "|" * 200_000 + "\n" + "|-" * 200_000,
    "tags": " #a1" * 100_000 + "#" + "1" * 200_000,
    "comments": "<!--" * 100_000 + "\n" + "<div\n" * 50_000,
    "definitions": "[a]: b\n" * 50_000 + "===\n",
    "carriage returns": "\r" * 200_000,
    "unclosed front matter": "---\na: b\n" + "x: y\n" * 60_000,
}
SYNTAXES = {
    "a.rst": ["a\n===\n\n", "x::\n\n  a\n", "::\n", ".. x\n", "+-+\n", "=  =\n", "`", ":a:`b", "====\n\n", ":a: b\n"],
    "a.adoc": ["= a\n", "----\n", "a\n--\n", "<<a", "link:", "====\n", "[", ":a: b\n"],
    "a.org": ["* a\n", "*", "#+begin_x\n", "[[", ":a", "|a\n", "#+a: b\n"],
    "a.wiki": ["= a =\n", "<pre>\n", "=", "<!--", "[[", "<pre", "{|\n", "<pre>x</pre>"],
    "a.txt": ["A\n\n", "1. a\n\n", "=", "a\n=\n\n", "# a\n\n"],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_markdown_costs_linear_time(name):
    start = time.process_time()
    checked("a.md", HOSTILE[name])
    assert time.process_time() - start < 10


@pytest.mark.parametrize("path", SYNTAXES)
def test_hostile_wiki_text_costs_linear_time(path):
    start = time.process_time()
    for unit in SYNTAXES[path]:
        page, _ = checked(path, unit * (150_000 // len(unit)))
        assert page.kind in (Kind.NOTE, Kind.WIKI)
    assert time.process_time() - start < 20
