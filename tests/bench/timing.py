"""Latency of searches: each query once over cold caches, then three times more. Standard library alone."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

AGAIN = 3


def timed(search: Callable[[str], object], queries: Sequence[str]) -> dict[str, dict[str, float]]:
    """Return the latency of the first run of every query and of the ones after it."""
    first, again = [], []
    for _ in range(1 + AGAIN):
        for query in queries:
            start = time.perf_counter()
            search(query)
            (again if len(first) == len(queries) else first).append(1000 * (time.perf_counter() - start))
    return {"first": spread(first), "again": spread(again)}


def spread(values: Sequence[float]) -> dict[str, float]:
    ordered = sorted(values)
    at = min(len(ordered) - 1, int(0.95 * len(ordered)))
    return {"p50": round(statistics.median(ordered), 2), "p95": round(ordered[at], 2)}
