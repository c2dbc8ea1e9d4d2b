"""Which collections may have changed, and when it is time to look. Safe for several threads."""

from __future__ import annotations

import time
from threading import Condition
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LONGEST_DELAY = 0.8
"""Seconds after the first hint at which a scan starts, however many more hints come."""


class Dirty:
    """Collects names and hands them out once it has been quiet for a while."""

    def __init__(self, quiet: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._quiet = quiet
        self._clock = clock
        self._condition = Condition()
        self._names: set[str] = set()
        self._first = self._last = 0.0
        self._is_awake = False

    def mark(self, names: Iterable[str]) -> None:
        """Say that these collections may have changed."""
        wanted = set(names)
        if not wanted:
            return
        with self._condition:
            now = self._clock()
            if not self._names:
                self._first = now
            self._last = now
            self._names |= wanted
            self._condition.notify_all()

    @property
    def count(self) -> int:
        """How many names are marked."""
        return len(self._names)

    def due(self) -> float | None:
        """Return seconds until the names are due (0 or less: now), None while there are none."""
        with self._condition:
            return self._due()

    def _due(self) -> float | None:
        if not self._names:
            return None
        at = min(self._last + self._quiet, self._first + max(LONGEST_DELAY, self._quiet))
        return at - self._clock()

    def wait(self, timeout: float) -> None:
        """Return after `timeout` seconds, or when names are due or `wake` was called if that is earlier."""
        deadline = self._clock() + timeout
        with self._condition:
            while not self._is_awake:
                due = self._due()
                left = deadline - self._clock()
                if left <= 0 or (due is not None and due <= 0):
                    return
                self._condition.wait(left if due is None else min(left, due))

    def pause(self, timeout: float) -> None:
        """Return after `timeout` seconds, whatever is due, or when `wake` was called."""
        with self._condition:
            self._condition.wait_for(lambda: self._is_awake, timeout)

    def wake(self) -> None:
        """Make waiting end, now and for ever. A signal handler may call this: the condition's lock is re-entrant."""
        with self._condition:
            self._is_awake = True
            self._condition.notify_all()

    def take(self) -> tuple[frozenset[str], float]:
        """Return the names that are due and when the first was marked; none of them before their time."""
        with self._condition:
            due = self._due()
            if due is None or due > 0:
                return frozenset(), 0.0
            names, self._names = frozenset(self._names), set()
            return names, self._first
