"""When segments are rewritten as one, and how.

Only neighbours in the order of keys are merged, so segments stay ordered and never overlap. Postings and vectors are
copied from the old files; where those cannot be read, postings are made anew from the catalog.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from hmem.errors import ArmUnavailableError, StoreDamagedError
from hmem.represent import chunk_pairs, chunk_terms, document_terms
from hmem.store.lexical import LexicalBuilder
from hmem.store.parts import (
    CHUNK_FIELDS,
    DOCUMENT_FIELDS,
    PAIRS,
    TERMS,
    PartWriter,
    is_outdated,
    open_dense,
)
from hmem.store.restore import stored_document
from hmem.store.segments import DENSE, LEXICAL, Part, Segment

if TYPE_CHECKING:
    from hmem.store.catalog import Catalog

# A search opens every segment: about 0.3 ms each. Below `FLOOR` chunks a segment costs its files, not its content.
MAX_SEGMENTS = 8
FLOOR = 256
# No merge makes more chunks than this: it bounds its memory (about 7 KB a chunk) and what one commit may take longer
# than others. A segment of more than half of it is full: it is neither merged nor counted.
MAX_CHUNKS = 60_000
# The greatest of the segments that are merged may be this share of them: a big one is not written again for each
# small one that comes after it.
MAX_SHARE = 0.75
MAX_DEAD = 0.25
# A writer's segment of this size is far above the cost of its files; bounds its memory (about 3 KB a chunk).
FLUSH_CHUNKS = 20_000

Window: TypeAlias = "tuple[int, int]"


def choose(sizes: Sequence[tuple[int, int]]) -> list[Window]:
    """Return the windows (begin, end) of segments to rewrite as one each; `sizes` are (live, total) in key order.

    A segment goes when more than a quarter of it is dead (a small one only when all is: its neighbours take it along
    soon). Beyond `MAX_SEGMENTS`, the window goes that costs least for each segment that it saves.
    """
    windows = [
        (at, at + 1)
        for at, (live, total) in enumerate(sizes)
        if total - live > MAX_DEAD * total and (live == 0 or total >= FLOOR)
    ]
    counted = sum(0 < live <= MAX_CHUNKS // 2 for live, _ in sizes)
    if counted <= MAX_SEGMENTS:
        return windows
    best = min(_affordable([live for live, _ in sizes]), default=None)
    if best is None:
        return windows
    _, _, begin, end = best
    return [(begin, end), *(window for window in windows if not begin <= window[0] < end)]


def _affordable(sizes: Sequence[int]) -> Iterator[tuple[bool, float, int, int]]:
    """Yield (lopsided, cost for each segment saved, begin, end) of each possible window of two segments or more."""
    for begin in range(len(sizes)):
        costs: list[int] = []
        for end in range(begin + 1, len(sizes) + 1):
            costs.append(max(sizes[end - 1], FLOOR))
            if sizes[end - 1] > MAX_CHUNKS // 2 or sum(sizes[begin:end]) > MAX_CHUNKS:
                break
            if len(costs) > 1:
                yield max(costs) > MAX_SHARE * sum(costs), sum(costs) / (len(costs) - 1), begin, end


def rewrite(
    catalog: Catalog, segments: Sequence[Segment], writer: PartWriter, *, analyse: bool = False
) -> Segment | None:
    """Return one new segment of what is alive in neighbouring `segments`, its files sealed; None if nothing is.

    `analyse`: make the postings from the catalog even if they could be copied. Raises `ArmUnavailableError` if
    vectors cannot be copied: they are lost unless somebody embeds again.
    """
    merged = alive(segments)
    if not len(merged.chunk_keys):
        return None
    dense = _merged_dense(segments, merged, writer)
    if dense is not None:
        merged.parts[DENSE] = dense
    copied = None if analyse else _copied_lexical(segments, writer)
    merged.parts[LEXICAL] = copied or analysed(catalog, merged, writer)
    writer.seal(merged)
    return merged


def alive(segments: Sequence[Segment]) -> Segment:
    """Return a segment, without files, of what is alive in neighbouring `segments`."""
    documents, chunks, chunk_documents = [], [], []
    base = 0
    for segment in segments:
        kept = ~segment.dead_documents
        renumbered = np.cumsum(kept) - 1 + base
        base += int(np.count_nonzero(kept))
        documents.append(segment.document_keys[kept])
        chunks.append(segment.chunk_keys[~segment.dead_chunks])
        chunk_documents.append(renumbered[segment.chunk_documents[~segment.dead_chunks]])
    return Segment.of(
        np.concatenate(documents), np.concatenate(chunks), np.concatenate(chunk_documents).astype(np.int32)
    )


def can_join(segments: Sequence[Segment]) -> bool:
    """Return whether the vectors of `segments` come from one model."""
    models = {tuple(sorted(s.parts[DENSE].versions.items())) for s in segments if DENSE in s.parts}
    return len(models) <= 1


def _merged_dense(segments: Sequence[Segment], merged: Segment, writer: PartWriter) -> Part | None:
    rows, covered = [], []
    model = ""
    for segment in segments:
        part = segment.parts.get(DENSE)
        kept = ~segment.dead_chunks
        if part is None:
            covered.append(np.zeros(np.count_nonzero(kept), np.bool_))
            continue
        model = str(part.versions["model"])
        opened = open_dense(writer.root, part, segment.chunk_keys[part.covered])
        rows.append(np.asarray(opened.vectors)[kept[part.covered]])
        covered.append(part.covered[kept])
    mask = np.concatenate(covered)
    if not mask.any():
        return None
    return writer.dense(merged.chunk_keys[mask], np.concatenate(rows), mask, model)


def _copied_lexical(segments: Sequence[Segment], writer: PartWriter) -> Part | None:
    """Return postings gathered from the old ones; None if those are damaged or of another analysis."""
    if any(map(is_outdated, segments)):
        return None
    try:
        return writer.merged_lexical(segments)
    except (ArmUnavailableError, StoreDamagedError):
        return None


def analysed(catalog: Catalog, segment: Segment, writer: PartWriter) -> Part:
    """Write the lexical part of `segment` from the texts in the catalog alone."""
    pieces, whole = LexicalBuilder(CHUNK_FIELDS), LexicalBuilder(DOCUMENT_FIELDS)
    for key in segment.document_keys.tolist():
        document, chunks = stored_document(catalog, key)
        whole.add({TERMS: document_terms(document)})
        for chunk in [row.to_chunk() for row in chunks]:
            pieces.add({TERMS: chunk_terms(document, chunk), PAIRS: chunk_pairs(document, chunk)})
    return writer.lexical(pieces, whole)
