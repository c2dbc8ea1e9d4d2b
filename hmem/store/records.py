"""The statements that put documents and collections into the catalog."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from hmem.store.attributes import attribute_rows
from hmem.store.catalog import CHUNK_EMBED_KEY
from hmem.store.rows import (
    Collection,
    definition_key,
    definitions_json,
    integer,
    path_bytes,
    row_checksum,
    storable,
    to_json,
)

if TYPE_CHECKING:
    from hmem.prepare import PreparedChunk
    from hmem.store.rows import Value
    from hmem.types import Definition, Document, FileState, Json, Skipped


def insert_document(
    connection: sqlite3.Connection,
    document_id: int,
    collection: int,
    state: FileState,
    document: Document,
    *,
    content_hash: str,
    racy: bool,
    created: str | None,
    updated: str | None,
    metadata: Mapping[str, Json],
) -> None:
    """Insert a document with its attributes and links."""
    values: list[Any] = [
        document_id,
        collection,
        path_bytes(state.path),
        content_hash,
        str(document.kind),
        document.lang,
        storable(document.title),
        document.encoding,
        document.text.count("\n") + (not document.text.endswith("\n") and document.text != ""),
        document.body_line,
        created,
        updated,
        to_json(document.tags),
        to_json(document.links),
        to_json(metadata),
    ]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    file = [state.size, integer(state.mtime_ns), integer(state.inode), int(racy), now]
    connection.execute(
        """INSERT INTO documents (size, mtime_ns, inode, racy, indexed_at, checksum, id, collection, path, content_hash,
             kind, lang, title, encoding, n_lines, body_line, created, updated, tags, links, metadata)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        [*file, row_checksum(values), *values],
    )
    insert_derived(connection, document_id, metadata, document.tags, document.links)
    connection.executemany(
        "INSERT INTO warnings VALUES (?, ?, ?)",
        [(document_id, ordinal, storable(text)) for ordinal, text in enumerate(document.warnings)],
    )


def insert_derived(
    connection: sqlite3.Connection,
    document_id: int,
    metadata: Mapping[str, Json],
    tags: Sequence[str],
    links: Sequence[str],
) -> None:
    """Insert the rows by which a document's own values are found: attributes and links."""
    connection.executemany(
        "INSERT INTO attributes (key, document, ordinal, type, text, number) VALUES (?, ?, ?, ?, ?, ?)",
        [astuple(row) for row in attribute_rows(document_id, metadata, tags)],
    )
    connection.executemany(
        "INSERT INTO links VALUES (?, ?, ?)",
        [(document_id, ordinal, storable(target)) for ordinal, target in enumerate(links)],
    )


def insert_chunks(
    connection: sqlite3.Connection,
    first_key: int,
    document_id: int,
    chunks: Sequence[PreparedChunk],
    embed_keys: Sequence[bytes | None],
) -> None:
    """Insert a document's chunks, keyed from `first_key` on, with their definitions."""
    rows, definitions = [], []
    for ordinal, (prepared, embed_key) in enumerate(zip(chunks, embed_keys, strict=True)):
        key, chunk = first_key + ordinal, prepared.chunk
        values = [
            key,
            document_id,
            ordinal,
            prepared.chunk_id,
            chunk.start_line,
            chunk.end_line,
            embed_key,
            None if chunk.symbol is None else storable(chunk.symbol),
            to_json(chunk.heading),
            to_json(chunk.scopes),
            definitions_json(chunk.definitions),
            storable(chunk.text),
        ]
        rows.append((row_checksum(values), *values))
        definitions += definition_rows(key, chunk.definitions)
    connection.executemany(
        """INSERT INTO chunks (checksum, id, document, ordinal, chunk_id, start_line, end_line, embed_key, symbol,
             heading, scopes, definitions, text)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        rows,
    )
    insert_definitions(connection, definitions)


def definition_rows(chunk: int, definitions: Iterable[Definition]) -> list[tuple[str, int, int, str, str, int]]:
    """Return the rows by which the definitions of a chunk (its key) are found."""
    return [
        (definition_key(found.name), chunk, number, storable(found.name), str(found.kind), found.line)
        for number, found in enumerate(definitions)
    ]


def insert_definitions(connection: sqlite3.Connection, rows: Iterable[tuple[str, int, int, str, str, int]]) -> None:
    """Insert rows of `definition_rows`."""
    connection.executemany(
        "INSERT INTO definitions (name_key, chunk, ordinal, name, kind, line) VALUES (?, ?, ?, ?, ?, ?)", rows
    )


def update_state(connection: sqlite3.Connection, document_id: int, state: FileState, *, racy: bool) -> None:
    """Store what the disk shows now of a document whose content is the same."""
    connection.execute(
        "UPDATE documents SET size = ?, mtime_ns = ?, inode = ?, racy = ? WHERE id = ?",
        (state.size, integer(state.mtime_ns), integer(state.inode), int(racy), document_id),
    )


def write_collection(connection: sqlite3.Connection, collection: Collection) -> int:
    """Insert a collection (id 0) or replace what is known of it; return its id."""
    device, inode = collection.root_id or (None, None)
    described = collection_values(collection)
    values = [
        *described,
        row_checksum(described),
        None if device is None else integer(device),
        None if inode is None else integer(inode),
        collection.state,
        int(collection.missing),
        collection.last_scan_ns,
        collection.last_scan_seconds,
    ]
    columns = (
        "name, root, options, metadata, stamp, redo_below, mounts, checksum, device, inode, state, missing, "
        "last_scan_ns, last_scan_seconds"
    )
    marks = ", ".join("?" * len(values))
    if collection.id:
        connection.execute(f"UPDATE collections SET ({columns}) = ({marks}) WHERE id = ?", [*values, collection.id])
        return collection.id
    return int(connection.execute(f"INSERT INTO collections ({columns}) VALUES ({marks})", values).lastrowid or 0)


def collection_values(collection: Collection) -> list[Any]:
    """Return the columns that the checksum of a collection covers."""
    return [
        collection.name,
        path_bytes(str(collection.root)),
        to_json(collection.options),
        to_json(collection.metadata),
        collection.stamp,
        collection.redo_below,
        to_json(collection.mounts),
    ]


def delete_skipped(connection: sqlite3.Connection, collection: int, paths: Iterable[str]) -> None:
    """Forget what was left out at `paths`."""
    connection.executemany(
        "DELETE FROM skipped WHERE collection = ? AND path = ?", [(collection, path_bytes(path)) for path in paths]
    )


def insert_skipped(connection: sqlite3.Connection, collection: int, skipped: Iterable[Skipped]) -> None:
    """Insert the files that a scan left out; of several reasons for one path the last one stays."""
    connection.executemany(
        "INSERT OR REPLACE INTO skipped VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (collection, path_bytes(item.path), item.reason, storable(item.detail), *_state_columns(item.state))
            for item in skipped
        ],
    )


def update_embed_keys(
    connection: sqlite3.Connection, rows: Iterable[Sequence[Any]], keys: Mapping[int, bytes | None]
) -> None:
    """Store new embed keys by chunk; `rows` are those chunks as the catalog keeps them."""
    updates = []
    for _, *values in rows:
        values[CHUNK_EMBED_KEY] = keys[values[0]]
        updates.append((keys[values[0]], row_checksum(values), values[0]))
    connection.executemany("UPDATE chunks SET embed_key = ?, checksum = ? WHERE id = ?", updates)


def stored_key(embed_key: bytes | None, *, found: bool) -> bytes | None:
    """Return the embed key that is kept of a chunk; None says that no model has seen it."""
    return embed_key if found or embed_key is None else b""


def next_key(connection: sqlite3.Connection, table: str) -> int:
    """Return the first key that `table` never used."""
    sql = f"""SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?), 0),
                         coalesce((SELECT max(id) FROM {table}), 0))"""
    return int(connection.execute(sql, (table,)).fetchone()[0]) + 1


def _state_columns(state: FileState | None) -> tuple[Value, Value, Value]:
    return (None, None, None) if state is None else (state.size, integer(state.mtime_ns), integer(state.inode))
