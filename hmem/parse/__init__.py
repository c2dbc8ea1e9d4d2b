"""Bytes of a file to a `Document`: decoded, its kind told, its front matter read, its structure found. Pure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from hmem.parse.asciidoc import read_asciidoc
from hmem.parse.code import definitions_in
from hmem.parse.decode import decode
from hmem.parse.frontmatter import FrontMatter, read_front_matter
from hmem.parse.kinds import language_of
from hmem.parse.markdown import read_markdown
from hmem.parse.mediawiki import read_mediawiki
from hmem.parse.org import read_org
from hmem.parse.outline import MAX_LINES, Outline, clean_title, distinct, listed
from hmem.parse.plain import read_plain
from hmem.parse.rst import read_rst
from hmem.types import Document, Json, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["language_of", "parse"]

_READERS: dict[str, Callable[[Sequence[str], int], Outline]] = {
    "markdown": read_markdown,
    "rst": read_rst,
    "asciidoc": read_asciidoc,
    "org": read_org,
    "mediawiki": read_mediawiki,
    "text": read_plain,
}
_HEAD = 8192


def parse(path: str, data: bytes, *, root: str = "") -> Document:
    """Return `data`, the content of the file at `path` (relative to its collection, with `/`), as a document.

    `root` is the collection's directory, whose name has a say in the kind. Never raises for any bytes; what could not
    be understood is a line in `warnings`.
    """
    decoded = decode(data)
    text = decoded.text
    lang, kind = language_of(path, text[:_HEAD], root)
    warnings = [decoded.warning] if decoded.warning else []
    structured = text.count("\n") < MAX_LINES
    if not structured:
        warnings.append(f"structure ignored: more than {MAX_LINES:,} lines")
    document = Document(path, kind, lang, _stem(path), text, decoded.encoding)
    if kind is Kind.CODE:
        definitions = definitions_in(text, lang) if structured else ()
        return replace(document, definitions=definitions, warnings=tuple(warnings))
    if kind is Kind.TEXT:
        return replace(document, warnings=tuple(warnings))
    front = read_front_matter(text)
    if front.warning:
        warnings.append(front.warning)
    outline = _READERS[lang](text.split("\n"), front.scan_line) if structured else Outline()
    return replace(
        document,
        title=_title(front, outline) or document.title,
        metadata={**outline.metadata, **front.metadata},
        tags=distinct([*_declared_tags(front.metadata), *outline.tags]),
        links=outline.links,
        sections=outline.sections,
        fences=outline.whole,
        body_line=front.body_line,
        warnings=tuple(warnings),
    )


def _stem(path: str) -> str:
    """Return the name of a file without its extension, bytes that are not UTF-8 replaced."""
    stem = PurePosixPath(path).stem or path
    return stem.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _title(front: FrontMatter, outline: Outline) -> str | None:
    """Return the declared title, else the first heading of the top level."""
    declared = front.metadata.get("title", front.metadata.get("Title"))
    if isinstance(declared, (str, int, float)) and str(declared).strip():
        return clean_title(str(declared))
    if outline.title:
        return clean_title(outline.title)
    return next((each.title for each in outline.sections if each.level == 1 and each.title), None)


def _declared_tags(metadata: dict[str, Json]) -> list[str]:
    """Return the tags of front matter: a list, or text with commas or blanks between them."""
    tags: list[str] = []
    for key in ("tags", "tag"):
        value = metadata.get(key)
        if isinstance(value, str):
            value = list(listed(value))
        if isinstance(value, list):
            tags += (str(each).strip().lstrip("#") for each in value if isinstance(each, (str, int, float)))
    return tags
