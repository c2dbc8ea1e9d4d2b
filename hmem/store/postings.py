"""Term-major bulk writer: one Whoosh index directory with one segment, equal to what stock Whoosh writes.

Stock Whoosh sorts every posting as a Python tuple and writes it alone; here the postings of a whole segment are
inverted as arrays and every term's list becomes one block. The format is Whoosh's own: a block is a pickle of
(document number deltas, weights, values), and what its reader iterates over may as well be `bytes` or an `array`.
A term of one document lies inside its term record, which the format allows too. Weights are term frequencies.

The layout is that of Whoosh 3.54.0. With any other version the segment is written through Whoosh's own codec,
which is slower and otherwise the same.
"""

from __future__ import annotations

import struct
from array import array
from dataclasses import dataclass
from itertools import chain
from pickle import dumps
from typing import TYPE_CHECKING, Any

import numpy as np
import whoosh
from whoosh.analysis import IDTokenizer
from whoosh.codec import default_codec
from whoosh.fields import FieldType, Schema
from whoosh.filedb.filestore import RamStorage
from whoosh.formats import Existence
from whoosh.index import TOC
from whoosh.util.numeric import byte_to_length, length_to_byte

from hmem.store import files
from hmem.store.hashfile import HashFileWriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

BULK = whoosh.__version__ == (3, 54, 0)
"""Whether the installed Whoosh is the one whose format the bulk writer knows."""

_INDEX = "MAIN"
_SEGMENT = "0"  # a fixed name, as every directory has one segment: equal input gives equal bytes
_BATCH = 8192  # terms handled between two writes
_SHORT_LIST = 16  # postings up to which a tuple of numbers is smaller and faster than an array

_BLOCK = struct.Struct(">4si")
_INFO = np.dtype(  # the pickle of (postings, last document, greatest weight, compression, shortest, longest)
    [
        ("open", "S4"), ("count", "<i4"),
        ("j", "S1"), ("last", "<i4"),
        ("g", "S1"), ("weight", ">f8"),
        ("k0k", "S3"), ("shortest", "u1"),
        ("k", "S1"), ("longest", "u1"),
        ("close", "S2"),
    ]
)  # fmt: skip
_TERM = [
    ("inline", "u1"), ("weight", ">f4"), ("count", ">u4"), ("shortest", "u1"), ("longest", "u1"),
    ("greatest", ">f4"), ("first", ">u4"), ("last", ">u4"),
]  # fmt: skip
_POINTER = np.dtype([*_TERM, ("position", ">i8"), ("size", ">i4")])
_SINGLE = np.dtype(  # a term record that ends in the pickle of ((document,), (weight,), (b"",))
    [*_TERM, ("open", "S3"), ("document", "<i4"), ("g", "S2"), ("tf", ">f8"), ("close", "S6")]
)

# Whoosh keeps a length in one byte of a logarithmic scale; the greatest code stands for all beyond.
_LENGTH_CODES = np.array([length_to_byte(length) for length in range(byte_to_length(255) + 1)], np.uint8)


@dataclass(frozen=True, slots=True)
class Inverted:
    """The postings of one field. Term i has `docs[starts[i] : starts[i + 1]]`, ascending, and the same of `tfs`.

    `terms` ascend as UTF-8 bytes; `docs` and `tfs` are uint32, `starts` int64, `lengths` uint32 by document.
    """

    terms: list[bytes]
    starts: NDArray[np.int64]
    docs: NDArray[np.uint32]
    tfs: NDArray[np.uint32]
    lengths: NDArray[np.uint32]


def invert(documents: Sequence[Mapping[str, int]]) -> Inverted:
    """Return the postings of `documents`, each a mapping from term to a frequency of at least 1."""
    vocabulary: dict[str, int] = {}
    number = vocabulary.setdefault
    ids, tfs = array("I"), array("I")
    for document in documents:
        ids.extend([number(term, len(vocabulary)) for term in document])
        tfs.extend(document.values())
    sizes = np.fromiter(map(len, documents), np.int64, len(documents))
    docs = np.repeat(np.arange(len(documents), dtype=np.uint32), sizes)
    terms = [encode_term(term) for term in vocabulary]
    return arrange(terms, np.frombuffer(ids, np.uint32), docs, np.frombuffer(tfs, np.uint32), len(documents))


def arrange(
    terms: Sequence[bytes],
    ids: NDArray[np.uint32],
    docs: NDArray[np.uint32],
    tfs: NDArray[np.uint32],
    documents: int,
) -> Inverted:
    """Return the postings (term number, document, tf) by term and document; terms without any are left out.

    Within a term, postings must come in ascending order of the documents.
    """
    if len(tfs) and not tfs.all():
        raise ValueError("a term frequency must be at least 1")
    used = np.bincount(ids, minlength=len(terms)) if len(ids) else np.zeros(len(terms), np.int64)
    order = sorted(np.flatnonzero(used).tolist(), key=terms.__getitem__)
    rank = np.zeros(len(terms), np.uint64)
    rank[order] = np.arange(len(order), dtype=np.uint64)
    # One sort of 64-bit numbers; the low half keeps postings in place and says where each came from.
    key = (rank[ids] << np.uint64(32)) | np.arange(len(ids), dtype=np.uint64)
    key.sort()
    source = (key & np.uint64(0xFFFFFFFF)).astype(np.int64)
    return Inverted(
        terms=[terms[i] for i in order],
        starts=np.concatenate(([0], np.cumsum(used[order], dtype=np.int64))).astype(np.int64),
        docs=docs[source],
        tfs=tfs[source],
        lengths=np.bincount(docs, tfs, documents).astype(np.uint32),
    )


def encode_term(term: str) -> bytes:
    """Return the key bytes of `term`; any string has them, lone surrogates included."""
    return term.encode("utf-8", "surrogatepass")


def write_index(directory: Path, fields: Mapping[str, Inverted], documents: int) -> None:
    """Write the Whoosh index of `fields` into the existing `directory`."""
    storage = RamStorage()
    # Only stock classes: the schema is pickled into the index, and stock Whoosh must be able to load it.
    schema = Schema(
        **{name: FieldType(format=Existence(), analyzer=IDTokenizer(), scorable=True) for name in fields}
    )
    codec = default_codec()
    segment = codec.new_segment(storage, _INDEX)
    segment.segid = _SEGMENT
    ordered = {name: fields[name] for name in sorted(fields)}
    _write_lengths(codec, storage, segment, schema, ordered, documents)
    if BULK:
        pointers: list[NDArray[np.int64]] = []
        files.write_file(directory / segment.make_filename(".pst"), _posting_file(ordered, pointers))
        files.write_file(directory / segment.make_filename(".trm"), _term_file(ordered, pointers))
    else:
        _write_stock_terms(codec, storage, segment, schema, ordered)
    TOC(schema, [segment], 1).write(storage, _INDEX)
    for name in sorted(storage.list()):
        files.write_file(directory / name, storage.files[name])


def _write_lengths(
    codec: Any, storage: Any, segment: Any, schema: Any, fields: Mapping[str, Inverted], documents: int
) -> None:
    """Write Whoosh's own approximate lengths, which its searches use (ours are exact and kept apart)."""
    writer = codec.per_document_writer(storage, segment)
    rows = zip(*(postings.lengths.tolist() for postings in fields.values()), strict=True)
    columns = [(name, schema[name]) for name in fields]
    for number, row in enumerate(rows):
        writer.start_doc(number)
        for (name, field), length in zip(columns, row, strict=True):
            writer.add_field(name, field, None, length)
        writer.finish_doc()
    segment.set_doc_count(documents)
    writer.close()


def _write_stock_terms(
    codec: Any, storage: Any, segment: Any, schema: Any, fields: Mapping[str, Inverted]
) -> None:
    def postings() -> Iterator[tuple[str, bytes, int, float, bytes]]:
        for name, field in fields.items():
            docs, tfs, starts = field.docs.tolist(), field.tfs.tolist(), field.starts.tolist()
            for term, start, end in zip(field.terms, starts, starts[1:], strict=False):
                for i in range(start, end):
                    yield name, term, docs[i], float(tfs[i]), b""

    lengths = codec.per_document_reader(storage, segment)
    writer = codec.field_writer(storage, segment)
    writer.add_postings(schema, lengths, postings())
    writer.close()
    lengths.close()


@dataclass(frozen=True, slots=True)
class _Statistics:
    """What a term record says of a term, as arrays over the terms of a field."""

    counts: NDArray[np.int64]
    first: NDArray[np.uint32]
    last: NDArray[np.uint32]
    weight: NDArray[np.float64]
    greatest: NDArray[np.uint32]
    least: NDArray[np.uint32]
    shortest: NDArray[np.uint8]
    longest: NDArray[np.uint8]


def _statistics(field: Inverted) -> _Statistics:
    starts, ends = field.starts[:-1], field.starts[1:]
    lengths = _LENGTH_CODES[np.minimum(field.lengths, len(_LENGTH_CODES) - 1)][field.docs]
    return _Statistics(
        counts=ends - starts,
        first=field.docs[starts],
        last=field.docs[ends - 1],
        weight=np.add.reduceat(field.tfs, starts, dtype=np.float64),
        greatest=np.maximum.reduceat(field.tfs, starts),
        least=np.minimum.reduceat(field.tfs, starts),
        shortest=np.minimum.reduceat(lengths, starts),
        longest=np.maximum.reduceat(lengths, starts),
    )


def _batches(field: Inverted) -> Iterator[slice]:
    return (slice(start, start + _BATCH) for start in range(0, len(field.terms), _BATCH))


def _posting_file(fields: Mapping[str, Inverted], sizes: list[NDArray[np.int64]]) -> Iterator[bytes]:
    """Yield the blocks of all terms of more than one document; append each field's block sizes to `sizes`."""
    for field in fields.values():
        field_sizes = np.zeros(len(field.terms), np.int64)
        sizes.append(field_sizes)
        statistics = _statistics(field)
        for batch in _batches(field):
            blocks = _blocks(field, statistics, batch)
            field_sizes[batch] = [len(block) for block in blocks]
            yield b"".join(blocks)


def _blocks(field: Inverted, statistics: _Statistics, batch: slice) -> list[bytes]:
    """Return the block of each term of `batch`, empty for a term of one document."""
    starts = field.starts[batch.start : batch.stop + 1]
    tfs = field.tfs[starts[0] : starts[-1]]
    deltas = np.diff(field.docs[starts[0] : starts[-1]], prepend=np.uint32(0))
    starts = starts - starts[0]
    deltas[starts[:-1]] = statistics.first[batch]
    encoded = _Encoded(deltas, tfs)
    info, size = _block_infos(statistics, batch), _INFO.itemsize
    rows = zip(
        starts[:-1].tolist(),
        starts[1:].tolist(),
        np.maximum.reduceat(deltas, starts[:-1]).tolist(),
        statistics.least[batch].tolist(),
        statistics.greatest[batch].tolist(),
        strict=True,
    )
    blocks = []
    for i, (start, end, widest, least, greatest) in enumerate(rows):
        if end - start == 1:
            blocks.append(b"")
            continue
        data = dumps((encoded.deltas(start, end, widest), encoded.weights(start, end, least, greatest), None), 4)
        blocks.append(_BLOCK.pack(b"W3Bl", -size - len(data)) + info[i * size : (i + 1) * size] + data)
    return blocks


def _block_infos(statistics: _Statistics, batch: slice) -> bytes:
    counts = statistics.counts[batch]
    infos = np.empty(len(counts), _INFO)
    infos["open"], infos["j"], infos["g"], infos["close"] = b"\x80\x02(J", b"J", b"G", b"t."
    infos["k0k"], infos["k"] = b"K\x00K", b"K"
    infos["count"], infos["last"], infos["weight"] = counts, statistics.last[batch], statistics.greatest[batch]
    infos["shortest"], infos["longest"] = statistics.shortest[batch], statistics.longest[batch]
    return infos.tobytes()


class _Encoded:
    """The postings of a batch in every width, to be cut term by term; the caller knows which width is enough."""

    __slots__ = ("_bytes", "_floats", "_numbers", "_shorts", "_tfs", "_words")

    def __init__(self, deltas: NDArray[np.uint32], tfs: NDArray[np.uint32]) -> None:
        self._numbers = deltas
        self._bytes = deltas.astype(np.uint8).tobytes()
        self._shorts = deltas.astype(np.uint16).tobytes()
        self._words = deltas.tobytes()
        self._tfs = tfs.astype(np.uint8).tobytes()
        self._floats = tfs.astype(np.float32).tobytes()

    def deltas(self, start: int, end: int, widest: int) -> object:
        if widest < 1 << 8:
            return self._bytes[start:end]
        if end - start <= _SHORT_LIST:
            return tuple(self._numbers[start:end].tolist())
        if widest < 1 << 16:
            return array("H", self._shorts[2 * start : 2 * end])
        return array("I", self._words[4 * start : 4 * end])

    def weights(self, start: int, end: int, least: int, greatest: int) -> object:
        if least == greatest:
            return None if least == 1 else float(least)
        if greatest < 1 << 8:
            return self._tfs[start:end]
        return array("f", self._floats[4 * start : 4 * end])


def _term_file(fields: Mapping[str, Inverted], sizes: Sequence[NDArray[np.int64]]) -> Iterator[bytes]:
    writer = HashFileWriter()
    yield writer.header()
    position = 0
    for number, (field, field_sizes) in enumerate(zip(fields.values(), sizes, strict=True)):
        statistics = _statistics(field)
        positions = position + np.cumsum(field_sizes) - field_sizes
        position += int(field_sizes.sum())
        prefix = number.to_bytes(2, "big")
        for batch in _batches(field):
            keys = [prefix + term for term in field.terms[batch]]
            yield writer.records(keys, _term_records(statistics, batch, positions[batch], field_sizes[batch]))
    yield from writer.tail({"fieldmap": {name: number for number, name in enumerate(fields)}})


def _term_records(
    statistics: _Statistics, batch: slice, positions: NDArray[np.int64], sizes: NDArray[np.int64]
) -> list[bytes]:
    """Return the record of each term of `batch`: its statistics, then its block's place or its only posting."""
    pointers = np.empty(len(sizes), _POINTER)
    singles = np.empty(len(sizes), _SINGLE)
    for records in (pointers, singles):
        records["weight"], records["count"] = statistics.weight[batch], statistics.counts[batch]
        records["shortest"], records["longest"] = statistics.shortest[batch], statistics.longest[batch]
        records["greatest"] = statistics.greatest[batch]
        records["first"], records["last"] = statistics.first[batch], statistics.last[batch]
    pointers["inline"], pointers["position"], pointers["size"] = 0, positions, sizes
    singles["inline"], singles["document"], singles["tf"] = 1, statistics.first[batch], statistics.greatest[batch]
    singles["open"], singles["g"], singles["close"] = b"\x80\x03J", b"\x85G", b"\x85C\x00\x85\x87."
    wide, narrow = pointers.tobytes(), singles.tobytes()
    w, n = _POINTER.itemsize, _SINGLE.itemsize
    return [
        wide[i * w : (i + 1) * w] if size else narrow[i * n : (i + 1) * n] for i, size in enumerate(sizes.tolist())
    ]
