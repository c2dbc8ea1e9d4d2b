"""Term-major bulk writer: one Whoosh index directory with one segment, equal to what stock Whoosh writes.

Stock Whoosh sorts every posting as a Python tuple and writes it alone; here the inverted postings of a whole segment
become one block per term (see `blocks`), with everything of fixed size laid out as arrays. The postings of rare terms
lie inside the term's record. Weights are term frequencies.

The layout is that of Whoosh 3.54.0. With any other version the segment is written through Whoosh's own codec,
which is slower and otherwise the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import whoosh
from whoosh.analysis.tokenizers import IDTokenizer
from whoosh.codec import default_codec
from whoosh.fields import FieldType, Schema
from whoosh.filedb.filestore import RamStorage
from whoosh.formats import Existence
from whoosh.index import TOC
from whoosh.util.numeric import byte_to_length, length_to_byte

from hmem.store import files
from hmem.store.blocks import INLINE, POINTER, TERM, Blocks, block_infos, inline_records
from hmem.store.hashfile import HashFileWriter

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from hmem.store.invert import Inverted

BULK = whoosh.__version__ == (3, 54, 0)
"""Whether the installed Whoosh is the one whose format the bulk writer knows."""

_INDEX = "MAIN"
_SEGMENT = "0"  # a fixed name, as every directory has one segment: equal input gives equal bytes
_BATCH = 1 << 14  # terms laid out at once

# Whoosh keeps a length in one byte of a growing scale; the greatest code stands for all beyond.
_LENGTH_CODES = np.array([length_to_byte(length) for length in range(byte_to_length(255) + 1)], np.uint8)


def write_index(directory: Path, fields: Mapping[str, Inverted], documents: int) -> None:
    """Write the Whoosh index of `fields` into the existing `directory`. Raises OSError."""
    storage: Any = RamStorage()  # type: ignore[no-untyped-call]
    # Only stock classes: the schema is pickled into the index, and stock Whoosh must be able to load it.
    analyzer: Any = IDTokenizer()
    schema = Schema(**{name: FieldType(Existence(), analyzer, scorable=True) for name in fields})
    codec: Any = default_codec()  # type: ignore[no-untyped-call]
    segment = codec.new_segment(storage, _INDEX)
    segment.segid = _SEGMENT
    ordered = {name: fields[name] for name in sorted(fields)}
    _write_lengths(codec, storage, segment, schema, ordered, documents)
    if BULK:
        parts = [_Field.of(postings) for postings in ordered.values()]
        files.write_file(directory / segment.make_filename(".pst"), _posting_file(parts))
        files.write_file(directory / segment.make_filename(".trm"), _term_file(list(ordered), parts))
    else:
        _write_stock_terms(codec, storage, segment, schema, ordered)
    toc: Any = TOC(schema, [segment], 1)  # type: ignore[no-untyped-call]
    toc.write(storage, _INDEX)
    for name in sorted(storage.list()):
        files.write_file(directory / name, storage.files[name])


def _write_lengths(
    codec: Any, storage: Any, segment: Any, schema: Schema, fields: Mapping[str, Inverted], documents: int
) -> None:
    """Write Whoosh's own approximate lengths, which its searches use (ours are exact and kept apart)."""
    writer = codec.per_document_writer(storage, segment)
    columns = [(name, schema[name]) for name in fields]
    rows = zip(*(postings.lengths.tolist() for postings in fields.values()), strict=True)
    for number, row in enumerate(rows):
        writer.start_doc(number)
        for (name, field), length in zip(columns, row, strict=True):
            writer.add_field(name, field, None, length)
        writer.finish_doc()
    segment.set_doc_count(documents)
    writer.close()


def _write_stock_terms(codec: Any, storage: Any, segment: Any, schema: Schema, fields: Mapping[str, Inverted]) -> None:
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
class _Field:
    """A field on its way to the files. `records` is what term records start with, `least` the least frequency.

    `sizes` receives the size of each term's block, 0 if its postings are inline.
    """

    postings: Inverted
    records: NDArray[np.void]
    least: NDArray[np.uint32]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, postings: Inverted) -> _Field:
        starts, ends = postings.starts[:-1], postings.starts[1:]
        codes = _LENGTH_CODES[np.minimum(postings.lengths, len(_LENGTH_CODES) - 1)][postings.docs]
        greatest = np.maximum.reduceat(postings.tfs, starts)
        records = np.empty(len(starts), TERM)
        records["inline"] = (ends - starts <= INLINE) & (greatest < 1 << 8)
        records["weight"] = np.add.reduceat(postings.tfs, starts, dtype=np.float64)
        records["count"] = ends - starts
        records["shortest"] = np.minimum.reduceat(codes, starts)
        records["longest"] = np.maximum.reduceat(codes, starts)
        records["greatest"] = greatest
        records["first"], records["last"] = postings.docs[starts], postings.docs[ends - 1]
        least = np.minimum.reduceat(postings.tfs, starts)
        return cls(postings, records, least, np.zeros(len(starts), np.int64))

    def batches(self) -> Iterator[slice]:
        return (slice(start, start + _BATCH) for start in range(0, len(self.records), _BATCH))


def _posting_file(fields: Sequence[_Field]) -> Iterator[bytes]:
    """Yield the blocks of all terms that are not inline, noting their sizes."""
    for field in fields:
        for batch in field.batches():
            long = batch.start + np.flatnonzero(field.records["inline"][batch] == 0)
            blocks = _blocks(field, batch, long)
            field.sizes[long] = list(map(len, blocks))
            yield b"".join(blocks)


def _blocks(field: _Field, batch: slice, long: NDArray[np.intp]) -> list[bytes]:
    """Return the block of each of the terms `long`, which all lie in `batch`."""
    bounds = field.postings.starts[batch.start : batch.stop + 1]
    base, end = int(bounds[0]), int(bounds[-1])
    deltas = np.diff(field.postings.docs[base:end], prepend=np.uint32(0))
    deltas[bounds[:-1] - base] = field.records["first"][batch]
    widest = np.maximum.reduceat(deltas, bounds[:-1] - base)[long - batch.start]
    blocks = Blocks(deltas, field.postings.tfs[base:end])
    records = field.records[long]
    return list(
        map(
            blocks.block,
            block_infos(records),
            (field.postings.starts[long] - base).tolist(),
            (field.postings.starts[long + 1] - base).tolist(),
            widest.tolist(),
            field.least[long].tolist(),
            records["greatest"].astype(np.int64).tolist(),
        )
    )


def _term_file(names: Sequence[str], fields: Sequence[_Field]) -> Iterator[bytes]:
    writer = HashFileWriter()
    yield writer.header()
    position = 0
    for number, field in enumerate(fields):
        positions = position + np.cumsum(field.sizes) - field.sizes
        position += int(field.sizes.sum())
        prefix = number.to_bytes(2, "big")
        for batch in field.batches():
            keys = [prefix + term for term in field.postings.terms[batch]]
            yield writer.records(keys, _records(field, batch, positions))
    yield from writer.tail({"fieldmap": {name: number for number, name in enumerate(names)}})


def _records(field: _Field, batch: slice, positions: NDArray[np.int64]) -> list[bytes]:
    """Return the record of each term of `batch`: its statistics, then its postings or where its block is."""
    pointers = np.empty(len(field.records[batch]), POINTER)
    pointers["term"] = field.records[batch]
    pointers["position"], pointers["size"] = positions[batch], field.sizes[batch]
    result: list[bytes] = pointers.view(f"V{POINTER.itemsize}").tolist()
    counts = np.where(field.records["inline"][batch], field.records["count"][batch], 0)
    for count in range(1, INLINE + 1):
        places = np.flatnonzero(counts == count)
        terms = batch.start + places
        postings = field.postings.starts[terms, None] + np.arange(count)
        docs, tfs = field.postings.docs[postings], field.postings.tfs[postings]
        for place, record in zip(places.tolist(), inline_records(field.records[terms], docs, tfs), strict=True):
            result[place] = record
    return result
