"""A store: one directory that holds the catalog, the index files derived from it, and who may read or write.

catalog.sqlite      documents, chunks, metadata, and which index files belong to them: the truth
segments/           index files, written once, each directory for one arm of one segment
leases/             which generations readers hold
collections.json    the list of collections, should the catalog be lost
lock                held by the writer
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, Self

from hmem.errors import NotIndexedError, StoreDamagedError, StoreFormatError
from hmem.store.access import check_access, missing_catalog
from hmem.store.latest import Latest
from hmem.store.schema import APPLICATION_ID, CATALOG, FORMAT
from hmem.store.snapshot import Snapshot
from hmem.store.translate import REPAIR, translated

if TYPE_CHECKING:
    from hmem.store.writer import Writer

LOCK_TIMEOUT = 10.0

# SQLite's file format: magic at 0, user_version at 60, application_id at 68, big-endian.
_HEADER = struct.Struct(">16s44xi4xi")
_MAGIC = b"SQLite format 3\0"


class Store:
    """An existing store of this user and format. Holds nothing open itself: snapshots and writers do.

    What only writers need is imported where it is used: a search starts faster without it.
    """

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
                from hmem.store.creation import create_store

                create_store(path, LOCK_TIMEOUT)
            elif not path.is_dir():
                raise NotIndexedError(f"no store here: `{path}`", hint="run `hmem index PATH` first")
            check_access(path)
            if not (path / CATALOG).exists():
                raise missing_catalog(path)
            store._check_format()
        return store

    @classmethod
    def recreate(cls, path: Path, *, lock_timeout: float = LOCK_TIMEOUT) -> Self:
        """Open the store in `path` with an empty catalog of the same collections, whatever state the old one is in.

        Raises `StoreLockedError` and `StoreAccessError`.
        """
        from hmem.store.creation import recreate_store

        recreate_store(path, lock_timeout)
        return cls.open(path)

    def snapshot(self) -> Snapshot:
        """Return a view of the current generation, to be closed; it never waits for the writer."""
        return Snapshot(self.path)

    def latest(self) -> Latest:
        """Return what tells the current generation, to be closed."""
        return Latest(self.path)

    def writer(self, lock_timeout: float = LOCK_TIMEOUT, *, model: str = "") -> Writer:
        """Return the writer, to be closed, once nobody else writes; `model` is the fingerprint of its encoder.

        Raises `StoreLockedError`, which names the holder, after `lock_timeout` seconds.
        """
        from hmem.store.writer import Writer

        return Writer(self.path, lock_timeout, model)

    def _check_format(self) -> None:
        """Look at the header of the catalog's file, which SQLite writes once and for all."""
        path = self.path / CATALOG
        with path.open("rb") as file:
            header = file.read(_HEADER.size)
        magic, found, kind = _HEADER.unpack(header) if len(header) == _HEADER.size else (b"", 0, 0)
        if magic != _MAGIC or kind != APPLICATION_ID:
            raise StoreDamagedError(f"not the catalog of a store: `{path}`", hint=REPAIR)
        if found != FORMAT:
            raise StoreFormatError(
                f"the store has format {found}, this version of hmem reads {FORMAT}: `{self.path}`",
                hint="run `hmem index --rebuild`" if found < FORMAT else "update hmem",
            )
