"""A store: one directory that holds the catalog, the index files derived from it, and who may read or write.

catalog.sqlite      documents, chunks, metadata, and which index files belong to them: the truth
segments/           index files, written once, each directory for one arm of one segment
leases/             which generations readers hold
collections.json    the list of collections, should the catalog be lost
lock                held by the writer
"""

from __future__ import annotations

import secrets
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from hmem.errors import NotIndexedError, StoreAccessError, StoreDamagedError, StoreFormatError
from hmem.store import files
from hmem.store.access import check_access
from hmem.store.listing import NAME as LISTING
from hmem.store.lock import FileLock, Lease
from hmem.store.schema import APPLICATION_ID, CATALOG, FORMAT, LEASES, SEGMENTS, connect, create
from hmem.store.snapshot import Snapshot
from hmem.store.translate import REPAIR, translated
from hmem.store.writer import Writer

LOCK = "lock"
LOCK_TIMEOUT = 10.0


class Store:
    """An existing store of this user and format. Holds nothing open itself: snapshots and writers do."""

    def __init__(self, path: Path) -> None:
        """Name the store in the directory `path`; use `open`, which checks it."""
        self.path = path

    @classmethod
    def open(cls, path: Path, *, create: bool = False) -> Self:
        """Open the store in `path`, with `create` making it if there is none.

        Raises `NotIndexedError` if there is none, `StoreFormatError` if another version wrote it,
        `StoreDamagedError` if its catalog is lost, and `StoreAccessError` if it is not this user's alone.
        """
        store = cls(path)
        with translated(path):
            if create:
                store._create()
            elif not path.is_dir():
                raise NotIndexedError(f"no store here: `{path}`", hint="run `hmem index PATH` first")
            check_access(path)
            if not (path / CATALOG).exists():
                raise store._without_catalog()
            store._check_format()
        return store

    def snapshot(self) -> Snapshot:
        """Return a view of the current generation, to be closed; it never waits for the writer."""
        return Snapshot(self.path)

    def writer(self, lock_timeout: float = LOCK_TIMEOUT, *, model: str = "") -> Writer:
        """Return the writer, to be closed, once nobody else writes; `model` is the fingerprint of its encoder.

        Raises `StoreLockedError`, which names the holder, after `lock_timeout` seconds.
        """
        lock = FileLock(self.path / LOCK)
        with translated(lock.path):
            lock.acquire(lock_timeout)
        try:
            return Writer(self.path, lock, model)
        except BaseException:
            lock.release()
            raise

    def _create(self) -> None:
        path = self.path
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            files.make_dir(path)
        elif path.is_dir() and not any(path.iterdir()):
            path.chmod(0o700)  # an empty directory of the user's
        check_access(path)
        if (path / CATALOG).exists():
            return
        if (path / LISTING).exists():
            raise self._without_catalog()
        if strange := {entry.name for entry in path.iterdir()} - _OWN:
            raise StoreAccessError(f"not a store and not empty (`{min(strange)}`): `{path}`")
        lock = FileLock(path / LOCK)
        lock.acquire(LOCK_TIMEOUT)
        try:
            if not (path / CATALOG).exists():
                self._make_empty()
        finally:
            lock.release()

    def _make_empty(self) -> None:
        for name in (SEGMENTS, LEASES):
            files.make_dir(self.path / name)
        anyone = self.path / LEASES / Lease.ANY
        if not anyone.exists():
            files.write_file(anyone, b"")
        aside = self.path / f"{CATALOG}.new"
        for name in (aside.name, f"{aside.name}-wal", f"{aside.name}-shm"):
            files.remove_file(self.path / name)  # left by a crash
        files.reach("create", aside)
        create(aside, secrets.token_hex(8), datetime.now(UTC).isoformat(timespec="seconds"))
        files.seal(aside)
        files.replace(aside, self.path / CATALOG)
        files.sync_dir(self.path.parent)

    def _without_catalog(self) -> Exception:
        if (self.path / LISTING).exists():
            return StoreDamagedError(f"the catalog is missing: `{self.path / CATALOG}`", hint=REPAIR)
        return NotIndexedError(f"no store here: `{self.path}`", hint="run `hmem index PATH` first")

    def _check_format(self) -> None:
        with translated(self.path / CATALOG):
            connection = connect(self.path / CATALOG)
            try:
                kind, found = (_pragma(connection, name) for name in ("application_id", "user_version"))
            finally:
                connection.close()
        if kind != APPLICATION_ID:
            raise StoreDamagedError(f"not the catalog of a store: `{self.path / CATALOG}`", hint=REPAIR)
        if found != FORMAT:
            raise StoreFormatError(
                f"the store has format {found}, this version of hmem reads {FORMAT}: `{self.path}`",
                hint="run `hmem index --rebuild`" if found < FORMAT else "update hmem",
            )


_OWN = {
    LOCK,
    SEGMENTS,
    LEASES,
    *(f"{CATALOG}.new{suffix}" for suffix in ("", "-wal", "-shm", "-journal")),
}


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])
