"""Segments: which chunks and documents a set of index files covers, what is gone since, and which files they are."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from hmem.errors import StoreDamagedError
from hmem.store.files import FileStamp
from hmem.store.rows import row_checksum
from hmem.store.translate import REPAIR

if TYPE_CHECKING:
    from numpy.typing import NDArray

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


def pack(bits: NDArray[np.bool_]) -> bytes:
    """Return booleans as bits, first one highest."""
    return np.packbits(bits).tobytes()


def unpack(data: bytes, count: int) -> NDArray[np.bool_]:
    """Return the first `count` bits of `data` as booleans of their own."""
    return np.unpackbits(np.frombuffer(data, np.uint8), count=count).astype(bool)


def _check(catalog: Catalog, what: str, checksum: int, values: Any) -> None:
    if row_checksum(values) != checksum:
        raise StoreDamagedError(f"{what} does not match its checksum: `{catalog.path}`", hint=REPAIR)
