"""Fusion against references of a few lines, and the laws that it must obey."""

import numpy as np
import pytest
from hmem.search import fuse
from hmem.search.lists import ArmList, best_first
from hmem.search.mix import Mix
from hmem.search.query import Arm, Fusion, SearchOptions
from hmem.search.recipe import DEFAULT_RECIPE
from hypothesis import given, settings
from hypothesis import strategies as st

alphas = st.floats(0, 1)
orders = st.lists(st.integers(0, 19), unique=True, max_size=20)
raw = st.lists(st.one_of(st.just(-np.inf), st.sampled_from([0.5, 1.0, 2.0, 2.5, 7.0])), min_size=1, max_size=30)


def reference(lists: dict[str, list[int]], weights: dict[str, float], k: float) -> list[tuple[float, int]]:
    totals: dict[int, float] = {}
    for arm, found in lists.items():
        for rank, position in enumerate(found, 1):
            totals[position] = totals.get(position, 0.0) + weights[arm] / (k + rank)
    return sorted(((-score, position) for position, score in totals.items()))


def ranked(lists: dict[str, list[int]], weights: dict[str, float], k: float) -> fuse.Fused:
    positions = fuse.pool(np.array(found, np.int64) for found in lists.values())
    ranks = {
        arm: np.array([found.index(p) + 1 if p in found else 0 for p in positions.tolist()], np.int64)
        for arm, found in lists.items()
    }
    return fuse.rrf(positions, ranks, weights, k)


@settings(deadline=None)
@given(orders, orders, alphas, st.integers(0, 100))
def test_rrf_is_its_reference(words, meanings, alpha, k):
    lists, weights = {"bm25": words, "dense": meanings}, fuse.rrf_weights(alpha)
    fused = ranked(lists, weights, k)
    order = best_first(fused.scores, fused.positions, 100, lambda: np.arange(20))
    found = [(-float(fused.scores[index]), int(fused.positions[index])) for index in order]
    assert found == reference(lists, weights, k)


@settings(deadline=None)
@given(orders, orders, st.integers(0, 100))
def test_rrf_at_one_half_does_not_tell_the_arms_apart(words, meanings, k):
    weights = fuse.rrf_weights(0.5)
    one = ranked({"bm25": words, "dense": meanings}, weights, k)
    other = ranked({"bm25": meanings, "dense": words}, weights, k)
    assert one.scores.tolist() == pytest.approx(other.scores.tolist())


@settings(deadline=None)
@given(orders.filter(lambda order: len(order) > 1), orders, alphas, st.data())
def test_a_better_rank_never_gives_a_lower_score(words, meanings, alpha, data):
    weights = fuse.rrf_weights(alpha)
    at = data.draw(st.integers(1, len(words) - 1))
    better = words.copy()
    better[at - 1], better[at] = better[at], better[at - 1]
    raised = words[at]
    before = ranked({"bm25": words, "dense": meanings}, weights, 60)
    after = ranked({"bm25": better, "dense": meanings}, weights, 60)
    index = before.positions.tolist().index(raised)
    assert after.scores[index] >= before.scores[index]


def lists_of(words: list[float], meanings: list[float]) -> dict[Arm, ArmList]:
    size = min(len(words), len(meanings))
    ties = lambda: np.arange(size)  # noqa: E731
    return {
        Arm.BM25: ArmList.of_chunks(np.array(words[:size]), 10, ties),
        Arm.DENSE: ArmList.of_chunks(np.array(meanings[:size]) / 10, 10, ties),
    }


def convex_reference(lists: dict[Arm, ArmList], alpha: float, position: int) -> float:
    bm25, dense = lists[Arm.BM25].scores[position], lists[Arm.DENSE].scores[position]
    lexical = max(bm25, 0) / lists[Arm.BM25].best if lists[Arm.BM25].best else 0
    if dense == -np.inf:
        return (1 - alpha) * lexical
    known = sorted((score for score in lists[Arm.DENSE].scores.tolist() if score > -np.inf), reverse=True)
    floor = known[min(10, len(known)) - 1]  # lists of ten at most
    above = max(dense - floor, 0) / max(known[0] - floor, DEFAULT_RECIPE.short_spread)
    meaning = 0.01 * min((dense + 1) / (floor + 1), 1) + 0.99 * above
    return (1 - alpha) * lexical + alpha * meaning


@settings(deadline=None)
@given(raw, raw, st.floats(0.01, 0.99))
def test_convex_is_its_reference(words, meanings, alpha):
    lists = lists_of(words, meanings)
    fused = Mix.of(SearchOptions("q", alpha=alpha), lists, lambda: np.zeros(0, bool)).fuse(lists)
    expected = [convex_reference(lists, alpha, position) for position in fused.positions.tolist()]
    assert fused.scores.tolist() == pytest.approx(expected)
    assert ((fused.scores >= 0) & (fused.scores <= 1 + 1e-12)).all()


@settings(deadline=None)
@given(raw, raw, st.floats(0.01, 0.99), st.sampled_from(list(Fusion)))
def test_contributions_add_up_to_the_score(words, meanings, alpha, fusion):
    lists = lists_of(words, meanings)
    fused = Mix.of(SearchOptions("q", alpha=alpha, fusion=fusion), lists, lambda: np.zeros(0, bool)).fuse(lists)
    total = np.sum(list(fused.contributions.values()), axis=0) if fused.contributions else 0
    assert fused.scores.tolist() == pytest.approx(np.atleast_1d(total).tolist(), abs=1e-12)


@settings(deadline=None)
@given(raw, raw, st.floats(0.01, 0.99), st.floats(0.1, 100))
def test_the_scale_of_bm25_does_not_matter(words, meanings, alpha, scale):
    def order(factor: float) -> list[float]:
        lists = lists_of([word * factor for word in words], meanings)
        return Mix.of(SearchOptions("q", alpha=alpha), lists, lambda: np.zeros(0, bool)).fuse(lists).scores.tolist()

    assert order(scale) == pytest.approx(order(1.0))


@settings(deadline=None)
@given(raw, st.integers(1, 40), st.randoms(use_true_random=False))
def test_best_first_is_a_sort(values, depth, random):
    ties = list(range(len(values)))
    random.shuffle(ties)
    found = best_first(np.array(values), np.arange(len(values)), depth, lambda: np.array(ties))
    expected = sorted(range(len(values)), key=lambda index: (-values[index], ties[index]))[:depth]
    assert found.tolist() == expected


@settings(deadline=None)
@given(raw, st.integers(1, 40), st.randoms(use_true_random=False))
def test_rank_is_the_place_in_the_whole_order(values, depth, random):
    ties = list(range(len(values)))
    random.shuffle(ties)
    found = ArmList.of_chunks(np.array(values), depth, lambda: np.array(ties))
    scored = [index for index in range(len(values)) if values[index] > -np.inf]
    expected = sorted(scored, key=lambda index: (-values[index], ties[index]))
    assert [found.rank(index) for index in expected] == list(range(1, len(expected) + 1))
    assert found.listed_ranks(np.array(expected, np.int64)).tolist() == [
        rank if rank <= depth else 0 for rank in range(1, len(expected) + 1)
    ]
