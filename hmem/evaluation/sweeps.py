"""What a setting does over its range, and whether the value that looks best still is on queries it was not chosen on.

The queries are halved by a hash of the seed and each query, so that a query added later moves few others. The best
value of one half, *tuning*, is judged on the other, *held back*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, TypeAlias

from hmem.evaluation.metrics import MAIN

if TYPE_CHECKING:
    from hmem.evaluation.metrics import Scores
    from hmem.evaluation.ranking import Case
    from hmem.types import Json

FEWEST: Final = 4
"""Queries from which on halves are made."""

Part: TypeAlias = str
ALL: Final = "all"
TUNING: Final = "tuning"
HELD_BACK: Final = "held_back"


@dataclass(frozen=True, slots=True)
class Split:
    """Which cases are in which half, by index; both are empty if there are too few cases."""

    seed: int
    tuning: tuple[int, ...]
    held_back: tuple[int, ...]

    def means(self, scores: Sequence[Scores]) -> dict[Part, float]:
        """Return the mean nDCG@10 of all cases and of each half that there is."""
        values = [each[MAIN] for each in scores]
        parts = {ALL: range(len(values)), TUNING: self.tuning, HELD_BACK: self.held_back}
        return {name: sum(values[at] for at in part) / len(part) for name, part in parts.items() if part}


def split(cases: Sequence[Case], seed: int) -> Split:
    """Return the halves that `seed` gives; the held-back one is the smaller where their number is odd."""
    if len(cases) < FEWEST:
        return Split(seed, (), ())
    hashes = [blake2b(f"{seed}\0{case.question.id}".encode("utf-8", "surrogatepass")).digest() for case in cases]
    order = sorted(range(len(cases)), key=hashes.__getitem__)
    half = (len(cases) + 1) // 2
    return Split(seed, tuple(sorted(order[:half])), tuple(sorted(order[half:])))


@dataclass(frozen=True, slots=True)
class Point:
    """The mean nDCG@10 at one value, by part."""

    value: float
    means: dict[Part, float]


@dataclass(frozen=True, slots=True)
class Sweep:
    """A setting over its range. `own`: the means of the search as it is set now."""

    name: str
    points: tuple[Point, ...]
    own: dict[Part, float]

    def best(self, part: Part) -> int:
        """Return the index of the best point; of equals the one in the middle of the longest run of them."""
        top = max(point.means[part] for point in self.points)
        runs: list[list[int]] = [[]]
        for at, point in enumerate(self.points):
            if point.means[part] == top:
                runs[-1].append(at)
            elif runs[-1]:
                runs.append([])
        longest = max(runs, key=len)
        return longest[(len(longest) - 1) // 2]

    def around(self, at: int) -> tuple[Point | None, Point, Point | None]:
        """Return the point at an index with its neighbours, None beyond the ends."""
        before = self.points[at - 1] if at else None
        after = self.points[at + 1] if at + 1 < len(self.points) else None
        return before, self.points[at], after

    @property
    def halved(self) -> bool:
        """Whether there were enough queries for halves."""
        return HELD_BACK in self.own

    @property
    def chosen(self) -> Point:
        """The point that the tuning half would choose (all, where there are no halves)."""
        return self.points[self.best(TUNING if self.halved else ALL)]

    def to_json(self) -> dict[str, Json]:
        """Return the sweep as one JSON object."""
        return {
            "measure": MAIN,
            "points": [{"value": point.value, **point.means} for point in self.points],
            "now": {**self.own},
            "best": {part: self._best_json(part) for part in self.own},
            "chosen": {"value": self.chosen.value, **self.chosen.means},
        }

    def _best_json(self, part: Part) -> Json:
        before, best, after = self.around(self.best(part))
        return {
            "value": best.value,
            "score": best.means[part],
            "before": None if before is None else {"value": before.value, "score": before.means[part]},
            "after": None if after is None else {"value": after.value, "score": after.means[part]},
        }
