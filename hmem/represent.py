"""What each arm sees of a chunk. Pure; the constants of the representation live here.

The lexical arms see the words of the chunk and, as repeated words, those of its header: what the file is called,
where it lies, what encloses the chunk and what it defines (code), or its title and headings (prose).
The dense arm sees a vector composed of parts that are encoded and normalised apart: on the code benchmark a bare
body reaches nDCG@10 .617 alone, a header written before the text .665 to .735, the composition .808.
"""

from __future__ import annotations

import hashlib
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hmem.text import count_terms, model_words, pairs
from hmem.types import DefinitionKind, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hmem.types import Chunk, Document

# Changes whenever any chunk would get other terms, pairs or vector parts from the same text analysis.
REPRESENT_VERSION: Final = 1

# How often the words of a header count in the BM25 field, beside the once of the body. One field with repeated
# words ranks better than separate fields whose scores are summed. Starting points: code nDCG@10 .892 over 61
# repositories; prose title ×3 with the BM25 arm of scifact .702, cacm .531, cranfield .399.
STEM_TIMES: Final = 3
DIRECTORY_TIMES: Final = 2
SCOPE_TIMES: Final = 2
DEFINITION_TIMES: Final = 3
TITLE_TIMES: Final = 3
HEADING_TIMES: Final = 2

# Weights of the parts of a vector beside the body's 1. On the code benchmark the headers are worth .027 and .022
# (its two halves) of the fused ranking, on the prose sets the title .005.
STEM_WEIGHT: Final = 0.5
DIRECTORY_WEIGHT: Final = 0.4
SCOPE_WEIGHT: Final = 0.75
TITLE_WEIGHT: Final = 0.5
# Directories farther up say more about the project than about the file.
VECTOR_DIRECTORIES: Final = 3

# File names that every package has: the directory is the name that people use.
_GENERIC_STEMS: Final = frozenset({"__init__", "__main__", "index", "lib", "main", "mod"})
_GENERIC_DIRECTORIES: Final = frozenset({"lib", "src"})

_PROSE: Final = frozenset({Kind.NOTE, Kind.WIKI})


@dataclass(frozen=True, slots=True)
class VectorPart:
    """A text ready for the encoder, and the weight of its unit vector in the sum."""

    weight: float
    text: str


def directory_names(path: str) -> tuple[str, ...]:
    """Return the names of the directories of a relative `path`, outermost first."""
    return tuple(name for name in path.split("/")[:-1] if name)


def file_stem(path: str) -> str:
    """Return the name by which people know the file at `path`: without its last suffix.

    For `mod.rs`, `index.*`, `__init__.py` and the like that is the parent directory, unless it is `src` or `lib`.
    """
    name = path.rsplit("/", 1)[-1]
    stem = name[: name.rindex(".")] if "." in name[1:] else name
    if stem in _GENERIC_STEMS:
        parent = directory_names(path)[-1:]
        if parent and parent[0] not in _GENERIC_DIRECTORIES:
            return parent[0]
    return stem


def heading_parts(document: Document, chunk: Chunk) -> tuple[str, ...]:
    """Return the headings above the text of `chunk`, without those that only repeat the title."""
    return tuple(heading for heading in chunk.heading if heading != document.title)


def _definition_names(chunk: Chunk) -> str:
    names = {found.name for found in chunk.definitions if found.kind is not DefinitionKind.SCOPE}
    return " ".join(sorted(names))


def _header(document: Document, chunk: Chunk) -> Iterator[tuple[int, str]]:
    """Yield the texts of the header of `chunk` and how often each counts."""
    if document.kind in _PROSE:
        yield TITLE_TIMES, document.title
        yield HEADING_TIMES, " ".join(heading_parts(document, chunk))
        return
    yield STEM_TIMES, file_stem(document.path)
    yield DIRECTORY_TIMES, " ".join(directory_names(document.path))
    yield SCOPE_TIMES, " ".join(chunk.scopes)
    yield DEFINITION_TIMES, _definition_names(chunk)


def chunk_terms(document: Document, chunk: Chunk) -> dict[str, int]:
    """Return the terms of `chunk` with their frequencies, those of its header repeated."""
    counts = count_terms(chunk.text)
    for times, text in _header(document, chunk):
        for term, count in count_terms(text).items():
            counts[term] += times * count
    return counts


def chunk_pairs(document: Document, chunk: Chunk) -> dict[str, int]:
    """Return the pairs of neighbouring stems of `chunk` with their frequencies; of prose the title's too."""
    counts = pairs(chunk.text)
    if document.kind in _PROSE:
        counts.update(pairs(document.title))
    return counts


def document_terms(document: Document) -> dict[str, int]:
    """Return the terms of the whole text of `document` with their frequencies."""
    return count_terms(document.text)


def _weighted_texts(document: Document, chunk: Chunk) -> Iterator[tuple[float, str]]:
    yield 1.0, chunk.text
    if document.kind in _PROSE:
        yield TITLE_WEIGHT, " ".join((document.title, *heading_parts(document, chunk)))
        return
    yield STEM_WEIGHT, file_stem(document.path)
    yield DIRECTORY_WEIGHT, " ".join(directory_names(document.path)[-VECTOR_DIRECTORIES:])
    yield SCOPE_WEIGHT, " ".join(chunk.scopes)


def vector_parts(document: Document, chunk: Chunk) -> tuple[VectorPart, ...]:
    """Return the parts of the vector of `chunk`, the body first; a part without words is left out.

    The vector is normalise(Σ weight · normalise(encode(text))).
    """
    prepared = ((weight, model_words(text)) for weight, text in _weighted_texts(document, chunk))
    return tuple(VectorPart(weight, text) for weight, text in prepared if text)


def embed_key(parts: Sequence[VectorPart], fingerprint: str) -> bytes:
    """Return 16 bytes that are equal when the vectors are: same encoder (`fingerprint`), same parts."""
    digest = hashlib.blake2b(digest_size=16)
    for weight, text in ((0.0, fingerprint), *((part.weight, part.text) for part in parts)):
        data = text.encode("utf-8", "surrogatepass")
        digest.update(struct.pack("<dQ", weight, len(data)))
        digest.update(data)
    return digest.digest()
