"""Chunks of prose: by sections, small neighbours joined under their common heading, long ones cut at paragraphs."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from hmem.chunk.lines import LEAST, LIMIT, Atoms, Rank, cut
from hmem.types import Chunk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hmem.types import Document

_ITEM = re.compile(r"\s*(?:[-+*•]|\d{1,9}[.)]|#\.)\s")
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？", "…")

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Page:
    """The lines of a document with their line ends, their offsets (one more), and the blocks to keep whole.

    `whole` maps the index of a block's first line to the index after its last.
    """

    lines: list[str]
    offsets: list[int]
    whole: dict[int, int]


@dataclass(frozen=True, slots=True)
class _Part:
    """The lines [first, last) of sections that stay together, their common heading and number of characters.

    `bodied` tells whether there is text beside headings and front matter.
    """

    first: int
    last: int
    path: Path
    size: int
    bodied: bool


def chunk_prose(document: Document) -> tuple[Chunk, ...]:
    """Return the chunks of a document by its `sections` and `fences`; `()` for an empty text.

    No chunk exceeds `LIMIT` characters. Front matter belongs to the first chunk; `represent.body_text` leaves it out.
    """
    page = _page(document)
    chunks: list[Chunk] = []
    for part in _joined(list(_parts(document, page))):
        chunks += _chunks(document.text, page, part)
    return tuple(_start_joined(chunks))


def _start_joined(chunks: list[Chunk]) -> list[Chunk]:
    """Return `chunks`, the first two as one if both are small: a short start before a section that had to be cut."""
    if len(chunks) < 2 or len(chunks[0].text) + len(chunks[1].text) > LEAST:
        return chunks
    first, second, *rest = chunks
    return [replace(second, start_line=first.start_line, text=first.text + second.text), *rest]


def _page(document: Document) -> _Page:
    lines = [line + "\n" for line in document.text.split("\n")]
    lines[-1] = lines[-1][:-1]
    if not lines[-1]:
        del lines[-1]
    whole = {first - 1: min(last, len(lines)) for first, last in document.fences}
    if document.body_line > 1:
        whole[0] = min(document.body_line - 1, len(lines))
    return _Page(lines, list(accumulate(map(len, lines), initial=0)), whole)


def _parts(document: Document, page: _Page) -> Iterator[_Part]:
    """Yield a part for the text before the first heading, if any, and one for each section."""
    count = len(page.lines)
    starts = [each.line - 1 for each in document.sections]
    starts.append(count)
    if starts[0] > 0:
        yield _part(page, 0, starts[0], (), document.body_line - 1)
    above: list[tuple[int, str]] = []
    for number, each in enumerate(document.sections):
        while above and above[-1][0] >= each.level:
            above.pop()
        above.append((each.level, each.title))
        path = tuple(title for _, title in above if title)
        yield _part(page, starts[number], starts[number + 1], path, starts[number] + each.lines)


def _part(page: _Page, first: int, last: int, path: Path, body: int) -> _Part:
    bodied = any(not line.isspace() for line in page.lines[body:last])
    return _Part(first, last, path, page.offsets[last] - page.offsets[first], bodied)


def _joined(parts: list[_Part]) -> list[_Part]:
    """Return the parts with small neighbours joined, those with the longest common path first."""
    parts = _absorb_bare(parts)
    for depth in range(max((len(part.path) for part in parts), default=0), -1, -1):
        parts = _join_at(parts, depth)
    return parts


def _absorb_bare(parts: list[_Part]) -> list[_Part]:
    """Join headings without text of their own, and front matter, to the section that follows them."""
    joined: list[_Part] = []
    for part in parts:
        before = joined[-1] if joined else None
        if before is not None and not before.bodied and before.size < (LIMIT if not before.path else LEAST):
            joined[-1] = _join(before, part)
        else:
            joined.append(part)
    return joined


def _join_at(parts: list[_Part], depth: int) -> list[_Part]:
    """Join each part below `LEAST` to a neighbour that shares `depth` titles with it."""
    joined: list[_Part] = []
    for index, part in enumerate(parts):
        before = joined[-1] if joined else None
        if before is None or not _joinable(before, part, depth):
            joined.append(part)
        elif before.size < LEAST or (part.size < LEAST and not _goes_forward(before, parts[index : index + 2], depth)):
            joined[-1] = _join(before, part)
        else:
            joined.append(part)
    return joined


def _goes_forward(before: _Part, here: list[_Part], depth: int) -> bool:
    """Whether a small part, the first of `here`, is better joined to the next one than to the one before.

    The next one, unless it could stand alone and would lose its own heading, while the one before has none to lose.
    """
    if len(here) < 2 or not _joinable(here[0], here[1], depth):
        return False
    return here[1].size < LEAST or len(before.path) > depth


def _joinable(one: _Part, other: _Part, depth: int) -> bool:
    if one.size + other.size > LIMIT:
        return False
    return len(one.path) >= depth <= len(other.path) and one.path[:depth] == other.path[:depth]


def _join(one: _Part, other: _Part) -> _Part:
    """Join two neighbours under what their paths have in common; one without text of its own has no say."""
    size, bodied = one.size + other.size, one.bodied or other.bodied
    if one.bodied == other.bodied:
        return _Part(one.first, other.last, _common(one.path, other.path), size, bodied)
    return _Part(one.first, other.last, (one if one.bodied else other).path, size, bodied)


def _common(one: Path, other: Path) -> Path:
    length = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        length += 1
    return one[:length]


def _chunks(text: str, page: _Page, part: _Part) -> Iterator[Chunk]:
    if part.size <= LIMIT:
        piece = text[page.offsets[part.first] : page.offsets[part.last]]
        yield Chunk(part.first + 1, part.last, piece, part.path)
        return
    atoms = _atoms(page, part)
    begins = cut(atoms)
    for begin, end in zip(begins, [*begins[1:], len(atoms.starts)], strict=True):
        stop = atoms.starts[end] if end < len(atoms.starts) else atoms.end
        piece = text[atoms.starts[begin] : stop]
        line = atoms.lines[begin]
        yield Chunk(line, line + piece.count("\n", 0, -1), piece, part.path)


def _atoms(page: _Page, part: _Part) -> Atoms:
    """Return the lines of a part as atoms; a block that fits the limit is one."""
    atoms = Atoms(end=page.offsets[part.first])
    number = part.first
    above = text_above = ""
    while number < part.last:
        line = page.lines[number]
        rank = _rank(above, text_above, line)
        end = min(page.whole.get(number, number + 1), part.last)
        size = page.offsets[end] - page.offsets[number]
        if end > number + 1 and size <= LIMIT:
            atoms.add(size, number + 1, rank)
        elif len(line) <= LIMIT:
            end = number + 1
            atoms.add(len(line), end, rank)
        else:
            end = number + 1
            atoms.add_long(line, end, rank)
        above = page.lines[end - 1]
        text_above = text_above if above.isspace() else above
        number = end
    return atoms


def _rank(above: str, text_above: str, line: str) -> Rank:
    """Return how good a cut before `line` is, below the line `above` and the last text, `text_above`.

    Blank lines stay with the text before them, and what a colon announces with the announcement.
    """
    if line.isspace():
        return Rank.BLANK
    if text_above.rstrip().endswith((":", "：")):
        return Rank.LINE
    item = _ITEM.match(line)
    if above.isspace():
        return Rank.INNER_PARAGRAPH if item or line[0].isspace() else Rank.PARAGRAPH
    if item:
        return Rank.ITEM
    return Rank.SENTENCE_LINE if above.rstrip().endswith(_SENTENCE_ENDS) else Rank.LINE
