"""File events of the collections' roots, through watchdog; what it cannot follow is polled."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from watchdog.events import (
    EVENT_TYPE_DELETED,
    DirCreatedEvent,
    DirDeletedEvent,
    DirModifiedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers import Observer

from hmem.watch.limits import is_exhausted, limit

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver, ObservedWatch

    Mark = Callable[[Iterable[str]], None]

_EVENTS: list[type[FileSystemEvent]] = [
    DirCreatedEvent, DirDeletedEvent, DirModifiedEvent, DirMovedEvent,
    FileClosedEvent, FileCreatedEvent, FileDeletedEvent, FileModifiedEvent, FileMovedEvent,
]  # fmt: skip
"""All but those of reading: a scan of a large tree would overflow the queue with them, and cause the next scan."""

_LIMIT_REACHED = "the limit of file watches is reached"
_LOGGERS = ("watchdog.observers.inotify_c", "watchdog.observers.inotify")


@dataclass(frozen=True, slots=True)
class _Place:
    """The directory that is watched for a root, and whether it is the parent of a root that is one file.

    `identity` is (st_dev, st_ino): a directory that was moved away or replaced sends no more events.
    """

    path: Path
    is_parent: bool
    identity: tuple[int, int]


class _Hint(FileSystemEventHandler):
    """Marks a collection; `only` is the one file that matters where a collection is a file.

    `is_dead` once the watched directory was deleted: a new one in its place, which may well have its inode number,
    sends no events.
    """

    def __init__(self, mark: Callable[[], None], place: Path, store: str, only: Path | None) -> None:
        self._mark = mark
        self._place = str(place)
        self._store = store
        self._only = None if only is None else str(only)
        self.is_dead = False

    def dispatch(self, event: FileSystemEvent) -> None:
        """Take any event but those of the store itself as a hint."""
        paths = [os.fsdecode(path) for path in (event.src_path, event.dest_path) if path]
        if all(path == self._store or path.startswith(self._store + os.sep) for path in paths):
            return
        self.is_dead |= event.event_type == EVENT_TYPE_DELETED and paths[0] == self._place
        if self._only is None or self._only in paths or self.is_dead:
            self._mark()


class _Overflow(logging.Handler):
    """Hears from watchdog's log that events were lost: it tells nobody else."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def emit(self, record: logging.LogRecord) -> None:
        """Say that any collection may have changed."""
        self._lost()


class Roots:
    """Follows roots. `mark` is called from other threads with the names of collections that may have changed.

    `store` is the real path of the store, whose own changes are no hints.
    """

    def __init__(self, mark: Mark, store: Path, *, poll: bool = False) -> None:
        self._mark = mark
        self._store = str(store)
        self._poll = poll
        self._is_short = False
        self._roots: dict[str, Path] = {}
        self._places: dict[str, _Place | None] = {}
        self._watches: dict[str, tuple[ObservedWatch, _Hint]] = {}
        self._observer: BaseObserver | None = None
        self._overflow = _Overflow(lambda: mark(list(self._roots)))
        for logger in map(logging.getLogger, _LOGGERS):
            logger.addHandler(self._overflow)
            logger.propagate = False

    @property
    def polled(self) -> list[str]:
        """The collections that may change without an event; one whose root is missing is not among them."""
        present = [name for name, place in self._places.items() if place is not None]
        return [name for name in present if self._is_short or name not in self._watches]

    def follow(self, roots: Mapping[str, Path]) -> list[str]:
        """Follow exactly `roots`; return warnings about those that can only be polled."""
        for name in [name for name, root in self._roots.items() if roots.get(name) != root]:
            self._stop(name)
            del self._roots[name], self._places[name]
        warnings = []
        for name, root in roots.items():
            if name not in self._roots:
                self._roots[name] = root
                warnings += self._start(name)
        return warnings

    def check(self) -> list[str]:
        """Follow anew what vanished, came back or was replaced, and poll in a shortage; return warnings."""
        warnings = self._check_limit()
        for name, root in self._roots.items():
            if _place_of(root) != self._places[name] or self._is_dead(name):
                self._stop(name)
                warnings += self._start(name)
                self._mark([name])
        return warnings

    def close(self) -> None:
        """Stop following; without effect the second time."""
        for logger in map(logging.getLogger, _LOGGERS):
            logger.removeHandler(self._overflow)
            logger.propagate = True
        if self._observer is not None:
            self._observer.stop()
            self._observer.join(5)
            self._observer = None

    def _check_limit(self) -> list[str]:
        """Poll everything while a new directory could not be watched, and watch anew once it can."""
        before, self._is_short = self._is_short, bool(self._watches) and is_exhausted()
        if self._is_short and not before:
            return [_shortage("everything", _LIMIT_REACHED)]
        warnings = []
        if before and not self._is_short:
            for name in list(self._watches):
                self._stop(name)
                warnings += self._start(name)
                self._mark([name])
        return warnings

    def _is_dead(self, name: str) -> bool:
        return name in self._watches and self._watches[name][1].is_dead

    def _start(self, name: str) -> list[str]:
        root = self._roots[name]
        self._places[name] = place = _place_of(root)
        if self._poll or place is None:
            return []
        only = root if place.is_parent else None
        hint = _Hint(lambda: self._mark([name]), place.path, self._store, only)
        try:
            watch = self._running().schedule(hint, str(place.path), recursive=not place.is_parent, event_filter=_EVENTS)
        except OSError as error:
            return [_shortage(name, (error.strerror or str(error)).lower())]
        self._watches[name] = watch, hint
        if not is_exhausted():
            return []
        self._stop(name)  # some of its folders may be without; others can use what it took
        return [_shortage(name, _LIMIT_REACHED)]

    def _running(self) -> BaseObserver:
        if self._observer is None:
            self._observer = Observer()
            self._observer.daemon = True
            self._observer.start()
        return self._observer

    def _stop(self, name: str) -> None:
        watch, hint = self._watches.pop(name, (None, None))
        if watch is None or hint is None or self._observer is None:
            return
        try:
            if any(other == watch for other, _ in self._watches.values()):  # two files of one directory
                self._observer.remove_handler_for_watch(hint, watch)
            else:
                self._observer.unschedule(watch)
        except (KeyError, OSError):  # its thread ended with the root
            return


def _place_of(root: Path) -> _Place | None:
    """Return what to watch for `root`; None if it is not there."""
    try:
        is_parent = not root.is_dir()
        if is_parent:
            root.lstat()
        place = root.parent if is_parent else root
        status = place.stat()
    except OSError:
        return None
    return _Place(place, is_parent, (status.st_dev, status.st_ino))


def _shortage(what: str, why: str) -> str:
    number = limit()
    shown = f", {number:,}" if number else ""
    return f"{what} is polled instead of watched: {why} (`fs.inotify.max_user_watches`{shown}; raise it with `sysctl`)"
