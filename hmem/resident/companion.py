"""The resident server that a watcher brings along."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path

    from hmem.watch.events import WatchEvent

END_SECONDS = 2.0


class Companion:
    """A server in a process of its own; it ends with this one, however this one ends. A context manager."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._process: subprocess.Popen[bytes] | None = None

    def tell(self, event: WatchEvent) -> None:
        """Start the server once the watcher is sure to be the only one."""
        if event.kind == "watching" and self._process is None:
            with suppress(OSError):  # searches do without it
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "hmem.resident", str(self._directory)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
