"""The columns of a snapshot, read from its catalog when a filter first asks for them and kept as long as it."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import PurePosixPath
from threading import RLock
from typing import TYPE_CHECKING, Any

import numpy as np

from hmem.paths import absolute_path
from hmem.search.columns import MISSING, Column, encode
from hmem.search.dates import file_moment
from hmem.search.filters import META
from hmem.store.rows import path_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from hmem.search.columns import Scalar, Value
    from hmem.store.rows import AttributeRow, Collection
    from hmem.store.snapshot import Snapshot


class SnapshotColumns:
    """Columns over the positions of one snapshot, and the order in which ties break. Safe to share between threads."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._catalog = snapshot.catalog
        self._snapshot = snapshot
        self._columns: dict[str, Column | None] = {}
        self._collections: dict[int, Collection] | None = None
        self._paths: dict[int, tuple[str, str]] | None = None
        self._ties: NDArray[np.int64] | None = None
        self._lock = RLock()

    @property
    def size(self) -> int:
        """P, the number of positions."""
        return len(self._snapshot.keys)

    def column(self, key: str) -> Column:
        """Return the column of a built-in key."""
        column = self._kept(key, lambda: self._built_in(key))
        if column is None:
            raise ValueError(f"not a built-in key: {key}")
        return column

    def metadata_column(self, key: str) -> Column | None:
        """Return the column of a dotted metadata key, or None if no live document has it."""
        return self._kept(META + key, lambda: self._attribute(META + key))

    def metadata_keys(self) -> frozenset[str]:
        """Return every dotted metadata key that a live document has."""
        return frozenset(key.removeprefix(META) for key in self._catalog.attribute_keys() if key.startswith(META))

    def collections(self) -> dict[int, Collection]:
        """Return the registered collections by id."""
        with self._lock:
            if self._collections is None:
                self._collections = {collection.id: collection for collection in self._catalog.collections()}
            return self._collections

    def roots(self) -> dict[str, Path]:
        """Return the roots of all collections by name."""
        return {found.name: found.root for found in self.collections().values()}

    def ties(self) -> NDArray[np.int64]:
        """Return the place of each position in the order of (absolute path, start line), shape (P,), distinct.

        Positions of one document ascend with its lines, so only the documents need sorting.
        """
        with self._lock:
            if self._ties is None:
                paths = self._document_paths()
                ordered = sorted(paths, key=lambda document: (paths[document][1], document))
                place = np.zeros(len(self._snapshot.document_keys), np.int64)
                where = {key: at for at, key in enumerate(self._snapshot.document_keys.tolist())}
                for rank, document in enumerate(ordered):
                    if document in where:
                        place[where[document]] = rank
                order = np.argsort(place[self._snapshot.document_positions], kind="stable")
                self._ties = np.empty(self.size, np.int64)
                self._ties[order] = np.arange(self.size)
            return self._ties

    def _kept(self, key: str, load: Callable[[], Column | None]) -> Column | None:
        with self._lock:
            if key not in self._columns:
                self._columns[key] = load()
            return self._columns[key]

    def _built_in(self, key: str) -> Column:
        if key == "tags":
            return self._attribute(key) or Column((), np.full(self.size, MISSING, np.int32))
        if key == "heading":
            return self._headings()
        if key == "symbol":
            return self._symbols()
        if key in ("path", "name", "ext"):
            paths = self._document_paths()
            values: dict[int, Value | None] = {document: _path_value(key, *path) for document, path in paths.items()}
            return self._of_documents(values)
        return self._of_documents({document: value for document, value in self._stored(key)})

    def _stored(self, key: str) -> Iterable[tuple[int, Value | None]]:
        if key == "collection":
            names = {number: found.name for number, found in self.collections().items()}
            return ((document, names.get(number)) for document, number in self._select("collection"))
        if key in ("mtime", "created", "updated"):
            source = "mtime_ns" if key == "mtime" else f"coalesce({key}, mtime_ns)"
            return ((document, _moment(value)) for document, value in self._select(source))
        return self._select(key)

    def _select(self, expression: str) -> Iterable[tuple[int, Any]]:
        return ((row[0], row[1]) for row in self._catalog.rows(f"SELECT id, {expression} FROM documents ORDER BY id"))

    def _attribute(self, key: str) -> Column | None:
        values: defaultdict[int, list[Scalar]] = defaultdict(list)
        for row in self._catalog.attributes(key):
            values[row.document].append(_scalar(row))
        if not values:
            return None
        return self._of_documents({document: row if len(row) > 1 else row[0] for document, row in values.items()})

    def _of_documents(self, values: dict[int, Value | None]) -> Column:
        ordered = [values.get(document) for document in self._snapshot.document_keys.tolist()]
        return encode(ordered, self._snapshot.document_positions)

    def _headings(self) -> Column:
        rows = self._catalog.rows("SELECT id, heading FROM chunks WHERE heading != '[]'")
        return self._of_chunks({chunk: [*json.loads(heading)] for chunk, heading in rows})

    def _symbols(self) -> Column:
        """Return the names by which a chunk of code is known: the one that it shows, and all that it defines."""
        names: defaultdict[int, list[Scalar]] = defaultdict(list)
        for chunk, symbol in self._catalog.rows("SELECT id, symbol FROM chunks WHERE symbol IS NOT NULL"):
            names[chunk].append(symbol)
        for chunk, name in self._catalog.rows("SELECT chunk, name FROM definitions ORDER BY chunk, ordinal"):
            names[chunk].append(name)
        return self._of_chunks(names)

    def _of_chunks(self, values: Mapping[int, list[Scalar]]) -> Column:
        return encode(values.get(chunk) for chunk in self._snapshot.keys.tolist())

    def _document_paths(self) -> dict[int, tuple[str, str]]:
        """Return (path inside the collection, absolute path) by document."""
        with self._lock:
            if self._paths is None:
                roots = {number: found.root for number, found in self.collections().items()}
                rows = self._catalog.rows("SELECT id, collection, path FROM documents ORDER BY id")
                self._paths = {}
                for document, number, data in rows:
                    path = path_text(data)
                    self._paths[document] = path, absolute_path(roots[number], path)
            return self._paths


def _path_value(key: str, path: str, absolute: str) -> Value | None:
    name = path.rsplit("/", 1)[-1]
    if key == "path":
        return [path, absolute]
    if key == "name":
        return name
    return PurePosixPath(name).suffix.removeprefix(".").lower() or None


def _moment(value: object) -> Scalar:
    """Return an ISO text as it is, nanoseconds as a local moment."""
    if isinstance(value, str) and not value.lstrip("-").isdigit():
        return value
    return file_moment(str(value))


def _scalar(row: AttributeRow) -> Scalar:
    if row.type == "bool":
        return bool(row.number)
    if row.type == "number":
        try:
            return int(row.text)
        except ValueError:
            return float(row.text)
    return row.text
