"""How near passages are to the time that a query is about, from 0 to 1. Pure.

now       1 for the newest of the strong candidates, and 1 / (1 + age / TENURE) of what is older than it
history   a passage that says how long it held: 0.5 + half of the share of the window in which it did; one with a
          date alone: 1 inside the window; what lies `gap` outside: 0.5 / (1 + gap / w), w the window but at least
          NEAR; what says no date: UNDATED
recency   1 / (1 + age / half-life): half at the half-life, never 0, so that older is always less
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

DAY: Final = 86_400.0
TENURE: Final = 180 * DAY
"""Age beyond the newest at which a passage counts half for a question about now."""
NEAR: Final = 30 * DAY
UNDATED: Final = 0.25
BY_FILE: Final = 0.5
STRONG: Final = 0.5
"""Share of the best score from which on a candidate may set what is newest."""


def newest_first(
    changed: NDArray[np.float64], dated: NDArray[np.bool_], scores: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the closeness to now of candidates last `changed` (n,) in seconds, given their `scores` (n,).

    `dated` (n,): whether the document says its date; the others go by their files, among themselves.
    """
    found = np.zeros(len(scores))
    for group, most in ((dated, 1.0), (~dated, BY_FILE)):
        strong = group & (scores >= STRONG * scores[group].max(initial=0.0))
        newest: float = changed[strong].max(initial=-np.inf)
        found[group] = most * recency(changed[group], newest, TENURE)
    return found


def to_window(
    start: NDArray[np.float64], end: NDArray[np.float64], lasting: NDArray[np.bool_], begin: float, until: float
) -> NDArray[np.float64]:
    """Return the closeness to the window [begin, until) of what held from `start` to `end`, (n,) each; see Spans."""
    ends = np.where(lasting, np.maximum(end, start), start)
    overlap = (np.minimum(ends, until) - np.maximum(start, begin)) / (until - begin)
    gap = np.maximum(0.0, np.maximum(start - until, begin - ends))
    inside = np.where(lasting, 0.5 + 0.5 * np.clip(overlap, 0.0, 1.0), 1.0)
    outside = 0.5 / (1 + gap / max(until - begin, NEAR))
    touches = (start < until) & (ends > begin) | (start >= begin) & (start < until)
    return np.where(np.isnan(start), UNDATED, np.where(touches, inside, outside))


def recency(changed: NDArray[np.float64], now: float, half_life: float) -> NDArray[np.float64]:
    """Return 1 / (1 + age / half-life) of what was last `changed` (n,), all in seconds; 1 for what lies ahead."""
    return 1 / (1 + np.maximum(0.0, now - changed) / half_life)
