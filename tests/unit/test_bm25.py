"""BM25: equal to the formula, to bm25s, over any spread of documents over segments; and choosing the best."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import bm25s
import numpy as np
import pytest
from hmem.search.bm25 import Bm25
from hmem.store.lexical import LexicalSegment, write_lexical
from hypothesis import given, settings
from hypothesis import strategies as st

from posting_samples import Documents, bench_corpus, corpus

K1, B = 1.5, 0.75


class Held:
    """Postings of documents in memory."""

    def __init__(self, documents: Documents) -> None:
        self.n = len(documents)
        self._documents = documents
        self.asked: list[str] = []

    def postings(self, field: str, term: str) -> tuple[np.ndarray, np.ndarray] | None:
        self.asked.append(term)
        found = [(number, document[term]) for number, document in enumerate(self._documents) if term in document]
        if not found:
            return None
        docs, tfs = zip(*found, strict=True)
        return np.array(docs, np.int32), np.array(tfs, np.float32)

    def lengths(self, field: str) -> np.ndarray:
        return np.array([sum(document.values()) for document in self._documents], np.float32)


def scorer(*parts: Documents, live: np.ndarray | None = None, **options: int) -> Bm25:
    total = sum(map(len, parts))
    return Bm25([Held(part) for part in parts], "terms", np.ones(total, bool) if live is None else live, **options)


def formula(
    documents: Documents, terms: Sequence[tuple[str, float]], k1: float | np.ndarray, b: float | np.ndarray
) -> list[float]:
    """The scores by the textbook, in double precision."""
    k1, b = np.broadcast_to(k1, len(documents)), np.broadcast_to(b, len(documents))
    lengths = [sum(document.values()) for document in documents]
    average = sum(lengths) / len(documents)
    scores = []
    for number, document in enumerate(documents):
        score = 0.0
        for term, weight in terms:
            tf = document.get(term, 0)
            df = sum(term in other for other in documents)
            idf = math.log(1 + (len(documents) - df + 0.5) / (df + 0.5))
            norm = k1[number] * (1 - b[number] + b[number] * lengths[number] / average)
            score += weight * idf * tf / (tf + norm) if tf else 0.0
        scores.append(score)
    return scores


QUERY = [("w0", 1.0), ("w3", 0.4), ("w40", 1.0), ("w150", 1.0), ("w3", 0.25), ("unknown", 1.0)]


def test_scores_are_those_of_the_formula() -> None:
    documents = corpus(300)
    np.testing.assert_allclose(scorer(documents).scores(QUERY, K1, B), formula(documents, QUERY, K1, B), atol=1e-5)


def test_parameters_may_differ_by_position() -> None:
    documents = corpus(300)
    k1 = np.where(np.arange(300) % 2, 2.0, 1.2).astype(np.float32)
    b = np.where(np.arange(300) % 3, 0.5, 0.0).astype(np.float32)
    np.testing.assert_allclose(scorer(documents).scores(QUERY, k1, b), formula(documents, QUERY, k1, b), atol=1e-5)


@pytest.mark.parametrize(("k1", "b"), [(0.0, 0.75), (1.5, 1.0), (1.5, 0.0), (0.0, 0.0)])
def test_extreme_parameters_give_numbers(k1: float, b: float) -> None:
    documents = [*corpus(50), {}]
    with np.errstate(all="raise", under="ignore"):
        scores = scorer(documents).scores(QUERY, k1, b)
    np.testing.assert_allclose(scores, formula(documents, QUERY, k1, b), atol=1e-5)


def equals_bm25s(documents: Documents, queries: Sequence[Sequence[str]], found: Bm25) -> None:
    reference = bm25s.BM25(method="lucene", k1=K1, b=B)
    tokens = [[term for term, tf in document.items() for _ in range(tf)] for document in documents]
    reference.index(tokens, show_progress=False)
    for query in queries:
        known = [term for term in query if term in reference.vocab_dict]
        expected = reference.get_scores(known) if known else np.zeros(len(documents))
        scores = found.scores([(term, 1.0) for term in query], K1, B)
        np.testing.assert_allclose(scores, expected, atol=1e-4)


def written(place: Path, documents: Documents, segments: int) -> list[Path]:
    bounds = np.linspace(0, len(documents), segments + 1).astype(int)
    paths = []
    for number in range(segments):
        paths.append(place / f"{number}")
        paths[-1].mkdir()
        write_lexical(paths[-1], {"terms": documents[bounds[number] : bounds[number + 1]]})
    return paths


def test_scores_from_the_disk_equal_bm25s(tmp_path: Path) -> None:
    documents = corpus(1_000, words=1_500)
    draw = random.Random(2)
    queries = [draw.sample(range(1_500), draw.choice([1, 2, 5, 20])) for _ in range(40)]
    with ExitStack() as stack:
        opened = [stack.enter_context(LexicalSegment.open(path)) for path in written(tmp_path, documents, 3)]
        words = [[f"w{number}" for number in query] for query in queries]
        equals_bm25s(documents, words, Bm25(opened, "terms", np.ones(1_000, bool)))


@pytest.mark.bench
@pytest.mark.parametrize("name", ["cacm", "cranfield", "scifact"])
def test_scores_of_a_development_set_equal_bm25s(tmp_path: Path, name: str) -> None:
    documents, queries = bench_corpus(name)
    with ExitStack() as stack:
        opened = [stack.enter_context(LexicalSegment.open(path)) for path in written(tmp_path, documents, 2)]
        found = Bm25(opened, "terms", np.ones(len(documents), bool))
        equals_bm25s(documents, [list(query.elements()) for query in queries[:100]], found)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.lists(st.dictionaries(st.sampled_from("abcde"), st.integers(1, 9)), max_size=6), max_size=4), st.data()
)
def test_segments_and_the_dead_leave_no_trace(parts: list[Documents], data: st.DataObject) -> None:
    documents = [document for part in parts for document in part]
    flags = data.draw(st.lists(st.booleans(), min_size=len(documents), max_size=len(documents)))
    live = np.array(flags, bool)
    rebuilt = scorer([document for document, alive in zip(documents, flags, strict=True) if alive])
    query = [("a", 1.0), ("b", 0.5), ("e", 1.0)]
    scores = scorer(*parts, live=live).scores(query, K1, B)
    assert scores[live].tolist() == rebuilt.scores(query, K1, B).tolist()  # to the bit
    assert not scores[~live].any()


def test_nothing_is_scored_where_nothing_lives() -> None:
    documents = corpus(20)
    assert scorer(documents, live=np.zeros(20, bool)).scores(QUERY, K1, B).tolist() == [0.0] * 20
    assert scorer().scores(QUERY, K1, B).shape == (0,)
    assert scorer(documents).scores([], K1, B).tolist() == [0.0] * 20


def test_flags_must_fit_the_documents() -> None:
    with pytest.raises(ValueError, match="3 live flags for 20 documents"):
        scorer(corpus(20), live=np.ones(3, bool))


def test_statistics_count_the_living() -> None:
    found = scorer([{"a": 1}, {"a": 3, "b": 1}, {"b": 2}], live=np.array([True, True, False]))
    assert (found.documents, found.average_length) == (2, 2.5)
    assert (found.df("a"), found.df("b"), found.df("c")) == (2, 1, 0)
    assert found.idf("b") == pytest.approx(math.log(1 + 1.5 / 1.5))


@pytest.mark.parametrize("live_share", [1.0, 0.5])
def test_contributions_add_up_to_the_score(live_share: float) -> None:
    documents = corpus(300)
    live = np.random.default_rng(1).random(300) < live_share
    found = scorer(documents, live=live)
    positions = np.array([250, 3, 3, 77, 0, 299])
    parts = found.contributions(QUERY, positions, K1, B)
    assert parts.shape == (len(QUERY), 6)
    total = np.zeros(6, np.float32)
    for part in parts:
        total += part
    assert total.tolist() == found.scores(QUERY, K1, B)[positions].tolist()
    for (term, _), row in zip(QUERY, parts, strict=True):
        assert (row > 0).tolist() == [term in documents[at] and bool(live[at]) for at in positions]


def test_a_cache_changes_no_bit_and_stays_in_its_bounds() -> None:
    documents = corpus(2_000, words=400)
    plain, kept = scorer(documents, cache_bytes=0), scorer(documents, cache_bytes=20_000)
    draw = random.Random(4)
    for _ in range(100):
        query = [(f"w{draw.randrange(400)}", 1.0) for _ in range(5)]
        assert kept.scores(query, K1, B).tolist() == plain.scores(query, K1, B).tolist()
        assert 0 < kept.cached_bytes <= 20_000
    assert plain.cached_bytes == 0


def test_what_was_used_last_stays_in_the_cache() -> None:
    documents = corpus(400, words=50)
    held = Held(documents)
    found = Bm25([held], "terms", np.ones(400, bool), cache_bytes=6_000)
    for number in range(49):
        found.df("w49")
        found.df(f"w{number}")
    assert held.asked.count("w49") == 1
    assert found.df("w0") > 0
    assert held.asked.count("w0") == 2


def test_threads_share_a_scorer() -> None:
    documents = corpus(500, words=80)
    found = scorer(documents, cache_bytes=8_000)
    queries = [[(f"w{(start + step) % 80}", 1.0) for step in range(8)] for start in range(80)] * 4
    alone = [scorer(documents).scores(query, K1, B).tolist() for query in queries[:80]]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda query: found.scores(query, K1, B).tolist(), queries))
    assert together == alone * 4
    assert found.cached_bytes <= 8_000
