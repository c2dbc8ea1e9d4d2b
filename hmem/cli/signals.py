"""What SIGTERM does: the same as Ctrl-C, so that locks, workers and temporary files are let go in order."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EXIT_TERMINATED = 128 + signal.SIGTERM


@contextmanager
def terminated_in_order() -> Iterator[None]:
    """End the process with the code that a shell gives to SIGTERM, but only after everything was cleaned up."""

    def terminate(*_: Any) -> None:
        raise SystemExit(EXIT_TERMINATED)

    before = signal.signal(signal.SIGTERM, terminate)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class Interruption:
    """What the first SIGINT or SIGTERM does: end the work and drop what is running.

    Later ones do nothing, so that the cleaning up is not interrupted. While there is no work yet to end, because its
    modules are still loading, the first one is only remembered.
    """

    def __init__(self) -> None:
        self._stop: Callable[[], None] | None = None
        self._is_interrupted = False

    def ends(self, stop: Callable[[], None]) -> None:
        """Call `stop` and raise KeyboardInterrupt when a signal comes; at once if one came already.

        Should Python be where an exception is lost, `stop` alone ends the work.
        """
        self._stop = stop
        if self._is_interrupted:
            stop()
            raise KeyboardInterrupt

    def handle(self, *_: object) -> None:
        """Answer a signal."""
        if self._is_interrupted:
            return
        self._is_interrupted = True
        if self._stop is not None:
            self._stop()
            raise KeyboardInterrupt


@contextmanager
def stopped_by_signals() -> Iterator[Interruption]:
    """Take SIGINT and SIGTERM for the regular end of what is done inside."""
    interruption = Interruption()
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, interruption.handle) for number in numbers}
    try:
        yield interruption
    except KeyboardInterrupt:
        return
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
