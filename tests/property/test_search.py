"""No query crashes a search, whatever it and the documents hold."""

import json
from functools import cache

import pytest
from hmem.search.engine import Searcher
from hmem.search.query import Fusion, SearchOptions
from hmem.search.snippet import Highlighter
from hypothesis import given, settings
from hypothesis import strategies as st

from search_samples import encoder, store_of

PIECES = [
    "",
    " ",
    '"',
    '""',
    '"pool',
    'a"b"c',
    "''",
    "`",
    "*",
    "**",
    "?",
    "~",
    "^",
    "pool^2",
    "+pool -cache",
    "NOT",
    "AND OR NOT",
    "(pool",
    "pool)",
    "[a TO z]",
    "{a,b}",
    "title:pool",
    "path:*",
    "std::vector<int>",
    "C++ C# .NET F#",
    "a:b/c@d#e",
    "@scope/pkg",
    "DEC-0054",
    "0x80070005",
    "1.0.21",
    "404",
    "#4471",
    ".*",
    "(a+)+$",
    "\\d{3}",
    "'; DROP TABLE chunks; --",
    "%s %d {0} {}",
    "[bold]pool[/bold]",
    "[/]",
    ":smile:",
    "\x1b[31mred\x1b[0m",
    "\x00",
    "a\x00b",
    "\x07\x08\r\n\t",
    "\ud800",
    "\udfff pool",
    "🙂",
    "👩‍👩‍👧",
    "مرحبا بالعالم",
    "שלום",
    "連接池",
    "接",
    "Пул соединений",
    "café",
    "cafe\u0301",
    "\u202epool",
    "\ufeffpool",
    "\u00a0",
    "\u2028",
    "ß STRASSE",
    "İstanbul",
    "ﬁle",
    "the of and",
    "a" * 10_000,
    "pool " * 2_000,
    "_" * 5_000,
    "getHTTPResponse2 " * 50,
]


@cache
def searcher() -> Searcher:
    import tempfile
    from pathlib import Path

    folder = Path(tempfile.mkdtemp())
    files = {f"{number}.md": f"# Odd {number}\n\n{piece}\n" for number, piece in enumerate(PIECES)}
    files |= {
        "odd\udcff name.md": "pool in a file whose name is not UTF-8\n",
        "empty.md": "",
        "code.py": "def pool(): ...\n",
    }
    return Searcher(store_of(folder, files).snapshot(), encoder)


def check(query: str, **options) -> None:
    result = searcher().search(SearchOptions(query, **options))
    assert not result.degraded
    json.loads(json.dumps(result.to_json(), allow_nan=False))
    shown = Highlighter(query)
    for hit in result.hits:
        line = shown.best(hit.text, hit.start_line)
        assert hit.start_line <= line.number <= hit.end_line
        total = sum(arm.contribution for arm in hit.arms.values() if arm) + sum(boost.value for boost in hit.boosts)
        assert hit.score == pytest.approx(total, abs=1e-12)


@pytest.mark.parametrize("options", [{}, {"fusion": Fusion.RRF}, {"alpha": 0}, {"alpha": 1}], ids=str)
def test_odd_queries(options):
    for piece in PIECES:
        check(piece, **options)


def test_odd_queries_as_phrases():
    for piece in PIECES:
        check(f'"{piece}"')


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=20)), max_size=4).map(" ".join))
def test_any_text_is_a_query(query):
    check(query)


def test_what_stands_in_a_document_is_found():
    """Every piece that has a word finds the document that holds it, among the best by words alone."""
    for number, piece in enumerate(PIECES):
        result = searcher().search(SearchOptions(piece, alpha=0, top_k=30))
        if result.arms["bm25"].status == "ok":
            assert f"{number}.md" in [hit.source for hit in result.hits], piece[:40]
