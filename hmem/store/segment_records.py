"""The statements that put segments and their files into the catalog."""

from __future__ import annotations

import sqlite3
from dataclasses import asdict

from hmem.store.records import next_key
from hmem.store.rows import row_checksum, to_json
from hmem.store.segments import Part, Segment, pack


def insert_segment(connection: sqlite3.Connection, segment: Segment) -> None:
    """Store a new segment with its parts and give it its id."""
    keys = [
        segment.document_keys.astype("<i8").tobytes(),
        segment.chunk_keys.astype("<i8").tobytes(),
        segment.chunk_documents.astype("<i4").tobytes(),
    ]
    segment.id = next_key(connection, "segments")
    values = [segment.id, len(segment.chunk_keys), len(segment.document_keys), *keys]
    connection.execute(
        """INSERT INTO segments (id, n_chunks, n_documents, document_keys, chunk_keys, chunk_documents, checksum)
           VALUES (?, ?, ?, ?, ?, ?, ?)""",
        [*values, row_checksum(values)],
    )
    update_tombstones(connection, segment)
    for part in segment.parts.values():
        insert_part(connection, segment.id, part)


def insert_part(connection: sqlite3.Connection, segment_id: int, part: Part) -> None:
    """Store the files of one arm of a segment, in place of those it had."""
    stamps = {name: list(asdict(stamp).values()) for name, stamp in part.files.items()}
    values = [
        segment_id,
        part.arm,
        part.directory,
        to_json(part.versions),
        to_json(stamps),
        pack(part.covered),
    ]
    connection.execute(
        """INSERT OR REPLACE INTO parts (segment, arm, directory, versions, files, covered, checksum)
           VALUES (?, ?, ?, ?, ?, ?, ?)""",
        [*values, row_checksum(values)],
    )


def update_tombstones(connection: sqlite3.Connection, segment: Segment) -> None:
    """Store what is gone of a segment."""
    values = [segment.id, pack(segment.dead_documents), pack(segment.dead_chunks)]
    connection.execute(
        "INSERT OR REPLACE INTO tombstones (segment, documents, chunks, checksum) VALUES (?, ?, ?, ?)",
        [*values, row_checksum(values)],
    )


def delete_segment(connection: sqlite3.Connection, segment_id: int, generation: int) -> None:
    """Forget a segment; its directories may go when no reader older than `generation` is left."""
    connection.execute(
        "INSERT OR REPLACE INTO dropped SELECT directory, ? FROM parts WHERE segment = ?", (generation, segment_id)
    )
    connection.execute("DELETE FROM segments WHERE id = ?", (segment_id,))
