"""Wiki and document syntaxes: reStructuredText, AsciiDoc, Org and MediaWiki headings, literal blocks, links and tags.

Each reader goes over the lines once. A heading inside a literal block is none.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hmem.parse.outline import Outline, distinct, section

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hmem.types import Json, Section

Span = tuple[int, int]

_RST_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1*")
_RST_FIELD = re.compile(r":([^:\s][^:]{0,80}):(?:[ \t]+(.*))?")
_RST_LINK = re.compile(r"`[^`<>]{0,500}<([^<>`\s]{1,2000})>`_|:(?:doc|ref|term):`(?:[^`<>]{0,500}<)?([^`<>]{1,500})>?`")
_RST_TITLE_MARKUP = re.compile(r":[\w:.-]+:`([^`<]*)(?:<[^`>]*>)?`|``([^`]*)``|\*\*([^*]+)\*\*|`([^`<]*)(?:<[^`>]*>)?`_{0,2}")

_ADOC_HEADING = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*?)(?:[ \t]+\1)?[ \t]*")
_ADOC_VERBATIM = re.compile(r"-{4,}|\.{4,}|\+{4,}|/{4,}|```\w*|~~~\w*")
_ADOC_COMPOUND = re.compile(r"={4,}|\*{4,}|_{4,}|--|[|,:!]===+")
_ADOC_ATTRIBUTE = re.compile(r":([\w][\w-]{0,80}):(?:[ \t]+(.*))?")
_ADOC_LINK = re.compile(r"(?:link|xref|image):{1,2}([^\s\[\]]{1,2000})\[|<<([^<>,\n]{1,500})(?:,[^<>\n]{0,500})?>>|(https?://[^\s\[\]<>]{1,2000})\[")
_ADOC_UNDERLINE = {"=": 1, "-": 2, "~": 3, "^": 4, "+": 5}

_ORG_HEADING = re.compile(r"(\*+)[ \t]+(\S.*)")
_ORG_STATE = re.compile(r"(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED|CANCELED|STARTED|HOLD|PROJ|SOMEDAY)[ \t]+)?(?:\[#[A-Z0-9]\][ \t]+)?")
_ORG_TAGS = re.compile(r"[ \t]:((?:[\w@#%]+:)+)[ \t]*$")
_ORG_KEYWORD = re.compile(r"#\+(\w{1,80}):[ \t]*(.*)")
_ORG_BLOCK = re.compile(r"[ \t]*#\+begin_(\S{1,80})", re.I)
_ORG_LINK = re.compile(r"\[\[([^\[\]\n]{1,2000})\](?:\[([^\[\]\n]{1,500})\])?\]")

_WIKI_HEADING = re.compile(r"(={1,6})[ \t]*([^\s=](?:.*[^\s=])?|=)[ \t]*\1[ \t]*")
_WIKI_VERBATIM = re.compile(r"<(pre|nowiki|syntaxhighlight|source|code)\b[^<>/]*>|<!--|\{\{\{", re.I)
_WIKI_LINK = re.compile(r"\[\[[ \t]*:?([^\[\]|\n]{1,500}?)[ \t]*(?:\|[^\[\]\n]{0,500})?\]\]|\[(https?://[^\s\[\]]{1,2000})")
_WIKI_MARKUP = re.compile(r"'{2,5}")
_CATEGORY = re.compile(r"(?:category|kategorie|catégorie|категория)[ \t]*:[ \t]*", re.I)


def read_rst(lines: Sequence[str], first: int) -> Outline:
    """Return the outline of reStructuredText: a heading's level is the order in which its adornment first appears."""
    sections: list[Section] = []
    whole: list[Span] = []
    styles: dict[str, int] = {}
    index = first - 1
    fields: dict[str, Json] = {}
    while index < len(lines):
        line = lines[index]
        end = _rst_literal(lines, index)
        if end is not None:
            whole.append((index + 1, end))
            index = end
        elif heading := _rst_heading(lines, index, first - 1):
            style, title_at, size = heading
            level = styles.setdefault(style, len(styles) + 1)
            title = _RST_TITLE_MARKUP.sub(lambda m: next(g for g in m.groups() if g is not None), lines[title_at][:2000])
            sections.append(section(index + 1, level, title))
            index += size
        else:
            if len(sections) <= 1 and (match := _RST_FIELD.fullmatch(line)):
                fields[match[1].lower()] = (match[2] or "").strip()
            index += 1
    links = [match[1] or match[2] for match in _RST_LINK.finditer(_outside(lines, first, whole))]
    return Outline(
        sections=tuple(sections), whole=tuple(whole), links=distinct(links), tags=_tags(fields), metadata=fields
    )


def _rst_heading(lines: Sequence[str], index: int, first: int) -> tuple[str, int, int] | None:
    """Return (style, index of the title, number of lines) of the heading that starts at `index`."""
    line = lines[index].rstrip()
    if not line or line[0].isspace():
        return None
    above = lines[index - 1] if index > first else ""
    if above.strip() and not above.startswith((".. ", "..\t")) and _RST_ADORNMENT.fullmatch(above.rstrip()) is None:
        return None
    below = lines[index + 1].rstrip() if index + 1 < len(lines) else ""
    if match := _RST_ADORNMENT.fullmatch(line):
        under = lines[index + 2].rstrip() if index + 2 < len(lines) else ""
        title = below.strip()
        if title and under == line and len(line) >= min(4, len(title)) and not _RST_ADORNMENT.fullmatch(title):
            return match[1] * 2, index + 1, 3
        return None
    match = _RST_ADORNMENT.fullmatch(below)
    if match and (len(below) >= len(line) or len(below) >= 4):
        return match[1], index, 2
    return None


def _rst_literal(lines: Sequence[str], index: int) -> int | None:
    """Return the last line (1-based) of the literal block, directive or grid table that starts at `index`."""
    line = lines[index]
    bare = line.strip()
    if bare.startswith("+-") and bare.endswith("+"):
        end = index + 1
        while end < len(lines) and lines[end].lstrip().startswith(("+", "|")):
            end += 1
        return end if end > index + 1 else None
    opens = bare.endswith("::") and (not bare.startswith("..") or _verbatim_directive(bare))
    comment = bare.startswith("..") and "::" not in bare and not bare.startswith((".. _", ".. [", "..."))
    if not (opens or comment or _verbatim_directive(bare)):
        return None
    return _indented_end(lines, index)


def _verbatim_directive(bare: str) -> bool:
    return bare.startswith((".. code", ".. sourcecode", ".. literalinclude", ".. parsed-literal", ".. math", ".. raw"))


def _indented_end(lines: Sequence[str], index: int) -> int | None:
    """Return the last line (1-based) that is indented below line `index`, None if there is none."""
    indent = len(lines[index]) - len(lines[index].lstrip())
    end = None
    for number in range(index + 1, len(lines)):
        line = lines[number]
        if line.strip():
            if len(line) - len(line.lstrip()) <= indent:
                break
            end = number + 1
    return end


def read_asciidoc(lines: Sequence[str], first: int) -> Outline:
    """Return the outline of AsciiDoc: `=` headings outside delimited blocks, and the underlined form."""
    sections: list[Section] = []
    whole: list[Span] = []
    attributes: dict[str, Json] = {}
    ends = _closing_lines(lines, first, lambda line: _adoc_delimiter(line))
    index = first - 1
    while index < len(lines):
        line = lines[index].rstrip()
        if index in ends:
            whole.append((index + 1, ends[index] + 1))
            index = ends[index] + 1
            continue
        if match := _ADOC_HEADING.fullmatch(line[:2000]):
            sections.append(section(index + 1, len(match[1]), match[2]))
        elif (match := _ADOC_ATTRIBUTE.fullmatch(line)) and len(sections) <= 1:
            attributes[match[1].lower()] = (match[2] or "").strip()
        elif level := _adoc_underlined(lines, index, first - 1):
            sections.append(section(index + 1, level, line))
            index += 1
        index += 1
    links = [match[1] or match[2] or match[3] for match in _ADOC_LINK.finditer(_outside(lines, first, whole))]
    return Outline(
        sections=tuple(sections), whole=tuple(whole), links=distinct(links), tags=_tags(attributes), metadata=attributes
    )


def _adoc_delimiter(line: str) -> str | None:
    if line[:1] not in "-.+/`~=*_|,:!" or len(line) > 200:
        return None
    if _ADOC_VERBATIM.fullmatch(line) or _ADOC_COMPOUND.fullmatch(line):
        return line[:3] if line[0] in "`~" else line
    return None


def _adoc_underlined(lines: Sequence[str], index: int, first: int) -> int | None:
    title = lines[index].rstrip()
    below = lines[index + 1].rstrip() if index + 1 < len(lines) else ""
    if len(below) < 2 or below[0] not in _ADOC_UNDERLINE or below.count(below[0]) != len(below):
        return None
    clear = index == first or not lines[index - 1].strip() or lines[index - 1].startswith("[")
    if not clear or not title or not title[0].isalnum() or abs(len(title) - len(below)) > 1:
        return None
    return _ADOC_UNDERLINE[below[0]]


def _closing_lines(lines: Sequence[str], first: int, delimiter: Callable[[str], str | None]) -> dict[int, int]:
    """Return, for every line index with a delimiter that occurs again, the index where it next does."""
    following: dict[str, int] = {}
    ends: dict[int, int] = {}
    for index in range(len(lines) - 1, first - 2, -1):
        mark = delimiter(lines[index].rstrip())
        if mark is not None:
            if mark in following:
                ends[index] = following[mark]
            following[mark] = index
    return ends


def read_org(lines: Sequence[str], first: int) -> Outline:
    """Return the outline of Org: starred headings without their state, priority and tags; `#+KEY:` lines on top."""
    sections: list[Section] = []
    whole: list[Span] = []
    tags: list[str] = []
    keywords: dict[str, Json] = {}
    ends = _org_ends(lines, first)
    index = first - 1
    while index < len(lines):
        line = lines[index]
        if index in ends:
            whole.append((index + 1, ends[index] + 1))
            index = ends[index] + 1
            continue
        if line.startswith("*") and (match := _ORG_HEADING.fullmatch(line[:2000])):
            title = _ORG_STATE.sub("", match[2], count=1)
            if found := _ORG_TAGS.search(title):
                tags += found[1].split(":")
                title = title[: found.start()]
            sections.append(section(index + 1, len(match[1]), _ORG_LINK.sub(lambda m: m[2] or m[1], title)))
        elif not sections and (match := _ORG_KEYWORD.fullmatch(line)):
            keywords[match[1].lower()] = match[2].strip()
        index += 1
    tags = str(keywords.get("filetags", "")).replace(":", " ").split() + tags
    links = [_org_target(match[1]) for match in _ORG_LINK.finditer(_outside(lines, first, whole))]
    title_key = keywords.get("title")
    return Outline(
        sections=tuple(sections),
        whole=tuple(whole),
        links=distinct(links),
        tags=distinct(tags),
        title=str(title_key) if title_key else None,
        metadata=keywords,
    )


def _org_target(target: str) -> str:
    return target.removeprefix("file:").partition("::")[0]


def _org_ends(lines: Sequence[str], first: int) -> dict[int, int]:
    """Return the index of the `#+end_` line for the index of each `#+begin_` line that has one."""
    following: dict[str, int] = {}
    ends: dict[int, int] = {}
    for index in range(len(lines) - 1, first - 2, -1):
        bare = lines[index].strip().lower()
        if bare.startswith("#+end_"):
            following[bare[6:]] = index
        elif (match := _ORG_BLOCK.match(lines[index])) and match[1].lower() in following:
            ends[index] = following[match[1].lower()]
    return ends


def read_mediawiki(lines: Sequence[str], first: int) -> Outline:
    """Return the outline of MediaWiki text: `== headings ==` outside verbatim tags and comments; categories as tags."""
    sections: list[Section] = []
    whole: list[Span] = []
    closing: str | None = None
    start = table = 0
    for number in range(first, len(lines) + 1):
        line = lines[number - 1]
        if closing is not None:
            if closing in line.lower():
                whole.append((start, number))
                closing = None
            continue
        if line.startswith("="):
            match = _WIKI_HEADING.fullmatch(line[:2000])
            if match:
                sections.append(section(number, len(match[1]), _WIKI_MARKUP.sub("", match[2])))
        elif line.startswith("{|"):
            table = number
        elif line.startswith("|}") and table:
            whole.append((table, number))
            table = 0
        start, closing = number, _wiki_open(line)
    prose = _outside(lines, first, whole)
    targets = [match[1] or match[2] for match in _WIKI_LINK.finditer(prose)]
    tags = [_CATEGORY.sub("", each, count=1) for each in targets if _CATEGORY.match(each)]
    links = [each for each in targets if not _CATEGORY.match(each)]
    return Outline(sections=tuple(sections), whole=tuple(sorted(whole)), links=distinct(links), tags=distinct(tags))


def _wiki_open(line: str) -> str | None:
    """Return what closes the verbatim block that `line` leaves open, if it does."""
    position = 0
    while match := _WIKI_VERBATIM.search(line, position):
        closing = "-->" if match[0] == "<!--" else "}}}" if match[0] == "{{{" else f"</{match[1].lower()}>"
        end = line.lower().find(closing, match.end())
        if end < 0:
            return closing
        position = end + len(closing)
    return None


def _tags(attributes: dict[str, Json]) -> tuple[str, ...]:
    words = ",".join(str(attributes.get(key, "")) for key in ("tags", "keywords"))
    return distinct([word.strip() for word in words.split(",")])


def _outside(lines: Sequence[str], first: int, spans: Sequence[Span]) -> str:
    """Return the lines from `first` that are in none of the ordered `spans`."""
    kept: list[str] = []
    position = first
    for start, end in sorted(spans):
        kept += lines[position - 1 : start - 1]
        position = max(position, end + 1)
    return "\n".join(kept + list(lines[position - 1 :]))
