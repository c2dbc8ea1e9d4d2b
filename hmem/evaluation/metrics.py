"""Measures of one ranked list, as trec_eval defines them. Pure.

`gains`: one number per result, best result first: the grade of what it found, 0 for nothing. `grades`: those of all
that is relevant, each above 0. `@k` looks at exactly the first k results; a list that ends sooner found nothing there.

    nDCG@k       DCG@k / DCG@k of the grades, highest first; DCG@k = sum of gain / log2(rank + 1)
                 (Järvelin, Kekäläinen 2002, with linear gains: `ndcg_cut` of trec_eval)
    MRR@k        1 / rank of the first relevant result, 0 if there is none (Voorhees 1999: `recip_rank`)
    recall@k     relevant results / everything relevant
    precision@k  relevant results / k
"""

from __future__ import annotations

from functools import partial
from math import log2
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Scores: TypeAlias = "Mapping[str, float]"
"""One number in [0, 1] by the name of each measure."""


def dcg(gains: Sequence[float], k: int) -> float:
    """Return the discounted cumulative gain of the first `k` results (0 and more)."""
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains[:k], 1))


def ndcg(gains: Sequence[float], grades: Sequence[float], k: int) -> float:
    """Return DCG@k as a share of the best possible one, in [0, 1]; 0 if nothing is relevant."""
    ideal = dcg(sorted(grades, reverse=True), k)
    return dcg(gains, k) / ideal if ideal else 0.0


def reciprocal_rank(gains: Sequence[float], grades: Sequence[float], k: int) -> float:
    """Return 1 / rank of the first relevant one of the first `k` results, else 0."""
    return next((1 / rank for rank, gain in enumerate(gains[:k], 1) if gain > 0), 0.0)


def recall(gains: Sequence[float], grades: Sequence[float], k: int) -> float:
    """Return the share of what is relevant that stands among the first `k` results, in [0, 1]."""
    return _relevant(gains, k) / len(grades) if grades else 0.0


def precision(gains: Sequence[float], grades: Sequence[float], k: int) -> float:
    """Return the share of the first `k` results that is relevant, in [0, 1]; `k` (1 or more) divides in any case."""
    return _relevant(gains, k) / k


def _relevant(gains: Sequence[float], k: int) -> int:
    return sum(gain > 0 for gain in gains[:k])


MEASURES: Final[Mapping[str, Callable[[Sequence[float], Sequence[float]], float]]] = {
    "ndcg@10": partial(ndcg, k=10),
    "mrr@10": partial(reciprocal_rank, k=10),
    "recall@1": partial(recall, k=1),
    "recall@5": partial(recall, k=5),
    "recall@10": partial(recall, k=10),
    "recall@20": partial(recall, k=20),
    "precision@5": partial(precision, k=5),
}
"""What is measured, in the order in which it is shown."""

MAIN: Final = "ndcg@10"
"""The measure that sweeps and comparisons go by."""

DEEPEST: Final = 20
"""The number of results that the measures look at."""


def measure(gains: Sequence[float], grades: Sequence[float]) -> dict[str, float]:
    """Return every measure of one list."""
    return {name: function(gains, grades) for name, function in MEASURES.items()}


def mean_scores(scores: Sequence[Scores]) -> dict[str, float]:
    """Return the mean of every measure over queries, 0 without any."""
    count = len(scores)
    return {name: sum(each[name] for each in scores) / count if count else 0.0 for name in MEASURES}
