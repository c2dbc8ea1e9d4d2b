"""What is indexed and how fresh it is."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from hmem.config import FOLDER_NAME
from hmem.rules import effective
from hmem.watch.events import watching

if TYPE_CHECKING:
    from pathlib import Path

    from hmem.config import Settings
    from hmem.store import Snapshot
    from hmem.store.lock import Holder
    from hmem.store.rows import Collection
    from hmem.types import Json, Skipped


@dataclass(frozen=True, slots=True)
class CollectionStatus:
    """One collection with its counts; `skipped` is what its last scan left out, `warnings` are (path, text)."""

    collection: Collection
    documents: int
    chunks: int
    unembedded: int
    skipped: tuple[Skipped, ...]
    warnings: tuple[tuple[str, str], ...] = ()

    @property
    def last_scan(self) -> str | None:
        """The time of the last whole scan, ISO 8601 in UTC, to the second."""
        nanoseconds = self.collection.last_scan_ns
        return None if nanoseconds is None else datetime.fromtimestamp(nanoseconds // 10**9, UTC).isoformat()

    def to_json(self) -> dict[str, Json]:
        """Return the status as one JSON object."""
        collection = self.collection
        return {
            "name": collection.name,
            "root": str(collection.root),
            "missing": collection.missing,
            "partial": not collection.is_whole,
            "documents": self.documents,
            "chunks": self.chunks,
            "unembedded": self.unembedded,
            "last_scan": self.last_scan,
            "metadata": dict(collection.metadata),
            "options": dict(collection.options),
            "skipped": {
                "by_reason": dict(Counter(item.reason for item in self.skipped).most_common()),
                "files": [{"path": i.path, "reason": i.reason, "detail": i.detail} for i in self.skipped],
            },
            "warnings": [{"path": path, "reason": text} for path, text in self.warnings],
        }


@dataclass(frozen=True, slots=True)
class Status:
    """A store, its generation, its size on disk in bytes, and its collections by name."""

    store: Path
    generation: int
    bytes: int
    collections: tuple[CollectionStatus, ...]
    watcher: Holder | None = None

    def to_json(self) -> dict[str, Json]:
        """Return the status as one JSON object."""
        return {
            "schema": 1,
            "store": str(self.store),
            "generation": self.generation,
            "bytes": self.bytes,
            "watcher": {"pid": self.watcher.pid, "since": self.watcher.since} if self.watcher else None,
            "documents": sum(item.documents for item in self.collections),
            "chunks": sum(item.chunks for item in self.collections),
            "collections": [item.to_json() for item in self.collections],
        }


def read_status(directory: Path, snapshot: Snapshot, settings: Settings) -> Status:
    """Return the status of the store in `directory` as `snapshot` sees it; each `.hmem.toml` is read anew."""
    catalog = snapshot.catalog
    counts = catalog.counts()
    collections = tuple(
        CollectionStatus(
            collection,
            *counts.get(collection.id, (0, 0, 0)),
            tuple(catalog.skipped(collection.id)),
            (*_about_folder(collection, settings), *catalog.warnings(collection.id)),
        )
        for collection in catalog.collections()
    )
    return Status(directory, snapshot.generation, _size(directory), collections, watching(directory))


def _about_folder(collection: Collection, settings: Settings) -> list[tuple[str, str]]:
    return [(FOLDER_NAME, text) for text in effective(collection, settings).warnings]


def _size(directory: Path) -> int:
    total = 0
    for folder, _, names in os.walk(directory):
        for name in names:
            try:
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118 - os.walk gives text
            except FileNotFoundError:  # a writer replaced it meanwhile
                continue
    return total
