"""The format of a term's postings in a Whoosh 3 segment: term records and posting blocks, written and read.

A term record starts with statistics. The postings follow it as a pickle of (documents, weights, values), or it
points to a run of blocks in the posting file; a block is a pickle of its own statistics, then one of (document number
deltas, weights, values). What Whoosh's reader only iterates over may as well be `bytes` or an `array`, and one block
may hold a whole term. The pickles written here are laid out by hand in a few fixed forms, so that they are read again
as arrays, without unpickling; blocks of the stock writer are unpickled with no class but `array` at hand.
"""

from __future__ import annotations

import io
import struct
import zlib
from array import array
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hmem.errors import StoreDamagedError
from hmem.store.hashfile import PlainUnpickler, gather

if TYPE_CHECKING:
    from mmap import mmap

    from numpy.typing import NDArray

Postings: TypeAlias = "tuple[NDArray[np.int32], NDArray[np.float32]]"

TERM = np.dtype(
    [
        *[("inline", "u1"), ("weight", ">f4"), ("count", ">u4"), ("shortest", "u1"), ("longest", "u1")],
        *[("greatest", ">f4"), ("first", ">u4"), ("last", ">u4")],
    ]
)
"""What every term record starts with: the sums and bounds of its postings and of their documents' lengths."""

POINTER = np.dtype([("term", TERM), ("position", ">i8"), ("size", ">i4")])
"""A term record that points to blocks."""

INLINE = 3
"""Postings up to which a term record holds them itself, if all frequencies are below 256."""

_COUNT = struct.Struct(">5xI")  # of a term record
_PLACE = struct.Struct(">qi")
_BLOCK = struct.Struct(">4si")  # magic, size; negative in the last block of a term
_MAGIC = b"W3Bl"
_INFO = np.dtype(  # the pickle of (postings, last document, greatest weight, compression, shortest, longest)
    [
        *[("open", "S4"), ("count", "<i4"), ("j", "S1"), ("last", "<i4"), ("g", "S1"), ("weight", ">f8")],
        *[("k0k", "S3"), ("shortest", "u1"), ("k", "S1"), ("longest", "u1"), ("close", "S2")],
    ]
)
_INFO_OPEN, _OPEN, _CLOSE = b"\x80\x02(J", b"\x80\x03", b"N\x87."
_DATA = _BLOCK.size + _INFO.itemsize
_ITEM = np.dtype([("j", "S1"), ("value", "<i4")])  # a number inside a pickled tuple
_TUPLE = 20  # deltas up to which a tuple of numbers is smaller than an array
_SIZE = struct.Struct("<I")
_DOUBLE = struct.Struct(">d")
_ARRAY = b"carray\n_array_reconstructor\n(carray\narray\nX\x01\x00\x00\x00%cK%cB"
_ARRAYS = {_ARRAY % (b"H", 2): "<u2", _ARRAY % (b"I", 6): "<u4", _ARRAY % (b"f", 14): "<f4"}
_SHORTS, _WORDS, _FLOATS = _ARRAYS
_TUPLES = {1: b"\x85", 2: b"\x86", 3: b"\x87"}


class Blocks:
    """Lays out the blocks of a run of terms, whose postings follow each other in `deltas` and `tfs`."""

    def __init__(self, deltas: NDArray[np.uint32], tfs: NDArray[np.uint32]) -> None:
        """Keep the numbers in every width; each term takes the narrowest that is enough."""
        items = np.empty(len(deltas), _ITEM)
        items["j"], items["value"] = b"J", deltas
        self._items = items.tobytes()
        self._bytes = deltas.astype("u1").tobytes()
        self._shorts = deltas.astype("<u2").tobytes()
        self._words = deltas.astype("<u4").tobytes()
        self._tfs = tfs.astype("u1").tobytes()
        self._floats = tfs.astype("<f4").tobytes()

    def block(self, info: bytes, start: int, end: int, widest: int, least: int, greatest: int) -> bytes:
        """Return the block of postings `start` to `end` with their greatest delta, least and greatest frequency."""
        deltas, weights = self._deltas(start, end, widest), self._weights(start, end, least, greatest)
        size = len(info) + len(_OPEN) + len(deltas) + len(weights) + len(_CLOSE)
        return b"".join((_BLOCK.pack(_MAGIC, -size), info, _OPEN, deltas, weights, _CLOSE))

    def _deltas(self, start: int, end: int, widest: int) -> bytes:
        if widest < 1 << 8:
            return b"B" + _SIZE.pack(end - start) + self._bytes[start:end]
        if end - start <= _TUPLE:
            return b"(" + self._items[5 * start : 5 * end] + b"t"
        if widest < 1 << 16:
            return _SHORTS + _SIZE.pack(2 * (end - start)) + self._shorts[2 * start : 2 * end] + b"tR"
        return _WORDS + _SIZE.pack(4 * (end - start)) + self._words[4 * start : 4 * end] + b"tR"

    def _weights(self, start: int, end: int, least: int, greatest: int) -> bytes:
        if least == greatest:
            return b"N" if least == 1 else b"G" + _DOUBLE.pack(least)
        if greatest < 1 << 8:
            return b"B" + _SIZE.pack(end - start) + self._tfs[start:end]
        return _FLOATS + _SIZE.pack(4 * (end - start)) + self._floats[4 * start : 4 * end] + b"tR"


def block_infos(terms: NDArray[np.void]) -> list[bytes]:
    """Return the statistics that open the block of each of `terms`, records of type TERM."""
    infos = np.empty(len(terms), _INFO)
    infos["open"], infos["j"], infos["g"], infos["close"] = _INFO_OPEN, b"J", b"G", b"t."
    infos["k0k"], infos["k"] = b"K\x00K", b"K"
    infos["count"], infos["last"], infos["weight"] = terms["count"], terms["last"], terms["greatest"]
    infos["shortest"], infos["longest"] = terms["shortest"], terms["longest"]
    result: list[bytes] = infos.view(f"V{_INFO.itemsize}").tolist()
    return result


def inline_records(terms: NDArray[np.void], docs: NDArray[np.uint32], tfs: NDArray[np.uint32]) -> list[bytes]:
    """Return the whole record of each of `terms`, which have as many postings as `docs` and `tfs` have columns."""
    count = docs.shape[1]
    template = _inline_template(count)
    rows = np.empty((len(terms), TERM.itemsize + len(template)), np.uint8)
    rows[:, : TERM.itemsize] = terms.view(np.uint8).reshape(-1, TERM.itemsize)
    rows[:, TERM.itemsize :] = np.frombuffer(template, np.uint8)
    numbers = docs.astype("<i4").view(np.uint8).reshape(-1, count, 4)
    for i in range(count):
        rows[:, TERM.itemsize + 3 + 5 * i : TERM.itemsize + 7 + 5 * i] = numbers[:, i]
        rows[:, TERM.itemsize + 4 + 5 * count + 2 * i] = tfs[:, i]
    result: list[bytes] = rows.view(f"V{rows.shape[1]}").ravel().tolist()
    return result


def _inline_template(count: int) -> bytes:
    close = _TUPLES[count]
    return _OPEN + b"J...." * count + close + b"K." * count + close + b"C\x00" * count + close + b"\x87."


def decode(record: bytes, blocks: mmap | bytes, documents: int) -> Postings:
    """Return the postings that a term record holds or points at in the posting file `blocks`.

    Document numbers are int32, ascending and below `documents`; frequencies are float32 and above 0. Anything else
    raises StoreDamagedError.
    """
    try:
        (count,) = _COUNT.unpack_from(record)
        docs, tfs = _inline(record, count) if record[0] else _blocks(record, blocks)
        valid = count == len(docs) == len(tfs) > 0 and docs[0] >= 0 and docs[-1] < documents
        if valid and (docs[1:] > docs[:-1]).all() and tfs.min() > 0 and tfs.max() < np.inf:
            return docs.astype(np.int32), tfs
    except Exception as error:  # unpickling damaged data can raise anything
        raise StoreDamagedError("a posting list cannot be read") from error
    raise StoreDamagedError("a posting list contradicts itself")


def decode_all(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    sizes: NDArray[np.int64],
    blocks: mmap | bytes,
    documents: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    """Return the postings of many terms, whose records of `sizes` bytes lie at `starts` in `data`.

    That is each term's number of postings, then the documents and the frequencies of all of them. Raises
    StoreDamagedError as `decode` does.
    """
    try:
        counts, docs, tfs = _decode_all(data, starts, sizes, blocks)
    except Exception as error:  # unpickling damaged data can raise anything
        raise StoreDamagedError("a posting list cannot be read") from error
    ascending = docs[1:] > docs[:-1]
    ascending[np.cumsum(counts)[:-1] - 1] = True
    possible = (docs >= 0) & (docs < documents) & (tfs > 0) & (tfs < np.inf)
    if possible.all() and ascending.all():
        return counts, docs, tfs
    raise StoreDamagedError("a posting list contradicts itself")


def _decode_all(
    data: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.int64], blocks: mmap | bytes
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32]]:
    heads = gather(data, starts, TERM.itemsize).view(TERM).ravel()
    inline = heads["inline"] != 0
    counts = heads["count"].astype(np.int64)
    if (counts < 1).any() or (counts[inline] > INLINE).any():
        raise StoreDamagedError("a term record has no known form")
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    docs, tfs = np.zeros(total, np.int64), np.zeros(total, np.float32)
    for count in _TUPLES:
        terms = np.flatnonzero(inline & (counts == count))
        rows = gather(data, starts[terms] + TERM.itemsize, len(_inline_template(count)))
        at = (ends[terms] - count)[:, None] + np.arange(count)
        docs[at], tfs[at] = _inline_columns(rows, count)
    for term in np.flatnonzero(~inline).tolist():
        start, end = ends[term] - counts[term], ends[term]
        record = data[starts[term] : starts[term] + sizes[term]].tobytes()
        docs[start:end], tfs[start:end] = _blocks(record, blocks)
    return counts, docs, tfs


def _inline_columns(rows: NDArray[np.uint8], count: int) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
    """Return the documents and frequencies of inline pickles, one in each of `rows`."""
    numbers = len(_OPEN) + _ITEM.itemsize * count
    items = np.ascontiguousarray(rows[:, len(_OPEN) : numbers]).view(_ITEM)
    return items["value"], rows[:, numbers + 2 : numbers + 2 + 2 * count : 2]


def _inline(record: bytes, count: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    if count not in _TUPLES or len(record) != TERM.itemsize + len(_inline_template(count)):
        raise StoreDamagedError("a term record has no known form")
    docs, tfs = _inline_columns(np.frombuffer(record, np.uint8, offset=TERM.itemsize)[None], count)
    return docs[0].astype(np.int64), tfs[0].astype(np.float32)


def _blocks(record: bytes, blocks: mmap | bytes) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    position, size = _PLACE.unpack_from(record, TERM.itemsize)
    data = blocks[position : position + size]
    if position < 0 or len(data) != size or data[:4] != _MAGIC:
        raise StoreDamagedError("a posting list lies outside of its file")
    if data[_BLOCK.size : _BLOCK.size + 4] == _INFO_OPEN and data[_DATA : _DATA + 2] == _OPEN:
        return _own_block(data)
    stream = io.BytesIO(data)
    stream.seek(len(_MAGIC))
    parts, last = [], False
    while not last:
        length = int.from_bytes(stream.read(4), "big", signed=True)
        last, end = length < 0, stream.tell() + abs(length)
        parts.append(_stock_block(stream, end))
        stream.seek(end)
    docs, tfs = zip(*parts, strict=True)
    return np.concatenate(docs), np.concatenate(tfs)


def _own_block(data: bytes) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    count = int(np.frombuffer(data, _INFO, 1, _BLOCK.size)["count"][0])
    if not 0 < count < len(data):
        raise StoreDamagedError("a posting block has no known form")
    deltas, at = _read_list(data, _DATA + len(_OPEN), count)
    weights, at = _read_list(data, at, count)
    if data[at:] != _CLOSE:
        raise StoreDamagedError("a posting block has no known form")
    return np.cumsum(deltas, dtype=np.int64), weights.astype(np.float32)


def _read_list(data: bytes, at: int, count: int) -> tuple[NDArray[np.generic], int]:
    """Return the numbers of the list that starts at `at`, and where it ends."""
    kind = data[at : at + 1]
    if kind == b"N":
        return np.ones(count, np.float32), at + 1
    if kind == b"G":
        return np.full(count, _DOUBLE.unpack_from(data, at + 1)[0], np.float32), at + 1 + _DOUBLE.size
    if kind == b"B":
        return np.frombuffer(data, "u1", count, at + 5), at + 5 + count
    if kind == b"(":
        return np.frombuffer(data, _ITEM, count, at + 1)["value"], at + 2 + _ITEM.itemsize * count
    start = at + len(_SHORTS)
    numbers = np.frombuffer(data, _ARRAYS[data[at:start]], count, start + _SIZE.size)
    return numbers, start + _SIZE.size + numbers.nbytes + 2


def _stock_block(stream: io.BytesIO, end: int) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    count, _, _, compression, _, _ = PlainUnpickler(stream).load()
    data = stream.read(end - stream.tell())
    deltas, weights, _ = PlainUnpickler(io.BytesIO(zlib.decompress(data) if compression else data)).load()
    if weights is None or isinstance(weights, float):
        weights = [1.0 if weights is None else weights] * count
    return np.cumsum(_plain(deltas), dtype=np.int64), _plain(weights).astype(np.float32)


def _plain(values: bytes | array[int] | tuple[float, ...] | list[float]) -> NDArray[np.generic]:
    if isinstance(values, bytes):
        return np.frombuffer(values, np.uint8)
    return np.array(values)
