"""What can be asked of the catalog, the store's truth, within one SQLite transaction."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from hmem.errors import StoreDamagedError
from hmem.store.rows import (
    AttributeRow,
    ChunkRow,
    Collection,
    DefinitionRow,
    DocumentRow,
    FileRow,
    definition_key,
    definitions_from,
    names_from,
    path_bytes,
    path_text,
    row_checksum,
    storable,
)
from hmem.store.translate import REPAIR, translated
from hmem.types import DefinitionKind, FileState, Kind, Skipped

_BATCH = 500  # keys bound in one statement

# `checksum` covers the columns up to `mounts`; the rest changes with every scan.
COLLECTION_COLUMNS = (
    "checksum, name, root, options, metadata, stamp, redo_below, mounts, id, device, inode, state, missing, "
    "last_scan_ns, last_scan_seconds"
)
# `checksum` covers the columns after it and the row's key; the file's state before it changes with every touch.
DOCUMENT_COLUMNS = (
    "size, mtime_ns, inode, racy, indexed_at, checksum, id, collection, path, content_hash, kind, lang, title, "
    "encoding, n_lines, body_line, created, updated, tags, links, metadata"
)
CHUNK_COLUMNS = (
    "checksum, id, document, ordinal, chunk_id, start_line, end_line, embed_key, symbol, heading, scopes, definitions, "
    "text"
)
CHUNK_EMBED_KEY = 6  # its place among the columns after `checksum`


class Catalog:
    """Reads of one transaction, usable from several threads. Rows come back in ascending key order unless said.

    Raises `StoreDamagedError` for a row whose checksum does not hold and for a damaged database file,
    `StoreAccessError` if the disk refuses.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.path = path
        self._connection = connection
        self._lock = threading.RLock()

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Return every row of one statement."""
        with self._lock, translated(self.path):
            return self._connection.execute(sql, parameters).fetchall()

    def rows_of(self, sql: str, keys: Iterable[Any]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of `sql`, whose `{}` stands for the keys' placeholders, in batches."""
        wanted = list(keys)
        for begin in range(0, len(wanted), _BATCH):
            batch = wanted[begin : begin + _BATCH]
            yield from self.rows(sql.format(",".join("?" * len(batch))), batch)

    def meta(self, key: str) -> Any:
        """Return a value of the store as a whole: `generation`, `store_id`, `created`."""
        found = self.rows("SELECT value FROM meta WHERE key = ?", (key,))
        if not found:
            raise StoreDamagedError(f"the catalog has no `{key}`: `{self.path}`", hint=REPAIR)
        return found[0][0]

    @property
    def generation(self) -> int:
        """The number of the commit that this transaction sees."""
        return int(self.meta("generation"))

    # -- collections

    def collections(self) -> list[Collection]:
        """Return all collections by name."""
        return [
            self._collection(row) for row in self.rows(f"SELECT {COLLECTION_COLUMNS} FROM collections ORDER BY name")
        ]

    def collection(self, name: str) -> Collection | None:
        """Return the collection called `name`, or None."""
        found = self.rows(f"SELECT {COLLECTION_COLUMNS} FROM collections WHERE name = ?", (name,))
        return self._collection(found[0]) if found else None

    def counts(self) -> dict[int, tuple[int, int, int]]:
        """Return (documents, chunks, chunks without a vector) by collection."""
        sql = """SELECT d.collection, count(DISTINCT d.id), count(c.id), count(c.id) - count(nullif(c.embed_key, x''))
                 FROM documents d LEFT JOIN chunks c ON c.document = d.id GROUP BY d.collection"""
        return {row[0]: row[1:] for row in self.rows(sql)}

    def skipped(self, collection: int, within: str = "") -> list[Skipped]:
        """Return the files that the last scan left out, by path."""
        clause, bounds = _below(within)
        sql = f"""SELECT path, reason, detail, size, mtime_ns, inode FROM skipped
                  WHERE collection = ? {clause} ORDER BY path"""
        return [
            Skipped(path_text(path), reason, detail, _state(path_text(path), size, mtime, inode))
            for path, reason, detail, size, mtime, inode in self.rows(sql, (collection, *bounds))
        ]

    def warnings(self, collection: int) -> list[tuple[str, str]]:
        """Return (path, text) of what its documents were complained about when they were indexed, by path."""
        sql = """SELECT d.path, w.text FROM documents d JOIN warnings w ON w.document = d.id
                 WHERE d.collection = ? ORDER BY d.path, w.ordinal"""
        return [(path_text(path), text) for path, text in self.rows(sql, (collection,))]

    # -- documents

    def files(self, collection: int, within: str = "") -> list[FileRow]:
        """Return the state of each document's file, by path (bytes), below `within` ("" = everywhere)."""
        clause, bounds = _below(within)
        sql = f"""SELECT id, path, size, mtime_ns, inode, racy, content_hash FROM documents
                  WHERE collection = ? {clause} ORDER BY path"""
        return [
            FileRow(id_, FileState(path_text(path), size, int(mtime), int(inode)), bool(racy), content)
            for id_, path, size, mtime, inode, racy, content in self.rows(sql, (collection, *bounds))
        ]

    def documents(self, ids: Iterable[int] | None = None) -> dict[int, DocumentRow]:
        """Return documents by id, all of them for None; unknown ids are left out."""
        if ids is None:
            found: Iterable[tuple[Any, ...]] = self.rows(f"SELECT {DOCUMENT_COLUMNS} FROM documents ORDER BY id")
        else:
            found = self.rows_of(f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE id IN ({{}})", ids)
        return {row[6]: self._document(row) for row in found}

    def document_at(self, collection: int, path: str) -> DocumentRow | None:
        """Return the document at a path inside a collection, or None."""
        sql = f"SELECT {DOCUMENT_COLUMNS} FROM documents WHERE collection = ? AND path = ?"
        found = self.rows(sql, (collection, path_bytes(path)))
        return self._document(found[0]) if found else None

    def text(self, document: int) -> str:
        """Return the whole text of a document, as indexed."""
        return "".join(chunk.text for chunk in self.chunks_of(document))

    # -- chunks

    def chunks(self, keys: Iterable[int]) -> dict[int, ChunkRow]:
        """Return chunks by key; unknown keys are left out."""
        sql = f"SELECT {CHUNK_COLUMNS} FROM chunks WHERE id IN ({{}})"
        return {row[1]: self._chunk(row) for row in self.rows_of(sql, keys)}

    def chunks_of(self, document: int) -> list[ChunkRow]:
        """Return a document's chunks in order."""
        sql = f"SELECT {CHUNK_COLUMNS} FROM chunks WHERE document = ? ORDER BY ordinal"
        return [self._chunk(row) for row in self.rows(sql, (document,))]

    def chunks_with_id(self, prefix: str, limit: int = 10) -> list[ChunkRow]:
        """Return up to `limit` chunks whose id starts with `prefix` (hex digits)."""
        sql = f"SELECT {CHUNK_COLUMNS} FROM chunks WHERE chunk_id >= ? AND chunk_id < ? ORDER BY chunk_id LIMIT ?"
        return [self._chunk(row) for row in self.rows(sql, (prefix, prefix + "g", limit))]

    def documents_unseen(self) -> list[int]:
        """Return the documents with chunks that no model has seen."""
        sql = "SELECT DISTINCT document FROM chunks WHERE embed_key IS NULL ORDER BY document"
        return [row[0] for row in self.rows(sql)]

    # -- filters and entities

    def attribute_keys(self) -> dict[str, int]:
        """Return every attribute key with the number of documents that have it."""
        return dict(self.rows("SELECT key, count(DISTINCT document) FROM attributes GROUP BY key"))

    def attributes(self, key: str) -> list[AttributeRow]:
        """Return every value under `key`, by document and order."""
        sql = "SELECT key, document, ordinal, type, text, number FROM attributes WHERE key = ?"
        return [AttributeRow(*row) for row in self.rows(sql, (key,))]

    def documents_with(self, key: str, text: str) -> list[int]:
        """Return the documents that have the value `text` under an attribute `key`, ascending."""
        sql = "SELECT DISTINCT document FROM attributes WHERE key = ? AND text = ? ORDER BY document"
        return [row[0] for row in self.rows(sql, (key, storable(text)))]

    def definitions(self, names: Iterable[str]) -> list[DefinitionRow]:
        """Return where any of `names` is defined, exact but for case; order is not defined."""
        keys = {definition_key(name) for name in names}
        sql = "SELECT name, kind, line, chunk FROM definitions WHERE name_key IN ({})"
        return [
            DefinitionRow(name, DefinitionKind(kind), line, chunk)
            for name, kind, line, chunk in self.rows_of(sql, keys)
        ]

    # -- rows to values

    def _collection(self, row: tuple[Any, ...]) -> Collection:
        checksum, *described = row[:8]
        name, root, options, metadata, stamp, redo_below, mounts = described
        id_, device, inode, state, missing, last_ns, last_seconds = row[8:]
        self._check("collection", checksum, described)
        return Collection(
            name=name,
            root=Path(path_text(root)),
            id=id_,
            root_id=None if device is None else (int(device), int(inode)),
            options=json.loads(options),
            metadata=json.loads(metadata),
            stamp=stamp,
            redo_below=redo_below,
            mounts=names_from(mounts),
            state=state,
            missing=bool(missing),
            last_scan_ns=last_ns,
            last_scan_seconds=last_seconds,
        )

    def _document(self, row: tuple[Any, ...]) -> DocumentRow:
        size, mtime_ns, inode, racy, indexed_at, checksum, *values = row
        self._check("document", checksum, values)
        id_, collection, path, content_hash, kind, lang, title, encoding, n_lines, body_line, *rest = values
        created, updated, tags, links, metadata = rest
        return DocumentRow(
            id=id_,
            collection=collection,
            path=path_text(path),
            size=size,
            mtime_ns=int(mtime_ns),
            inode=int(inode),
            racy=bool(racy),
            content_hash=content_hash,
            indexed_at=indexed_at,
            kind=Kind(kind),
            lang=lang,
            title=title,
            encoding=encoding,
            n_lines=n_lines,
            body_line=body_line,
            created=created,
            updated=updated,
            tags=names_from(tags),
            links=names_from(links),
            metadata=json.loads(metadata),
        )

    def _chunk(self, row: tuple[Any, ...]) -> ChunkRow:
        checksum, *values = row
        self._check("chunk", checksum, values)
        key, document, ordinal, chunk_id, start_line, end_line, embed_key, symbol, heading, scopes, found, text = values
        return ChunkRow(
            key=key,
            document=document,
            ordinal=ordinal,
            chunk_id=chunk_id,
            start_line=start_line,
            end_line=end_line,
            embed_key=embed_key,
            symbol=symbol,
            heading=names_from(heading),
            scopes=names_from(scopes),
            definitions=definitions_from(found),
            text=text,
        )

    def _check(self, what: str, checksum: int, values: Sequence[Any]) -> None:
        if row_checksum(values) != checksum:
            raise StoreDamagedError(f"{what} `{values[0]}` does not match its checksum: `{self.path}`", hint=REPAIR)


def _below(within: str) -> tuple[str, tuple[bytes, ...]]:
    """Return the clause for paths equal to or below the directory `within`."""
    if not within:
        return "", ()
    path = path_bytes(within)
    return "AND (path = ? OR (path >= ? AND path < ?))", (path, path + b"/", path + b"0")


def _state(path: str, size: int | None, mtime: object, inode: object) -> FileState | None:
    return None if size is None else FileState(path, size, int(str(mtime)), int(str(inode)))
