"""Sections of documentation: HTML, Markdown, reStructuredText, plain text, POD and man pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lxml import etree, html


@dataclass(frozen=True)
class Section:
    """A heading with the titles above it, and the text up to the next heading."""

    path: tuple[str, ...]
    text: str


_BLOCKS = {"p", "pre", "dd", "dt", "li", "blockquote", "td", "th"}
_NOISE = ("script", "style", "nav", "header", "footer", "noscript", "form", "button", "svg")
_SPACE = re.compile(r"[ \t\r\f\v]+")


def html_sections(data: bytes) -> Iterator[Section]:
    """Yield the sections of an HTML page."""
    try:
        root = html.document_fromstring(data)
    except (etree.ParserError, etree.XMLSyntaxError, ValueError):
        return
    for noise in root.xpath("|".join(f"//{tag}" for tag in _NOISE)):
        parent = noise.getparent()
        if parent is not None:
            noise.drop_tree()
    headings: list[tuple[int, str]] = []
    blocks: list[str] = []
    outer = _with_inner_blocks(root)
    for element in root.iter():
        tag = element.tag
        if not isinstance(tag, str):
            continue
        if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
            if blocks:
                yield Section(tuple(text for _, text in headings), "\n".join(blocks))
            blocks = []
            level = int(tag[1])
            title = " ".join(element.text_content().replace("¶", " ").split())
            headings = [(at, text) for at, text in headings if at < level] + [(level, title)]
        elif tag in _BLOCKS and element not in outer:
            text = element.text_content().strip()
            if text:
                blocks.append(_SPACE.sub(" ", text) if tag != "pre" else text)
    if blocks:
        yield Section(tuple(text for _, text in headings), "\n".join(blocks))


def _with_inner_blocks(root: html.HtmlElement) -> set[html.HtmlElement]:
    """Return the elements around a block: their text is that of the blocks inside."""
    outer: set[html.HtmlElement] = set()
    for element in root.iter(*_BLOCKS):
        parent = element.getparent()
        while parent is not None and parent not in outer:
            outer.add(parent)
            parent = parent.getparent()
    return outer


_ATX = re.compile(r"^(#{1,6}|={1,6}|=head[1-4]) +(\S.*?)[ #=]*$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`*+#.:_])\1{2,}\s*$")
_POD = re.compile(r"^=(pod|cut|over|back|begin|end|for|encoding)\b.*$")
_POD_STYLE = re.compile(r"[BCILFEX]<{1,3} ?([^<>]*?) ?>{1,3}")


def markup_sections(text: str) -> Iterator[Section]:
    """Yield the sections of text whose headings are marked by `#`, `=`, `=head1` or an underline."""
    levels: list[str] = []  # the order in which styles of headings appear gives their levels
    headings: list[tuple[int, str]] = []
    body: list[str] = []
    lines = text.split("\n")
    fenced = False
    for number, line in enumerate(lines):
        if line.startswith(("```", "~~~")):
            fenced = not fenced
        heading = None
        following = lines[number + 1] if number + 1 < len(lines) else ""
        if not fenced and line.strip() and not line.startswith((" ", "\t")):
            if match := _ATX.match(line):
                heading = (match[1], match[2])
            elif _UNDERLINE.match(following) and len(following.strip()) >= len(line.strip()) - 2 and len(line) < 120:
                heading = (following[0], line.strip())
        if heading:
            if any(map(str.strip, body)):
                yield Section(tuple(title for _, title in headings), "\n".join(body).strip())
            body = []
            if heading[0] not in levels:
                levels.append(heading[0])
            level = levels.index(heading[0])
            headings = [(at, title) for at, title in headings if at < level] + [(level, heading[1])]
        elif not _UNDERLINE.match(line) and not _POD.match(line):
            body.append(_POD_STYLE.sub(r"\1", line))
    if any(map(str.strip, body)):
        yield Section(tuple(title for _, title in headings), "\n".join(body).strip())


_ESCAPES = re.compile(r"\\(f.|f\[\w*\]|s[+-]?\d|\(..|\[\w+\]|&|%|,|/|:|c|\||\^|e)|\\")
_NO_TEXT = {"TH", "Dd", "Dt", "Os", "ad", "hy", "nh", "ie", "el", "if", "de", "ds", "nr", "sp", "in", "ta", "so", "ft"}
_MDOC = re.compile(r"\b(Ar|Fl|Op|Cm|Ql|Dq|Sq|Pa|Xr|Nm|Ns|Li|Va|Fn|Fa|Vt|Dv|Ev|Er|Em|Sy|Ic|No|Pq|Qq|Oo|Oc|Tn|Ta)\b ?")


def man_sections(source: str) -> Iterator[Section]:
    """Yield the sections of a man page; its title is the NAME line."""
    name, heading, body = "", "", []
    for line in source.split("\n"):
        if line.startswith(('.\\"', "'\\\"", "'")):
            continue
        line = line.replace("\\-", "-")
        if not line.startswith("."):
            body.append(_ESCAPES.sub("", line))
            continue
        macro, _, rest = line[1:].strip().partition(" ")
        rest = _ESCAPES.sub("", rest).replace('"', "")
        if macro in ("SH", "SS", "Sh", "Ss"):
            text = "\n".join(body).strip()
            if heading.upper() == "NAME":
                name = " ".join(text.split())
            elif text:
                yield Section((name, heading.capitalize()), text)
            heading, body = rest, []
        elif macro not in _NO_TEXT:
            body.append(_MDOC.sub("", rest) if macro not in ("Nd",) else "- " + rest)
    if "\n".join(body).strip() and heading.upper() != "NAME":
        yield Section((name, heading.capitalize()), "\n".join(body).strip())
