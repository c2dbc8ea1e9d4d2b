"""Chunks of prose: by sections, small neighbours joined under their common heading, long ones cut at paragraphs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hmem.chunk.lines import (
    INNER_PARAGRAPH,
    ITEM,
    LEAST,
    LIMIT,
    LINE,
    LINE_AFTER_SENTENCE,
    PARAGRAPH,
    Atom,
    cut,
    split_line,
)
from hmem.types import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hmem.types import Document

_ITEM = re.compile(r"\s*(?:[-+*•]|\d{1,9}[.)]|#\.)\s")
_SENTENCE_ENDS = (".", "!", "?", ":", "。", "！", "？", "…")


@dataclass(slots=True)
class _Part:
    """Lines [first, last) of sections that stay together; `path` is their common heading, `size` in characters.

    `bodied` tells whether there is text beside headings.
    """

    first: int
    last: int
    path: tuple[str, ...]
    size: int
    bodied: bool


def chunk_prose(document: Document) -> tuple[Chunk, ...]:
    """Return the chunks of a document by its `sections` and `fences`; `()` for an empty text.

    Front matter belongs to the first chunk.
    """
    text = document.text
    if not text:
        return ()
    lines = _lines(text)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    chunks: list[Chunk] = []
    ends = {first - 1: last for first, last in document.fences}
    for part in _joined(_parts(document, lines, offsets)):
        chunks += _chunks(text, lines, offsets, part, ends)
    return tuple(chunks)


def _lines(text: str) -> list[str]:
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def _parts(document: Document, lines: Sequence[str], offsets: Sequence[int]) -> list[_Part]:
    """Return one part for the text before the first heading, if any, and one for each section."""
    starts = [each.line - 1 for each in document.sections if each.line <= len(lines)]
    parts: list[_Part] = []
    if not starts or starts[0] > 0:
        last = starts[0] if starts else len(lines)
        parts.append(_part(lines, offsets, 0, last, (), document.body_line - 1))
    open_sections: list[tuple[int, str]] = []
    for number, (start, each) in enumerate(zip(starts, document.sections, strict=False)):
        while open_sections and open_sections[-1][0] >= each.level:
            open_sections.pop()
        open_sections.append((each.level, each.title))
        last = starts[number + 1] if number + 1 < len(starts) else len(lines)
        path = tuple(title for _, title in open_sections if title)
        parts.append(_part(lines, offsets, start, last, path, start + 1))
    return parts


def _part(
    lines: Sequence[str], offsets: Sequence[int], first: int, last: int, path: tuple[str, ...], body: int
) -> _Part:
    bodied = any(not lines[number].isspace() for number in range(body, last))
    return _Part(first, last, path, offsets[last] - offsets[first], bodied)


def _joined(parts: list[_Part]) -> list[_Part]:
    """Return the parts with small neighbours joined, those with the longest common path first."""
    parts = _absorb_bare(parts)
    depths = sorted({len(part.path) for part in parts} | {0}, reverse=True)
    for depth in depths:
        parts = _join_at(parts, depth)
    return parts


def _absorb_bare(parts: list[_Part]) -> list[_Part]:
    """Join headings without text of their own to the section that follows them, whose path they lead to."""
    joined: list[_Part] = []
    for part in parts:
        before = joined[-1] if joined else None
        if before is not None and not before.bodied and before.size < LEAST:
            joined[-1] = _Part(before.first, part.last, part.path, before.size + part.size, part.bodied)
        else:
            joined.append(part)
    return joined


def _join_at(parts: list[_Part], depth: int) -> list[_Part]:
    """Join parts below `LEAST` to the next one, or else to the one before, that shares `depth` titles with them."""
    joined: list[_Part] = []
    for index, part in enumerate(parts):
        before = joined[-1] if joined else None
        if before is None or not _joinable(before, part, depth):
            joined.append(part)
        elif before.size < LEAST or (
            part.size < LEAST and not (index + 1 < len(parts) and _joinable(part, parts[index + 1], depth))
        ):
            joined[-1] = _join(before, part)
        else:
            joined.append(part)
    return joined


def _joinable(one: _Part, other: _Part, depth: int) -> bool:
    return one.path[:depth] == other.path[:depth] and len(one.path) >= depth <= len(other.path) and (
        one.size + other.size <= LIMIT
    )


def _join(one: _Part, other: _Part) -> _Part:
    path = _common(one.path, other.path) if one.bodied and other.bodied else (other.path if other.bodied else one.path)
    return _Part(one.first, other.last, path, one.size + other.size, one.bodied or other.bodied)


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    length = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        length += 1
    return one[:length]


def _chunks(
    text: str, lines: Sequence[str], offsets: Sequence[int], part: _Part, ends: Mapping[int, int]
) -> Iterator[Chunk]:
    """Yield the chunks of one part; `ends` maps the first line of a fence (from 0) to the line after it."""
    if part.size <= LIMIT:
        start, end = offsets[part.first], offsets[part.last]
        yield Chunk(part.first + 1, part.last, text[start:end], part.path)
        return
    atoms = list(_atoms(lines, offsets, part, ends))
    for first, end in cut(atoms):
        piece = text[atoms[first].start : atoms[end - 1].end]
        line = atoms[first].line
        yield Chunk(line, line + piece[:-1].count("\n"), piece, part.path)


def _atoms(
    lines: Sequence[str], offsets: Sequence[int], part: _Part, ends: Mapping[int, int]
) -> Iterator[Atom]:
    """Yield the lines of a part as atoms; a fence that fits the limit is one atom."""
    number = part.first
    before = ""
    while number < part.last:
        line = lines[number]
        rank = _rank(before, line)
        end = min(ends.get(number, 0), part.last)
        if end > number and offsets[end] - offsets[number] <= LIMIT:
            yield Atom(offsets[number], offsets[end], number + 1, max(rank, LINE_AFTER_SENTENCE))
            before = lines[end - 1]
            number = end
            continue
        if len(line) <= LIMIT:
            yield Atom(offsets[number], offsets[number + 1], number + 1, rank)
        else:
            position = offsets[number]
            for piece, inner in split_line(line):
                yield Atom(position, position + len(piece), number + 1, rank if position == offsets[number] else inner)
                position += len(piece)
        before = line
        number += 1


def _rank(before: str, line: str) -> int:
    """Return how good a cut between two lines is; blank lines stay with the text before them."""
    if not before or before.isspace():
        if line.isspace():
            return LINE - 1
        return INNER_PARAGRAPH if line[0].isspace() else PARAGRAPH
    if line.isspace():
        return 0
    if _ITEM.match(line):
        return ITEM
    return LINE_AFTER_SENTENCE if before.rstrip().endswith(_SENTENCE_ENDS) else LINE
