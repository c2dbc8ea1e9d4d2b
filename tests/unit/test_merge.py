"""The merge policy: how many segments stay, how often a chunk is rewritten, what is never merged."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hmem.store.merge import FLOOR, MAX_CHUNKS, MAX_SEGMENTS, choose


def apply(sizes: list[tuple[int, int]]) -> tuple[list[tuple[int, int]], int]:
    """Return the sizes after the chosen merges, and how many chunks they rewrote."""
    cost = 0
    for begin, end in sorted(choose(sizes), reverse=True):
        live = sum(size for size, _ in sizes[begin:end])
        cost += live
        sizes = [*sizes[:begin], *([(live, live)] if live else []), *sizes[end:]]
    return sizes, cost


def test_nothing_to_do():
    assert choose([]) == []
    assert choose([(5, 5)] * MAX_SEGMENTS) == []
    assert choose([(750, 1000)]) == []


def test_a_segment_goes_when_more_than_a_quarter_is_dead():
    assert choose([(100, 100), (749, 1000), (100, 100)]) == [(1, 2)]
    assert choose([(0, 5)]) == [(0, 1)]
    assert choose([(1, FLOOR - 1)]) == []


def test_small_segments_are_joined_and_big_ones_left_alone():
    assert choose([(25_000, 25_000), *[(1, 1)] * 8]) == [(1, 9)]


def test_full_segments_are_neither_joined_nor_counted():
    full = (MAX_CHUNKS // 2 + 1,) * 2
    assert choose([full] * 30) == []
    assert choose([*[full] * 30, *[(1, 1)] * MAX_SEGMENTS]) == []
    assert choose([*[full] * 30, *[(1, 1)] * 9]) == [(30, 39)]


def test_a_big_segment_is_not_written_again_for_each_small_one():
    """Eight segments of a bulk load, then one-chunk commits: the big ones are joined once, then left alone."""
    sizes, costs = [(20_000, 20_000)] * 8, []
    for _ in range(300):
        sizes, cost = apply([*sizes, (1, 1)])
        costs.append(cost)
    assert sum(cost > 1000 for cost in costs) <= 3
    assert max(costs) <= MAX_CHUNKS


@pytest.mark.parametrize("seed", range(5))
def test_windows_never_overlap_and_segments_stay_few(seed):
    dice = random.Random(seed)
    sizes: list[tuple[int, int]] = []
    for _ in range(300):
        size = dice.choice([1, 3, 50, 2000])
        sizes = [(max(0, live - dice.randrange(4)), total) for live, total in sizes]
        sizes.append((size, size))
        windows = sorted(choose(sizes))
        assert all(a[1] <= b[0] for a, b in pairwise(windows))
        sizes, cost = apply(sizes)
        assert cost <= MAX_CHUNKS
        assert sum(live <= MAX_CHUNKS // 2 for live, _ in sizes) <= MAX_SEGMENTS + 1


def test_rewriting_stays_cheap_over_many_small_commits():
    """A thousand one-chunk commits beside 50,000 chunks rewrite each chunk a few times, the big segment never."""
    sizes, total = [(50_000, 50_000)], 0
    for _ in range(1000):
        sizes, cost = apply([*sizes, (1, 1)])
        total += cost
    assert sizes[0] == (50_000, 50_000)
    assert total < 1000 * 40
