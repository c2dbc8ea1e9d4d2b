"""Locks between processes, by flock: the kernel frees them when the holder dies, whatever way it dies."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Self

from hmem.errors import StoreLockedError
from hmem.store import files

_POLL_SECONDS = 0.01
_OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
_held: set[_Locked] = set()


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a lock: process id and the local time (ISO 8601) since when."""

    pid: int
    since: str


class _Locked:
    """An open lock file. A forked child gives its copy up at once, or the lock would outlive its holder."""

    def __init__(self, path: Path, *, create: bool = True) -> None:
        self.descriptor = os.open(path, _OPEN | (os.O_CREAT if create else 0), 0o600)
        _held.add(self)

    def close(self) -> None:
        if self.descriptor >= 0:
            os.close(self.descriptor)
            self.descriptor = -1
            _held.discard(self)

    def try_lock(self, operation: int) -> bool:
        """Take the lock without waiting; False if somebody else is in the way."""
        try:
            fcntl.flock(self.descriptor, operation | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
                return False
            raise
        return True


class FileLock:
    """An exclusive lock on `path`, whose content names the holder. Not re-entrant, not shared by forked children."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._locked: _Locked | None = None

    def acquire(self, timeout: float) -> None:
        """Take the lock, waiting up to `timeout` seconds, else raise `StoreLockedError`."""
        begun = time.monotonic()
        locked = _Locked(self.path)
        try:
            while not locked.try_lock(fcntl.LOCK_EX):
                waited = time.monotonic() - begun
                if waited >= timeout:
                    holder = read_holder(self.path)
                    pid, since = (holder.pid, holder.since) if holder else (None, None)
                    raise StoreLockedError(self.path, pid=pid, since=since, waited=waited)
                time.sleep(min(_POLL_SECONDS, timeout - waited))
            self._sign(locked.descriptor)
        except BaseException:
            locked.close()
            raise
        self._locked = locked

    def release(self) -> None:
        """Give the lock up; without effect if it is not held."""
        if self._locked is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._locked.descriptor, 0)
                fcntl.flock(self._locked.descriptor, fcntl.LOCK_UN)  # at once, also for a child forked this moment
            self._locked.close()
            self._locked = None

    def _sign(self, descriptor: int) -> None:
        since = datetime.now().astimezone().isoformat(timespec="seconds")
        data = json.dumps({"pid": os.getpid(), "since": since}).encode()
        files.reach("write", self.path)
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, data, 0)

    @contextlib.contextmanager
    def holding(self, timeout: float) -> Iterator[None]:
        """Hold the lock for the block; see `acquire`."""
        self.acquire(timeout)
        try:
            yield
        finally:
            self.release()


def read_holder(path: Path) -> Holder | None:
    """Return who wrote the lock file last, None if nobody holds it or it does not say."""
    try:
        found = json.loads(path.read_bytes()[:4096])
        return Holder(int(found["pid"]), str(found["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def is_locked(path: Path) -> bool:
    """Return whether some process holds the exclusive lock on `path` right now."""
    guard = Guard.take(path)
    if guard is None:
        return path.exists()
    guard.close()
    return False


class Guard:
    """A shared lock on a lock file: while it lasts nobody gets the exclusive one."""

    def __init__(self, locked: _Locked) -> None:
        self._locked = locked

    @classmethod
    def take(cls, path: Path) -> Self | None:
        """Return a guard without waiting; None if somebody holds the exclusive lock, or there is no such file."""
        try:
            locked = _Locked(path, create=False)
        except OSError:
            return None
        if locked.try_lock(fcntl.LOCK_SH):
            return cls(locked)
        locked.close()
        return None

    def close(self) -> None:
        """Give the guard up; without effect the second time."""
        self._locked.close()


class Lease:
    """A reader's shared lock on the lease file of the generation that it pins: its segments stay on the disk.

    A reader that cannot create a file (full disk) shares `ANY`, which stands for every generation; on a read-only
    file system no writer exists, so it goes without.
    """

    ANY = "any"

    def __init__(self, directory: Path, generation: int) -> None:
        self._locked: _Locked | None = None
        for name in (str(generation), self.ANY):
            try:
                self._locked = _open_in(directory, name)
            except OSError as error:
                if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EROFS):
                    raise
            else:
                fcntl.flock(self._locked.descriptor, fcntl.LOCK_SH)
                return

    def close(self) -> None:
        """Give the lease up; without effect the second time."""
        if self._locked is not None:
            self._locked.close()
            self._locked = None


def _open_in(directory: Path, name: str) -> _Locked:
    """Open a lock file; a directory that somebody removed comes back."""
    try:
        return _Locked(directory / name)
    except FileNotFoundError:
        files.make_dir(directory)
        return _Locked(directory / name)


def oldest_lease(directory: Path, current: int) -> int:
    """Return the oldest generation that a reader may still hold, `current` if none is older; remove dead leases.

    A generation is dead once the lease can be taken exclusively: a reader that comes later finds a newer generation.
    """
    oldest = current
    for entry in list(os.scandir(directory)):
        generation = int(entry.name) if entry.name.isdecimal() else 0 if entry.name == Lease.ANY else current
        if generation >= current:
            continue
        lease = _Locked(Path(entry.path))
        try:
            if not lease.try_lock(fcntl.LOCK_EX):
                oldest = min(oldest, generation)
            elif generation:
                files.remove_file(Path(entry.path))
        finally:
            lease.close()
    return oldest


def _forget_in_child() -> None:
    for locked in list(_held):
        locked.close()


os.register_at_fork(after_in_child=_forget_in_child)
