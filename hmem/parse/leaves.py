"""What a line of Markdown can open, told from the line alone: the leaf blocks of CommonMark 0.31 and GFM tables.

Every function takes a line without its indentation, tabs expanded.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ATX = re.compile(r"(#{1,6})(?:[ ]|$)")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_DELIMITERS = re.compile(r"[|:-][-:| ]+")
_DELIMITER = re.compile(r" *:?-+:? *")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_REFERENCE = re.compile(
    r"""[ ]{0,3}\[(?:[^\[\]\\]|\\.)+\]:[ \n]*(?:<[^<>\n]*>|[^\s<]\S*)"""
    r"""(?:[ \n]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ ]*(?:\n|$)"""
)
_RAW_TAGS = "script|pre|style|textarea"
_RAW = (
    (re.compile(rf"<(?:{_RAW_TAGS})(?:[ >]|$)", re.I), re.compile(rf"</(?:{_RAW_TAGS})>", re.I)),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
)
_BLOCK_TAG = re.compile(
    r"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|"
    r"dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    r"menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|"
    r"track|ul)(?:[ ]|/?>|$)",
    re.I,
)
_LONE_TAG = re.compile(
    r"""(?:</[A-Za-z][A-Za-z0-9-]*[ ]*>|<[A-Za-z][A-Za-z0-9-]*"""
    r"""(?:[ ]+[A-Za-z_:][\w:.-]*(?:[ ]*=[ ]*(?:[^ "'=<>`]+|'[^']*'|"[^"]*"))?)*[ ]*/?>)[ ]*$""",
    re.A,
)


@dataclass(frozen=True, slots=True)
class Html:
    """A block of raw HTML: it ends with the line that matches `end`, without one before the next blank line."""

    end: re.Pattern[str] | None = None


_UNTIL_BLANK = Html()


def atx_heading(line: str) -> tuple[int, str] | None:
    """Return level and content of the `#` heading that `line` is."""
    match = _ATX.match(line)
    if match is None:
        return None
    content = line[match.end() :].strip(" ")
    bare = content.rstrip("#")
    return len(match[1]), content if bare and bare[-1] != " " else bare.rstrip(" ")


def setext_level(line: str) -> int | None:
    """Return the level of the heading that `line` underlines, if it is an underline."""
    bare = line.rstrip(" ")
    if bare[0] not in "=-" or bare.count(bare[0]) != len(bare):
        return None
    return 1 if bare[0] == "=" else 2


def is_rule(line: str) -> bool:
    """Whether `line` is a thematic break."""
    bare = line.replace(" ", "")
    return len(bare) >= 3 and bare[0] in "-*_" and bare.count(bare[0]) == len(bare)


def fence_mark(line: str) -> str | None:
    """Return the run of backticks or tildes with which `line` opens a fence."""
    match = _FENCE.match(line)
    return match and (match[1] or match[2])


def closes_fence(line: str, mark: str) -> bool:
    """Whether `line` closes a fence that `mark` opened."""
    bare = line.rstrip(" ")
    return len(bare) >= len(mark) and bare.count(mark[0]) == len(bare)


def html_block(line: str, *, lone: bool) -> Html | None:
    """Return the raw HTML that `line` opens; any tag alone on its line does so only if `lone`."""
    for start, end in _RAW:
        if start.match(line):
            return Html(end)
    if _BLOCK_TAG.match(line) or (lone and _LONE_TAG.match(line)):
        return _UNTIL_BLANK
    return None


def underlines_table(line: str, header: str) -> bool:
    """Whether `line` is a delimiter row with as many cells as the line `header` above it."""
    if "|" not in header or line.startswith("- ") or not _DELIMITERS.fullmatch(line):
        return False
    cells = _cells(line)
    return 0 < len(cells) == len(_cells(header)) and all(_DELIMITER.fullmatch(cell) for cell in cells)


def _cells(row: str) -> list[str]:
    cells = _CELL_BORDER.split(row.strip(" "))
    if cells and not cells[0].strip(" "):
        del cells[0]
    if cells and not cells[-1].strip(" "):
        del cells[-1]
    return cells


def references_end(paragraph: str) -> int:
    """Return the length of the link reference definitions with which a paragraph starts."""
    position = 0
    while match := _REFERENCE.match(paragraph, position):
        position = match.end()
    return position
