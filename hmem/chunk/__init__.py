"""A `Document` to the pieces that are ranked. Pure; the texts of the chunks, joined, are the document's text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hmem.chunk.code import chunk_code
from hmem.chunk.prose import body_text, chunk_prose
from hmem.types import Kind

if TYPE_CHECKING:
    from hmem.types import Chunk, Document

__all__ = ["body_text", "chunk"]


def chunk(document: Document) -> tuple[Chunk, ...]:
    """Return the chunks of `document` in order, without gap; `()` for an empty text."""
    if document.kind in (Kind.NOTE, Kind.WIKI):
        return chunk_prose(document)
    return chunk_code(document)
