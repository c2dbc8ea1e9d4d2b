"""The block structure of Markdown: headings, fences, indented code, raw HTML and tables, inside quotes and lists.

The block phase of CommonMark 0.31 with GFM tables, line by line, keeping only what chunks need. markdown-it-py reads
1 MB of plain notes in 0.6 s but needs 5.9 s for 1 MB of short list items and stops at 20 levels; this scanner takes
about a tenth of that and is linear on any input. The tests hold it to markdown-it-py on random documents.
Containers deeper than `MAX_DEPTH` are read as the text of the innermost one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_DEPTH = 32

_NONSPACE = re.compile(r"[^ ]")
_ATX = re.compile(r"(#{1,6})(?:[ ]|$)")
_FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
_MARKER = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?=[ ]|$)")
_DELIMITERS = re.compile(r"[|:-][-:| ]*")
_DELIMITER = re.compile(r" *:?-+:? *")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_REFERENCE = re.compile(
    r"""[ ]{0,3}\[(?:[^\[\]\\]|\\.)+\]:[ \n]*(?:<[^<>\n]*>|[^\s<]\S*)"""
    r"""(?:[ \n]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ ]*(?:\n|$)"""
)
_OPAQUE_HTML = (
    (re.compile(r"<(?:script|pre|style|textarea)(?:[ >]|$)", re.I), re.compile(r"</(?:script|pre|style|textarea)>", re.I)),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
)
_HTML_BLOCK = re.compile(
    r"</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|"
    r"dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|"
    r"menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|"
    r"track|ul)(?:[ ]|/?>|$)",
    re.I,
)
_HTML_TAG = re.compile(
    r"""(?:</[A-Za-z][A-Za-z0-9-]*[ ]*>|<[A-Za-z][A-Za-z0-9-]*"""
    r"""(?:[ ]+[A-Za-z_:][\w:.-]*(?:[ ]*=[ ]*(?:[^ "'=<>`]+|'[^']*'|"[^"]*"))?)*[ ]*/?>)[ ]*$""",
    re.A,
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading outside quotes and lists. `text` is its raw content, lines joined by a blank."""

    line: int
    level: int
    text: str


@dataclass(slots=True)
class Blocks:
    """What `scan_blocks` found, in order, with 1-based inclusive line ranges.

    `opaque` are lines whose text is no prose (code and raw HTML such as comments), `whole` the blocks to keep in one
    piece (code and tables).
    """

    headings: list[Heading] = field(default_factory=list)
    opaque: list[tuple[int, int]] = field(default_factory=list)
    whole: list[tuple[int, int]] = field(default_factory=list)
    tables: list[tuple[int, int]] = field(default_factory=list)


class _Leaf(Enum):
    NONE = auto()
    PARAGRAPH = auto()
    FENCE = auto()
    CODE = auto()
    HTML = auto()
    TABLE = auto()


def scan_blocks(lines: Sequence[str], first: int = 1) -> Blocks:
    """Return the blocks of `lines` (without line ends), reading from the 1-based line `first`."""
    scanner = _Scanner()
    for number in range(first, len(lines) + 1):
        scanner.feed(number, lines[number - 1])
    scanner.close_leaf(len(lines) + 1)
    return scanner.found


class _Scanner:
    """The open blocks at the end of the lines seen so far.

    A container is the width of a list item's indent, or `_QUOTE`. The leaf is the one block that takes text.
    """

    _QUOTE = -1

    def __init__(self) -> None:
        self.found = Blocks()
        self._containers: list[int] = []
        self._empty_item = False  # the innermost container is an item without content so far
        self._leaf = _Leaf.NONE
        self._start = 0
        self._last = 0  # last line of indented code that is not blank
        self._paragraph: list[str] = []
        self._lazy = False  # the last line of the paragraph continues it from outside its container
        self._fence = ""
        self._html_end: re.Pattern[str] | None = None

    def feed(self, number: int, line: str) -> None:
        """Take the next line."""
        if not self._containers and line[:1].isalpha() and self._plain(number, line):
            return
        if "\t" in line:
            line = line.expandtabs(4)
        position, depth = self._match(line)
        match = _NONSPACE.search(line, position)
        if depth < len(self._containers):
            if self._leaf is not _Leaf.PARAGRAPH:
                self._leave(number, depth)
        elif self._leaf is not _Leaf.NONE and self._continue(number, line, position, match):
            return
        if match is None:
            self._leave(number, depth)
            return
        self._open(number, line, position, depth)

    def close_leaf(self, number: int) -> None:
        """End the open leaf before line `number`."""
        leaf, self._leaf = self._leaf, _Leaf.NONE
        if leaf is _Leaf.PARAGRAPH:
            self._paragraph = []
        elif leaf is _Leaf.TABLE:
            self.found.whole.append((self._start, number - 1))
            self.found.tables.append((self._start, number - 1))
        elif leaf is not _Leaf.NONE:
            span = (self._start, self._last if leaf is _Leaf.CODE else number - 1)
            if leaf is not _Leaf.HTML:
                self.found.whole.append(span)
            if leaf is not _Leaf.HTML or self._html_end is not None:
                self.found.opaque.append(span)

    def _plain(self, number: int, line: str) -> bool:
        """Take a line that starts with a letter outside any container, if only text can come of it."""
        if self._leaf is _Leaf.PARAGRAPH:
            self._paragraph.append(line)
            self._lazy = False
            return True
        if self._leaf is _Leaf.NONE:
            self._begin(_Leaf.PARAGRAPH, number)
            self._paragraph.append(line)
            return True
        return self._leaf is _Leaf.TABLE or self._leaf is _Leaf.FENCE

    def _match(self, line: str) -> tuple[int, int]:
        """Return the position behind the containers that this line continues, and how many these are."""
        position = 0
        last = len(self._containers) - 1
        for depth, width in enumerate(self._containers):
            match = _NONSPACE.search(line, position)
            if width == self._QUOTE:
                if match is None or match.start() - position > 3 or match[0] != ">":
                    return position, depth
                position = match.end() + line.startswith(" ", match.end())
            elif match is None:
                if depth == last and self._empty_item:
                    return position, depth
            elif match.start() - position >= width:
                position += width
            else:
                return position, depth
        return position, last + 1

    def _leave(self, number: int, depth: int) -> None:
        """Close the leaf and the containers beyond `depth`."""
        self.close_leaf(number)
        if depth < len(self._containers):
            del self._containers[depth:]
            self._empty_item = False

    def _continue(self, number: int, line: str, position: int, match: re.Match[str] | None) -> bool:
        """Whether the open leaf takes the line, whose containers all match; else the leaf is closed if it must be."""
        indent = match.start() - position if match else 0
        if self._leaf is _Leaf.FENCE:
            if match and indent < 4 and self._closes_fence(line[match.start() :]):
                self.close_leaf(number + 1)
            return True
        if self._leaf is _Leaf.HTML:
            if self._html_end is None:
                if match is None:
                    self.close_leaf(number)
            elif self._html_end.search(line, position):
                self.close_leaf(number + 1)
            return True
        if self._leaf is _Leaf.CODE:
            if match is None or indent >= 4:
                self._last = number if match else self._last
                return True
            self.close_leaf(number)
        elif self._leaf is _Leaf.TABLE and (match is None or indent >= 4):
            self.close_leaf(number)
        return False

    def _closes_fence(self, text: str) -> bool:
        text = text.rstrip(" ")
        return len(text) >= len(self._fence) and text.count(self._fence[0]) == len(text)

    def _open(self, number: int, line: str, position: int, depth: int) -> None:
        """Open the blocks that start on this line, from `position`; what is left over is text."""
        while True:
            match = _NONSPACE.search(line, position)
            if match is None:
                self._empty_item = bool(self._containers) and self._containers[-1] != self._QUOTE
                return
            start, sign = match.start(), match[0]
            if start - position >= 4:
                if self._leaf is not _Leaf.PARAGRAPH:
                    self._begin(_Leaf.CODE, number)
                    self._last = number
                    return
                break
            text = line[start:]
            if self._open_leaf(number, text, sign, depth):
                return
            width = self._container(text, sign, start - position, depth)
            if width is None:
                break
            self._leave(number, depth)
            self._containers.append(width)
            self._empty_item = False
            depth += 1
            if width == self._QUOTE:
                position = start + 1 + line.startswith(" ", start + 1)
            else:
                position += width
        self._text(number, line[start:], depth)

    def _container(self, text: str, sign: str, indent: int, depth: int) -> int | None:
        """Return the container that `text` opens, if it does."""
        if len(self._containers[:depth]) >= MAX_DEPTH:
            return None
        if sign == ">":
            return self._QUOTE
        marker = _MARKER.match(text)
        if marker is None:
            return None
        content = _NONSPACE.search(text, marker.end())
        if self._leaf is _Leaf.PARAGRAPH and depth == len(self._containers):
            # A list may break into a paragraph only with text in its first item, counted from 1.
            if content is None or (marker[1] and int(marker[1]) != 1):
                return None
        blanks = content.start() - marker.end() if content else 0
        return indent + marker.end() + (blanks if 1 <= blanks <= 4 else 1)

    def _open_leaf(self, number: int, text: str, sign: str, depth: int) -> bool:
        """Open the leaf that starts with `text`; False if none but a paragraph can."""
        inside = self._leaf is _Leaf.PARAGRAPH and depth == len(self._containers)
        if inside and not self._lazy and self._starts_table(text):
            self._begin_table(number)
            return True
        if sign == "#":
            return self._heading(number, text, depth)
        if sign in "`~":
            return self._open_fence(number, text, depth)
        if sign == "<":
            return self._open_html(number, text, depth)
        if inside and sign in "=-" and (bare := text.rstrip(" ")).count(sign) == len(bare):
            return self._setext(number, 1 if sign == "=" else 2)
        if sign in "-*_":
            bare = text.replace(" ", "")
            if len(bare) >= 3 and bare.count(sign) == len(bare):
                self._leave(number, depth)
                self._empty_item = False
                return True
        return False

    def _begin(self, leaf: _Leaf, number: int) -> None:
        self._leaf = leaf
        self._start = number
        self._lazy = False
        self._empty_item = False

    def _heading(self, number: int, text: str, depth: int) -> bool:
        match = _ATX.match(text)
        if match is None:
            return False
        self._leave(number, depth)
        self._empty_item = False
        if depth == 0:
            content = text[match.end() :].strip(" ")
            bare = content.rstrip("#")
            closed = content if bare and bare[-1] != " " else bare.rstrip(" ")
            self.found.headings.append(Heading(number, len(match[1]), closed))
        return True

    def _setext(self, number: int, level: int) -> bool:
        """Turn the paragraph into a heading; False if it only defines link references."""
        content = "\n".join(line.strip(" ") for line in self._paragraph)
        position = 0
        while match := _REFERENCE.match(content, position):
            position = match.end()
        rest = content[position:].strip()
        if not rest:
            return False
        if not self._containers:
            line = self._start + content.count("\n", 0, position)
            self.found.headings.append(Heading(line, level, " ".join(rest.split("\n"))))
        self.close_leaf(number)
        return True

    def _open_fence(self, number: int, text: str, depth: int) -> bool:
        match = _FENCE.match(text)
        if match is None:
            return False
        self._leave(number, depth)
        self._begin(_Leaf.FENCE, number)
        self._fence = match[1] or match[2]
        return True

    def _open_html(self, number: int, text: str, depth: int) -> bool:
        for start, end in _OPAQUE_HTML:
            if opening := start.match(text):
                self._leave(number, depth)
                self._begin(_Leaf.HTML, number)
                self._html_end = end
                if end.search(text, opening.start()):
                    self.close_leaf(number + 1)
                return True
        # Any other complete tag alone on its line may not break into a paragraph or a table.
        alone = self._leaf not in (_Leaf.PARAGRAPH, _Leaf.TABLE) and _HTML_TAG.match(text)
        if not alone and not _HTML_BLOCK.match(text):
            return False
        self._leave(number, depth)
        self._begin(_Leaf.HTML, number)
        self._html_end = None
        return True

    def _starts_table(self, text: str) -> bool:
        """Whether `text` is a delimiter row that fits the paragraph's last line as its header."""
        header = self._paragraph[-1]
        if "|" not in header or text.startswith("- ") or not _DELIMITERS.fullmatch(text):
            return False
        cells = _cells(text)
        return len(cells) == len(_cells(header)) and all(_DELIMITER.fullmatch(cell) for cell in cells)

    def _begin_table(self, number: int) -> None:
        self.close_leaf(number)
        self._begin(_Leaf.TABLE, number - 1)

    def _text(self, number: int, text: str, depth: int) -> None:
        """Add a line of text to the table or paragraph, or start a paragraph."""
        if self._leaf is _Leaf.TABLE:
            return
        if self._leaf is _Leaf.PARAGRAPH:
            self._paragraph.append(text)
            self._lazy = depth < len(self._containers)
            return
        self._leave(number, depth)
        self._begin(_Leaf.PARAGRAPH, number)
        self._paragraph.append(text)


def _cells(row: str) -> list[str]:
    cells = _CELL_BORDER.split(row.strip(" "))
    if cells and not cells[0].strip(" "):
        del cells[0]
    if cells and not cells[-1].strip(" "):
        del cells[-1]
    return cells
