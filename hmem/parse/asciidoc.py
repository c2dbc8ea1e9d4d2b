"""AsciiDoc: section titles outside delimited blocks, header attributes, links."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hmem.parse.outline import Outline, Span, declare, distinct, lines_outside, listed, section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.types import Json, Section

_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
# Blocks whose content is not read, and blocks of blocks; both end with the line that opened them.
_VERBATIM = re.compile(r"-{4,}|\.{4,}|\+{4,}|/{4,}|(?:```|~~~)\w*|[|,:!]===+")
_COMPOUND = re.compile(r"={4,}|\*{4,}|_{4,}|--")
_ATTRIBUTE = re.compile(r":(\w[\w-]{0,80}):(?:[ \t]+(.*))?")
_UNDERLINES = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}
_MACRO = re.compile(r"(?:(?:link|xref|image):{1,2}|(?=https?://))(\S+)$")
_REFERENCE = re.compile(r"<<([^<>,\n]{1,500})(?:,[^<>\n]{0,500})?>>")
MAX_TARGET: Final = 500
_MARKUP = re.compile(r"([*_`+]{1,2})(?=\S)([^*_`+]+)(?<=\S)\1(?!\w)")


def read_asciidoc(lines: Sequence[str], first: int) -> Outline:
    """Return the outline of a text from the 1-based line `first`; `= Title` has level 1."""
    reader = _Reader(lines, first - 1)
    index = first - 1
    while index < len(lines):
        index = reader.read(index)
    return Outline(
        sections=tuple(reader.sections),
        whole=tuple(sorted(reader.verbatim + reader.compound)),
        links=distinct(_links(lines_outside(lines, first, reader.verbatim))),
        tags=distinct(word for key in ("tags", "keywords") for word in listed(str(reader.attributes.get(key, "")))),
        metadata=reader.attributes,
    )


class _Reader:
    """Reads line by line, delimited blocks of code as one; indexes count from 0."""

    def __init__(self, lines: Sequence[str], first: int) -> None:
        self.sections: list[Section] = []
        self.verbatim: list[Span] = []
        self.compound: list[Span] = []
        self.attributes: dict[str, Json] = {}
        self._lines = lines
        self._first = first
        self._ends = _closing_lines(lines, first)
        self._closed: set[int] = set()  # where compound blocks end
        self._inside = -1  # the last line of the outermost compound block
        self._header = True

    def read(self, index: int) -> int:
        """Read what starts at `index` and return the index behind it."""
        line = self._lines[index].rstrip()
        end = self._ends.get(index) if index not in self._closed else None
        if end is not None and _VERBATIM.fullmatch(line):
            self.verbatim.append((index + 1, end + 1))
            return end + 1
        if end is not None:
            self.compound.append((index + 1, end + 1))
            self._closed.add(end)
            self._inside = max(self._inside, end)
        elif index > self._inside:
            return index + self._open_line(index, line)
        return index + 1

    def _open_line(self, index: int, line: str) -> int:
        """Take a line outside delimited blocks and return how many lines it took."""
        if not line:
            self._header = self._header and not (self.sections or self.attributes)
        elif match := _HEADING.fullmatch(line[:2000]):
            self._add(index, len(match[1]), match[2].removesuffix(" " + match[1]), 1)
        elif self._header and (attribute := _ATTRIBUTE.fullmatch(line)):
            declare(self.attributes, attribute[1], attribute[2])
        elif level := self._underlined(index, line):
            self._add(index, level, line, 2)
            return 2
        return 1

    def _add(self, index: int, level: int, title: str, size: int) -> None:
        self._header = self._header and not self.sections and level == 1
        self.sections.append(section(index + 1, level, _MARKUP.sub(r"\2", title[:2000]), size))

    def _underlined(self, index: int, title: str) -> int | None:
        """Return the level of the title at `index` that the line below underlines, give or take a character."""
        below = self._lines[index + 1].rstrip() if index + 1 < len(self._lines) else ""
        level = _UNDERLINES.get(below[:1])
        above = self._lines[index - 1].strip() if index > self._first else ""
        if level is None or not title[0].isalnum() or (above and not above.startswith("[")):
            return None
        same = len(below) > 1 and below.count(below[0]) == len(below)
        return level if same and abs(len(title) - len(below)) <= 1 else None


def _closing_lines(lines: Sequence[str], first: int) -> dict[int, int]:
    """Return, for the index of every delimiter line that occurs again, the index where it next does."""
    following: dict[str, int] = {}
    ends: dict[int, int] = {}
    for index in range(len(lines) - 1, first - 1, -1):
        line = lines[index].rstrip()
        if line[:1] and line[0] in "-.+/`~|,:!=*_" and (_VERBATIM.fullmatch(line) or _COMPOUND.fullmatch(line)):
            mark = line[:3] if line[0] in "`~" else line
            if mark in following:
                ends[index] = following[mark]
            following[mark] = index
    return ends


def _links(prose: str) -> list[str]:
    """Return the targets of macros and cross references, in order."""
    found = [(match.start(), match[1]) for match in _REFERENCE.finditer(prose)]
    position = 0
    for before in prose.split("[")[:-1]:
        # The target is the word in front of the bracket.
        word = before[-MAX_TARGET:].rpartition("]")[2].rsplit(None, 1)[-1:]
        position += len(before) + 1
        if word and (match := _MACRO.search(word[0])):
            found.append((position, match[1]))
    return [target for _, target in sorted(found)]
