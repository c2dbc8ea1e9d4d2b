"""What each arm sees of a chunk. Pure; the constants of the representation live here.

The lexical arms see the words of the chunk and, as repeated words, those of its header: what the file is called,
where it lies, what encloses the chunk and what it defines (code), or its title and headings (prose). The arm over
whole documents sees their bodies alone. The dense arm sees a vector composed of parts that are encoded and
normalised apart: on the code benchmark a bare body reaches nDCG@10 .617 alone, a header written before the text
.665 to .735, the composition .808.
"""

from __future__ import annotations

import hashlib
import struct
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hmem.text import Reading, count_terms, model_words
from hmem.types import DefinitionKind, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hmem.types import Chunk, Document

# How often the words of a header count in the BM25 field, beside the once of the body: one field with repeated
# words ranks better than separate fields whose scores are summed. The figures for code are those of the recipe
# that reaches nDCG@10 .892 over 61 repositories. The title's stands for .702 of the BM25 arm on scifact; × 2 loses
# .002 over six sets of prose, × 4 and more gain nothing.
STEM_TIMES: Final = 3
DIRECTORY_TIMES: Final = 2
SCOPE_TIMES: Final = 2
DEFINITION_TIMES: Final = 3
TITLE_TIMES: Final = 3
HEADING_TIMES: Final = 2
# A note is found by the name of its file and folder too. Where these say nothing it costs .0003.
PROSE_PATH_TIMES: Final = 1

# Weights of the parts of a vector beside the body's 1. On the two halves of the code benchmark the headers are
# worth .027 and .022 of the fused ranking, on the sets of prose the title .005.
STEM_WEIGHT: Final = 0.5
DIRECTORY_WEIGHT: Final = 0.4
SCOPE_WEIGHT: Final = 0.75
TITLE_WEIGHT: Final = 0.5
# Directories farther up tell of the project rather than of the file.
VECTOR_DIRECTORIES: Final = 3

# Names that many files have: the directory is what people call them by, unless it is as general itself.
_GENERAL_STEMS: Final = frozenset({"__init__", "__main__", "index", "lib", "main", "mod"})
_GENERAL_DIRECTORIES: Final = frozenset({"lib", "src"})

# Characters of a document that are read at a time: some letters take a hundred times their size as terms.
_BLOCK: Final = 1 << 16

_PROSE: Final = frozenset({Kind.NOTE, Kind.WIKI})


@dataclass(frozen=True, slots=True)
class VectorPart:
    """A text ready for the encoder, and the weight (> 0) of its unit vector in the sum."""

    weight: float
    text: str


@dataclass(frozen=True, slots=True)
class ChunkView:
    """A chunk as the arms see it: frequencies of terms and of pairs of stems, and the parts of its vector."""

    terms: Mapping[str, int]
    pairs: Mapping[str, int]
    vector_parts: tuple[VectorPart, ...]


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document as the arms see it: its chunks in order, and the frequencies of the terms of its body."""

    chunks: tuple[ChunkView, ...]
    terms: Mapping[str, int]


def directory_names(path: str) -> tuple[str, ...]:
    """Return the names of the directories of a relative `path`, outermost first."""
    return tuple(name for name in path.split("/")[:-1] if name)


def file_stem(path: str) -> str:
    """Return the name by which people know the file at `path`: its name without the last suffix.

    For `mod.rs`, `index.*`, `__init__.py` and the like it is the parent directory, unless that is `src` or `lib`.
    """
    name = path.rsplit("/", 1)[-1]
    stem = name[: name.rindex(".")] if "." in name[1:] else name
    if stem in _GENERAL_STEMS:
        parent = directory_names(path)[-1:]
        if parent and parent[0] not in _GENERAL_DIRECTORIES:
            return parent[0]
    return stem


def heading_parts(document: Document, chunk: Chunk) -> tuple[str, ...]:
    """Return the headings above `chunk`, outermost first, without those that only repeat the title."""
    return tuple(heading for heading in chunk.heading if heading != document.title)


def _defined_names(chunk: Chunk) -> str:
    names = {found.name for found in chunk.definitions if found.kind is not DefinitionKind.SCOPE}
    return " ".join(sorted(names))


def _scope_names(chunk: Chunk) -> str:
    """Return the names of what encloses `chunk` and of the first thing that it defines (code nDCG@10 +.004)."""
    first = next((found.name for found in chunk.definitions if found.kind is not DefinitionKind.VALUE), None)
    return " ".join(chunk.scopes if first is None else (*chunk.scopes, first))


def _header(document: Document, chunk: Chunk) -> Iterator[tuple[int, str]]:
    """Yield the texts of the header of `chunk` and how often each counts."""
    stem, directories = file_stem(document.path), " ".join(directory_names(document.path))
    if document.kind in _PROSE:
        yield TITLE_TIMES, document.title
        yield HEADING_TIMES, " ".join(heading_parts(document, chunk))
        yield PROSE_PATH_TIMES, f"{stem} {directories}"
        return
    yield STEM_TIMES, stem
    yield DIRECTORY_TIMES, directories
    yield SCOPE_TIMES, _scope_names(chunk)
    yield DEFINITION_TIMES, _defined_names(chunk)


def _terms(body: Mapping[str, int], document: Document, chunk: Chunk) -> dict[str, int]:
    counts = dict(body)
    for times, text in _header(document, chunk):
        for term, count in count_terms(text).items():
            counts[term] = counts.get(term, 0) + times * count
    return counts


def _pairs(body: Reading, document: Document) -> dict[str, int]:
    if document.kind not in _PROSE:  # of code they make half of the store and rank nothing better
        return {}
    counts = body.pairs()
    counts.update(Reading(document.title).stem_pairs())
    return counts


def _meant_title(document: Document) -> str:
    """Return the title, unless it is a file name with a digit: that is more often a number or a date than a title."""
    title = document.title
    named = title == document.path.rsplit("/", 1)[-1].rpartition(".")[0]
    return "" if named and any(character.isdigit() for character in title) else title


def _header_parts(document: Document, chunk: Chunk) -> Iterator[tuple[float, str]]:
    """Yield the texts that stand beside the body in the vector of `chunk`, with their weights."""
    if document.kind in _PROSE:
        yield TITLE_WEIGHT, " ".join((_meant_title(document), *heading_parts(document, chunk)))
        return
    yield STEM_WEIGHT, file_stem(document.path)
    yield DIRECTORY_WEIGHT, " ".join(directory_names(document.path)[-VECTOR_DIRECTORIES:])
    yield SCOPE_WEIGHT, _scope_names(chunk)


def _vector_parts(body: Reading, document: Document, chunk: Chunk) -> tuple[VectorPart, ...]:
    texts = [(1.0, body.model_words())]
    texts.extend((weight, model_words(text)) for weight, text in _header_parts(document, chunk))
    return tuple(VectorPart(weight, text) for weight, text in texts if text)


def body_text(document: Document, chunk: Chunk) -> str:
    """Return the text of `chunk` without the lines of front matter: what a ranking should read as prose."""
    if chunk.start_line >= document.body_line:
        return chunk.text
    above = document.body_line - chunk.start_line
    return "".join(chunk.text.split("\n", above)[above:])


def _body(document: Document, chunk: Chunk, whole: Reading) -> Reading:
    """Return the reading of what was written for people: front matter is found by its words, but has no say beyond."""
    text = body_text(document, chunk)
    return whole if text == chunk.text else Reading(text)


def represent(document: Document, chunks: Sequence[Chunk]) -> DocumentView:
    """Return `document`, cut into `chunks`, as the arms see it: what the functions below say, in one reading."""
    views = []
    total: Counter[str] = Counter()
    for chunk in chunks:
        whole = Reading(chunk.text)
        counts = whole.terms()
        total.update(counts)
        body = _body(document, chunk, whole)
        terms, parts = _terms(counts, document, chunk), _vector_parts(body, document, chunk)
        views.append(ChunkView(terms, _pairs(body, document), parts))
    # No word runs over the end of a line, but a cut through an overlong line may divide one.
    if all(chunk.text.endswith("\n") for chunk in chunks[:-1]):
        return DocumentView(tuple(views), total)
    return DocumentView(tuple(views), document_terms(document))


def chunk_terms(document: Document, chunk: Chunk) -> dict[str, int]:
    """Return the terms of `chunk` with their frequencies, those of its header repeated."""
    return _terms(count_terms(chunk.text), document, chunk)


def chunk_pairs(document: Document, chunk: Chunk) -> dict[str, int]:
    """Return the pairs of neighbouring stems of a `chunk` of prose and its title, with their frequencies."""
    return _pairs(_body(document, chunk, Reading(chunk.text)), document)


def _blocks(text: str) -> Iterator[str]:
    """Yield `text` in blocks of bounded size that end after a line, or else after a blank, if there is one."""
    start = 0
    while start < len(text):
        limit = start + _BLOCK
        end = text.rfind("\n", start, limit) + 1 or text.rfind(" ", start, limit) + 1 or limit
        yield text[start:end]
        start = end


def document_terms(document: Document) -> dict[str, int]:
    """Return the terms of the whole text of `document` with their frequencies."""
    total: Counter[str] = Counter()
    for block in _blocks(document.text):
        total.update(count_terms(block))
    return total


def vector_parts(document: Document, chunk: Chunk) -> tuple[VectorPart, ...]:
    """Return the parts of the vector of `chunk`, the body first; a part without words is left out.

    The vector is normalise(Σ weight · normalise(encode(text))).
    """
    return _vector_parts(_body(document, chunk, Reading(chunk.text)), document, chunk)


def embed_key(parts: Sequence[VectorPart], fingerprint: str) -> bytes:
    """Return 16 bytes, equal for the same parts under the same encoder: such chunks have the same vector.

    Nothing else goes in, so that a chunk keeps its vector when its file is renamed or its lines move.
    """
    digest = hashlib.blake2b(digest_size=16)
    for weight, text in ((0.0, fingerprint), *((part.weight, part.text) for part in parts)):
        data = text.encode("utf-8", "surrogatepass")
        digest.update(struct.pack("<dQ", weight, len(data)))
        digest.update(data)
    return digest.digest()
