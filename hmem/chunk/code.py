"""Cut source code, and any text without sections, at the boundaries a reader would choose.

A chunk is filled up to `LIMIT` characters and then cut in its last half at the line where most speaks for a new
beginning: a definition with its comments and decorators, a blank line above, a low indentation. A definition (or
fence) that fits in a chunk is not split; to keep it whole the cut may fall before the last half.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final

from hmem.parse.code import indent_of, spanned_lines
from hmem.parse.languages import LANGUAGES
from hmem.types import Chunk, DefinitionKind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hmem.types import Definition, Document

LIMIT: Final = 1_500
"""Characters a chunk aims to stay within. Measured: 600, 1,000, 2,000 and 2,500 rank .004 to .009 worse."""
STRETCH: Final = 2_000
"""Characters a chunk may reach to take in a piece that is too small to stand alone."""
SMALL: Final = 300
"""Characters below which a piece does not stand alone if a neighbour can take it."""

# What speaks for cutting above a line; the unit is arbitrary, only differences count.
_DEFINITION: Final = 3.0
_VALUE: Final = 1.0
_BLANK_ABOVE: Final = 1.5
_PER_COLUMN: Final = -0.25
_DEEPEST: Final = 16
_UNKNOWN_INDENT: Final = 12  # a blank line: nearly as bad as the deepest
_LATE: Final = 0.5  # for the last line that still fits, in proportion for those before
_CLOSER: Final = -2.0  # a closing bracket or keyword belongs to what it closes
_SPANNED: Final = -4.0  # inside a comment or string

_ROW: Final = re.compile(r"[^\n]*\n|[^\n]+")
_CLOSES: Final = re.compile(r"[)\]}>]|(?:end|fi|done|esac|else|elif|elsif|rescue|ensure|except|finally|catch)\b")
_CONTINUES: Final = re.compile(r"[)\]}{]|end\b|where\b|#\s*(?:if|ifdef|ifndef|else|elif|endif|define|undef)\b|\w+:\s*$")
_LEADS: Final = re.compile(r"@|#\[|\[\[?[A-Z]|template\s*<|/\*|\*|\"\"\"|\(\*|\{-")
_WORD_EDGE: Final = re.compile(r"\W")


@dataclass(frozen=True, slots=True)
class _Rows:
    """The lines of a text; a line longer than `LIMIT` is several rows. All lists are parallel."""

    texts: list[str]
    lines: list[int]  # 1-based
    offsets: list[int]  # characters before the row; one more than rows
    indents: list[int]  # -1: blank
    spanned: list[bool]


def _pieces(line: str) -> Iterator[str]:
    """`line` in parts of at most `LIMIT` characters, cut after a character that ends a word where there is one."""
    start = 0
    while len(line) - start > LIMIT:
        window = line[start + LIMIT // 2 : start + LIMIT]
        edges = [match.end() for match in _WORD_EDGE.finditer(window)]
        end = start + (LIMIT // 2 + edges[-1] if edges else LIMIT)
        yield line[start:end]
        start = end
    yield line[start:]


def _rows(document: Document) -> _Rows:
    flags = spanned_lines(document.text, document.lang)
    rows = _Rows([], [], [0], [], [])
    for number, match in enumerate(_ROW.finditer(document.text), 1):
        line = match[0]
        indent = indent_of(line) if line.strip() else -1
        for text in _pieces(line) if len(line) > LIMIT else (line,):
            rows.texts.append(text)
            rows.lines.append(number)
            rows.indents.append(indent)
            rows.spanned.append(bool(flags[number - 1]))
    rows.offsets.extend(accumulate(map(len, rows.texts)))
    return rows


class _Leads:
    """Finds the comments, decorators and attributes that stand directly above a definition."""

    def __init__(self, rows: _Rows, lang: str) -> None:
        language = LANGUAGES.get(lang)
        self._rows = rows
        self._marks = language.syntax.line if language else ()

    def _is_lead(self, row: int) -> bool:
        bare = self._rows.texts[row].lstrip()
        return bare.startswith(self._marks) or _LEADS.match(bare) is not None

    def first(self, row: int) -> int:
        """Return the first row of what belongs to the definition at `row`."""
        indents, spanned = self._rows.indents, self._rows.spanned
        start, above = row, row - 1
        while above >= 0:
            while above > 0 and spanned[above]:  # up to the line that opened the comment or string
                above -= 1
            if indents[above] != indents[row] or not self._is_lead(above):
                break
            start, above = above, above - 1
        return start


@dataclass(frozen=True, slots=True)
class _Plan:
    """Where cutting above a row is good (`scores`) and where it splits something that fits (`inside`)."""

    scores: list[float]
    inside: list[bool]


def _extent_end(rows: _Rows, row: int, name: str) -> int:
    """Return the row after the last one of the definition at `row`, by indentation."""
    indent, last = rows.indents[row], row
    limit = rows.offsets[row] + STRETCH
    for below in range(row + 1, len(rows.texts)):
        if rows.offsets[below] > limit:
            break
        at = rows.indents[below]
        if at < 0:
            continue
        bare = rows.texts[below].lstrip()
        if at <= indent and not rows.spanned[below] and not _CONTINUES.match(bare) and not bare.startswith(name):
            break
        last = below
    return last + 1


def _plan(document: Document, rows: _Rows) -> _Plan:
    count = len(rows.texts)
    inside = [False] * (count + 1)
    bonus: dict[int, float] = {}
    leads = _Leads(rows, document.lang)
    for definition in document.definitions:
        row = bisect_left(rows.lines, definition.line)
        start = leads.first(row)
        worth = _VALUE if definition.kind is DefinitionKind.VALUE else _DEFINITION
        bonus[start] = max(bonus.get(start, 0.0), worth)
        _protect(rows, inside, start, _extent_end(rows, row, definition.name))
    for first, last in document.fences:
        _protect(rows, inside, bisect_left(rows.lines, first), bisect_right(rows.lines, last))
    return _Plan([_score(rows, row, bonus.get(row, 0.0)) for row in range(count)], inside)


def _protect(rows: _Rows, inside: list[bool], start: int, end: int) -> None:
    """Forbid cuts between the rows of a block, if it fits in a chunk."""
    if rows.offsets[end] - rows.offsets[start] <= LIMIT:
        inside[start + 1 : end] = [True] * (end - start - 1)


def _score(rows: _Rows, row: int, bonus: float) -> float:
    indent = rows.indents[row]
    score = bonus + _PER_COLUMN * min(_UNKNOWN_INDENT if indent < 0 else indent, _DEEPEST)
    if row and rows.indents[row - 1] < 0:
        score += _BLANK_ABOVE
    if rows.spanned[row]:
        score += _SPANNED
    elif _CLOSES.match(rows.texts[row].lstrip()):
        score += _CLOSER
    return score


def _cut(rows: _Rows, plan: _Plan, start: int) -> int:
    """Return the row at which the chunk that begins at `start` ends."""
    offsets, count = rows.offsets, len(rows.texts)
    if offsets[count] - offsets[start] <= LIMIT:
        return count
    full = max(bisect_right(offsets, offsets[start] + LIMIT) - 1, start + 1)
    half = min(max(bisect_left(offsets, offsets[start] + LIMIT // 2), start + 1), full)
    allowed = [row for row in range(half, full + 1) if not plan.inside[row]]
    if not allowed:
        allowed = [row for row in range(half - 1, start, -1) if not plan.inside[row]][:1]
    span = max(1, full - half)
    return max(allowed or [full], key=lambda row: (plan.scores[row] + _LATE * (row - half) / span, row))


def _cuts(rows: _Rows, plan: _Plan) -> list[int]:
    """Return the row numbers at which chunks begin, and the end."""
    cuts, count = [0], len(rows.texts)
    while cuts[-1] < count:
        cuts.append(_cut(rows, plan, cuts[-1]))
    if len(cuts) > 2:
        begin, middle, end = (rows.offsets[cut] for cut in cuts[-3:])
        if end - middle < SMALL and end - begin <= STRETCH:
            del cuts[-2]
    return cuts


class _Scopes:
    """The names of the definitions around a row, asked for in rising order of rows."""

    def __init__(self, rows: _Rows, definitions: Sequence[Definition]) -> None:
        self._rows = rows
        self._pending = [d for d in reversed(definitions) if d.kind is not DefinitionKind.VALUE]
        self._open: list[Definition] = []

    def around(self, start: int, end: int) -> tuple[str, ...]:
        """Scopes of the first row in [start, end) that has an indentation of its own."""
        rows = self._rows
        own = (row for row in range(start, end) if rows.indents[row] >= 0 and not rows.spanned[row])
        row = next((row for row in own if not rows.texts[row].lstrip().startswith("#")), start)
        while self._pending and self._pending[-1].line < rows.lines[start]:
            definition = self._pending.pop()
            self._close(definition.indent)
            self._open.append(definition)
        if rows.spanned[row] or rows.indents[row] < 0:
            return tuple(definition.name for definition in self._open)
        return tuple(definition.name for definition in self._open if definition.indent < rows.indents[row])

    def _close(self, indent: int) -> None:
        while self._open and self._open[-1].indent >= indent:
            self._open.pop()


def chunk_code(document: Document) -> tuple[Chunk, ...]:
    """Return the chunks of `document`, in order, without gap or overlap; () for an empty text. Never raises.

    A chunk has at most `LIMIT` characters, `STRETCH` if it took in a small rest.
    """
    rows = _rows(document)
    if not rows.texts:
        return ()
    cuts = _cuts(rows, _plan(document, rows))
    scopes = _Scopes(rows, document.definitions)
    starts = [definition.line for definition in document.definitions]
    chunks = []
    for start, end in pairwise(cuts):
        first, last = rows.lines[start], rows.lines[end - 1]
        fresh = first if not start or rows.lines[start - 1] != first else first + 1  # a line's definitions: once
        found = document.definitions[bisect_left(starts, fresh) : bisect_right(starts, last)]
        text = "".join(rows.texts[start:end])
        chunks.append(Chunk(first, last, text, scopes=scopes.around(start, end), definitions=found))
    return tuple(chunks)
