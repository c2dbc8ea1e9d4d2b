"""From a file's bytes to what the store keeps: parsed, cut, analysed, but not yet embedded. Pure."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hmem.chunk import chunk
from hmem.parse import parse
from hmem.represent import represent

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hmem.represent import VectorPart
    from hmem.types import Chunk, Document


@dataclass(frozen=True, slots=True)
class PreparedChunk:
    """A chunk with its identity and what each arm sees of it; `terms` and `pairs` map a term to its tf."""

    chunk: Chunk
    chunk_id: str
    terms: Mapping[str, int]
    pairs: Mapping[str, int]
    vector_parts: tuple[VectorPart, ...]


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document ready to be stored; `terms` is the whole body's tf for the `document` arm."""

    document: Document
    content_hash: str
    chunks: tuple[PreparedChunk, ...]
    terms: Mapping[str, int]


def content_hash(data: bytes) -> str:
    """Return the hex digest that decides whether a touched file changed."""
    return hashlib.blake2b(data, digest_size=16).hexdigest()


def chunk_id(collection: str, path: str, text: str, occurrence: int) -> str:
    """Return the 16 hex digits that identify a chunk; `occurrence` counts equal texts of the document from 0.

    Fields are length-prefixed, so no two different tuples share an encoding.
    """
    digest = hashlib.blake2b(digest_size=8)
    for field in (collection, path, text, str(occurrence)):
        data = field.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()


def prepare(collection: str, path: str, data: bytes, *, root: str = "") -> PreparedDocument:
    """Return `data`, the bytes of `path` in `collection` with the directory `root`, ready to be embedded and stored."""
    document = parse(path, data, root=root)
    pieces = chunk(document)
    view = represent(document, pieces)
    occurrences: Counter[str] = Counter()
    chunks = []
    for piece, seen in zip(pieces, view.chunks, strict=True):
        identity = chunk_id(collection, path, piece.text, occurrences[piece.text])
        occurrences[piece.text] += 1
        chunks.append(PreparedChunk(piece, identity, seen.terms, seen.pairs, seen.vector_parts))
    return PreparedDocument(document, content_hash(data), tuple(chunks), view.terms)
