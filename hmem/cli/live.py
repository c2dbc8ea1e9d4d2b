"""The status line of `hmem watch` on a terminal, drawn anew a few times a second."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from hmem.cli.watching import change_text, tell_trouble
from hmem.errors import HmemError
from hmem.render.plain import one_line
from hmem.render.report import plural

if TYPE_CHECKING:
    from hmem.library import KnowledgeBase
    from hmem.watch.events import WatchEvent
    from hmem.watch.watcher import Watcher

_PER_SECOND = 4


class LiveStatus:
    """What is watched and being done or waits, errors if any, chunks, and the last change; a context manager.

    Warnings and errors are written above the line, to stderr, and stay.
    """

    def __init__(self, watcher: Watcher, memory: KnowledgeBase, console: Console | None = None) -> None:
        self._watcher = watcher
        self._memory = memory
        self._chunks = self._errors = 0
        self._last = ""
        self._live = Live(
            console=console or Console(highlight=False),
            get_renderable=self.line,
            refresh_per_second=_PER_SECOND,
            transient=True,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._live.stop()

    def tell(self, event: WatchEvent) -> None:
        """Take an event of the watcher in."""
        if event.kind in ("warning", "error"):
            self._errors += event.kind == "error"
            tell_trouble(event)
        if event.kind in ("watching", "indexed"):
            self._count()
        if event.kind == "indexed":
            self._last = f"{time.strftime('%H:%M:%S')} {change_text(event)}"

    def _count(self) -> None:
        with suppress(HmemError), self._memory.snapshot() as snapshot:
            self._chunks = sum(chunks for _, chunks, _ in snapshot.catalog.counts().values())

    def line(self) -> Text:
        """Return the line as it is now; what a narrow terminal cuts off matters least."""
        names = self._watcher.collections
        parts = [
            ("watching ", "bold green"),
            (names[0] if len(names) == 1 else plural(len(names), "collection"), ""),
            (f" · {self._activity()}", "cyan"),
            (f" · {plural(self._errors, 'error')}" if self._errors else "", "red"),
            (f" · {plural(self._chunks, 'chunk')}", ""),
            (f" · last {self._last}" if self._last else "", "dim"),
        ]
        text = Text(no_wrap=True, overflow="ellipsis")
        for part, style in parts:
            text.append(one_line(part), style=style)
        return text

    def _activity(self) -> str:
        busy, progress = self._watcher.busy, self._watcher.progress
        if progress is not None:
            return f"indexing {progress.collection} {progress.done:,}/{progress.total:,}"
        if busy:
            return f"indexing {', '.join(busy)}"
        waiting = self._watcher.waiting
        return f"{waiting} waiting" if waiting else "up to date"
