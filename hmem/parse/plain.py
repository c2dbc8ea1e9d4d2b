"""Plain text: headings only where a line cannot be anything else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hmem.parse.outline import Outline, section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.types import Section

_LONGEST = 80
_ATX = re.compile(r"(#{1,6})[ \t]+([^\s#].*?)[ \t]*#*")
_EQUALS = re.compile(r"(={1,6})[ \t]*([^\s=](?:.*[^\s=])?)[ \t]*\1")
_UNDERLINE = re.compile(r"([=\-~^*#])\1{2,}")
_NUMBERED = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?[ \t]+[^\W\d_][^.!?;:,]*")
_CAPITALS = re.compile(r"[^\W\d_a-z][^a-z]*")
_UNDERLINE_LEVEL = {"=": 1, "#": 1, "*": 1, "-": 2, "~": 3, "^": 4}


def read_plain(lines: Sequence[str], first: int) -> Outline:
    """Return the headings of `lines` from the 1-based line `first`.

    A heading stands between blank lines (or the ends) and is underlined, marked by `#` or `=`, numbered, or in
    capitals.
    """
    sections: list[Section] = []
    for index in range(first - 1, len(lines)):
        line = lines[index]
        if not line or len(line) > _LONGEST or line[0].isspace() or (index >= first and lines[index - 1].strip()):
            continue
        below = lines[index + 1] if index + 1 < len(lines) else ""
        heading = _heading(line, below)
        if heading is not None:
            sections.append(section(index + 1, *heading))
    return Outline(sections=tuple(sections))


def _heading(line: str, below: str) -> tuple[int, str, int] | None:
    """Return level, title and number of lines of the heading that `line` with the line below it makes."""
    line = line.rstrip()
    if below.strip():
        underline = _UNDERLINE.fullmatch(below.rstrip())
        if underline and abs(len(below.rstrip()) - len(line)) <= max(2, len(line) // 4) and line[0].isalnum():
            return _UNDERLINE_LEVEL[underline[1]], line, 2
        return None
    if match := _ATX.fullmatch(line) or _EQUALS.fullmatch(line):
        return len(match[1]), match[2], 1
    if match := _NUMBERED.fullmatch(line):
        return match[1].count(".") + 1, line, 1
    if _CAPITALS.fullmatch(line) and sum(c.isalpha() for c in line) >= 4 and line.upper() != line.lower():
        return 1, line, 1
    return None
