"""Questions to start from, taken from what is indexed: headings of prose, first sentences that document code.

They are known items: each asks with the words of its own answer, which flatters the lexical arms. They show that the
file works and where answers lie; what they measure is worth something once a person has put them in other words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b
from itertools import groupby, islice
from typing import TYPE_CHECKING, Final

from hmem.evaluation.judgments import Label, Question
from hmem.types import DefinitionKind, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.store.catalog import Catalog
    from hmem.store.rows import ChunkRow, DocumentRow
    from hmem.types import Definition

COUNT: Final = 40
PER_DOCUMENT: Final = 2
HEADING: Final = "heading"
DOCSTRING: Final = "docstring"

_WORDS: Final = range(2, 15)
_SENTENCE_WORDS: Final = range(4, 25)
_ENOUGH: Final = 3  # words from which on a heading says by itself what it is about
_SIGNATURE_LINES: Final = 12
_COMMENT: Final = re.compile(r"\s*(?:///?!?|//!|#(?![\[!])|--|;+|%+|/\*\*?!?|\*(?!/))\s?(.*?)\s*(?:\*/)?\s*")
_CLOSING: Final = re.compile(r"\s*\*/\s*")
_STRING: Final = re.compile(r"\s*[rRuU]?(\"\"\"|''')(.*)", re.DOTALL)
_ATTRIBUTE: Final = re.compile(r"\s*(?:@\w|#\[|\[\w.*\]\s*$)")
_SENTENCE: Final = re.compile(r"(.+?[.!?:])(?:\s|$)|(.+)", re.DOTALL)
_MARKUP: Final = re.compile(r"[`*{}<>\[\]|]+|\b_+|_+\b")
_NO_PROSE: Final = re.compile(
    r"(?:copyright|licen[cs]e|spdx|todo|fixme|noqa|nolint|type:|eslint|pragma|region|@|:param|https?:)|[=\-#~]{4}",
    re.IGNORECASE,
)


def starter_questions(catalog: Catalog, count: int = COUNT) -> list[Question]:
    """Return up to `count` questions, by path; half of them about code where there is enough of both.

    The documents are chosen by a hash of their path, so that the same store gives the same questions.
    """
    names = {collection.id: collection.name for collection in catalog.collections()}
    documents = sorted(catalog.documents().values(), key=_shuffled)
    prose = (row for row in documents if row.kind in (Kind.NOTE, Kind.WIKI))
    code = (row for row in documents if row.kind is Kind.CODE)
    seen: set[str] = set()
    headings = _take(_questions(catalog, prose, names, seen), count)
    docstrings = _take(_questions(catalog, code, names, seen), max(count // 2, count - len(headings)))
    chosen = [*headings[: count - len(docstrings)], *docstrings]
    return sorted(chosen, key=lambda question: question.labels[0].text)


def _take(questions: Iterator[Question], count: int) -> list[Question]:
    return list(islice(questions, count))


def _shuffled(row: DocumentRow) -> bytes:
    return blake2b(row.path.encode("utf-8", "surrogateescape"), digest_size=8).digest()


def _questions(
    catalog: Catalog, documents: Iterator[DocumentRow], names: dict[int, str], seen: set[str]
) -> Iterator[Question]:
    """Yield questions whose text was not `seen` before, a few of each document."""
    for row in documents:
        path = f"{names[row.collection]}/{row.path}"
        chunks = catalog.chunks_of(row.id)
        found = _docstrings(chunks) if row.kind is Kind.CODE else _headings(chunks)
        tag = DOCSTRING if row.kind is Kind.CODE else HEADING
        taken = 0
        for text, lines in found:
            if taken == PER_DOCUMENT:
                break
            if text.lower() not in seen:
                seen.add(text.lower())
                taken += 1
                yield Question(text, text, (Label(f"{path}:{lines}"),), (tag,))


def _headings(chunks: Sequence[ChunkRow]) -> Iterator[tuple[str, str]]:
    """Yield headings, with the one above where a heading is short, and the lines of what they head."""
    for heading, group in groupby(chunks, lambda chunk: chunk.heading):
        section = list(group)
        if not heading:
            continue
        text = _plain(heading[-1])
        if len(heading) > 1 and len(text.split()) < _ENOUGH:
            text = f"{_plain(heading[-2])} {text}"
        if len(text.split()) in _WORDS:
            yield text, f"{section[0].start_line}-{section[-1].end_line}"


def _docstrings(chunks: Sequence[ChunkRow]) -> Iterator[tuple[str, str]]:
    """Yield the first sentence of what documents a definition, and the line of the definition."""
    for chunk in chunks:
        lines = chunk.text.split("\n")
        for definition in chunk.definitions:
            if definition.kind not in (DefinitionKind.TYPE, DefinitionKind.FUNCTION):
                continue
            sentence = first_sentence(documentation(lines, definition, chunk.start_line))
            if sentence:
                yield sentence, str(definition.line)


def documentation(lines: Sequence[str], definition: Definition, first_line: int) -> str:
    """Return the comment directly above a definition, or the string that its body begins with, else "".

    `lines` of the text around it, the first of which has the number `first_line`.
    """
    at = definition.line - first_line
    if not 0 <= at < len(lines):
        return ""
    return _comment_above(lines, at) or _string_below(lines, at)


def _comment_above(lines: Sequence[str], at: int) -> str:
    found: list[str] = []
    for line in reversed(lines[:at]):
        match = _COMMENT.fullmatch(line)
        if match:
            found.append(match[1])
        elif not (_CLOSING.fullmatch(line) or (_ATTRIBUTE.match(line) and not found)):
            break
    return "\n".join(reversed(found)).strip()


def _string_below(lines: Sequence[str], at: int) -> str:
    """Return the text of a triple-quoted string in the first line of the body."""
    for row in range(at, min(at + _SIGNATURE_LINES, len(lines) - 1)):
        if lines[row].rstrip().endswith(":"):
            match = _STRING.match("\n".join(lines[row + 1 : row + 1 + _SIGNATURE_LINES]))
            return match[2].partition(match[1])[0].strip() if match else ""
    return ""


def first_sentence(text: str) -> str:
    """Return the first sentence of a documenting `text` as a query, "" if it is none or says too little."""
    paragraph = " ".join(text.partition("\n\n")[0].split())
    match = _SENTENCE.match(paragraph)
    if not match or _NO_PROSE.match(paragraph):
        return ""
    sentence = _plain(match[1] or match[2]).rstrip(".:!? ")
    return sentence if len(sentence.split()) in _SENTENCE_WORDS else ""


def _plain(text: str) -> str:
    """Return `text` without markup, on one line."""
    return " ".join(_MARKUP.sub(" ", text).split())
