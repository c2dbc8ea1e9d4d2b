"""The loop of `hmem watch`: wait for hints, let it get quiet, index, tell."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from hmem.errors import HmemError, StoreLockedError, UsageError
from hmem.indexer import IndexOptions
from hmem.store.lock import FileLock, read_holder
from hmem.store.schema import LISTING
from hmem.watch.dirty import Dirty
from hmem.watch.events import LOCK_NAME, WatchEvent
from hmem.watch.observe import Roots

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path
    from threading import Event

    from hmem.library import KnowledgeBase

RESCAN_SECONDS = 60.0
POLL_SECONDS = 2.0
TICK_SECONDS = 1.0
"""How often roots, the list of collections and the configuration are looked at."""

RETRY_SECONDS = (1.0, 60.0)
"""Shortest and longest wait after a pass that failed; it doubles in between."""


class Watcher:
    """Follows the collections of one store; only one watcher per store can run.

    `names` limits it to some collections; None is all, those registered later included.
    """

    def __init__(
        self,
        memory: KnowledgeBase,
        tell: Callable[[WatchEvent], None],
        *,
        names: Collection[str] | None = None,
        debounce: float = 0.3,
        poll: bool = False,
    ) -> None:
        self._memory = memory
        self._tell = tell
        self._names = None if names is None else frozenset(names)
        self._dirty = Dirty(debounce)
        self._poll = poll
        self._known: dict[str, Path] = {}
        self._retry = RETRY_SECONDS[0]
        self._stamps: tuple[int, ...] = ()

    def run(self, stop: Event) -> None:
        """Follow changes until `stop` is set. Raises UsageError if another watcher holds the store."""
        lock = FileLock(self._memory.directory / LOCK_NAME)
        try:
            lock.acquire(0)
        except StoreLockedError:
            holder = read_holder(lock.path)
            who = f"process {holder.pid} (since {holder.since})" if holder else "another process"
            raise UsageError(f"the store is already watched by {who}", hint="stop that one first") from None
        roots = Roots(self._dirty.mark, self._memory.directory, poll=self._poll)
        try:
            self._loop(stop, roots)
        finally:
            roots.close()
            lock.release()
            self._tell(WatchEvent("stopped", tuple(self._known)))

    def _loop(self, stop: Event, roots: Roots) -> None:
        self._stamps = self._read_stamps()
        self._refollow(roots)
        self._tell(WatchEvent("watching", tuple(self._known)))
        self._dirty.mark(self._known)
        next_scan = time.monotonic() + RESCAN_SECONDS
        next_poll = time.monotonic() + POLL_SECONDS
        while not stop.is_set():
            self._dirty.wait(TICK_SECONDS)
            now = time.monotonic()
            self._look_around(roots)
            if now >= next_scan:
                self._dirty.mark(self._known)
                next_scan = now + RESCAN_SECONDS
            if now >= next_poll:
                self._dirty.mark(roots.polled)
                next_poll = now + POLL_SECONDS
            names, since = self._dirty.take()
            if names and not self._pass(sorted(names & self._known.keys()), since):
                self._wait_to_retry(stop, names)

    def _look_around(self, roots: Roots) -> None:
        """Notice roots that came or went, collections registered elsewhere, a changed configuration."""
        for text in roots.check():
            self._tell(WatchEvent("warning", message=text))
        before, self._stamps = self._stamps, self._read_stamps()
        if before != self._stamps:
            try:
                self._memory.reload_settings()
            except HmemError as error:
                self._tell(WatchEvent("error", message=error.message))
            new = self._refollow(roots)
            self._dirty.mark(self._known if before[1:] != self._stamps[1:] else new)

    def _read_stamps(self) -> tuple[int, ...]:
        from hmem.config import CONFIG_NAME
        from hmem.paths import config_dir

        return tuple(map(_mtime, (self._memory.directory / LISTING, config_dir() / CONFIG_NAME)))

    def _refollow(self, roots: Roots) -> list[str]:
        """Follow the collections that there are now; return the names of new ones."""
        found = {collection.name: collection.root for collection in self._memory.collections()}
        chosen = {name: root for name, root in found.items() if self._names is None or name in self._names}
        new = [name for name in chosen if name not in self._known]
        self._known = chosen
        for text in roots.follow(chosen):
            self._tell(WatchEvent("warning", message=text))
        return new

    def _pass(self, names: Sequence[str], since: float) -> bool:
        """Index the named collections; False if that failed and has to be tried again."""
        paths = [self._known[name] for name in names]
        if not paths:
            return True
        try:
            report = self._memory.index(paths, IndexOptions(jobs=1))
        except (HmemError, OSError) as error:
            text = error.message if isinstance(error, HmemError) else (error.strerror or str(error)).lower()
            self._tell(WatchEvent("error", tuple(names), text))
            return False
        self._retry = RETRY_SECONDS[0]
        for note in (*report.warnings, *report.unreadable):
            self._tell(WatchEvent("warning", (note.collection,), f"`{note.path}`: {note.reason}"))
        if report.changed:
            self._tell(WatchEvent("indexed", tuple(names), report=report, seconds=time.monotonic() - since))
        return True

    def _wait_to_retry(self, stop: Event, names: Collection[str]) -> None:
        stop.wait(self._retry)
        self._retry = min(2 * self._retry, RETRY_SECONDS[1])
        self._dirty.mark(names)


def _mtime(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
