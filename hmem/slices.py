"""A long run is committed in slices: what it did is kept if it is interrupted, and found by searches meanwhile."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from hmem.store import Writer

SLICE_SECONDS = 10.0
"""What a kill costs at most where commits are quick, beside the document at hand. Less would save little and make more,
smaller segments, which are merged again later."""

MAX_SHARE = 0.1
"""Where commits are slow (a busy disk, a network) they come so much more seldom that they take no greater share."""


class Slices:
    """Commits of one writer, no more often than they are worth it."""

    def __init__(self, writer: Writer, clock: Callable[[], float] = time.monotonic) -> None:
        self._writer = writer
        self._clock = clock
        self._last = clock()
        self._cost = 0.0

    @property
    def is_due(self) -> bool:
        """Whether enough was done since the last commit."""
        return self._clock() - self._last >= max(SLICE_SECONDS, self._cost / MAX_SHARE)

    def commit_if_due(self) -> None:
        """Commit if enough was done."""
        if self.is_due:
            self.commit()

    def commit(self) -> int:
        """Commit and return the generation."""
        begun = self._clock()
        generation = self._writer.commit()
        self._last = self._clock()
        self._cost = self._last - begun
        return generation
