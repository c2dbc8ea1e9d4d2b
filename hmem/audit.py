"""What is wrong with what the documents say: the checks of `hmem doctor --memory`. Only a person can mend these.

    duplicate       the same words in passages of several documents
    near-duplicate  passages of several documents whose vectors have a cosine of NEAR or more
    contradiction   documents of one title and collection that have different values of one key
    dangling        a name in `supersedes` or `superseded_by` that stands for no document
    ambiguous       … for several
    circular        documents that supersede each other in a circle
    date            an `expires`, `valid_from` or `valid_until` that is no date

Retired passages count for the last four alone, code for none but those.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from hmem.errors import ArmUnavailableError
from hmem.search.dates import seconds
from hmem.search.declarations import KEYS, Declaration, read_declarations
from hmem.search.lifecycle import read_lifecycle
from hmem.search.supersession import Names, claims_made, in_circles
from hmem.store.verify import Problem
from hmem.text import words
from hmem.timeline import CREATED_KEYS, UPDATED_KEYS
from hmem.types import Json, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from datetime import datetime

    from numpy.typing import NDArray

    from hmem.store.rows import ChunkRow, DocumentRow
    from hmem.store.snapshot import Snapshot

NEAR: Final = 0.98
MIN_WORDS: Final = 5
"""A passage of fewer says too little to be a duplicate."""
MOST_COMPARED: Final = 50_000
"""Passages whose vectors are compared with each other: the work grows with the square."""
BLOCK: Final = 1024

OF_THE_FILE: Final = frozenset({*KEYS, *CREATED_KEYS, *UPDATED_KEYS, "id", "title", "tags", "tag", "aliases"})
"""Keys that tell of the document, not of its subject."""


@dataclass(frozen=True, slots=True)
class _Current:
    """The documents that hold now, and the keys of their passages, in order; without code."""

    documents: Mapping[int, DocumentRow]
    chunks: NDArray[np.int64]


def audit(snapshot: Snapshot, now: datetime) -> list[Problem]:
    """Return what is wrong with what the documents of a snapshot say at `now`. Raises StoreError if it is damaged."""
    declared = read_declarations(snapshot.catalog)
    names = Names(snapshot.catalog)
    current = _current(snapshot, declared, now)
    chunks = snapshot.catalog.chunks(current.chunks.tolist())
    equal = _equal_passages(chunks.values())
    told = {chunk.key for group in equal for chunk in group}
    near = _near_passages(snapshot, [chunk for chunk in chunks.values() if chunk.key not in told])
    return [
        *(_passages("duplicate", "the same text", group, names) for group in equal),
        *(_passages("near-duplicate", "almost the same text", group, names) for group in near),
        *_contradictions(current.documents.values(), names),
        *_bad_names(declared, names),
        *_circles(declared, names),
        *_bad_dates(declared, names),
    ]


def _current(snapshot: Snapshot, declared: Mapping[int, Declaration], now: datetime) -> _Current:
    mask = snapshot.live.copy()
    lifecycle = read_lifecycle(snapshot, declared)
    if lifecycle is not None:
        mask &= ~lifecycle.retired(seconds(now))
    rows = {key: row for key, row in snapshot.catalog.documents().items() if row.kind is not Kind.CODE}
    mask &= np.isin(snapshot.documents, [*rows])
    held = set(snapshot.documents[mask].tolist())
    return _Current({key: row for key, row in rows.items() if key in held}, snapshot.keys[mask])


def _equal_passages(chunks: Iterable[ChunkRow]) -> list[list[ChunkRow]]:
    groups: defaultdict[tuple[str, ...], list[ChunkRow]] = defaultdict(list)
    for chunk in chunks:
        if len(said := tuple(word.casefold() for word in words(chunk.text))) >= MIN_WORDS:
            groups[said].append(chunk)
    return [group for group in groups.values() if len({chunk.document for chunk in group}) > 1]


def _near_passages(snapshot: Snapshot, chunks: list[ChunkRow]) -> list[list[ChunkRow]]:
    """Return groups of passages that are near to another of their group, each in one group."""
    try:
        vectors = snapshot.vectors(chunk.key for chunk in chunks[:MOST_COMPARED])
    except ArmUnavailableError:
        return []
    known = [chunk for chunk in chunks if chunk.key in vectors and len(words(chunk.text)) >= MIN_WORDS]
    if not known:
        return []
    matrix = np.stack([vectors[chunk.key] for chunk in known]).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    group = list(range(len(known)))  # each points to one of its group, the first to itself

    def first(at: int) -> int:
        while group[at] != at:
            group[at] = at = group[group[at]]
        return at

    for one, other in _pairs(matrix):
        if known[one].document != known[other].document:
            lower, higher = sorted((first(one), first(other)))
            group[higher] = lower
    found: defaultdict[int, list[ChunkRow]] = defaultdict(list)
    for at, chunk in enumerate(known):
        found[first(at)].append(chunk)
    return [members for members in found.values() if len(members) > 1]


def _pairs(matrix: NDArray[np.float32]) -> Iterator[tuple[int, int]]:
    """Yield the indexes of unit vectors (n, d) with a cosine of NEAR or more, the lower one first."""
    for begin in range(0, len(matrix), BLOCK):
        near = matrix[begin : begin + BLOCK] @ matrix[begin:].T >= NEAR
        for one, other in np.argwhere(np.triu(near, 1)).tolist():
            yield begin + one, begin + other


def _passages(code: str, what: str, group: Iterable[ChunkRow], names: Names) -> Problem:
    places = [f"`{names.place(chunk.document)}:{chunk.start_line}`" for chunk in group]
    return Problem(code, f"{what} stands in {_listed(places)}", "")


def _contradictions(documents: Iterable[DocumentRow], names: Names) -> Iterator[Problem]:
    subjects: defaultdict[tuple[int, str], list[DocumentRow]] = defaultdict(list)
    for document in documents:
        subjects[document.collection, document.title.casefold()].append(document)
    for members in subjects.values():
        for key in dict.fromkeys(key for document in members for key in document.metadata):
            values = {document.id: document.metadata[key] for document in members if _is_fact(document, key)}
            if len({repr(value) for value in values.values()}) > 1:
                said = [f"`{value}` in `{names.place(document)}`" for document, value in values.items()]
                yield Problem("contradiction", f"`{key}` of `{members[0].title}` is {_listed(said)}", "")


def _is_fact(document: DocumentRow, key: str) -> bool:
    value: Json = document.metadata.get(key)
    return key.lower().replace("-", "_") not in OF_THE_FILE and isinstance(value, str | int | float)


def _bad_names(declared: Mapping[int, Declaration], names: Names) -> Iterator[Problem]:
    for document, declaration in declared.items():
        for key, given in (("supersedes", declaration.supersedes), ("superseded_by", declaration.superseded_by)):
            for name in given:
                target = names.resolve(name, document)
                if target.document is None:
                    code, what = (
                        ("ambiguous", f"{target.several} documents") if target.several else ("dangling", "no document")
                    )
                    yield Problem(code, f"`{key}: {name}` in `{names.place(document)}` names {what}", "")


def _circles(declared: Mapping[int, Declaration], names: Names) -> Iterator[Problem]:
    circular = in_circles((claim.newer, claim.older) for claim in claims_made(declared, names))
    if circular:
        places = [f"`{names.place(document)}`" for document in sorted(circular)]
        yield Problem("circular", f"supersession goes round in a circle: {_listed(places)}", "")


def _bad_dates(declared: Mapping[int, Declaration], names: Names) -> Iterator[Problem]:
    for document, declaration in declared.items():
        for key in declaration.unread:
            yield Problem("date", f"`{key}` in `{names.place(document)}` is no date", "")


def _listed(texts: list[str]) -> str:
    return f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else texts[0]
