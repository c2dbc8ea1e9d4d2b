"""Whoosh's on-disk hash ("HSH3", a constant database with 256 tables), read and written without Whoosh.

    header     "HSH3", hash kind (1 byte), two unused 32-bit words
    records    key length, value length (32-bit), key, value; ascending keys
    tables     256 open-addressing tables of (hash 32-bit, record position 64-bit), load 1/2
    directory  256 times (table position 64-bit, slots 32-bit)
    extras     a pickled dictionary, then the positions of all records as an array of its `indextype`
    end        length of the extras (32-bit)

All numbers are big-endian. Whoosh appends records one by one; here positions, tables and directory of a whole
file are computed as arrays.
"""

from __future__ import annotations

import io
import pickle
import struct
from array import array
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from hmem.errors import StoreDamagedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from mmap import mmap

    from numpy.typing import NDArray

_HEADER = struct.Struct(">4sBII")
_MAGIC = b"HSH3"
_MD5, _CRC32 = 0, 1
_LENGTHS = struct.Struct(">ii")
_ENTRY = struct.Struct(">qi")
_SLOT = struct.Struct(">Iq")
_END = struct.Struct(">i")
_TABLES = 256
_INDEX_TYPES = {"B": ">u1", "H": ">u2", "i": ">i4", "I": ">u4", "q": ">i8"}
_BATCH = 1 << 16


class PlainUnpickler(pickle.Unpickler):
    """Loads tuples, numbers, bytes and `array` objects only: no other class can be named by the data."""

    def find_class(self, module: str, name: str) -> object:
        """Return the one constructor (and its class) that posting blocks use."""
        if module == "array" and name in ("array", "_array_reconstructor"):
            return super().find_class(module, name)
        raise pickle.UnpicklingError(f"`{module}.{name}` has no place in a posting file")


@dataclass(frozen=True, slots=True)
class Records:
    """All records of a file in the order of their keys: where each key starts in `data`; its value follows it."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    key_sizes: NDArray[np.int64]
    value_sizes: NDArray[np.int64]


class HashFile:
    """Looks keys up in a mapped hash file. Any inconsistency that is met raises StoreDamagedError."""

    __slots__ = ("_data", "_directory", "_end", "_hash_kind", "_index", "_name", "extras")

    def __init__(self, data: mmap | bytes, name: str) -> None:
        """Check the frame of the file; `name` is shown in errors."""
        self._data = data
        self._name = name
        size = len(data)
        if size < _HEADER.size + _END.size + _TABLES * _ENTRY.size:
            raise self._damaged("it is too short")
        magic, self._hash_kind, _, _ = _HEADER.unpack_from(data)
        if magic != _MAGIC or self._hash_kind not in (_MD5, _CRC32):
            raise self._damaged("its header is unknown")
        (extras_size,) = _END.unpack_from(data, size - _END.size)
        extras_start = size - _END.size - extras_size
        self._directory = extras_start - _TABLES * _ENTRY.size
        if extras_size <= 0 or self._directory < _HEADER.size:
            raise self._damaged("its tables are outside of the file")
        self.extras, extras_end = self._load_extras(bytes(data[extras_start : size - _END.size]))
        self._index = extras_start + extras_end
        (self._end, _) = _ENTRY.unpack_from(data, self._directory)
        if not _HEADER.size <= self._end <= self._directory:
            raise self._damaged("its records are outside of the file")

    def get(self, key: bytes) -> bytes | None:
        """Return the value of `key`, or None."""
        hashed = _hash(self._hash_kind, key)
        table, slots = _ENTRY.unpack_from(self._data, self._directory + (hashed & 255) * _ENTRY.size)
        if not slots:
            return None
        if slots < 0 or table < self._end or table + slots * _SLOT.size > self._directory:
            raise self._damaged("a table is outside of the file")
        slot = (hashed >> 8) % slots
        for probe in range(slots):
            offset = table + (slot + probe) % slots * _SLOT.size
            found, position = _SLOT.unpack_from(self._data, offset)
            if not position:
                return None
            if found == hashed:
                candidate, value, _ = self._record(position)
                if candidate == key:
                    return value
        return None

    def keys_from(self, first: bytes) -> Iterator[bytes]:
        """Yield the keys that are `first` or come after it, ascending, without reading those before it."""
        positions = self._positions()
        low, high = 0, len(positions)
        while low < high:
            middle = (low + high) // 2
            if self._record(int(positions[middle]))[0] < first:
                low = middle + 1
            else:
                high = middle
        for position in positions[low:]:
            yield self._record(int(position))[0]

    def records(self) -> Records:
        """Return where all records are. Raises StoreDamagedError unless they fill their part of the file."""
        data = np.frombuffer(self._data, np.uint8)
        positions = self._positions().astype(np.int64)
        if len(positions) and not (positions[0] == _HEADER.size and (positions <= self._end - _LENGTHS.size).all()):
            raise self._damaged("its index points outside of the records")
        lengths = gather(data, positions, _LENGTHS.size).view(">i4").astype(np.int64)
        ends = positions + _LENGTHS.size + lengths.sum(axis=1)
        if (lengths < 0).any() or not np.array_equal(ends, np.append(positions[1:], self._end)[: len(ends)]):
            raise self._damaged("its records do not follow each other")
        return Records(data, positions + _LENGTHS.size, lengths[:, 0], lengths[:, 1])

    def _positions(self) -> NDArray[np.integer]:
        """Return where each record starts, ascending, as it is stored."""
        size = self.extras.get("indexlen"), self.extras.get("indextype")
        if not isinstance(size[0], int) or size[1] not in _INDEX_TYPES:
            raise self._damaged("its index is unknown")
        try:
            return np.frombuffer(self._data, _INDEX_TYPES[size[1]], size[0], self._index)
        except ValueError as error:
            raise self._damaged("its index is cut off") from error

    def _record(self, position: int) -> tuple[bytes, bytes, int]:
        if not _HEADER.size <= position <= self._end - _LENGTHS.size:
            raise self._damaged("a record is outside of the file")
        key_size, value_size = _LENGTHS.unpack_from(self._data, position)
        start = position + _LENGTHS.size
        middle, end = start + key_size, start + key_size + value_size
        if key_size < 0 or value_size < 0 or end > self._end:
            raise self._damaged("a record is cut off")
        return self._data[start:middle], self._data[middle:end], end

    def _load_extras(self, data: bytes) -> tuple[dict[str, object], int]:
        stream = io.BytesIO(data)
        try:
            extras = PlainUnpickler(stream).load()
        except Exception as error:  # unpickling damaged data can raise anything
            raise self._damaged("its extras cannot be read") from error
        if not isinstance(extras, dict):
            raise self._damaged("its extras are no dictionary")
        return extras, stream.tell()

    def _damaged(self, why: str) -> StoreDamagedError:
        return StoreDamagedError(f"`{self._name}` is damaged: {why}")


class HashFileWriter:
    """Produces the bytes of a hash file piece by piece; the caller writes them in the order returned."""

    def __init__(self) -> None:
        self._hashes = array("I")
        self._sizes: list[NDArray[np.int64]] = []

    def header(self) -> bytes:
        """Return the first bytes of the file."""
        return _HEADER.pack(_MAGIC, _CRC32, 0, 0)

    def records(self, keys: Sequence[bytes], values: Sequence[bytes]) -> bytes:
        """Return the records of `keys`, which must ascend over all calls."""
        self._hashes.extend(map(crc32, keys))
        lengths = np.array([list(map(len, keys)), list(map(len, values))], np.int64)
        self._sizes.append(lengths.sum(axis=0) + _LENGTHS.size)
        heads = np.ascontiguousarray(lengths.T.astype(">i4")).view(f"V{_LENGTHS.size}").ravel().tolist()
        return b"".join(chain.from_iterable(zip(heads, keys, values, strict=True)))

    def tail(self, extras: dict[str, object]) -> Iterator[bytes]:
        """Yield what follows the records: tables, directory, `extras` with the index of all positions."""
        sizes = np.concatenate([np.empty(0, np.int64), *self._sizes])
        positions = _HEADER.size + np.cumsum(sizes) - sizes
        end = _HEADER.size + int(sizes.sum())
        tables, slots = hash_tables(np.frombuffer(self._hashes, np.uint32), positions)
        yield tables.tobytes()
        directory = np.empty(_TABLES, [("position", ">i8"), ("slots", ">i4")])
        directory["slots"] = slots
        directory["position"] = end + _SLOT.size * (np.cumsum(slots) - slots)
        yield directory.tobytes()
        wide = end > np.iinfo(np.int32).max
        index = positions.astype(">i8" if wide else ">i4").tobytes()
        header = pickle.dumps({**extras, "indextype": "q" if wide else "i", "indexlen": len(positions)}, 4)
        yield header + index + _END.pack(len(header) + len(index))


def gather(data: NDArray[np.uint8], starts: NDArray[np.int64], size: int) -> NDArray[np.uint8]:
    """Return `size` bytes from each of `starts`, as the rows of an array."""
    result = np.empty((len(starts), size), np.uint8)
    for begin in range(0, len(starts), _BATCH):  # the indices take eight times the room of the bytes
        rows = slice(begin, begin + _BATCH)
        np.take(data, starts[rows, None] + np.arange(size), out=result[rows], mode="clip")
    return result


def hash_tables(hashes: NDArray[np.uint32], positions: NDArray[np.int64]) -> tuple[NDArray[np.void], NDArray[np.int64]]:
    """Return the 256 linear-probing tables, one after the other, and the number of slots of each.

    An entry's table is its hash modulo 256 and its home slot (hash // 256) modulo slots. With the entries sorted by
    home slot, linear probing puts entry i at max(home[i], place[i - 1] + 1): a running maximum. Entries pushed over
    the end of their table (few, at load 1/2) wrap to its first free slots.
    """
    table = (hashes & 255).astype(np.int64)
    slots = 2 * np.bincount(table, minlength=_TABLES)
    starts = np.cumsum(slots) - slots
    # Every table is given twice its room here, so that the running maximum cannot push into the next one.
    home = 2 * starts[table] + (hashes >> 8) % np.maximum(slots, 1)[table]
    order = np.argsort(home)
    count = np.arange(len(order))
    place = count + np.maximum.accumulate(home[order] - count)
    table = table[order]
    place -= starts[table]  # back to the room that it has
    fits = place < starts[table] + slots[table]
    result = np.zeros(2 * len(hashes), [("hash", ">u4"), ("position", ">i8")])
    result["hash"][place[fits]] = hashes[order[fits]]
    result["position"][place[fits]] = positions[order[fits]]
    for entry, start in zip(order[~fits].tolist(), starts[table[~fits]].tolist(), strict=True):
        slot = start
        while result["position"][slot]:
            slot += 1
        result[slot] = hashes[entry], positions[entry]
    return result, slots


def _hash(kind: int, key: bytes) -> int:
    if kind == _CRC32:
        return crc32(key)
    import hashlib  # slow to load, and only files of the stock writer use it

    return int.from_bytes(hashlib.md5(key, usedforsecurity=False).digest()[-4:], "big")
