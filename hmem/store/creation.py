"""How a store comes into being, and anew when its catalog is lost. A crash in between leaves nothing in the way."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path

from hmem.errors import StoreAccessError, StoreDamagedError, StoreError
from hmem.store import files, listing
from hmem.store.access import check_access, missing_catalog
from hmem.store.catalog import Catalog
from hmem.store.lock import FileLock, Lease
from hmem.store.records import write_collection
from hmem.store.rows import Collection
from hmem.store.schema import CATALOG, LEASES, LISTING, LOCK, SEGMENTS, connect, create
from hmem.store.translate import translated

_ASIDE = f"{CATALOG}.new"
_SUFFIXES = ("", "-wal", "-shm", "-journal")
_OWN = {LOCK, SEGMENTS, LEASES, *(f"{_ASIDE}{suffix}" for suffix in _SUFFIXES)}


def create_store(path: Path, lock_timeout: float) -> None:
    """Make an empty store in `path` unless there is one. Raises `StoreError`, OSError."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        files.make_dir(path)
    elif path.is_dir() and not any(path.iterdir()):
        path.chmod(0o700)  # an empty directory of the user's
    check_access(path)
    if (path / CATALOG).exists():
        return
    if (path / LISTING).exists():
        raise missing_catalog(path)
    if strange := {entry.name for entry in path.iterdir()} - _OWN:
        raise StoreAccessError(f"not a store and not empty (`{min(strange)}`): `{path}`")
    with FileLock(path / LOCK).holding(lock_timeout):
        if not (path / CATALOG).exists():
            _make_catalog(path, secrets.token_hex(8), [], 0)
            files.sync_dir(path.parent)


def recreate_store(path: Path, lock_timeout: float) -> None:
    """Put an empty catalog with the same collections in place of a lost, damaged or foreign one.

    What was indexed comes back with the next `hmem index`. Readers keep the old one. Raises `StoreError`, OSError.
    """
    check_access(path)
    with translated(path), FileLock(path / LOCK).holding(lock_timeout):
        collections = _known_collections(path)
        store_id = secrets.token_hex(8)
        listing.publish(path, store_id, collections)  # before the catalog goes: it may be the only one to know them
        generation = _last_generation(path) + 1
        for suffix in _SUFFIXES:
            files.remove_file(path / f"{CATALOG}{suffix}")
        files.sync_dir(path)
        _make_catalog(path, store_id, collections, generation)


def _make_catalog(path: Path, store_id: str, collections: Iterable[Collection], generation: int) -> None:
    for name in (SEGMENTS, LEASES):
        files.make_dir(path / name)
    anyone = path / LEASES / Lease.ANY
    if not anyone.exists():
        files.write_file(anyone, b"")
    aside = path / _ASIDE
    for suffix in _SUFFIXES:
        files.remove_file(path / f"{_ASIDE}{suffix}")  # left by a crash
    files.reach("create", aside)
    with translated(aside):
        create(aside, store_id, datetime.now(UTC).isoformat(timespec="seconds"), generation)
        with closing(connect(aside, write=True)) as connection:
            connection.execute("BEGIN")
            for collection in collections:
                write_collection(connection, collection)
            # Readers of the old catalog may still use these; the writer removes them when they are gone.
            names = [(entry.name, generation) for entry in (path / SEGMENTS).iterdir()]
            connection.executemany("INSERT INTO dropped VALUES (?, ?)", names)
            connection.execute("COMMIT")
    files.seal(aside)
    files.replace(aside, path / CATALOG)


def _known_collections(path: Path) -> list[Collection]:
    """Return the collections of the listing, or of the catalog where that is lost instead."""
    with suppress(StoreDamagedError):
        if found := listing.listed(path):
            return found
    try:
        with translated(path / CATALOG), closing(connect(path / CATALOG)) as connection:
            stored = Catalog(connection, path / CATALOG).collections()
    except (StoreError, OSError, ValueError):
        return []
    return [Collection(c.name, c.root, options=c.options, metadata=c.metadata) for c in stored]


def _last_generation(path: Path) -> int:
    """Return a generation that no reader is beyond, from the names of leases and segments: the catalog may lie."""
    folders = [path / name for name in (LEASES, SEGMENTS) if (path / name).is_dir()]
    numbers = [entry.name.split("-")[0] for folder in folders for entry in folder.iterdir()]
    return max((int(number) for number in numbers if number.isdecimal()), default=0)
