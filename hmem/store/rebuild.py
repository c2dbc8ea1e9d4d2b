"""Index files made anew from the catalog alone, without the sources: after damage, or for another model or analysis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hmem.embed import compose
from hmem.represent import embed_key, vector_parts
from hmem.store import merge
from hmem.store.catalog import CHUNK_COLUMNS
from hmem.store.records import stored_key, update_embed_keys
from hmem.store.restore import stored_document
from hmem.store.segment_records import delete_segment
from hmem.store.segments import DENSE, LEXICAL, Segment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hmem.embed import Encoder
    from hmem.represent import VectorPart
    from hmem.store.transaction import Transaction

_BATCH = 512  # chunks embedded together


def rebuild_segment(transaction: Transaction, segment: Segment, encoder: Encoder | None) -> None:
    """Make both arms' files of a segment anew; without an encoder its chunks end up without vectors."""
    transaction.replace([segment], _made(transaction, merge.alive([segment]), encoder))


def rebuild_lexical(transaction: Transaction, segment: Segment) -> None:
    """Make the postings of a segment anew and keep its vectors. Raises `ArmUnavailableError` if they are damaged."""
    transaction.replace([segment], merge.rewrite(transaction.catalog, [segment], transaction.parts, analyse=True))


def rebuild_all(transaction: Transaction, encoder: Encoder | None) -> None:
    """Make every segment anew, whatever segments there are."""
    for row in transaction.catalog.rows("SELECT id FROM segments"):
        delete_segment(transaction.connection, row[0], transaction.generation + 1)
    transaction.segments = []
    for segment in _planned(transaction):
        made = _made(transaction, segment, encoder)
        if made is not None:
            transaction.append(made)


def _planned(transaction: Transaction) -> Iterator[Segment]:
    """Yield segments, without files, that cover every chunk of the catalog in order of keys."""
    rows = transaction.catalog.rows("SELECT document, id FROM chunks ORDER BY document, id")
    table = np.array(rows, np.int64).reshape(-1, 2)
    begin = 0
    while begin < len(table):
        last = table[min(begin + merge.FLUSH_CHUNKS, len(table)) - 1, 0]
        end = int(np.searchsorted(table[:, 0], last, side="right"))
        documents, numbers = np.unique(table[begin:end, 0], return_inverse=True)
        yield Segment.of(documents, table[begin:end, 1].copy(), numbers.astype(np.int32))
        begin = end


def _made(transaction: Transaction, segment: Segment, encoder: Encoder | None) -> Segment | None:
    if not len(segment.chunk_keys):
        return None
    vectors = _embed(transaction, segment, encoder)
    covered: NDArray[np.bool_] = np.asarray(vectors.any(axis=1), np.bool_)
    if encoder is not None and covered.any():
        keys = segment.chunk_keys[covered]
        segment.parts[DENSE] = transaction.parts.dense(keys, vectors[covered], covered, encoder.fingerprint)
    segment.parts[LEXICAL] = merge.analysed(transaction.catalog, segment, transaction.parts)
    transaction.parts.seal(segment)
    return segment


def _embed(transaction: Transaction, segment: Segment, encoder: Encoder | None) -> NDArray[np.float32]:
    """Return a vector for each chunk, shape (n, dimensions), zero without one, and store the embed keys."""
    found = []
    for keys, parts in _batches(transaction, segment):
        if encoder is None:
            vectors = np.zeros((len(keys), 1), np.float32)
            embed_keys: list[bytes | None] = [None] * len(keys)
        else:
            vectors = compose(encoder, parts)
            embed_keys = [embed_key(part, encoder.fingerprint) for part in parts]
        kept = {
            key: stored_key(made, found=bool(row.any()))
            for key, made, row in zip(keys, embed_keys, vectors, strict=True)
        }
        rows = transaction.catalog.rows_of(f"SELECT {CHUNK_COLUMNS} FROM chunks WHERE id IN ({{}})", keys)
        update_embed_keys(transaction.connection, list(rows), kept)
        found.append(vectors)
    return np.concatenate(found)


def _batches(
    transaction: Transaction, segment: Segment
) -> Iterator[tuple[list[int], Sequence[tuple[VectorPart, ...]]]]:
    keys: list[int] = []
    parts: list[tuple[VectorPart, ...]] = []
    for key in segment.document_keys.tolist():
        document, chunks = stored_document(transaction.catalog, key)
        keys += [chunk.key for chunk in chunks]
        parts += [vector_parts(document, chunk.to_chunk()) for chunk in chunks]
        if len(keys) >= _BATCH:
            yield keys, parts
            keys, parts = [], []
    if keys:
        yield keys, parts
