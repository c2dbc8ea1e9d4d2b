"""Vectors of one store segment: a usearch index file, read as an array without loading usearch.

A usearch file starts with its matrix: rows and bytes per row (32-bit), then the rows in order of insertion. After it
come a header of 64 bytes and the graph, whose nodes hold the keys. So the vectors can be mapped and searched by one
matrix product, exactly; the graph is never walked and therefore built as small as usearch allows.

usearch can crash the process on a damaged file: the store compares its checksum before anybody opens it here.
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hmem.errors import StoreDamagedError
from hmem.store import files

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

_MATRIX = struct.Struct("<II")  # rows, bytes per row
_HEAD = struct.Struct("<7s3H4BQQQ?")  # magic, version, kinds (metric, scalar, key, slot), present, deleted, dimensions
_HEAD_SIZE = 64
_MAGIC = b"usearch"
_F32, _U64, _U32 = 11, 14, 15  # usearch's numbers of the scalar, key and slot kinds
_GRAPH = struct.Struct("<QQQQQ")  # nodes, connectivity, connectivity of the lowest level, top level, entry
_CONNECTIVITY = 2
_EXPANSION = 1


def write_dense(path: Path, keys: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
    """Write `vectors`, shape (n, d), rows of unit length or zero, under `keys`, shape (n,), ascending, >= 0.

    One thread only: equal input gives equal bytes. Raises ValueError for other shapes or orders, OSError.
    """
    from usearch.index import Index

    if vectors.ndim != 2 or keys.shape != (len(vectors),):
        raise ValueError(f"{keys.shape} keys for vectors of shape {vectors.shape}")
    if len(keys) and (keys[0] < 0 or (np.diff(keys) <= 0).any()):
        raise ValueError("keys must ascend")
    if not np.isfinite(vectors).all():
        raise ValueError("vectors must be finite")
    index = Index(
        ndim=vectors.shape[1], metric="cos", dtype="f32", connectivity=_CONNECTIVITY, expansion_add=_EXPANSION
    )
    if len(keys):
        index.add(keys.astype(np.uint64), np.ascontiguousarray(vectors, np.float32), threads=1)
    files.write_file(path, index.save() or b"")


class DenseSegment:
    """The vectors of one file, in the order of their keys.

    `keys` int64 (n,), ascending; `vectors` float32 (n, d), read-only, mapped from the file. There is no `close`: the
    mapping lives as long as an array that looks into it.
    """

    __slots__ = ("keys", "vectors")

    def __init__(self, keys: NDArray[np.int64], vectors: NDArray[np.float32]) -> None:
        self.keys = keys
        self.vectors = vectors

    @classmethod
    def open(cls, path: Path, keys: NDArray[np.int64]) -> Self:
        """Map `path`, which must hold vectors under exactly `keys`.

        Raises StoreDamagedError if it does not, or is missing or not understood.
        """
        try:
            with path.open("rb") as file:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:
            raise StoreDamagedError(f"`{path}` cannot be read: {error}") from error
        try:
            vectors, stored = _parse(data)
        except (ValueError, OverflowError, struct.error) as error:
            raise StoreDamagedError(f"`{path}` is damaged: {error}") from error
        if not np.array_equal(stored, keys):
            raise StoreDamagedError(f"`{path}` holds vectors of other chunks")
        return cls(keys, vectors)


def _parse(data: mmap.mmap) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    rows, width = _MATRIX.unpack_from(data)
    head = _MATRIX.size + rows * width
    magic, *_, scalar, key, slot, present, deleted, dimensions, multi = _HEAD.unpack_from(data, head)
    if magic != _MAGIC or (scalar, key, slot) != (_F32, _U64, _U32) or multi:
        raise ValueError("its header is unknown")
    if present != rows or deleted or width != 4 * dimensions:
        raise ValueError("its sizes contradict each other")
    vectors = np.frombuffer(data, np.float32, rows * dimensions, _MATRIX.size).reshape(rows, dimensions)
    return vectors, _keys(data, head + _HEAD_SIZE, rows)


def _keys(data: mmap.mmap, graph: int, rows: int) -> NDArray[np.int64]:
    """Return the key of every node: key (64-bit), level (16-bit), then neighbours, more on each further level."""
    nodes, connectivity, base, _, _ = _GRAPH.unpack_from(data, graph)
    if nodes != rows:
        raise ValueError("its graph has another number of nodes")
    levels = np.frombuffer(data, "<i2", rows, graph + _GRAPH.size).astype(np.int64)
    sizes = 10 + 4 * (1 + base) + levels * 4 * (1 + connectivity)
    ends = graph + _GRAPH.size + 2 * rows + np.cumsum(sizes)
    if (levels < 0).any() or (ends[-1] if rows else graph + _GRAPH.size) != len(data):
        raise ValueError("its graph is incomplete")
    halves = np.frombuffer(data, "<u2")  # all offsets are even
    first = (ends - sizes) // 2
    keys: NDArray[np.int64] = halves[first[:, None] + np.arange(4)].view("<i8").reshape(rows).astype(np.int64)
    return keys
