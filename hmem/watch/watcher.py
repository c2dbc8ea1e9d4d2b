"""The loop of `hmem watch`: wait for hints, let it get quiet, index, tell."""

from __future__ import annotations

import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from hmem.errors import HmemError, StoreLockedError, UsageError
from hmem.indexer import IndexOptions
from hmem.paths import real
from hmem.store.lock import FileLock, read_holder
from hmem.store.schema import LISTING
from hmem.targets import innermost
from hmem.watch.dirty import Dirty
from hmem.watch.events import LOCK_NAME, WatchEvent
from hmem.watch.observe import Roots

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from hmem.indexer import Progress
    from hmem.library import KnowledgeBase
    from hmem.report import IndexReport

    Stamp = tuple[int, int, int] | None

RESCAN_SECONDS = 60.0
POLL_SECONDS = 2.0
TICK_SECONDS = 1.0
"""How often roots, the list of collections and the configuration are looked at."""

RETRY_SECONDS = (1.0, 60.0)
"""Shortest and longest wait after a pass that failed; it doubles in between."""

LOCK_SECONDS = 0.2
"""How long to wait for the lock of watchers: somebody may only be asking who holds it."""


class Watcher:
    """Follows the collections of one store; only one watcher per store can run.

    It indexes as `hmem index` does, but holds the writer's lock only to write. `tell` gets every event, in the thread
    of `run`; what it raises ends the watcher. `debounce`: seconds of quiet before a change is looked at.
    """

    def __init__(
        self, memory: KnowledgeBase, tell: Callable[[WatchEvent], None], *, debounce: float = 0.3, poll: bool = False
    ) -> None:
        self._memory = memory
        self._tell = tell
        self._names: frozenset[str] | None = None
        self._dirty = Dirty(debounce)
        self._roots = Roots(self._dirty.mark, real(memory.directory), poll=poll)
        self._known: dict[str, Path] = {}
        self._notes: dict[str, frozenset[str]] = {}
        self._retry = RETRY_SECONDS[0]
        self._stamps: tuple[Stamp, ...] = ()
        self._trouble = ""
        self._is_stopped = False
        self.busy: tuple[str, ...] = ()
        """The collections that are being indexed right now."""

        self.progress: Progress | None = None
        """How far that is."""

    @property
    def collections(self) -> tuple[str, ...]:
        """The names of the collections that are followed."""
        return tuple(self._known)

    @property
    def waiting(self) -> int:
        """How many collections have changes that are not indexed yet."""
        return self._dirty.count

    def stop(self) -> None:
        """Make `run` end after what it does right now; any thread and any signal handler may call this."""
        self._is_stopped = True
        self._dirty.wake()

    def run(self, paths: Sequence[Path] = (), *, yes: bool = False) -> None:
        """Index `paths` as `hmem index` does and follow their collections (all without any) until `stop` is called.

        Collections that others register later are followed too if there are no `paths`. Raises UsageError if another
        watcher holds the store, and what `KnowledgeBase.index` raises for `paths`; after that no failure ends it.
        """
        with self._only_watcher():
            try:
                if paths:
                    self._names = self._register(paths, yes=yes)
                self._loop()
            finally:
                self._roots.close()
                with suppress(OSError):  # the one who listened may be gone
                    self._tell(WatchEvent("stopped", self.collections))

    @contextmanager
    def _only_watcher(self) -> Iterator[None]:
        lock = FileLock(self._memory.directory / LOCK_NAME)
        try:
            lock.acquire(LOCK_SECONDS)
        except StoreLockedError:
            holder = read_holder(lock.path)
            who = f"process {holder.pid} (since {holder.since})" if holder else "another process"
            raise UsageError(f"the store is already watched by {who}", hint="stop that one first") from None
        try:
            yield
        finally:
            lock.release()

    def _register(self, paths: Sequence[Path], *, yes: bool) -> frozenset[str]:
        """Index `paths`, which registers new ones; return the names of their collections."""
        started = time.monotonic()
        report = self._memory.index(paths, IndexOptions(yes=yes), progress=self._follow)
        self._tell_report(tuple(report.collections), report, started)
        roots = {collection.name: collection.root for collection in self._memory.collections()}
        owners = (innermost(real(path), roots) for path in paths)
        return frozenset(owner[0] for owner in owners if owner)

    def _loop(self) -> None:
        next_scan = next_poll = 0.0
        self._look_around()
        self._tell(WatchEvent("watching", self.collections))
        while not self._is_stopped:
            now = time.monotonic()
            if now >= next_scan:
                self._dirty.mark(self._known)
                next_scan = now + RESCAN_SECONDS
            if now >= next_poll:
                self._dirty.mark(self._roots.polled)
                next_poll = now + POLL_SECONDS
            self._dirty.wait(TICK_SECONDS)
            self._look_around()
            names, since = self._dirty.take()
            if names and not self._pass(tuple(sorted(names & self._known.keys())), since):
                self._dirty.pause(self._retry)
                self._retry = min(2 * self._retry, RETRY_SECONDS[1])
                self._dirty.mark(names)

    def _look_around(self) -> None:
        """Notice roots that came or went, collections registered or removed elsewhere, a changed configuration."""
        warnings: list[str] = []
        trouble = ""
        try:
            warnings += self._roots.check()
            stamps = self._read_stamps()
            if stamps != self._stamps:
                warnings += self._refollow()
                self._stamps = stamps
        except Exception as error:
            trouble = _message(error)
        for text in warnings:
            self._tell(WatchEvent("warning", message=text))
        if trouble and trouble != self._trouble:
            self._tell(WatchEvent("error", message=trouble))
        self._trouble = trouble

    def _read_stamps(self) -> tuple[Stamp, ...]:
        from hmem.config import watched_files

        return tuple(map(_stamp, (self._memory.directory / LISTING, *watched_files())))

    def _refollow(self) -> list[str]:
        """Read the configuration again and follow the collections that there are now; return warnings."""
        self._memory.reload_settings()
        found = {collection.name: collection.root for collection in self._memory.collections()}
        self._known = {name: root for name, root in found.items() if self._names is None or name in self._names}
        warnings = self._roots.follow(self._known)
        self._dirty.mark(self._known)
        return warnings

    def _pass(self, names: tuple[str, ...], since: float) -> bool:
        """Index the named collections; False if that failed and has to be tried again."""
        if not names:
            return True
        options = IndexOptions(only=frozenset(names), background=True)
        self.busy = names
        try:
            report = self._memory.index((), options, progress=self._follow)
        except Exception as error:  # whatever it is, the next change must be noticed
            kind = "warning" if isinstance(error, StoreLockedError) else "error"
            self._tell(WatchEvent(kind, names, _message(error)))
            return False
        finally:
            self.busy, self.progress = (), None
        self._retry = RETRY_SECONDS[0]
        self._tell_report(names, report, since)
        return True

    def _follow(self, progress: Progress) -> None:
        self.progress = progress

    def _tell_report(self, names: tuple[str, ...], report: IndexReport, since: float) -> None:
        """Tell what changed, and each complaint once for as long as it stands."""
        notes: dict[str, set[str]] = {name: set() for name in names}
        for note in (*report.warnings, *report.unreadable):
            text = f"`{note.path}`: {note.reason}" if note.path else note.reason
            notes.setdefault(note.collection, set()).add(text)
        for name in report.missing:
            notes[name].add("the root is missing or unmounted; its documents are kept")
        for name, texts in notes.items():
            for text in sorted(texts - self._notes.get(name, frozenset())):
                self._tell(WatchEvent("warning", (name,) if name else (), text))
            self._notes[name] = frozenset(texts)
        if report.changed:
            self._tell(WatchEvent("indexed", names, report=report, seconds=time.monotonic() - since))


def _stamp(path: Path) -> Stamp:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _message(error: Exception) -> str:
    if isinstance(error, HmemError):
        return error.message
    if isinstance(error, OSError):
        return (error.strerror or str(error)).lower()
    return f"this is a bug in hmem: {type(error).__name__}: {error}"
