"""Queries: quotes, weights, phrases."""

from __future__ import annotations

import pytest
from hmem.text import (
    EXACT_WEIGHT,
    STEM_WEIGHT,
    STOP_WEIGHT,
    QueryText,
    contains_phrase,
    count_terms,
    parse_query,
    plain_text,
    query_pairs,
    query_terms,
    words,
)


@pytest.mark.parametrize(
    ("query", "phrases"),
    [
        ("", ()),
        ("pool exhaustion", ()),
        ('"pool exhaustion"', ("pool exhaustion",)),
        ('find "pool exhaustion" in "api.py" now', ("pool exhaustion", "api.py")),
        ('"  spaced  "', ("spaced",)),
        ('say "', ()),
        ('"unbalanced', ()),
        ('"a" "b', ("a",)),
        ('""', ()),
        ('" "', ()),
        ('5" pipe and 6" pipe', ()),
        ('12" vinyl "abbey road"', ("abbey road",)),
        ('print("hello")', ("hello",)),
        ("'single' “curly” `tick`", ()),
        ('title:(x OR y) AND -z* "1.0.21"', ("1.0.21",)),
    ],
)
def test_only_double_quotes_are_syntax(query: str, phrases: tuple[str, ...]) -> None:
    parsed = parse_query(query)

    assert parsed.phrases == phrases
    assert words(parsed.text) == words(query)
    if not phrases:
        assert parsed == QueryText(query)


def test_weights() -> None:
    found = {term.term: term for term in query_terms("the Running of café pool pool")}

    assert found["run"].weight == STEM_WEIGHT
    assert found["=running"].weight == EXACT_WEIGHT
    assert found["the"].weight == STEM_WEIGHT * STOP_WEIGHT
    assert found["=of"].weight == EXACT_WEIGHT * STOP_WEIGHT
    assert found["pool"].weight == 2 * STEM_WEIGHT
    assert found["=cafe"].weight == found["=café"].weight == EXACT_WEIGHT
    assert found["run"].word == "Running"
    assert list(found) == ["the", "=the", "run", "=running", "of", "=of", "cafe", "=café", "=cafe", "pool", "=pool"]


def test_query_asks_for_what_documents_hold() -> None:
    text = "How does getHTTPResponse2 in C++ treat 連接池 and pool's 1.0.21?"

    assert {term.term for term in query_terms(text)} == set(count_terms(text))
    assert query_terms("") == query_terms("… -- !") == ()


def test_query_pairs_are_asked_for_once() -> None:
    assert [(pair.term, pair.weight) for pair in query_pairs("connection pools, the connections of a pool")] == [
        ("connect pool", 1.0),
        ("pool connect", 1.0),
    ]


@pytest.mark.parametrize(
    ("text", "phrase", "expected"),
    [
        ("The Connection\n  pool is exhausted", "connection pool", True),
        ("connection-pool", "connection pool", False),
        ("connection pooling", "connection pool", False),
        ("the connection pools", "connection pool", False),
        ("reconnection pool, connection pool", "connection pool", True),
        ("v1.0.21", "1.0.21", True),
        ("1.0.21", "1.0.2", False),
        ("11.0.2", "1.0.2", False),
        ("_read_file(x)", "read_file", True),
        ("pool2", "pool", True),
        ("資料庫連接池耗盡", "連接池", True),
        ("हिन्दी", "हिन्द", False),
        ("Straße", "STRASSE", True),
        ("ﬁne ｗｉｄｅ", "fine wide", True),
        ("a->b", "->", True),
        ("anything", "", True),
        ("", "x", False),
        ("\ud800 x\x00y", "x\x00y", True),
    ],
)
def test_contains_phrase(text: str, phrase: str, expected: bool) -> None:
    assert contains_phrase(text, phrase) is expected


def test_plain_text() -> None:
    assert plain_text("  The\u00a0CAFÉ \n\t is ﬁne ") == "the café is fine"
