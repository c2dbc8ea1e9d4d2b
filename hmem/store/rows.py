"""What the catalog's rows hold, and how values that SQLite cannot keep as they are go in and come out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import xxhash

from hmem.types import Chunk, Definition, DefinitionKind, FileState, Json, Kind

Value: TypeAlias = "str | int | float | bytes | None"

PARTIAL = "partial"
INDEXED = "indexed"

_LOW, _HIGH = -(1 << 63), (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Collection:
    """A registered directory or file. `id` is 0 until it is stored.

    `options` are what the user asked for; `stamp` names the rules that its documents were made by, all but those with
    an id lower than `redo_below`. `root_id` is (st_dev, st_ino) and `mounts` the mount points inside, relative, at the
    last scan. `state` is `new` until anything was committed, `partial` while only a part of what a scan found was,
    then `indexed`. `missing` says that the root was not there at the last scan; `last_scan_ns` is in Unix time,
    nanoseconds.
    """

    name: str
    root: Path
    id: int = 0
    root_id: tuple[int, int] | None = None
    options: dict[str, Json] = field(default_factory=dict)
    metadata: dict[str, Json] = field(default_factory=dict)
    stamp: str | None = None
    redo_below: int = 0
    mounts: tuple[str, ...] = ()
    state: str = "new"
    missing: bool = False
    last_scan_ns: int | None = None
    last_scan_seconds: float | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all that its last scan found is indexed, or out of reach."""
        return self.state == INDEXED or self.missing


@dataclass(frozen=True, slots=True)
class FileRow:
    """What decides whether a file on the disk differs from the document."""

    document: int
    state: FileState
    racy: bool
    content_hash: str


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """A document without its text. Dates are ISO 8601; `indexed_at` in UTC."""

    id: int
    collection: int
    path: str
    size: int
    mtime_ns: int
    inode: int
    racy: bool
    content_hash: str
    indexed_at: str
    kind: Kind
    lang: str
    title: str
    encoding: str
    n_lines: int
    body_line: int
    created: str | None
    updated: str | None
    tags: tuple[str, ...]
    links: tuple[str, ...]
    metadata: dict[str, Json]

    @property
    def state(self) -> FileState:
        """The file as it was when it was indexed."""
        return FileState(self.path, self.size, self.mtime_ns, self.inode)


@dataclass(frozen=True, slots=True)
class ChunkRow:
    """A chunk; `key` is its integer in the catalog and both indexes.

    `embed_key` is empty if it has no vector because the model knows no word of it, None if no model has seen it.
    """

    key: int
    document: int
    ordinal: int
    chunk_id: str
    start_line: int
    end_line: int
    embed_key: bytes | None
    symbol: str | None
    heading: tuple[str, ...]
    scopes: tuple[str, ...]
    definitions: tuple[Definition, ...]
    text: str

    def to_chunk(self) -> Chunk:
        """Return the chunk as the chunker made it."""
        return Chunk(
            self.start_line, self.end_line, self.text, self.heading, self.scopes, self.definitions, self.symbol
        )


@dataclass(frozen=True, slots=True)
class DefinitionRow:
    """A definition and the chunk (by key) that holds it."""

    name: str
    kind: DefinitionKind
    line: int
    chunk: int


@dataclass(frozen=True, slots=True)
class AttributeRow:
    """One value of a document under a qualified key: `tags`, or `meta.` and the dotted key of its own metadata.

    `type` is `text`, `number`, `bool` or `null`; `number` is None unless the value is a number or a truth value.
    """

    key: str
    document: int
    ordinal: int
    type: str
    text: str
    number: float | None


def definition_key(name: str) -> str:
    """Return the form under which a defined name is looked up: exact but for case."""
    return storable(name).lower()


def storable(text: str) -> str:
    """Return `text` with lone surrogates, which UTF-8 cannot carry, replaced by U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def path_bytes(path: str) -> bytes:
    """Return the bytes of a path with surrogate escapes."""
    return path.encode("utf-8", "surrogateescape")


def path_text(data: bytes) -> str:
    """Return the inverse of `path_bytes`."""
    return data.decode("utf-8", "surrogateescape")


def integer(number: int) -> int | str:
    """Return `number` as SQLite keeps it: 64 bits, or text beyond (an inode or a time of a strange file system)."""
    return number if _LOW <= number <= _HIGH else str(number)


def to_json(value: object) -> str:
    """Return compact JSON that UTF-8 can carry."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def definitions_json(definitions: Iterable[Definition]) -> str:
    """Return definitions as JSON rows of line, indent, name, kind."""
    return to_json([[d.line, d.indent, d.name, d.kind] for d in definitions])


def definitions_from(text: str) -> tuple[Definition, ...]:
    """Return the inverse of `definitions_json`."""
    if text == "[]":
        return ()
    return tuple(Definition(line, indent, name, DefinitionKind(kind)) for line, indent, name, kind in json.loads(text))


def names_from(text: str) -> tuple[str, ...]:
    """Return a tuple of names from a JSON list."""
    return () if text == "[]" else tuple(json.loads(text))


def row_checksum(values: Sequence[Any]) -> int:
    """Return the signed 64-bit xxh3 of a row's values; each is length-prefixed, so no two rows share an encoding."""
    digest = xxhash.xxh3_64()
    for value in values:
        if value is None:
            digest.update(b"\xff" * 8)
            continue
        data = value if isinstance(value, bytes) else str(value).encode()
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    number = digest.intdigest()
    return number - (1 << 64) if number > _HIGH else number
