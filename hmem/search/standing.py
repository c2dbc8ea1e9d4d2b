"""What of the eligible passages a search may show, given their states and the time that it is about."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from hmem.search.dates import seconds
from hmem.search.lifecycle import Lifecycle, Visible, read_lifecycle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hmem.search.filters import Scene
    from hmem.search.query import SearchOptions
    from hmem.store.snapshot import Snapshot


class Standing:
    """The states of one snapshot, read when a search first asks. Safe to share between threads."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._lock = Lock()
        self._lifecycle: Lifecycle | None = None
        self._is_read = False

    def visible(self, eligible: NDArray[np.bool_], options: SearchOptions, scene: Scene) -> Visible:
        """Return what is left of the `eligible` (P,) for a search, and what it hides."""
        lifecycle = self._states()
        if lifecycle is None or options.all_states:
            return Visible(eligible)
        return lifecycle.visible(eligible, lifecycle.retired(seconds(scene.now)))

    def states(self, positions: NDArray[np.int64], now: float) -> list[str | None]:
        """Return the state of each of `positions` (n,) at `now` in seconds, None for what is not retired."""
        lifecycle = self._states()
        if lifecycle is None:
            return [None] * len(positions)
        return lifecycle.names(positions, lifecycle.retired(now))

    def _states(self) -> Lifecycle | None:
        with self._lock:
            if not self._is_read:
                self._lifecycle = read_lifecycle(self._snapshot)
                self._is_read = True
            return self._lifecycle
