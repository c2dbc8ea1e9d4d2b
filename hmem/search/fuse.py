"""Fusion: from the arms' scores to one score per candidate, as a sum whose parts can be shown. Pure.

Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009), with `alpha` a:

    score(d) = sum over arms of weight / (k + rank(d)),   weight = 2a for dense, 2(1 - a) for lexical arms

Convex combination, one rule for all kinds of chunks:

    score(d) = (1 - a) * lexical'(d) + a * dense'(d)
    bm25'(d)     = bm25(d) / max bm25                                     likewise document'(d)
    lexical'(d)  = (1 - s(d)) * bm25'(d) + s(d) * document'(d)            s: share of the document arm
    dense'(d)    = max(0, cos(d) - c100) / max(c1 - c100, 0.3)

c1 and c100 are the best and the 100th cosine of the arm's own list: a flat list, whose best is hardly better than its
100th, counts less. A list of fewer than 100 has no such floor; 0, the cosine of unrelated texts, stands in for it.
Against the better arm alone this is +.015 nDCG@10 in the mean of seven sets of prose, RRF at k = 60 is -.095.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

FLOOR_RANK = 100
"""The rank in the dense list whose cosine counts as nothing."""

SPREAD = 0.3
"""The least distance between floor and best that a dense list is measured against (cosine)."""


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
    alpha: float, document_share: NDArray[np.float64] | float = 0.0
) -> dict[str, NDArray[np.float64] | float]:
    """Return the weights of the arms in the convex combination, which add up to 1.

    `document_share` in [0, 1], one number or (n,): how much of the lexical side is the document arm's.
    """
    return {
        "bm25": (1 - alpha) * (1 - document_share),
        "document": (1 - alpha) * document_share,
        "dense": alpha,
    }


def lexical_norm(scores: NDArray[np.float64], best: float) -> NDArray[np.float64]:
    """Return BM25 `scores` (n,) as parts of the `best` of the list, in [0, 1]; what did not match (-inf) is 0."""
    return np.clip(scores / best, 0.0, 1.0) if best > 0 else np.zeros(len(scores), np.float64)


def dense_norm(cosines: NDArray[np.float64], ranked: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `cosines` (n,) measured from the floor of the list they come from, in [0, 1].

    `ranked` is that list, best first; -inf among `cosines` (no vector) gives 0.
    """
    if not len(ranked):
        return np.zeros(len(cosines), np.float64)
    best = float(ranked[0])
    floor = float(ranked[FLOOR_RANK - 1]) if len(ranked) >= FLOOR_RANK else 0.0
    return np.clip((cosines - floor) / max(best - floor, SPREAD), 0.0, 1.0)
