"""Terms: which spellings find each other, which are told apart, and what is remembered."""

from __future__ import annotations

import threading
import time
import tracemalloc
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hmem.text import (
    EXACT,
    STOP_WORDS,
    Reading,
    count_terms,
    model_words,
    pairs,
    query_terms,
    stem,
    terms,
    words,
)


def exact(text: str) -> set[str]:
    return {term for term in count_terms(text) if term.startswith(EXACT)}


def stems(text: str) -> set[str]:
    return {term for term in count_terms(text) if not term.startswith(EXACT)}


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("running", ("run", "=running")),
        ("Pools", ("pool", "=pools")),
        ("404", ("404", "=404")),
        ("café", ("cafe", "=café", "=cafe")),
        ("getHTTPResponse2", ("get", "http", "respons", "2", "gethttpresponse2", "=gethttpresponse2")),
        ("snake_case", ("snake", "=snake", "case", "=case", "snakecas", "=snakecase")),
        ("dotted.name", ("dot", "=dotted", "name", "=name", "=dottedname")),
        ("1.0.21", ("1", "=1", "0", "=0", "21", "=21", "1.0.21", "=1.0.21")),
        ("DEC-0054", ("dec", "=dec", "0054", "=0054", "dec0054", "=dec0054")),
        ("0x80070005", ("0x80070005", "=0x80070005", "80070005", "=80070005")),
        ("#4471", ("4471", "=4471", "=#4471")),
        ("C++", ("c++", "=c++")),
        ("合約轉", ("合", "約", "轉", "合約", "約轉")),
        ("don't", ("do", "=do")),
        ("well-well", ("well", "=well", "well", "=well", "wellwel", "=wellwell")),
        ("", ()),
    ],
)
def test_terms(word: str, expected: tuple[str, ...]) -> None:
    assert terms(word) == expected


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("getHTTPResponse2", "get_http_response_2"),
        ("kebab-case", "kebabCase"),
        ("kebab_case", "KebabCase"),
        ("path/to/x", "path.to.x"),
        ("e-mail", "email"),
        ("U.S.A.", "usa"),
        ("node.js", "nodejs"),
        ("DEC-0054", "dec0054"),
        ("DEC-0054", "`DEC-0054`,"),
        ("@scope/pkg", "scope/pkg"),
        ("café", "CAFE"),
        ("Straße", "strasse"),
        ("ΟΔΟΣ", "οδός"),
        ("ёлка", "елка"),
        ("שָׁלוֹם", "שלום"),
        ("v1.0.21", "V1.0.21"),
        ("0xDEADBEEF", "deadbeef"),
        ("#4471", "4471"),
    ],
)
def test_spellings_of_one_name_share_an_exact_form(first: str, second: str) -> None:
    """The form that they share is the whole of at least one of them, not just a piece."""
    forms, other_forms = exact(first), exact(second)
    longest = min(max(map(len, forms)), max(map(len, other_forms)))

    assert any(len(form) == longest for form in forms & other_forms)


@pytest.mark.parametrize(
    ("query", "document"),
    [
        ("response", "getHTTPResponse2"),
        ("write_json", "atomic_write_json"),
        ("HTTPResponse", "getHTTPResponse"),
        ("rfc 0042", "RFC-0042"),
        ("bar", "foo.bar.baz"),
        ("important", "**important**"),
        ("args", "*args"),
        ("update", "*update*"),
        ("logs", "logging"),
        ("debugging", "debug"),
        ("mapping", "mapped"),
        ("pool", "the pool's size"),
        ("соединения", "соединений"),
        ("轉換", "中文合約轉換"),
        ("池", "連接池"),
        ("검색", "한국어검색"),
        ("ñandú", "nandu"),
        ("vector", "std::vector<int>"),
        ("a:b", "a"),
    ],
)
def test_query_finds_document(query: str, document: str) -> None:
    assert set(count_terms(query)) & set(count_terms(document))


@pytest.mark.parametrize("names", [("C", "R", "C++", "C#", "F#", ".NET", "net"), ("1.0.2", "1.0.21", "10.21")])
def test_names_are_told_apart(names: tuple[str, ...]) -> None:
    for first in names:
        for second in names:
            if first != second:
                assert max(terms(first), key=len) not in terms(second)
    assert not stems("C") & (stems("C++") | stems("C#") | stems("R"))
    assert not stems("net") & stems(".NET")


def test_exact_form_outranks_an_inflection() -> None:
    weights = {term.term: term.weight for term in query_terms("running")}

    def score(document: str) -> float:
        return sum(weights.get(term, 0) for term in count_terms(document))

    assert score("running") > score("runs") > score("walks") == 0


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("connection", "connect"),
        ("logging", "log"),
        ("соединения", "соединен"),
        ("2024", "2024"),
        ("", ""),
        ("\ud800", "\ud800"),
        ("合", "合"),
    ],
)
def test_stem(word: str, expected: str) -> None:
    assert stem(word) == expected


def test_stems_of_whole_paths_and_of_long_words_are_left_out() -> None:
    path = "some/very/long/path/with/many/parts/that/nobody/types/again/by/hand.py"

    assert len(path) > 64
    assert count_terms(path) == count_terms(path.replace("/", " ").replace(".", " "))


def test_pairs_skip_stop_words_and_repetitions() -> None:
    assert pairs("The pool of connections is exhausted. Pool pool!") == {
        "pool connect": 1,
        "connect exhaust": 1,
        "exhaust pool": 1,
    }
    assert pairs("connection_pool") == {"connect pool": 1}
    assert pairs("") == {}
    assert all(len(pair.split(" ")) == 2 for pair in pairs("a-b c.d/e 使用 x 1.2.3"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getHTTPResponse2(url, *args)  # See RFC-0042!", "get http response 2 url args see rfc 0042"),
        ("Die Straße nach München", "die straße nach münchen"),
        ("連接池 и мир", "連接池 и мир"),
        ("--- !!! ---", ""),
    ],
)
def test_model_words(text: str, expected: str) -> None:
    assert model_words(text) == expected


def test_reading_gives_what_the_functions_give() -> None:
    text = "The getHTTPResponse2 of café-pools, 1.0.21 and 連接池: don't #4471"
    reading = Reading(text)

    assert reading.terms() == count_terms(text) == sum((Counter(terms(word)) for word in words(text)), Counter())
    assert reading.pairs() == pairs(text)
    assert reading.model_words() == model_words(text)


def test_stop_words_are_counted() -> None:
    assert {"it", "=it", "us", "c"} <= set(count_terms("IT is us, C"))
    assert {word.lower() for word in STOP_WORDS} == STOP_WORDS


HOSTILE = [
    *("a", "_", ".", "-", "#", "'", '"', "::", "A1", "aB", "a_", "a.", "_a", "a'", "'s", "c++", "#1", "0x", ".NET"),
    *("\x00", "\ud800", "\u0301", "\u200d", "連", "가", "é", "\ufdfa"),
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_any_repetition_takes_linear_time(unit: str) -> None:
    """Quadratic time would be a factor of 64 here; the bound leaves room for a busy machine."""

    def seconds(times: int) -> float:
        text = unit * times
        best = 9.0
        for _ in range(3):
            started = time.process_time()
            Reading(text).terms()
            best = min(best, time.process_time() - started)
        return best

    assert seconds(24_000) < 24 * seconds(3_000) + 0.01


def test_long_words_are_not_remembered() -> None:
    pieces = [f"{first}{second}uvwxyz" for first in "abcdefgh" for second in "abcdefgh"]
    long_words = ["_".join((first, *pieces[:12], second)) for first in pieces[:25] for second in pieces[:25]]
    count_terms(" ".join(pieces))
    tracemalloc.start()
    try:
        for word in long_words:
            assert len(word) > 96
            assert words(word) == [word]
            count_terms(word)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert kept < 100_000


def test_threads_agree() -> None:
    """Fresh words, so that every thread stems for itself at the same time."""
    texts = [" ".join(f"thread{number}ing соединения{number} café{number}s" for number in range(400))] * 8
    barrier = threading.Barrier(len(texts))

    def count(text: str) -> Counter[str]:
        barrier.wait()
        return count_terms(text)

    with ThreadPoolExecutor(len(texts)) as executor:
        found = list(executor.map(count, texts))

    assert all(counts == count_terms(texts[0]) for counts in found)
