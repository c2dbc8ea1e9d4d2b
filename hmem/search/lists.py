"""Ranked lists: from an arm's raw scores to its candidates and the rank of any position. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Ties(Protocol):
    """Gives the order in which equal scores come; asked only when there are some."""

    def __call__(self) -> NDArray[np.int64]:
        """Return one distinct number per position, (P,): the lower one comes first."""


def best_first(scores: NDArray[np.float64], positions: NDArray[np.int64], depth: int, ties: Ties) -> NDArray[np.int64]:
    """Return the indexes of the `depth` best of `scores` (n,), best first; `positions` (n,) decide between equals."""
    kept = np.arange(len(scores))
    if depth < len(scores):
        cut: float = np.partition(scores, len(scores) - depth)[len(scores) - depth]
        kept = np.flatnonzero(scores >= cut)
    values = scores[kept]
    order = np.argsort(-values, kind="stable")
    ordered = values[order]
    if (ordered[1:] == ordered[:-1]).any():
        order = np.lexsort((ties()[positions[kept]], -values))
    return kept[order][:depth]


@dataclass(frozen=True, slots=True)
class ArmList:
    """What an arm returned. `scores` (P,) float64, -inf where it has none.

    `ranked` int64 (n,): its candidates, best first; `ranked_scores` (m >= n,): the scores of its list before a minimum
    cut it; `size`: how many that list could have had; `most`: what a text could score at all, 0 if that is not known.
    An arm over documents ranks each once, by its best chunk; `units` (P,), ascending, is the document of each position.
    """

    scores: NDArray[np.float64]
    ranked: NDArray[np.int64]
    ranked_scores: NDArray[np.float64]
    size: int
    ties: Ties
    units: NDArray[np.int64] | None = None
    most: float = 0.0

    @classmethod
    def of_chunks(cls, scores: NDArray[np.float64], depth: int, ties: Ties, minimum: float = -np.inf) -> ArmList:
        """Return the list of an arm over chunks, of at most `depth` candidates at or above `minimum`."""
        return cls._cut(scores, np.flatnonzero(scores > -np.inf), depth, ties, minimum)

    @classmethod
    def of_documents(
        cls,
        scores: NDArray[np.float64],
        within: NDArray[np.float64],
        units: NDArray[np.int64],
        depth: int,
        ties: Ties,
        minimum: float = -np.inf,
    ) -> ArmList:
        """Return the list of an arm over documents, `scores` being equal within one.

        Each document stands for one candidate: its chunk with the best score in `within` (P,), the first of equals.
        """
        positions = np.flatnonzero(scores > -np.inf)
        begins = _begins(units[positions])
        if len(positions):
            sizes = np.diff(np.append(begins, len(positions)))
            best = np.repeat(np.maximum.reduceat(within[positions], begins), sizes)
            positions = positions[within[positions] == best]
            positions = positions[_begins(units[positions])]
        return cls._cut(scores, positions, depth, ties, minimum, units)

    @classmethod
    def _cut(
        cls,
        scores: NDArray[np.float64],
        positions: NDArray[np.int64],
        depth: int,
        ties: Ties,
        minimum: float,
        units: NDArray[np.int64] | None = None,
    ) -> ArmList:
        ranked = positions[best_first(scores[positions], positions, depth, ties)]
        listed = scores[ranked]
        kept = np.where(scores >= minimum, scores, -np.inf) if minimum > -np.inf else scores
        return cls(kept, ranked[listed >= minimum], listed, len(positions), ties, units)

    @property
    def best(self) -> float:
        """The best score of the list before a minimum cut it, 0 without any."""
        return float(self.ranked_scores[0]) if len(self.ranked_scores) else 0.0

    def listed_ranks(self, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the 1-based ranks of `positions` (n,) in the list, 0 for what is not in it."""
        keys, wanted = self.ranked, positions
        if self.units is not None:
            keys, wanted = self.units[self.ranked], self.units[positions]
            wanted = np.where(self.scores[positions] > -np.inf, wanted, -1)
        ranks = {key: rank for rank, key in enumerate(keys.tolist(), 1)}
        return np.array([ranks.get(key, 0) for key in wanted.tolist()], np.int64)

    def rank(self, position: int) -> int:
        """Return the 1-based rank of a position that the arm scored, in its list or beyond the end of it."""
        score = self.scores[position]
        better = self.scores > score
        if self.units is not None:
            return 1 + len(_begins(self.units[better]))
        rank = 1 + int(np.count_nonzero(better))
        equal = self.scores == score
        if np.count_nonzero(equal) > 1:
            ties = self.ties()
            rank += int(np.count_nonzero(equal & (ties < ties[position])))
        return rank


def _begins(units: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the indexes where a new number begins in ascending `units` (n,)."""
    return np.flatnonzero(np.diff(units, prepend=-1))
