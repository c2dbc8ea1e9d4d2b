"""The block structure of Markdown: headings, fences, indented code, raw HTML and tables, inside quotes and lists.

The block phase of CommonMark, line by line, keeping only what chunks need. markdown-it-py reads 1 MB of plain notes in
0.6 s but needs 5.9 s for 1 MB of short list items and 2.9 s for 0.4 MB of headings; this scanner is several times as
fast and linear on any input. The tests hold it to markdown-it-py on random documents. Containers deeper than
`MAX_DEPTH` are read as the text of the innermost one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from hmem.parse.leaves import (
    Html,
    atx_heading,
    closes_fence,
    fence_mark,
    html_block,
    is_rule,
    references_end,
    setext_level,
    underlines_table,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.parse.outline import Span

MAX_DEPTH: Final = 32

_NONSPACE = re.compile(r"[^ ]")
_MARKER = re.compile(r"(?:[-+*]|([0-9]{1,9})[.)])(?=[ ]|$)")
_QUOTE: Final = -1


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading outside quotes and lists: its first line and number of lines, its raw content on one line."""

    line: int
    lines: int
    level: int
    text: str


@dataclass(slots=True)
class Blocks:
    """What `scan_blocks` found, in order.

    `opaque` are lines whose text is no prose (code and raw HTML such as comments), `whole` the blocks to keep in one
    piece (code and tables).
    """

    headings: list[Heading] = field(default_factory=list)
    opaque: list[Span] = field(default_factory=list)
    whole: list[Span] = field(default_factory=list)


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
    """The blocks that are open at the end of the lines seen so far.

    A container is the indentation that goes on with a list item, or `_QUOTE`. The leaf is the one block that takes
    text.
    """

    def __init__(self) -> None:
        self.found = Blocks()
        self._containers: list[int] = []
        self._empty_item = False  # the innermost container is an item without content so far
        self._leaf = _Leaf.NONE
        self._start = 0
        self._code_end = 0  # the last line of indented code that is not blank
        self._paragraph: list[str] = []
        self._lazy = False  # the last line of the paragraph goes on with it from outside its container
        self._fence = ""
        self._html = Html()

    def feed(self, number: int, line: str) -> None:
        """Take the next line."""
        if not self._containers and line[:1].isalpha() and self._plain(number, line):
            return
        if not line.strip(" \t"):
            self._blank(number)
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
        else:
            self._open(number, line, position, depth)

    def close_leaf(self, number: int) -> None:
        """End the open leaf before line `number`."""
        leaf, self._leaf = self._leaf, _Leaf.NONE
        if leaf is _Leaf.PARAGRAPH:
            self._paragraph = []
        elif leaf is not _Leaf.NONE:
            span = (self._start, self._code_end if leaf is _Leaf.CODE else number - 1)
            if leaf is not _Leaf.HTML:
                self.found.whole.append(span)
            if leaf in (_Leaf.FENCE, _Leaf.CODE) or (leaf is _Leaf.HTML and self._html.end is not None):
                self.found.opaque.append(span)

    def _plain(self, number: int, line: str) -> bool:
        """Take a line that starts with a letter outside any container, if only text can come of it."""
        if self._leaf is _Leaf.NONE:
            self._begin(_Leaf.PARAGRAPH, number)
        if self._leaf is _Leaf.PARAGRAPH:
            self._paragraph.append(line)
            self._lazy = False
            return True
        return self._leaf is _Leaf.TABLE or self._leaf is _Leaf.FENCE

    def _blank(self, number: int) -> None:
        """Take a blank line: it goes on with list items, not with quotes, nor with an item that began blank."""
        containers = self._containers
        depth = containers.index(_QUOTE) if _QUOTE in containers else len(containers) - self._empty_item
        if depth < len(containers) or self._leaf is _Leaf.PARAGRAPH or self._leaf is _Leaf.TABLE:
            self._leave(number, depth)
        elif self._leaf is _Leaf.HTML and self._html.end is None:
            self.close_leaf(number)

    def _match(self, line: str) -> tuple[int, int]:
        """Return the position behind the containers that a line goes on with, and how many these are."""
        position = 0
        last = len(self._containers) - 1
        for depth, width in enumerate(self._containers):
            match = _NONSPACE.search(line, position)
            if width == _QUOTE:
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
            if match and indent < 4 and closes_fence(line[match.start() :], self._fence):
                self.close_leaf(number + 1)
            return True
        if self._leaf is _Leaf.HTML:
            if self._html.end is None:
                if match is None:
                    self.close_leaf(number)
            elif self._html.end.search(line, position):
                self.close_leaf(number + 1)
            return True
        if self._leaf is _Leaf.CODE:
            if match is None or indent >= 4:
                self._code_end = number if match else self._code_end
                return True
            self.close_leaf(number)
        elif self._leaf is _Leaf.TABLE and (match is None or indent >= 4):
            self.close_leaf(number)
        return False

    def _open(self, number: int, line: str, position: int, depth: int) -> None:
        """Open the blocks that start on this line from `position`; what is left over is text."""
        while match := _NONSPACE.search(line, position):
            indent = match.start() - position
            if indent >= 4:
                if self._leaf is _Leaf.PARAGRAPH:
                    self._text(number, line[match.start() :], depth)
                else:
                    self._begin(_Leaf.CODE, number)
                    self._code_end = number
                return
            text = line[match.start() :]
            if self._open_leaf(number, text, depth):
                return
            width = self._container(text, indent, depth)
            if width is None:
                self._text(number, text, depth)
                return
            self._leave(number, depth)
            self._containers.append(width)
            self._empty_item = False
            depth += 1
            position = match.end() + line.startswith(" ", match.end()) if width == _QUOTE else position + width
        self._empty_item = self._containers[-1] != _QUOTE

    def _container(self, text: str, indent: int, depth: int) -> int | None:
        """Return the container that `text` opens, if it does."""
        if depth >= MAX_DEPTH:
            return None
        if text[0] == ">":
            return _QUOTE
        marker = _MARKER.match(text)
        if marker is None:
            return None
        content = _NONSPACE.search(text, marker.end())
        # A list may break into a paragraph only with text in its first item, counted from 1.
        if self._inside(depth) and (content is None or (marker[1] and int(marker[1]) != 1)):
            return None
        blanks = content.start() - marker.end() if content else 0
        return indent + marker.end() + (blanks if 1 <= blanks <= 4 else 1)

    def _inside(self, depth: int) -> bool:
        """Whether a line that goes on with `depth` containers stands directly in the open paragraph."""
        return self._leaf is _Leaf.PARAGRAPH and depth == len(self._containers)

    def _open_leaf(self, number: int, text: str, depth: int) -> bool:
        """Open the leaf that starts with `text`; False if none but a paragraph can."""
        inside = self._inside(depth)
        if inside and not self._lazy and underlines_table(text, self._paragraph[-1]):
            self.close_leaf(number)
            self._begin(_Leaf.TABLE, number - 1)
            return True
        sign = text[0]
        if sign == "#":
            return self._open_heading(number, text, depth)
        if sign in "`~":
            return self._open_fence(number, text, depth)
        if sign == "<":
            return self._open_html(number, text, depth)
        if inside and (level := setext_level(text)):
            return self._close_heading(number, level)
        if sign in "-*_" and is_rule(text):
            self._leave(number, depth)
            self._empty_item = False
            return True
        return False

    def _begin(self, leaf: _Leaf, number: int) -> None:
        self._leaf = leaf
        self._start = number
        self._lazy = False
        self._empty_item = False

    def _open_heading(self, number: int, text: str, depth: int) -> bool:
        heading = atx_heading(text)
        if heading is None:
            return False
        self._leave(number, depth)
        self._empty_item = False
        if depth == 0:
            self.found.headings.append(Heading(number, 1, *heading))
        return True

    def _close_heading(self, number: int, level: int) -> bool:
        """Turn the paragraph into a heading; False if it only defines link references."""
        content = "\n".join(line.strip(" ") for line in self._paragraph)
        end = references_end(content)
        rest = content[end:].strip()
        if not rest:
            return False
        if not self._containers:
            line = self._start + content.count("\n", 0, end)
            self.found.headings.append(Heading(line, number - line + 1, level, rest.replace("\n", " ")))
        self.close_leaf(number)
        return True

    def _open_fence(self, number: int, text: str, depth: int) -> bool:
        mark = fence_mark(text)
        if mark is None:
            return False
        self._leave(number, depth)
        self._begin(_Leaf.FENCE, number)
        self._fence = mark
        return True

    def _open_html(self, number: int, text: str, depth: int) -> bool:
        html = html_block(text, lone=self._leaf not in (_Leaf.PARAGRAPH, _Leaf.TABLE))
        if html is None:
            return False
        self._leave(number, depth)
        self._begin(_Leaf.HTML, number)
        self._html = html
        if html.end is not None and html.end.search(text):
            self.close_leaf(number + 1)
        return True

    def _text(self, number: int, text: str, depth: int) -> None:
        """Add a line of text to the table or the paragraph, or start a paragraph."""
        if self._leaf is _Leaf.TABLE:
            return
        if self._leaf is _Leaf.PARAGRAPH:
            self._paragraph.append(text)
            self._lazy = depth < len(self._containers)
            return
        self._leave(number, depth)
        self._begin(_Leaf.PARAGRAPH, number)
        self._paragraph.append(text)
