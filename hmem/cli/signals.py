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


@contextmanager
def stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` on SIGINT and SIGTERM, and drop what is running; neither is an error.

    Only the first one raises KeyboardInterrupt, so that nothing interrupts the cleaning up; and should Python be where
    an exception is lost, `stop` still ends the work.
    """
    stopped = False

    def interrupt(*_: Any) -> None:
        nonlocal stopped
        if not stopped:
            stopped = True
            stop()
            raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    except KeyboardInterrupt:
        return
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
