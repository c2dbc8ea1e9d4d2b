"""Postings of one store segment: a Whoosh index directory, read as arrays without loading Whoosh.

A lexical directory holds one Whoosh index of one segment (see `postings`, which writes it) and `lengths`, the exact
document lengths, which Whoosh itself rounds to one byte. Document numbers count from 0 in the order of writing;
nothing is ever deleted or changed inside: who is alive is the catalog's matter.

The files are trusted as far as their checksums, which the store compares before it opens them. Still, no class but
`array` can be named by a pickle in them, and whatever is inconsistent raises StoreDamagedError.
"""

from __future__ import annotations

import io
import mmap
import struct
from contextlib import suppress
from itertools import islice, takewhile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from hmem.errors import StoreDamagedError
from hmem.store import files
from hmem.store.blocks import Postings, decode, decode_all
from hmem.store.hashfile import HashFile, gather
from hmem.store.invert import Inverted, Inverter, arrange, decode_term, encode_term

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType
    from typing import Self

    from numpy.typing import NDArray

LENGTHS_FILE = "lengths"

_LENGTHS = struct.Struct("<8sII")  # magic, documents, fields; then the names, then each field's lengths as "<u4"
_LENGTHS_MAGIC = b"hmemlen1"
_NAME = struct.Struct("<H")
_TERMS, _POSTINGS = ".trm", ".pst"


class LexicalBuilder:
    """Collects documents one by one and writes them as a lexical directory.

    It keeps numbers instead of the mappings that it is given, so a document can be forgotten once it was added.
    """

    def __init__(self, fields: Sequence[str]) -> None:
        """Prepare for documents with `fields`."""
        self._fields = {name: Inverter() for name in sorted(fields)}
        self.documents = 0

    def add(self, document: Mapping[str, Mapping[str, int]]) -> int:
        """Add the next document, per field a mapping from term to frequency (at least 1); return its number."""
        for name, inverter in self._fields.items():
            inverter.add(document[name])
        self.documents += 1
        return self.documents - 1

    def write(self, directory: Path) -> None:
        """Write into `directory`, which must exist and be empty. Equal documents give equal bytes. Raises OSError."""
        _write(directory, {name: inverter.finish() for name, inverter in self._fields.items()}, self.documents)


def write_lexical(directory: Path, fields: Mapping[str, Sequence[Mapping[str, int]]]) -> None:
    """Write documents that are all at hand: `fields` maps each field's name to one mapping per document.

    See `LexicalBuilder`. Raises ValueError if the fields have different numbers of documents.
    """
    builder = LexicalBuilder(list(fields))
    for document in zip(*fields.values(), strict=True):
        builder.add(dict(zip(fields, document, strict=True)))
    builder.write(directory)


def merge_lexical(directory: Path, sources: Sequence[tuple[LexicalSegment, NDArray[np.int64]]]) -> None:
    """Write a lexical directory of chosen documents of other segments, without seeing their texts again.

    Of each source the documents with the given numbers are taken, ascending; they are numbered anew in the order of
    the sources. The result is byte for byte what `write_lexical` makes of the same documents. The sources must have
    the same fields.
    """
    fields = {name for segment, _ in sources for name in segment.fields}
    kept = sum(len(numbers) for _, numbers in sources)
    _write(directory, {name: _gather(name, sources, kept) for name in fields}, kept)


def _write(directory: Path, fields: Mapping[str, Inverted], documents: int) -> None:
    from hmem.store.postings import write_index  # loads Whoosh, which no search needs

    names = sorted(fields)
    header = _LENGTHS.pack(_LENGTHS_MAGIC, documents, len(names))
    encoded = [name.encode() for name in names]
    header += b"".join(_NAME.pack(len(name)) + name for name in encoded)
    lengths = [fields[name].lengths.astype("<u4").tobytes() for name in names]
    files.write_file(directory / LENGTHS_FILE, b"".join([header, *lengths]))
    write_index(directory, fields, documents)


def _gather(field: str, sources: Sequence[tuple[LexicalSegment, NDArray[np.int64]]], kept: int) -> Inverted:
    vocabulary: dict[bytes, int] = {}
    parts: list[tuple[NDArray[np.uint32], ...]] = [(np.empty(0, np.uint32),) * 3]
    base = 0
    for segment, numbers in sources:
        renumbered = np.full(segment.n, -1, np.int64)
        renumbered[numbers] = np.arange(base, base + len(numbers))
        base += len(numbers)
        old = segment.inverted(field)
        ids = np.array([vocabulary.setdefault(term, len(vocabulary)) for term in old.terms], np.uint32)
        new = renumbered[old.docs]
        alive = new >= 0
        parts.append((np.repeat(ids, np.diff(old.starts))[alive], new[alive].astype(np.uint32), old.tfs[alive]))
    ids, docs, tfs = map(np.concatenate, zip(*parts, strict=True))
    return arrange(list(vocabulary), ids, docs, tfs, kept)


class LexicalSegment:
    """The postings and lengths of one lexical directory. Safe to share between threads; close it when done."""

    def __init__(self, directory: Path, name: str) -> None:
        """Map the files of the Whoosh segment `name`; see `open`."""
        self._lengths, self.n = _read_lengths(directory / LENGTHS_FILE)
        self._records = _map(directory / f"{name}{_TERMS}")
        self._blocks = _map(directory / f"{name}{_POSTINGS}")
        self._terms = HashFile(self._records, str(directory / f"{name}{_TERMS}"))
        numbers = self._terms.extras.get("fieldmap")
        if not isinstance(numbers, dict) or not all(number in range(1 << 16) for number in numbers.values()):
            raise StoreDamagedError(f"`{directory}` names no fields")
        self._prefixes: dict[str, bytes] = {field: number.to_bytes(2, "big") for field, number in numbers.items()}

    @classmethod
    def open(cls, directory: Path) -> Self:
        """Open `directory`. Raises StoreDamagedError if a file is missing, short or not understood."""
        try:
            names = [path.stem for path in directory.iterdir() if path.suffix == _TERMS]
            if len(names) == 1:
                return cls(directory, names[0])
        except OSError as error:
            raise StoreDamagedError(f"`{error.filename}` cannot be read: {error.strerror}") from error
        raise StoreDamagedError(f"`{directory}` holds {len(names)} term files instead of one")

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the fields, sorted."""
        return tuple(self._lengths)

    def lengths(self, field: str) -> NDArray[np.float32]:
        """Return the exact number of terms of each document, shape (n,), read-only."""
        try:
            return self._lengths[field]
        except KeyError:
            raise StoreDamagedError(f"a segment has no field `{field}`") from None

    def postings(self, field: str, term: str) -> Postings | None:
        """Return (document numbers int32, ascending, frequencies float32) of `term`, or None if it has none."""
        if field not in self._prefixes:
            return None
        record = self._terms.get(self._prefixes[field] + encode_term(term))
        return None if record is None else decode(record, self._blocks, self.n)

    def terms_with(self, field: str, prefix: str, limit: int) -> list[str]:
        """Return the first `limit` terms that start with `prefix`, ascending, those of dead documents too."""
        if field not in self._prefixes:
            return []
        number = self._prefixes[field]
        key = number + encode_term(prefix)
        found = takewhile(lambda each: each.startswith(key), self._terms.keys_from(key))
        return [decode_term(each.removeprefix(number)) for each in islice(found, limit)]

    def inverted(self, field: str) -> Inverted:
        """Return all postings of `field` at once."""
        lengths = self.lengths(field).astype(np.uint32)
        records = self._terms.records()
        prefix = np.frombuffer(self._prefixes.get(field, b"\xff\xff"), np.uint8)
        chosen = np.flatnonzero((gather(records.data, records.starts, 2) == prefix).all(axis=1))
        starts, middles = records.starts[chosen], (records.starts + records.key_sizes)[chosen]
        terms = [self._records[a + 2 : b] for a, b in zip(starts.tolist(), middles.tolist(), strict=True)]
        sizes = records.value_sizes[chosen]
        counts, docs, tfs = decode_all(records.data, middles, sizes, self._blocks, self.n)
        bounds = np.concatenate(([0], np.cumsum(counts)))
        return Inverted(terms, bounds, docs.astype(np.uint32), tfs.astype(np.uint32), lengths)

    def close(self) -> None:
        """Release the mapped files; afterwards only `lengths` may be called."""
        for data in (self._records, self._blocks):
            if isinstance(data, mmap.mmap):
                with suppress(BufferError):  # something still looks into it: the mapping goes with that
                    data.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _map(path: Path) -> mmap.mmap | bytes:
    with path.open("rb") as file:
        if file.seek(0, io.SEEK_END) == 0:
            return b""  # an empty file cannot be mapped
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _read_lengths(path: Path) -> tuple[dict[str, NDArray[np.float32]], int]:
    data = path.read_bytes()
    try:
        magic, documents, fields = _LENGTHS.unpack_from(data)
        offset = _LENGTHS.size
        names = []
        for _ in range(fields):
            (size,) = _NAME.unpack_from(data, offset)
            offset += _NAME.size + size
            names.append(data[offset - size : offset].decode())
        if magic == _LENGTHS_MAGIC and len(data) == offset + 4 * documents * fields:
            table = np.frombuffer(data, "<u4", offset=offset).reshape(fields, documents).astype(np.float32)
            table.flags.writeable = False
            return dict(zip(names, table, strict=True)), documents
    except (struct.error, UnicodeDecodeError, ValueError):
        pass
    raise StoreDamagedError(f"`{path}` is damaged")
