"""Markdown: sections, links, wikilinks and tags. Headings inside quotes and lists are no sections."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import unquote

from hmem.parse.blocks import scan_blocks
from hmem.parse.outline import Outline, distinct, lines_outside, section

if TYPE_CHECKING:
    from collections.abc import Sequence

_TICKS = re.compile("`+")
_WIKILINK = re.compile(r"\[\[([^\[\]|\n]{1,500}?)(?:\\?\|[^\[\]\n]{0,500})?\]\]")
_LINK = re.compile(r"\]\([ \n]*(?:<([^<>\n]{1,2000})>|([^\s()<>]{1,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500})?))")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]{1,2000})>")
_DEFINITION = re.compile(r"^ {0,3}\[[^\[\]\n^][^\[\]\n]{0,500}\]:[ \t]*<?([^\s<>]{1,2000})", re.M)
_TAG = re.compile(r"(?<![^\s(\[{,;])#(?=[\w/-]*[^\W\d_])(\w[\w/-]{0,100})")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")

_TITLE_MARKUP = re.compile(r"[\[*_~={\\`]")
_TITLE_LINK = re.compile(r"!?\[([^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])")
_TITLE_WIKILINK = re.compile(r"!?\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_TITLE_STRONG = re.compile(r"(\*{1,3}|~~|==)(?=\S)([^*~=]+?)(?<=\S)\1|(?<!\w)(_{1,3})(?=\S)([^_]+?)(?<=\S)\3(?!\w)")
_TITLE_ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*\}$")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


def read_markdown(lines: Sequence[str], first: int) -> Outline:
    """Return the outline of a page whose prose starts at the 1-based line `first`."""
    blocks = scan_blocks(lines, first)
    prose = _without_spans(lines_outside(lines, first, blocks.opaque))
    return Outline(
        sections=tuple(section(each.line, each.level, plain_title(each.text), each.lines) for each in blocks.headings),
        whole=tuple(blocks.whole),
        links=links_in(prose),
        tags=tags_in(prose),
    )


def plain_title(text: str) -> str:
    """Return a heading's text without its markup."""
    text = text[:2000]
    if not _TITLE_MARKUP.search(text):
        return text
    text = _TITLE_ATTRIBUTES.sub("", text)
    text = _TITLE_WIKILINK.sub(r"\1", text)
    text = _TITLE_LINK.sub(r"\1", text)
    text = _TITLE_STRONG.sub(lambda match: match[2] or match[4], text)
    return _ESCAPE.sub(r"\1", text.replace("`", ""))


def links_in(prose: str) -> tuple[str, ...]:
    """Return the targets of links and wikilinks, as a path or address, each once; `[[a#h|b]]` links to `a#h`."""
    found: list[tuple[int, str]] = []
    if "[[" in prose:
        found += ((match.start(), match[1].strip()) for match in _WIKILINK.finditer(prose))
    if "](" in prose:
        found += ((match.start(), _target(match[1] or match[2])) for match in _LINK.finditer(prose))
    if "]:" in prose:
        found += ((match.start(), _target(match[1])) for match in _DEFINITION.finditer(prose))
    if ":" in prose and "<" in prose:
        found += ((match.start(), match[1]) for match in _AUTOLINK.finditer(prose))
    return distinct(target for _, target in sorted(found))


def tags_in(prose: str) -> tuple[str, ...]:
    """Return the `#tags` in `prose` without their sign; a number alone is none."""
    if "#" not in prose:
        return ()
    return distinct(match[1].rstrip("/-") for match in _TAG.finditer(prose))


def _target(link: str) -> str:
    link = _ESCAPE.sub(r"\1", link)
    return link if _SCHEME.match(link) else unquote(link)


def _without_spans(text: str) -> str:
    """Return `text` without code spans: a run of backticks up to the next run of the same length in the paragraph."""
    if "`" not in text:
        return text
    return "\n\n".join(_spanless(part) if "`" in part else part for part in text.split("\n\n"))


def _spanless(paragraph: str) -> str:
    runs = list(_TICKS.finditer(paragraph))
    following: dict[int, int] = {}
    closing = [-1] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = len(runs[index][0])
        closing[index] = following.get(length, -1)
        following[length] = index
    kept: list[str] = []
    position = index = 0
    while index < len(runs):
        end = closing[index]
        if end < 0:
            index += 1
            continue
        kept.append(paragraph[position : runs[index].start()])
        position = runs[end].end()
        index = end + 1
    kept.append(paragraph[position:])
    return "`".join(kept)
