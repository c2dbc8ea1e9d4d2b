"""Fusion: from the arms' scores to one score per candidate, as a sum whose parts can be shown. Pure.

Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009), with `alpha` a:

    score(d) = sum over arms of weight / (k + rank(d)),   weight = 2a for dense, 2(1 - a) for lexical arms

Convex combination, one rule for all kinds of chunks:

    score(d) = (1 - a) * lexical'(d) + a * dense'(d)
    bm25'(d)     = bm25(d) / best bm25 * min(1, best bm25 / (c * most)) ^ 1.5
    document'(d) = document(d) / best document
    lexical'(d)  = (1 - s(d)) * bm25'(d) + s(d) * document'(d)            s: share of the document arm
    dense'(d)    = (cos(d) - floor) / max(best cos - floor, w), from 0 (below the floor) to 1

Both sides count less where they have little to say. `most` is what the query's eight heaviest terms could score at
all: a list whose best chunk holds only the small words of a question counts little.
`floor` is the 100th cosine of the list, in a short list its median: a flat list, whose best is hardly better than the
floor, is measured against the spread w. The last hundredth of dense' keeps the order below the floor. Constants and
figures are in `recipe.py`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

DOUBT = 1.5
"""Power with which a lexical list loses weight: it must lose more than in proportion, or a chance word still wins."""

FEW = 10
"""A list of no more has no median to speak of."""

BELOW = 0.01
"""The part of dense' that orders what lies below the floor."""


Weights: TypeAlias = "Mapping[str, NDArray[np.float64] | float]"
"""How much each arm weighs: one number, or one per candidate."""


@dataclass(frozen=True, slots=True)
class Fused:
    """Candidates with the parts of their scores.

    `positions` int64 (n,), ascending. `contributions` by arm and `boosts` by name: float64 (n,), 0 where there is none.
    """

    positions: NDArray[np.int64]
    contributions: Mapping[str, NDArray[np.float64]]
    boosts: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)

    @property
    def scores(self) -> NDArray[np.float64]:
        """The scores, (n,): the sum of all parts in their order."""
        total = np.zeros(len(self.positions), np.float64)
        for part in (*self.contributions.values(), *self.boosts.values()):
            total += part
        return total


def pool(rankings: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the positions that stand in any of the lists, ascending."""
    return np.unique(np.concatenate([np.empty(0, np.int64), *rankings]))


def rrf(positions: NDArray[np.int64], ranks: Mapping[str, NDArray[np.int64]], weights: Weights, k: float) -> Fused:
    """Fuse by rank. `ranks` by arm, (n,) for the n `positions`: 1 is the best, 0 means not returned.

    Scores lie between 0 and the sum of the weights over k + 1.
    """
    contributions = {
        arm: np.where(rank > 0, weights[arm] / (k + np.maximum(rank, 1)), 0.0) for arm, rank in ranks.items()
    }
    return Fused(positions, contributions)


def rrf_weights(alpha: float) -> dict[str, float]:
    """Return the weights of the arms in reciprocal rank fusion: 1 each at alpha 0.5."""
    return {"bm25": 2 * (1 - alpha), "document": 2 * (1 - alpha), "dense": 2 * alpha}


def convex(positions: NDArray[np.int64], normalised: Mapping[str, NDArray[np.float64]], weights: Weights) -> Fused:
    """Fuse scores. `normalised` by arm, (n,) for the n `positions`, each in [0, 1]; so are the fused scores."""
    return Fused(positions, {arm: weights[arm] * values for arm, values in normalised.items()})


def convex_weights(
    alpha: NDArray[np.float64] | float, document_share: NDArray[np.float64] | float = 0.0
) -> dict[str, NDArray[np.float64] | float]:
    """Return the weights of the arms in the convex combination, which add up to 1.

    `alpha` and `document_share` in [0, 1], one number or (n,): what is the dense arm's, and how much of the lexical
    rest is the document arm's.
    """
    return {
        "bm25": (1 - alpha) * (1 - document_share),
        "document": (1 - alpha) * document_share,
        "dense": alpha,
    }


def lexical_norm(scores: NDArray[np.float64], best: float, expected: float = 0.0) -> NDArray[np.float64]:
    """Return BM25 `scores` (n,) as parts of the `best` of the list, in [0, 1], and less if that is not as expected.

    What did not match (-inf) is 0.
    """
    if best <= 0:
        return np.zeros(len(scores), np.float64)
    trust = min(1.0, best / expected) ** DOUBT if expected > 0 else 1.0
    return trust * np.clip(scores / best, 0.0, 1.0)


def floor_of(ranked: NDArray[np.float64], size: int, rank: int) -> float:
    """Return the cosine that counts as nothing: the `rank`-th of a list of `size`, of a short list the median.

    `ranked` has the best ones of the list, best first, one at least. Of up to FEW it is the last.
    """
    return float(ranked[min(rank, max(size // 2 + 1, FEW), len(ranked)) - 1])


def dense_norm(cosines: NDArray[np.float64], best: float, floor: float, spread: float) -> NDArray[np.float64]:
    """Return `cosines` (n,), measured from the `floor` to the `best` of the list they come from, in [0, 1].

    Best and floor lie at least `spread` > 0 apart. -inf (no vector) gives 0; else a higher cosine gives more.
    """
    above = np.clip((cosines - floor) / max(best - floor, spread), 0.0, 1.0)
    below = np.clip((cosines + 1) / (floor + 1), 0.0, 1.0) if floor > -1 else np.ones(len(cosines))
    return BELOW * below + (1 - BELOW) * above
