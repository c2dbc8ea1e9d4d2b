"""A text as rows: its lines, where they begin and how far they are indented, without a copy of each."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hmem.parse.code import indent_of, spanned_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

BLANK: Final = -1
"""The indentation of a line without anything else."""

_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")
_WORD_EDGE: Final = re.compile(r"\W")


@dataclass(frozen=True, slots=True)
class Rows:
    """The lines of `text`, those longer than a limit in several rows. The sequences are parallel.

    `starts` holds the offset of each row and that of the end, `lines` 1-based numbers, `indents` columns or `BLANK`,
    `spanned` 1 where a row goes on with a comment, a string or a line.
    """

    text: str
    starts: array[int]
    lines: array[int]
    indents: array[int]
    spanned: bytearray

    def __len__(self) -> int:
        return len(self.lines)

    def bare(self, row: int) -> str:
        """Return the text of `row` without the white space around it."""
        return self.text[self.starts[row] : self.starts[row + 1]].strip()

    def size(self, start: int, end: int) -> int:
        """Return the number of characters in the rows from `start` up to `end`."""
        return self.starts[end] - self.starts[start]


def _pieces(line: str, limit: int) -> Iterator[int]:
    """Yield the sizes of the parts of `line`, at most `limit` each; they end behind a word if one ends late enough."""
    start = 0
    while len(line) - start > limit:
        half = start + limit // 2
        edges = [match.end() for match in _WORD_EDGE.finditer(line, half, start + limit)]
        end = edges[-1] if edges else start + limit
        yield end - start
        start = end
    yield len(line) - start


def rows_of(text: str, lang: str, limit: int) -> Rows:
    """Return the rows of `text`, written in `lang`, none longer than `limit` characters."""
    rows = Rows(text, array("q", [0]), array("l"), array("i"), bytearray())
    flags = spanned_lines(text, lang)
    for number, match in enumerate(_LINE.finditer(text), 1):
        line = match[0]
        indent = BLANK if line.isspace() else indent_of(line)
        for size in _pieces(line, limit) if len(line) > limit else (len(line),):
            continued = bool(rows.lines) and rows.lines[-1] == number
            rows.starts.append(rows.starts[-1] + size)
            rows.lines.append(number)
            rows.indents.append(indent)
            rows.spanned.append(continued or flags[number - 1])
    return rows
