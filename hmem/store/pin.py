"""Holding one generation: a SQLite read transaction for its rows, a lease for its files."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from hmem.errors import StoreError
from hmem.store.catalog import Catalog
from hmem.store.lock import Guard, Lease
from hmem.store.schema import CATALOG, LEASES, LOCK, connect
from hmem.store.translate import translated

_ATTEMPTS = 100
_NO_ROOM = {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY}


class Pin:
    """The current `generation` of a store with its `catalog`, unchanged until it is closed. Raises `StoreError`."""

    def __init__(self, directory: Path) -> None:
        path = directory / CATALOG
        self._lease: Lease | None = None
        self._guard: Guard | None = None
        self.generation = -1
        with translated(path):
            self._connection = self._connect(directory, path)
            try:
                self.catalog = Catalog(self._connection, path)
                self._take(directory / LEASES)
            except BaseException:
                self.close()
                raise

    def _connect(self, directory: Path, path: Path) -> sqlite3.Connection:
        connection = connect(path)
        try:
            _touch(connection)
        except sqlite3.OperationalError as error:
            connection.close()
            if getattr(error, "sqlite_errorcode", 0) & 0xFF not in _NO_ROOM:
                raise
            return self._connect_without_room(directory, path)
        return connection

    def _connect_without_room(self, directory: Path, path: Path) -> sqlite3.Connection:
        """Open the catalog where SQLite cannot create the file that its readers share: on a full or read-only disk.

        With nothing in the log, and the writer kept out, the file as it lies is the truth; otherwise one reader at a
        time can keep that shared state in its own memory.
        """
        log = path.with_name(path.name + "-wal")
        self._guard = Guard.take(directory / LOCK)
        no_writer = self._guard is not None or os.statvfs(directory).f_flag & os.ST_RDONLY
        if no_writer and not (log.exists() and log.stat().st_size):
            return connect(path, parameters="mode=ro&immutable=1")
        connection = connect(path)
        try:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            _touch(connection)
        except BaseException:
            connection.close()
            self._open_gate()
            raise
        return connection

    def _take(self, leases: Path) -> None:
        """Take a lease on the current generation; one seen to be current while the lease is held is safe."""
        for _ in range(_ATTEMPTS):
            self._connection.execute("BEGIN")
            generation = self.catalog.generation
            if self._lease is not None and generation == self.generation:
                return
            self._connection.execute("COMMIT")
            if self._lease is not None:
                self._lease.close()
            self.generation = generation
            self._lease = Lease(leases, generation)
        raise StoreError("the store changes faster than it can be opened", hint="try again")

    def close(self) -> None:
        """Let the generation go; without effect the second time."""
        self._connection.close()
        if self._lease is not None:
            self._lease.close()
        self._open_gate()

    def _open_gate(self) -> None:
        """Let the writer in again."""
        if self._guard is not None:
            self._guard.close()


def _touch(connection: sqlite3.Connection) -> None:
    """Read anything: only now SQLite opens what it shares with others."""
    connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
