"""Runs the watcher in the foreground: signals, events on stdout, a live line on a terminal."""

from __future__ import annotations

import json
import signal
import sys
import time
from threading import Event
from typing import TYPE_CHECKING, Any

from hmem.cli.console import warn, write
from hmem.indexer import IndexOptions
from hmem.library import KnowledgeBase
from hmem.paths import real
from hmem.targets import innermost
from hmem.watch.events import WatchEvent
from hmem.watch.watcher import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


def run(
    paths: Sequence[Path],
    store: str | None,
    *,
    debounce: float | None,
    poll: bool | None,
    yes: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Watch until interrupted; an interruption ends the running pass, which is dropped, and is no error."""
    signal.signal(signal.SIGTERM, _interrupt)
    try:
        with KnowledgeBase.open(store, create=True) as memory:
            settings = memory.settings
            tell = _teller(quiet=quiet, as_json=as_json)
            names = _register(memory, paths, yes=yes, tell=tell)
            watcher = Watcher(
                memory,
                tell,
                names=names,
                debounce=settings["watch.debounce"] if debounce is None else debounce,
                poll=settings["watch.poll"] if poll is None else poll,
            )
            watcher.run(Event())
    except KeyboardInterrupt:
        return


def _interrupt(*_: Any) -> None:
    raise KeyboardInterrupt


def _register(
    memory: KnowledgeBase, paths: Sequence[Path], *, yes: bool, tell: Callable[[WatchEvent], None]
) -> list[str] | None:
    """Index `paths`, which registers new ones; return the names of their collections, None for all."""
    if not paths:
        return None
    started = time.monotonic()
    report = memory.index(paths, IndexOptions(yes=yes))
    tell(WatchEvent("indexed", tuple(report.collections), report=report, seconds=time.monotonic() - started))
    roots = {collection.name: collection.root for collection in memory.collections()}
    owners = (innermost(real(path), roots) for path in paths)
    return [owner[0] for owner in owners if owner]


def _teller(*, quiet: bool, as_json: bool) -> Callable[[WatchEvent], None]:
    if as_json:
        return lambda event: _flushed(json.dumps(event.to_json(), ensure_ascii=False))

    def tell(event: WatchEvent) -> None:
        names = ", ".join(event.collections)
        if event.kind in ("warning", "error"):
            warn(f"{names}: {event.message}" if names else event.message)
        elif event.report is not None and not quiet:
            report = event.report
            change = f"+{report.added} ~{report.updated} -{report.removed} files, {report.chunks} chunks"
            _flushed(f"{time.strftime('%H:%M:%S')} {names}: {change}, {event.seconds:.2f} s")
        elif event.kind == "watching" and not quiet:
            _flushed(f"{time.strftime('%H:%M:%S')} watching {names or 'nothing yet'}")

    return tell


def _flushed(line: str) -> None:
    write(line)
    sys.stdout.flush()
