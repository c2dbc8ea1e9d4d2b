r"""Values that pass between the stages: frozen, slotted, free of behaviour that touches the disk.

Paths inside a collection are relative, with `/`, and may carry surrogate escapes for bytes that are not UTF-8.
Lines are 1-based and end at "\n" only, as editors count them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"


class Kind(StrEnum):
    """What a document is: `note` prose, `wiki` pages, source `code`, any other `text`."""

    NOTE = "note"
    WIKI = "wiki"
    CODE = "code"
    TEXT = "text"


@dataclass(frozen=True, slots=True, order=True)
class FileState:
    """A file as the disk shows it, without reading it."""

    path: str
    size: int
    mtime_ns: int
    inode: int


@dataclass(frozen=True, slots=True, order=True)
class Skipped:
    """A file or directory that was not indexed, and why. `reason` is a short stable word group.

    `state` is set when only the content showed it: as long as the state stays, the file need not be read again.
    """

    path: str
    reason: str
    detail: str = ""
    state: FileState | None = field(default=None, compare=False)


class DefinitionKind(StrEnum):
    """What a definition introduces; `scope` opens a name without defining it here (impl, namespace, extension)."""

    TYPE = "type"
    FUNCTION = "function"
    VALUE = "value"
    SCOPE = "scope"


@dataclass(frozen=True, slots=True)
class Definition:
    """A name that code introduces. `indent` in columns (tab = 4)."""

    line: int
    indent: int
    name: str
    kind: DefinitionKind


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its level (1 = top), the line it starts on and the number of lines it takes."""

    line: int
    level: int
    title: str
    lines: int = 1


@dataclass(frozen=True, slots=True)
class Document:
    r"""A parsed file. `text` has "\n" line ends; `body_line` is the line after the front matter (1 without any).

    `fences` are the (first, last) lines of blocks that must not be cut: code fences, tables, literal blocks.
    """

    path: str
    kind: Kind
    lang: str
    title: str
    text: str
    encoding: str = "utf-8"
    metadata: dict[str, Json] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    fences: tuple[tuple[int, int], ...] = ()
    definitions: tuple[Definition, ...] = ()
    body_line: int = 1
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A retrievable piece. The texts of a document's chunks, joined, are the document's text.

    `heading` is the path of section titles of prose, `scopes` the names of the definitions that enclose the first
    line of code, `definitions` those that start inside, `symbol` the qualified name of the first of them that is no
    value, or else of what encloses the chunk.
    """

    start_line: int
    end_line: int
    text: str
    heading: tuple[str, ...] = ()
    scopes: tuple[str, ...] = ()
    definitions: tuple[Definition, ...] = ()
    symbol: str | None = None
