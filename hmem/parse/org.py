"""Org: starred headings, `#+KEY:` lines on top, blocks and tables, links and tags."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hmem.parse.outline import Outline, Span, declare, distinct, lines_outside, section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.types import Json, Section

_HEADING = re.compile(r"(\*+)[ \t]+(\S.*)")
_STATES = "TODO|DONE|NEXT|WAITING|WAIT|CANCELLED|CANCELED|STARTED|HOLD|SOMEDAY"
_STATE = re.compile(rf"(?:(?:{_STATES})[ \t]+)?(?:\[#[A-Z0-9]\][ \t]+)?")
_TAGS = re.compile(r"[ \t]:([\w@#%:]+):[ \t]*$")
_KEYWORD = re.compile(r"#\+(\w{1,80}):[ \t]*(.*)")
_BEGIN = re.compile(r"[ \t]*#\+begin_(\S{1,80})", re.I)
_END = re.compile(r"[ \t]*#\+end_(\S{1,80})", re.I)
_LINK = re.compile(r"\[\[([^\[\]\n]{1,2000})\](?:\[([^\[\]\n]{1,500})\])?\]")
_MARKUP = re.compile(r"(?<!\w)([*=~])(?=\S)([^*=~]+)(?<=\S)\1(?!\w)")


def read_org(lines: Sequence[str], first: int) -> Outline:
    """Return the outline of a text from the 1-based line `first`; headings without state, priority and tags."""
    sections: list[Section] = []
    tags: list[str] = []
    keywords: dict[str, Json] = {}
    blocks = _blocks(lines, first)
    ends = dict(blocks)
    number = first
    while number <= len(lines):
        line = lines[number - 1]
        if number in ends:
            number = ends[number]
        elif line.startswith("*") and (match := _HEADING.fullmatch(line[:2000])):
            heading, found = _title(match[2])
            tags += found
            sections.append(section(number, len(match[1]), heading))
        elif not sections and (match := _KEYWORD.fullmatch(line)):
            declare(keywords, match[1], match[2])
        number += 1
    title = keywords.get("title")
    return Outline(
        sections=tuple(sections),
        whole=tuple(sorted(blocks + _tables(lines, first))),
        links=distinct(_target(match[1]) for match in _LINK.finditer(lines_outside(lines, first, blocks))),
        tags=distinct([*str(keywords.get("filetags", "")).replace(":", " ").split(), *tags]),
        title=str(title) if title else None,
        metadata=keywords,
    )


def _title(text: str) -> tuple[str, list[str]]:
    """Return the plain title of a heading and its tags."""
    text = _STATE.sub("", text, count=1)
    found = _TAGS.search(text)
    if found is not None:
        text = text[: found.start()]
    text = _LINK.sub(lambda match: match[2] or match[1], text)
    return _MARKUP.sub(r"\2", text), found[1].split(":") if found else []


def _target(link: str) -> str:
    return link.removeprefix("file:").partition("::")[0]


def _blocks(lines: Sequence[str], first: int) -> list[Span]:
    """Return the lines of the `#+begin_` … `#+end_` blocks that are closed; none inside another."""
    following: dict[str, int] = {}
    ends: dict[int, int] = {}
    for number in range(len(lines), first - 1, -1):
        line = lines[number - 1]
        if end := _END.match(line):
            following[end[1].lower()] = number
        elif (begin := _BEGIN.match(line)) and begin[1].lower() in following:
            ends[number] = following[begin[1].lower()]
    spans: list[Span] = []
    for start in sorted(ends):
        if not spans or start > spans[-1][1]:
            spans.append((start, ends[start]))
    return spans


def _tables(lines: Sequence[str], first: int) -> list[Span]:
    spans: list[Span] = []
    for number in range(first, len(lines) + 1):
        if lines[number - 1].lstrip(" \t").startswith("|"):
            if spans and spans[-1][1] == number - 1:
                spans[-1] = (spans[-1][0], number)
            else:
                spans.append((number, number))
    return spans
