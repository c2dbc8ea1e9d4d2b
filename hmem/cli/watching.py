"""Runs the watcher in the foreground: signals, events on stdout, a live line on a terminal."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

from hmem.cli.console import warn, write
from hmem.library import KnowledgeBase
from hmem.render.plain import one_line
from hmem.render.report import plural
from hmem.resident.companion import Companion
from hmem.watch.watcher import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from hmem.cli.signals import Interruption
    from hmem.watch.events import WatchEvent

    Tell = Callable[[WatchEvent], None]

_DUMB = ("", "dumb", "unknown")


def run(
    paths: Sequence[Path],
    store: str | None,
    *,
    debounce: float | None,
    poll: bool | None,
    serve: bool | None,
    yes: bool,
    quiet: bool,
    as_json: bool,
    interruption: Interruption,
) -> None:
    """Watch until interrupted; that drops the running pass and is no error."""
    with KnowledgeBase.open(store, create=True) as memory, ExitStack() as stack:
        settings = memory.settings
        tellers: list[Tell] = []
        watcher = Watcher(
            memory,
            lambda event: _tell_all(tellers, event),
            debounce=settings["watch.debounce"] if debounce is None else debounce,
            poll=settings["watch.poll"] if poll is None else poll,
        )
        interruption.ends(watcher.stop)
        if as_json:
            tellers.append(_tell_json)
        elif sys.stdout.isatty() and os.environ.get("TERM", "dumb") not in _DUMB and not quiet:
            from hmem.cli.live import LiveStatus

            tellers.append(stack.enter_context(LiveStatus(watcher, memory)).tell)
        else:
            tellers.append(_quiet_teller if quiet else _tell_line)
        if settings["watch.serve"] if serve is None else serve:
            tellers.append(stack.enter_context(Companion(memory.directory)).tell)
        watcher.run(paths, yes=yes)


def _tell_all(tellers: Sequence[Tell], event: WatchEvent) -> None:
    for tell in tellers:
        tell(event)


def _tell_json(event: WatchEvent) -> None:
    _flushed(json.dumps(event.to_json(), ensure_ascii=False))


def _quiet_teller(event: WatchEvent) -> None:
    if event.kind in ("warning", "error"):
        tell_trouble(event)


def _tell_line(event: WatchEvent) -> None:
    clock = time.strftime("%H:%M:%S")
    if event.kind in ("warning", "error"):
        tell_trouble(event)
    elif event.kind == "indexed":
        _flushed(f"{clock} {change_text(event)}")
    elif event.kind == "watching":
        _flushed(f"{clock} watching {', '.join(event.collections) or 'nothing yet'}")


def tell_trouble(event: WatchEvent) -> None:
    """Write a warning or error of the watcher to stderr."""
    names = ", ".join(event.collections)
    warn(f"{names}: {event.message}" if names else event.message)


def change_text(event: WatchEvent) -> str:
    """Return what a commit changed, in one line."""
    report = event.report
    if report is None:
        return ""
    change = f"+{report.added} ~{report.updated} -{report.removed} files, {plural(report.chunks, 'chunk')}"
    return f"{', '.join(event.collections)}: {change}, {event.seconds:.2f} s"


def _flushed(line: str) -> None:
    write(one_line(line))
    sys.stdout.flush()
