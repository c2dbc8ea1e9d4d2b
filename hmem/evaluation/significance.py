"""Whether two measurements of the same queries differ by more than chance: the paired randomisation test. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

EXACT: Final = 14
"""Pairs that differ, up to which every assignment of signs is tried."""
TRIALS: Final = 20_000
_BLOCK: Final = 1_000
_SLACK: Final = 1e-9
"""Sums that are equal but for rounding count as equal."""


def randomisation_test(before: Sequence[float], after: Sequence[float], *, seed: int = 0) -> float:
    """Return the two-sided p-value, in (0, 1], of the hypothesis that `before` and `after` are interchangeable.

    Each pair may be swapped, which turns the sign of its difference; p is the share of all assignments whose mean
    difference is at least as far from 0 as the one observed (Fisher 1935; Smucker, Allan, Carterette 2007). With more
    than 14 differing pairs 20,000 random assignments stand for all, and the observed one counts among them
    (Phipson, Smyth 2010).
    """
    pairs = np.asarray(after, np.float64) - np.asarray(before, np.float64)
    differences = pairs[pairs != 0]  # a pair without difference is the same either way
    if not len(differences):
        return 1.0
    observed = abs(differences.sum()) - _SLACK
    if len(differences) <= EXACT:
        sums = _every_sum(differences)
        return float(np.mean(np.abs(sums) >= observed))
    generator = np.random.default_rng(seed)
    reached = 0
    for _ in range(TRIALS // _BLOCK):
        signs = generator.integers(0, 2, (_BLOCK, len(differences)), np.int8) * 2.0 - 1.0
        reached += int(np.count_nonzero(np.abs(signs @ differences) >= observed))
    return (reached + 1) / (TRIALS + 1)


def _every_sum(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the sum under each assignment of signs, (2 ** n,)."""
    sums = np.zeros(1)
    for difference in differences:
        sums = np.concatenate([sums + difference, sums - difference])
    return sums
