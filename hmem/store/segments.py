"""Segments: which chunks and documents a set of index files covers, what is gone since, and which files they are."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hmem.errors import StoreDamagedError
from hmem.store.files import FileStamp
from hmem.store.records import next_key
from hmem.store.rows import row_checksum, to_json
from hmem.store.translate import REPAIR

if TYPE_CHECKING:
    import sqlite3

    from hmem.store.catalog import Catalog

LEXICAL = "lexical"
DENSE = "dense"


@dataclass(frozen=True, slots=True)
class Part:
    """The files of one segment for one arm: `directory` below the store's `segments`, stamps by path inside it.

    `versions` is what must agree with the reader's; `covered` (bool, one per chunk) tells which chunks have a row.
    """

    arm: str
    directory: str
    versions: dict[str, str | int]
    files: dict[str, FileStamp]
    covered: NDArray[np.bool_]


@dataclass(slots=True)
class Segment:
    """Keys ascend; `chunk_documents` (int32) indexes `document_keys`; `dead_*` (bool) mark what is gone."""

    id: int
    document_keys: NDArray[np.int64]
    chunk_keys: NDArray[np.int64]
    chunk_documents: NDArray[np.int32]
    dead_documents: NDArray[np.bool_]
    dead_chunks: NDArray[np.bool_]
    parts: dict[str, Part] = field(default_factory=dict)

    @classmethod
    def of(cls, documents: NDArray[np.int64], chunks: NDArray[np.int64], chunk_documents: NDArray[np.int32]) -> Segment:
        """Return a new segment (id 0), everything in it alive."""
        gone = np.zeros(len(documents), bool), np.zeros(len(chunks), bool)
        return cls(0, documents, chunks, chunk_documents, *gone)

    @property
    def live(self) -> int:
        """The number of chunks that are not gone."""
        return len(self.dead_chunks) - int(np.count_nonzero(self.dead_chunks))

    def bury(self, document: int) -> bool:
        """Mark a document and its chunks as gone; False if the segment does not hold it."""
        at = int(np.searchsorted(self.document_keys, document))
        if at == len(self.document_keys) or self.document_keys[at] != document:
            return False
        begin, end = np.searchsorted(self.chunk_documents, [at, at + 1])
        self.dead_documents[at] = True
        self.dead_chunks[begin:end] = True
        return True


def load_segments(catalog: Catalog) -> list[Segment]:
    """Return the segments of the catalog's generation in order of keys. Raises `StoreDamagedError`."""
    segments: dict[int, Segment] = {}
    sql = """SELECT s.checksum, s.id, s.n_chunks, s.n_documents, document_keys, chunk_keys, chunk_documents,
                    t.checksum, documents, chunks
             FROM segments s JOIN tombstones t ON t.segment = s.id ORDER BY s.id"""
    for checksum, *values, dead_checksum, documents, chunks in catalog.rows(sql):
        id_, n_chunks, n_documents, document_keys, chunk_keys, chunk_documents = values
        _check(catalog, f"segment {id_}", checksum, values)
        _check(catalog, f"segment {id_}", dead_checksum, (id_, documents, chunks))
        segments[id_] = Segment(
            id_,
            np.frombuffer(document_keys, "<i8"),
            np.frombuffer(chunk_keys, "<i8"),
            np.frombuffer(chunk_documents, "<i4"),
            unpack(documents, n_documents),
            unpack(chunks, n_chunks),
        )
    for checksum, *values in catalog.rows(
        "SELECT checksum, segment, arm, directory, versions, files, covered FROM parts ORDER BY segment"
    ):
        id_, arm, directory, versions, stamps, covered = values
        _check(catalog, f"segment {id_}", checksum, values)
        files = {name: FileStamp(*stamp) for name, stamp in json.loads(stamps).items()}
        count = len(segments[id_].chunk_keys)
        segments[id_].parts[arm] = Part(arm, directory, json.loads(versions), files, unpack(covered, count))
    return sorted(segments.values(), key=lambda segment: int(segment.chunk_keys[0]))


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


def pack(bits: NDArray[np.bool_]) -> bytes:
    """Return booleans as bits, first one highest."""
    return np.packbits(bits).tobytes()


def unpack(data: bytes, count: int) -> NDArray[np.bool_]:
    """Return the first `count` bits of `data` as booleans of their own."""
    return np.unpackbits(np.frombuffer(data, np.uint8), count=count).astype(bool)


def _check(catalog: Catalog, what: str, checksum: int, values: Any) -> None:
    if row_checksum(values) != checksum:
        raise StoreDamagedError(f"{what} does not match its checksum: `{catalog.path}`", hint=REPAIR)
