"""Where definitions begin and end in the rows of a text: by indentation, with what stands directly above them."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hmem.chunk.rows import BLANK
from hmem.parse.code import goes_on
from hmem.parse.languages import LANGUAGES

if TYPE_CHECKING:
    from hmem.chunk.rows import Rows
    from hmem.types import Definition, Document

# Lines that close nothing wherever they stand, where `#` is no comment: preprocessor lines, labels.
_PASSES: Final = re.compile(r"#\s*\w|\w+:$")
# Lines at the column of a definition that still belong to it: brackets and closing words.
_BELONGS: Final = re.compile(r"[)\]}{>]|(?:end|where|rescue|ensure|catch|after|else)\b")
_LEADS: Final = re.compile(r"@|#\[|\[.*\]$|template\s*<")  # decorators, attributes, template parameters
_DOCUMENTED_ABOVE: Final = frozenset({"julia", "graphql"})  # where a string documents what follows it


@dataclass(slots=True)
class Extent:
    """The rows of a definition: `lead` the first one with what stands above, `row` its own, `end` after the last."""

    definition: Definition
    lead: int
    row: int
    end: int


class _Reader:
    """Reads the extents of a document's definitions in one pass over its rows."""

    def __init__(self, document: Document, rows: Rows) -> None:
        language = LANGUAGES.get(document.lang)
        syntax = language.syntax if language else None
        self._rows = rows
        self._comments = (*syntax.line, *(opening for opening, _ in syntax.comments)) if syntax else ()
        self._preprocessed = "//" in self._comments and "#" not in self._comments
        self._strings = ('"""',) if document.lang in _DOCUMENTED_ABOVE else ()
        self._definitions = {bisect_left(rows.lines, each.line): each for each in reversed(document.definitions)}
        self._open: list[Extent] = []
        self._last = -1  # the last row with code

    def _lead(self, row: int) -> int:
        """Return the first row of the comments, decorators and attributes directly above `row`."""
        rows = self._rows
        start, above = row, row - 1
        while above >= 0:
            while above > 0 and rows.spanned[above]:  # up to the line that opened the comment or string
                above -= 1
            bare = rows.bare(above)
            leads = bare.startswith(self._comments + self._strings) or _LEADS.match(bare)
            if rows.indents[above] != rows.indents[row] or not leads:
                break
            start, above = above, above - 1
        return start

    def _close(self, indent: int) -> None:
        """End what is open at `indent` or deeper with the last row of code."""
        while self._open and self._open[-1].definition.indent >= indent:
            self._open.pop().end = self._last + 1

    def _pass(self, row: int, bare: str) -> None:
        """Close what a row of code that defines nothing ends."""
        if self._rows.spanned[row] or (self._preprocessed and _PASSES.match(bare)):
            return
        indent = self._rows.indents[row]
        self._close(indent + 1)
        if self._open and not _BELONGS.match(bare) and not goes_on(bare, self._open[-1].definition.name):
            self._close(indent)

    def read(self) -> list[Extent]:
        """Return the extents in the order of their rows."""
        found: list[Extent] = []
        comment = False
        for row, indent in enumerate(self._rows.indents):
            if indent == BLANK or (comment and self._rows.spanned[row]):
                continue
            bare = self._rows.bare(row)
            definition = self._definitions.get(row)
            # A comment belongs to what goes on below it, or to nothing.
            comment = definition is None and not self._rows.spanned[row] and bare.startswith(self._comments)
            if comment:
                continue
            if definition is None:
                self._pass(row, bare)
            else:
                self._close(definition.indent)
                found.append(Extent(definition, self._lead(row), row, row + 1))
                self._open.append(found[-1])
            self._last = row
        self._close(0)
        return found


def extents_of(document: Document, rows: Rows) -> list[Extent]:
    """Return the extents of the definitions of `document`, whose rows are `rows`. Linear in their number."""
    return _Reader(document, rows).read()
