"""File events of the collections' roots, through watchdog; what it cannot follow is polled."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from watchdog.events import EVENT_TYPE_CLOSED_NO_WRITE, EVENT_TYPE_OPENED, FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

if TYPE_CHECKING:
    from watchdog.observers.api import BaseObserver, ObservedWatch

    Identity = tuple[int, int] | None
    Mark = Callable[[Iterable[str]], None]

_READING = frozenset({EVENT_TYPE_OPENED, EVENT_TYPE_CLOSED_NO_WRITE})
_LOGGERS = ("watchdog.observers.inotify_c", "watchdog.observers.inotify")
_LIMIT = Path("/proc/sys/fs/inotify/max_user_watches")


class _Hint(FileSystemEventHandler):
    """Marks a collection; `only` is the one file that matters where a collection is a file."""

    def __init__(self, name: str, mark: Mark, store: Path, only: Path | None) -> None:
        self._name = name
        self._mark = mark
        self._store = f"{store}{os.sep}"
        self._only = None if only is None else str(only)

    def dispatch(self, event: FileSystemEvent) -> None:
        """Take any event but those of reading, and those of the store itself, as a hint."""
        paths = [os.fsdecode(path) for path in (event.src_path, event.dest_path) if path]
        if event.event_type in _READING or all(path.startswith(self._store) for path in paths):
            return
        if self._only is None or self._only in paths:
            self._mark([self._name])


class _Overflow(logging.Handler):
    """Hears from watchdog's log that events were lost: it tells nobody else."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def emit(self, record: logging.LogRecord) -> None:
        """Say that any collection may have changed."""
        self._lost()


class Roots:
    """Follows roots. `mark` is called from other threads with the names of collections that may have changed."""

    def __init__(self, mark: Mark, store: Path, *, poll: bool = False) -> None:
        self._mark = mark
        self._store = store
        self._poll = poll
        self._roots: dict[str, Path] = {}
        self._identities: dict[str, Identity] = {}
        self._watches: dict[str, ObservedWatch] = {}
        self._observer: BaseObserver | None = None
        self._overflow = _Overflow(lambda: mark(list(self._roots)))
        for logger in map(logging.getLogger, _LOGGERS):
            logger.addHandler(self._overflow)
            logger.propagate = False

    @property
    def polled(self) -> list[str]:
        """The collections that no events come from."""
        return [name for name in self._roots if name not in self._watches]

    def follow(self, roots: Mapping[str, Path]) -> list[str]:
        """Follow exactly `roots`; return warnings about those that can only be polled."""
        for name in [name for name, root in self._roots.items() if roots.get(name) != root]:
            self._forget(name)
        warnings = []
        for name, root in roots.items():
            if name not in self._roots:
                self._roots[name] = root
                warnings += self._start(name)
        return warnings

    def check(self) -> list[str]:
        """Follow anew what vanished, came back or was replaced since; return warnings."""
        warnings = []
        for name, root in self._roots.items():
            if _identity(root) != self._identities[name]:
                self._stop(name)
                warnings += self._start(name)
                self._mark([name])
        return warnings

    def close(self) -> None:
        """Stop following; without effect the second time."""
        for logger in map(logging.getLogger, _LOGGERS):
            logger.removeHandler(self._overflow)
        if self._observer is not None:
            self._observer.stop()
            self._observer.join(5)
            self._observer = None

    def _start(self, name: str) -> list[str]:
        root = self._roots[name]
        self._identities[name] = _identity(root)
        if self._poll or self._identities[name] is None:
            return []
        is_file = not root.is_dir()
        limit = _limit()
        if not is_file and limit is not None and (needed := _directories(root, limit)) > limit:
            return [_shortage(name, f"{needed:,} or more folders, the limit of file watches is {limit:,}")]
        hint = _Hint(name, self._mark, self._store, root if is_file else None)
        try:
            observer = self._running()
            place = str(root.parent if is_file else root)
            self._watches[name] = observer.schedule(hint, place, recursive=not is_file)
        except OSError as error:
            return [_shortage(name, (error.strerror or str(error)).lower())]
        return []

    def _running(self) -> BaseObserver:
        if self._observer is None:
            self._observer = Observer()
            self._observer.daemon = True
            self._observer.start()
        return self._observer

    def _stop(self, name: str) -> None:
        watch = self._watches.pop(name, None)
        if watch is not None and self._observer is not None:
            try:
                self._observer.unschedule(watch)
            except (KeyError, OSError):  # its thread ended with the root
                return

    def _forget(self, name: str) -> None:
        self._stop(name)
        del self._roots[name], self._identities[name]


def _identity(root: Path) -> Identity:
    try:
        status = root.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _limit() -> int | None:
    try:
        return int(_LIMIT.read_text())
    except (OSError, ValueError):
        return None


def _directories(root: Path, enough: int) -> int:
    """Count the directories below `root`, up to a little more than `enough`."""
    count = 1
    for _, folders, _ in os.walk(root):
        count += len(folders)
        if count > enough:
            break
    return count


def _shortage(name: str, why: str) -> str:
    return f"{name} is polled instead of watched: {why} (raise `fs.inotify.max_user_watches` with `sysctl`)"
