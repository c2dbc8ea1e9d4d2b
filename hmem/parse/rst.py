"""reStructuredText: adorned titles, literal blocks and tables, fields on top, links."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hmem.parse.outline import Outline, Span, declare, distinct, lines_outside, listed, section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.types import Json, Section

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*")
# Lines that open another construct and so are no titles.
_NO_TITLE = re.compile(r"(?:[-+*•‣⁃|]|\.\.|__|>>>)(?:\s|$)|:[^:\s][^:]{0,80}:(?:\s|$)")
_FIELD = re.compile(r":([^:\s][^:]{0,80}):(?:[ \t]+(.*))?")
_CODE = re.compile(r"\.\. (?:code|code-block|sourcecode|parsed-literal|math|raw|highlight|productionlist)::")
_COMMENT = re.compile(r"\.\.(?:$|[ \t]+(?![_\[|])(?!\S{1,80}::))")
_BORDER = re.compile(r"[ \t]*=+(?:[ \t]+=+)+[ \t]*")
_LINK = re.compile(r"`[^`<>]{0,500}<([^<>`\s]{1,2000})>`_|:(?:doc|ref|term):`(?:[^`<>]{0,500}<)?([^`<>]{1,500})>?`")
_ROLE = re.compile(r":[\w:.+-]{1,40}:(?=`)")
_MARKUP = re.compile(r"``([^`]+)``|\*\*([^*]+)\*\*|\*([^*]+)\*|`([^`<]+?)(?:[ \t]*<[^`<>]*>)?`_{0,2}")


def read_rst(lines: Sequence[str], first: int) -> Outline:
    """Return the outline of a text from the 1-based line `first`.

    The level of a heading is the order in which its adornment first appears.
    """
    reader = _Reader(lines, first - 1)
    index = first - 1
    while index < len(lines):
        index = reader.read(index)
    prose = lines_outside(lines, first, reader.literal)
    return Outline(
        sections=tuple(reader.sections),
        whole=tuple(sorted(reader.literal + reader.tables)),
        links=distinct(match[1] or match[2] for match in _LINK.finditer(prose)),
        tags=distinct(word for key in ("tags", "keywords") for word in listed(str(reader.fields.get(key, "")))),
        metadata=reader.fields,
    )


class _Reader:
    """Reads block by block; indexes count from 0."""

    def __init__(self, lines: Sequence[str], first: int) -> None:
        self.sections: list[Section] = []
        self.literal: list[Span] = []
        self.tables: list[Span] = []
        self.fields: dict[str, Json] = {}
        self._lines = lines
        self._first = first
        self._levels: dict[str, int] = {}
        self._on_top = True  # nothing but titles, comments and fields so far
        self._tables_end = False  # no simple table is closed below

    def read(self, index: int) -> int:
        """Read what starts at `index` and return the index behind it."""
        line = self._lines[index]
        if not line or line.isspace():
            return index + 1
        for span, found in ((self._literal_block(index), self.literal), (self._table(index), self.tables)):
            if span is not None:
                found.append((index + 1, span))
                return span
        if size := self._heading(index):
            return index + size
        field = _FIELD.fullmatch(line) if self._on_top else None
        if field is not None:
            declare(self.fields, field[1], field[2])
        elif not line.startswith(".."):
            self._on_top = False
        return index + 1

    def _line(self, index: int) -> str:
        return self._lines[index].rstrip() if self._first <= index < len(self._lines) else ""

    def _heading(self, index: int) -> int:
        """Take the heading at `index` and return the number of its lines, 0 if there is none."""
        line, below, above = self._line(index), self._line(index + 1), self._line(index - 1)
        if line[0].isspace() or (above and not above.startswith("..") and not _ADORNMENT.fullmatch(above)):
            return 0
        over = _ADORNMENT.fullmatch(line)
        if over is not None:
            if below and self._line(index + 2) == line and _long_enough(line, below):
                return self._add(index, below, over[1] * 2, 3)
            return 0
        under = _ADORNMENT.fullmatch(below)
        if under is not None and _long_enough(below, line) and not _NO_TITLE.match(line):
            return self._add(index, line, under[1], 2)
        return 0

    def _add(self, index: int, title: str, style: str, size: int) -> int:
        level = self._levels.setdefault(style, len(self._levels) + 1)
        title = _ROLE.sub("", title[:2000].replace("\\ ", ""))
        title = _MARKUP.sub(lambda match: next(group for group in match.groups() if group), title)
        self.sections.append(section(index + 1, level, title, size))
        return size

    def _literal_block(self, index: int) -> int | None:
        """Return the index behind the code or comment that the line at `index` introduces, None if it does not."""
        bare = self._line(index).lstrip()
        introduced = bare.endswith("::") if not bare.startswith("..") else _CODE.match(bare) or _COMMENT.match(bare)
        return self._indented_end(index) if introduced else None

    def _indented_end(self, index: int) -> int | None:
        lines = self._lines
        indent = len(lines[index]) - len(lines[index].lstrip())
        end = None
        for number in range(index + 1, len(lines)):
            bare = lines[number].lstrip()
            if bare:
                if len(lines[number]) - len(bare) <= indent:
                    break
                end = number + 1
        return end

    def _table(self, index: int) -> int | None:
        """Return the index behind the grid or simple table that starts at `index`, None if none does."""
        line = self._line(index).lstrip()
        if line.startswith("+-") and line.endswith("+"):
            end = index + 1
            while self._line(end).lstrip().startswith(("+", "|")):
                end += 1
            return end if end > index + 2 else None
        if self._tables_end or not line.startswith("=") or not _BORDER.fullmatch(line):
            return None
        for end in range(index + 2, len(self._lines)):
            if not self._line(end + 1) and _BORDER.fullmatch(self._lines[end]):
                return end + 1
        self._tables_end = True
        return None


def _long_enough(adornment: str, title: str) -> bool:
    return len(adornment) >= min(4, len(title.strip()))
