"""A `Document` to the pieces that are ranked. Pure; the texts of the chunks, joined, are the document's text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hmem.chunk.code import chunk_code
from hmem.chunk.lines import cut_by_size
from hmem.chunk.prose import chunk_prose
from hmem.parse.outline import MAX_LINES
from hmem.types import Chunk, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hmem.types import Document

__all__ = ["chunk"]


def chunk(document: Document) -> tuple[Chunk, ...]:
    """Return the chunks of `document` in order, without gap; `()` for an empty text."""
    if document.text.count("\n") >= MAX_LINES:
        return tuple(_chunks_by_size(document.text))
    if document.kind in (Kind.NOTE, Kind.WIKI):
        return chunk_prose(document)
    return chunk_code(document)


def _chunks_by_size(text: str) -> Iterator[Chunk]:
    start, line = 0, 1
    for end in cut_by_size(text):
        piece = text[start:end]
        yield Chunk(line, line + piece.count("\n", 0, -1), piece)
        start, line = end, line + piece.count("\n")
