"""Cut source code, and any text without sections, at the boundaries a reader would choose.

A chunk is filled up to `LIMIT` characters and then cut in its last half at the line where most speaks for a new
beginning: a definition with its comments and decorators, a blank line above, a low indentation. A definition (or
fence) that fits is not split; to keep it whole the cut may fall before the last half, or the chunk reach `STRETCH`.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from hmem.chunk.extents import Extent, extents_of
from hmem.chunk.lines import cut_by_size
from hmem.chunk.rows import BLANK, Rows, rows_of
from hmem.types import Chunk, DefinitionKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hmem.types import Document

LIMIT: Final = 1_500
"""Characters a chunk aims to stay within. Measured: 600, 1,000, 2,000 and 2,500 rank .004 to .009 worse."""
STRETCH: Final = 2_000
"""Characters a chunk may reach to keep a definition whole, or to take in a piece too small to stand alone.

Keeping what fits whole is worth .002 on the code benchmark, up to 1,500 characters .003.
"""
SMALL: Final = 300
"""Characters below which a piece does not stand alone if a neighbour can take it."""
MOST_LINES: Final = 500_000
"""Texts of more lines are data: they are cut by size alone, in less memory."""

# What speaks for cutting above a row; the unit is arbitrary, only differences count.
_DEFINITION: Final = 3.0
_VALUE: Final = 1.0
_BLANK_ABOVE: Final = 1.5
_PER_COLUMN: Final = -0.25
_DEEPEST: Final = 16
_BLANK_COLUMNS: Final = 12  # a blank line counts as if it were indented so far
_LATE: Final = 0.5  # for the last row that fits, in proportion for those before
_CLOSER: Final = -2.0  # a closing bracket or word belongs to what it closes
_SPANNED: Final = -4.0  # inside a comment, a string or a line

_CLOSES: Final = re.compile(r"[)\]}>]|(?:end|fi|done|esac|else|elif|elsif|rescue|ensure|except|finally|catch)\b")


class _Plan:
    """Where cutting is good and where it splits something that fits in a chunk."""

    def __init__(self, rows: Rows, extents: Sequence[Extent], fences: Sequence[tuple[int, int]]) -> None:
        self._rows = rows
        self._bonus: dict[int, float] = {}
        self.inside = bytearray(len(rows) + 1)
        """1 at rows above which there must be no cut."""
        for extent in extents:
            worth = _VALUE if extent.definition.kind is DefinitionKind.VALUE else _DEFINITION
            self._bonus[extent.lead] = max(self._bonus.get(extent.lead, 0.0), worth)
            self._keep_whole(extent.lead, extent.end)
        for first, last in fences:
            self._keep_whole(bisect_left(rows.lines, first), bisect_right(rows.lines, last))

    def _keep_whole(self, start: int, end: int) -> None:
        """Forbid cuts inside a block of rows, if it fits in a chunk."""
        if self._rows.size(start, end) <= STRETCH:
            self.inside[start + 1 : end] = b"\x01" * (end - start - 1)

    def score(self, row: int) -> float:
        """Return how much speaks for cutting above `row`."""
        rows = self._rows
        indent = rows.indents[row]
        columns = _BLANK_COLUMNS if indent == BLANK else min(indent, _DEEPEST)
        score = self._bonus.get(row, 0.0) + _PER_COLUMN * columns
        if row and rows.indents[row - 1] == BLANK:
            score += _BLANK_ABOVE
        if rows.spanned[row]:
            score += _SPANNED
        elif _CLOSES.match(rows.bare(row)):
            score += _CLOSER
        return score


def _cut(rows: Rows, plan: _Plan, start: int) -> int:
    """Return the row at which the chunk that begins at `start` ends."""
    begin = rows.starts[start]
    if rows.starts[-1] - begin <= LIMIT:
        return len(rows)
    full = max(bisect_right(rows.starts, begin + LIMIT) - 1, start + 1)
    half = min(max(bisect_left(rows.starts, begin + LIMIT // 2), start + 1), full)
    allowed = [row for row in range(half, full + 1) if not plan.inside[row]]
    if allowed:
        span = max(1, full - half)
        return max(allowed, key=lambda row: (plan.score(row) + _LATE * (row - half) / span, row))
    before = next((row for row in range(half - 1, start, -1) if not plan.inside[row]), start)
    behind = next(row for row in range(full + 1, len(rows) + 1) if not plan.inside[row])
    if rows.size(start, before) < SMALL and rows.size(start, behind) <= STRETCH:
        return behind
    return before if before > start else full


def _cuts(rows: Rows, plan: _Plan) -> list[int]:
    """Return the rows at which chunks begin, and the end."""
    cuts = [0]
    while cuts[-1] < len(rows):
        cuts.append(_cut(rows, plan, cuts[-1]))
    if len(cuts) > 2 and rows.size(cuts[-2], cuts[-1]) < SMALL and rows.size(cuts[-3], cuts[-1]) <= STRETCH:
        del cuts[-2]
    return cuts


class _Scopes:
    """The names of the definitions around a row, asked for in rising order of rows."""

    def __init__(self, rows: Rows, extents: Sequence[Extent]) -> None:
        self._rows = rows
        self._pending = list(reversed(extents))
        self._open: list[Extent] = []

    def around(self, start: int, end: int) -> tuple[str, ...]:
        """Return the names around the first row in [start, end) that is neither blank nor a comment above."""
        first = self._first(start, end)
        while self._pending and self._pending[-1].row < first:
            extent = self._pending.pop()
            while self._open and self._open[-1].end <= extent.row:
                self._open.pop()
            self._open.append(extent)
        while self._open and self._open[-1].end <= first:
            self._open.pop()
        return tuple(extent.definition.name for extent in self._open)

    def _first(self, start: int, end: int) -> int:
        """Return the row of the definition whose comments the chunk begins with, else its first row with text."""
        upcoming = next((extent for extent in reversed(self._pending) if extent.row >= start), None)
        if upcoming is not None and upcoming.lead <= start and upcoming.row < end:
            return upcoming.row
        return next((row for row in range(start, end) if self._rows.indents[row] != BLANK), start)


def _symbols(extents: Sequence[Extent]) -> dict[int, str]:
    """Return the qualified names of all definitions but values, by their lines in rising order."""
    found: dict[int, str] = {}
    around: list[Extent] = []
    for extent in extents:
        while around and around[-1].end <= extent.row:
            around.pop()
        around.append(extent)
        if extent.definition.kind is not DefinitionKind.VALUE:
            found[extent.definition.line] = ".".join(each.definition.name for each in around)
    return found


def _by_size(text: str) -> Iterator[Chunk]:
    start, line = 0, 1
    for end in cut_by_size(text, LIMIT):
        piece = text[start:end]
        breaks = piece.count("\n")
        yield Chunk(line, line + breaks - piece.endswith("\n"), piece)
        start, line = end, line + breaks


def chunk_code(document: Document) -> tuple[Chunk, ...]:
    """Return the chunks of `document`, in order, without gap or overlap; () for an empty text. Never raises.

    A chunk has at most `LIMIT` characters, or `STRETCH` to keep something whole. Linear in the length of the text.
    """
    if document.text.count("\n") > MOST_LINES:
        return tuple(_by_size(document.text))
    rows = rows_of(document.text, document.lang, LIMIT)
    extents = extents_of(document, rows)
    scopes = _Scopes(rows, extents)
    lines = [definition.line for definition in document.definitions]
    symbols = _symbols(extents)
    chunks = []
    for start, end in pairwise(_cuts(rows, _Plan(rows, extents, document.fences))):
        first, last = rows.lines[start], rows.lines[end - 1]
        # A line in several rows: what it defines belongs to the first.
        fresh = first + 1 if start and rows.lines[start - 1] == first else first
        found = document.definitions[bisect_left(lines, fresh) : bisect_right(lines, last)]
        text = document.text[rows.starts[start] : rows.starts[end]]
        around = scopes.around(start, end)
        own = next((symbols[each.line] for each in found if each.line in symbols), None)
        symbol = own or ".".join(around) or None
        chunks.append(Chunk(first, last, text, scopes=around, definitions=found, symbol=symbol))
    return tuple(chunks)
