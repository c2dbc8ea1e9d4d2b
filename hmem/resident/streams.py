"""What a command writes, held back until it is clear that it can be answered."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

HELD_BYTES = 1 << 20
"""More than this is not held back: then the first byte leaves before the command has ended."""


class Held:
    """The bytes of both streams in the order in which they were written; `begin` is called before any leaves."""

    def __init__(self, begin: Callable[[], None]) -> None:
        self._begin = begin
        self._waiting: list[tuple[int, bytes]] = []
        self._size = 0
        self._has_begun = False

    def add(self, descriptor: int, data: bytes) -> None:
        """Take `data` for `descriptor`. Raises OSError once it is written through."""
        self._waiting.append((descriptor, data))
        self._size += len(data)
        if self._has_begun or self._size > HELD_BYTES:
            self.release()

    def release(self) -> None:
        """Write everything out. Raises OSError: of `begin`, then nothing leaves; of a write, then the rest is lost."""
        if not self._has_begun:
            self._begin()
            self._has_begun = True
        waiting, self._waiting, self._size = self._waiting, [], 0
        for descriptor, data in waiting:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]


class HeldStream(io.RawIOBase):
    """A stream that writes to `held` and is otherwise the descriptor that it stands for."""

    def __init__(self, held: Held, descriptor: int) -> None:
        super().__init__()
        self._held = held
        self._descriptor = descriptor

    def writable(self) -> bool:
        """Yes."""
        return True

    def fileno(self) -> int:
        """Return the descriptor, by which the terminal's size is found."""
        return self._descriptor

    def isatty(self) -> bool:
        """Tell whether the descriptor is a terminal."""
        return os.isatty(self._descriptor)

    def write(self, data: object, /) -> int:
        """Hold back a copy of `data`."""
        copy = bytes(data)  # type: ignore[call-overload]
        self._held.add(self._descriptor, copy)
        return len(copy)


def text_stream(held: Held, descriptor: int, encoding: str, errors: str) -> io.TextIOWrapper:
    """Return a text stream as Python makes one at its start."""
    raw = HeldStream(held, descriptor)
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=encoding, errors=errors, line_buffering=descriptor == 2 or raw.isatty()
    )
