"""MediaWiki and its like: `== headings ==`, verbatim tags, tables, links and categories."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hmem.parse.outline import Outline, Span, distinct, lines_outside, section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.types import Section

_HEADING = re.compile(r"(={1,6})(.+)\1[ \t]*")
_TAGS = ("pre", "nowiki", "syntaxhighlight", "source", "code")
_OPENING = re.compile(rf"<({'|'.join(_TAGS)})\b[^<>/]*>|<!--|\{{\{{\{{", re.I)
_CLOSING = {
    "<!--": re.compile("-->"),
    "{{{": re.compile(r"\}\}\}"),
    **{tag: re.compile(rf"</{tag}\s*>", re.I) for tag in _TAGS},
}
_COMMENT_AFTER = re.compile(r"<!--[^<>]*-->[ \t]*$")
_LINK = re.compile(r"\[\[[ \t]*:?([^\[\]|\n]{1,500}?)[ \t]*(?:\|[^\[\]\n]{0,500})?\]\]|\[(https?://[^\s\[\]]{1,2000})")
_TITLE_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_MARKUP = re.compile(r"'{2,5}")
_CATEGORY = re.compile(r"(?:category|kategorie|catégorie|categoría|categoria|категория)[ \t]*:[ \t]*", re.I)


def read_mediawiki(lines: Sequence[str], first: int) -> Outline:
    """Return the outline of a page from the 1-based line `first`; its categories are its tags."""
    sections: list[Section] = []
    verbatim: list[Span] = []
    tables: list[Span] = []
    closing: re.Pattern[str] | None = None
    opened = table = 0
    for number in range(first, len(lines) + 1):
        line = lines[number - 1]
        if closing is not None:
            if closing.search(line):
                verbatim.append((opened, number))
                closing = None
            continue
        if line.startswith("="):
            sections += _heading(number, line)
        elif line.startswith("{|"):
            table = number
        elif line.startswith("|}") and table:
            tables.append((table, number))
            table = 0
        opened, closing = number, _left_open(line)
    targets = [match[1] or match[2] for match in _LINK.finditer(lines_outside(lines, first, verbatim))]
    return Outline(
        sections=tuple(sections),
        whole=tuple(sorted(verbatim + tables)),
        links=distinct(each for each in targets if not _CATEGORY.match(each)),
        tags=distinct(_CATEGORY.sub("", each, count=1) for each in targets if _CATEGORY.match(each)),
    )


def _heading(number: int, line: str) -> list[Section]:
    match = _HEADING.fullmatch(_COMMENT_AFTER.sub("", line[:2000]))
    title = match[2].strip() if match else ""
    if match is None or not title:
        return []
    return [section(number, len(match[1]), _MARKUP.sub("", _TITLE_LINK.sub(r"\1", title)))]


def _left_open(line: str) -> re.Pattern[str] | None:
    """Return what closes the verbatim block that `line` leaves open, if it does."""
    position = 0
    while match := _OPENING.search(line, position):
        closing = _CLOSING[match[1].lower() if match[1] else match[0]]
        end = closing.search(line, match.end())
        if end is None:
            return closing
        position = end.end()
    return None
