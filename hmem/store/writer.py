"""The one writer of a store: takes documents in, writes segments, and makes them visible in one SQLite transaction.

A commit goes: segment files written, checked and forced to the disk; then one transaction that names them beside the
documents they cover and counts the generation up; then the listing of collections; then removal of what nobody uses.
Until the transaction is durable readers see the old state, afterwards the new one; whatever a crash leaves of the
other steps is done or removed by the next writer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from hmem.errors import ArmUnavailableError
from hmem.store.merge import FLUSH_CHUNKS
from hmem.store.parts import is_outdated
from hmem.store.pending import Pending
from hmem.store.records import (
    delete_skipped,
    insert_chunks,
    insert_document,
    insert_skipped,
    next_key,
    stored_key,
    update_state,
    write_collection,
)
from hmem.store.rows import Collection
from hmem.store.segments import DENSE, LEXICAL, Segment
from hmem.store.snapshot import Snapshot
from hmem.store.transaction import Transaction

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hmem.embed import Encoder
    from hmem.prepare import PreparedDocument
    from hmem.types import FileState, Json, Skipped


class Writer:
    """Changes to a store, seen by nobody else before `commit`; leaving the block without one drops them.

    `catalog` shows the uncommitted state. After an exception only closing is left. Not for several threads.
    """

    def __init__(self, directory: Path, lock_timeout: float, model: str = "") -> None:
        """Begin to write to the store in `directory` once nobody else does.

        `model` is the fingerprint of the encoder that the vectors to come are from. Raises `StoreLockedError` after
        `lock_timeout` seconds.
        """
        self._directory = directory
        self._model = model
        self._base: Snapshot | None = None
        self._transaction = Transaction(directory, lock_timeout)
        self._connection = self._transaction.connection
        self.catalog = self._transaction.catalog
        self._begin()

    def _begin(self) -> None:
        self._pending = Pending()
        self._changed = False
        self._next_document = next_key(self._connection, "documents")
        self._next_chunk = next_key(self._connection, "chunks")

    @property
    def next_document(self) -> int:
        """The id of the next document: all that there are have lower ones."""
        return self._next_document

    # -- collections

    def put_collection(self, collection: Collection) -> int:
        """Register `collection` (id 0) or replace what is known of it; return its id."""
        with self._transaction.working():
            known = {c.id: c for c in self.catalog.collections()}.get(collection.id)
            if known == collection:
                return collection.id
            self._changed |= known is None or _visible(known) != _visible(collection)
            return write_collection(self._connection, collection)

    def remove_collection(self, collection_id: int) -> None:
        """Forget a collection with all its documents."""
        self.remove_documents(row.document for row in self.catalog.files(collection_id))
        with self._transaction.working():
            self._connection.execute("DELETE FROM collections WHERE id = ?", (collection_id,))
            self._changed = True

    def put_skipped(self, collection_id: int, skipped: Iterable[Skipped], within: str = "") -> None:
        """Replace the files left out below `within` ("" = everywhere) by those of the scan just made."""
        with self._transaction.working():
            old = [item.path for item in self.catalog.skipped(collection_id, within)]
            delete_skipped(self._connection, collection_id, old)
            insert_skipped(self._connection, collection_id, skipped)

    # -- documents

    def add_document(
        self,
        collection_id: int,
        state: FileState,
        prepared: PreparedDocument,
        racy: bool,
        *,
        vectors: Sequence[NDArray[np.float32] | None],
        embed_keys: Sequence[bytes | None],
        created: str | None = None,
        updated: str | None = None,
        metadata: Mapping[str, Json] | None = None,
    ) -> int:
        """Store a document in place of the one at its path, if any, and return its id.

        `vectors` (float32, unit length) and `embed_keys` come one per chunk; None or a zero vector means that the
        chunk has none, a key of None that no model has seen it. `racy`: the file may change again without its state
        showing it. `created` and `updated` are ISO 8601, `metadata` replaces the document's own where a collection's
        defaults belong to it.
        """
        if not len(vectors) == len(embed_keys) == len(prepared.chunks):
            raise ValueError(f"{len(vectors)} vectors and {len(embed_keys)} keys for {len(prepared.chunks)} chunks")
        rows = [None if vector is None or not vector.any() else vector for vector in vectors]
        old = self.catalog.document_at(collection_id, state.path)
        if old is not None:
            self.remove_documents([old.id])
        with self._transaction.working():
            document_id = self._next_document
            insert_document(
                self._connection,
                document_id,
                collection_id,
                state,
                prepared.document,
                content_hash=prepared.content_hash,
                racy=racy,
                created=created,
                updated=updated,
                metadata=prepared.document.metadata if metadata is None else metadata,
            )
            kept = [stored_key(key, found=row is not None) for row, key in zip(rows, embed_keys, strict=True)]
            insert_chunks(self._connection, self._next_chunk, document_id, prepared.chunks, kept)
            self._take_in(document_id, prepared, rows)
            self._next_document += 1
            self._next_chunk += len(prepared.chunks)
            self._changed = True
            if len(self._pending) >= FLUSH_CHUNKS:
                self._flush()
        return document_id

    def _take_in(
        self, document_id: int, prepared: PreparedDocument, vectors: Sequence[NDArray[np.float32] | None]
    ) -> None:
        if not prepared.chunks:
            return
        self._pending.begin_document(document_id, prepared.terms)
        for number, (chunk, vector) in enumerate(zip(prepared.chunks, vectors, strict=True)):
            self._pending.add_chunk(self._next_chunk + number, chunk.terms, chunk.pairs, vector)

    def remove_documents(self, ids: Iterable[int]) -> None:
        """Forget documents with everything that belongs to them; unknown ids are fine."""
        wanted = list(ids)
        with self._transaction.working():
            if any(document in self._pending for document in wanted):
                self._flush()
            for document in wanted:
                self._transaction.bury(document)
            before = self._connection.total_changes
            self._connection.executemany("DELETE FROM documents WHERE id = ?", [(id_,) for id_ in wanted])
            self._changed |= self._connection.total_changes != before

    def touch(self, document_id: int, state: FileState, racy: bool) -> None:
        """Store a new file state of a document whose content is the same; no new generation comes of it."""
        with self._transaction.working():
            update_state(self._connection, document_id, state, racy=racy)

    def vectors_for(self, embed_keys: Iterable[bytes]) -> dict[bytes, NDArray[np.float32]]:
        """Return the vectors that the last committed generation holds under any of `embed_keys`.

        They include those of documents that this writer removed: a renamed file keeps its vectors.
        """
        with self._transaction.working():
            if self._base is None:
                self._base = Snapshot(self._directory)
            sql = "SELECT id, embed_key FROM chunks WHERE embed_key IN ({})"
            chunks = {key: chunk for chunk, key in self._base.catalog.rows_of(sql, set(embed_keys))}
            try:
                found = self._base.vectors(chunks.values())
            except ArmUnavailableError:
                return {}
        return {key: found[chunk] for key, chunk in chunks.items() if chunk in found}

    def reembed(self, encoder: Encoder) -> int:
        """Make the vectors of one segment that another model made, or none, from the catalog alone.

        Returns how many chunks it covers, 0 once there is no such segment left.
        """
        from hmem.store.rebuild import rebuild_segment

        return self._rebuild_one(
            lambda segment, unseen: is_foreign(segment, encoder.fingerprint) or _holds(segment, unseen),
            lambda segment: rebuild_segment(self._transaction, segment, encoder),
        )

    def reanalyse(self) -> int:
        """Make the postings of one segment of another text analysis anew, from the catalog alone.

        Returns how many chunks it covers, 0 once there is no such segment left. Raises `ArmUnavailableError` if its
        vectors, which are kept, are damaged.
        """
        from hmem.store.rebuild import rebuild_lexical

        return self._rebuild_one(
            lambda segment, _: is_outdated(segment),
            lambda segment: rebuild_lexical(self._transaction, segment),
        )

    def _rebuild_one(self, is_wanted: Callable[[Segment, list[int]], bool], rebuild: Callable[[Segment], None]) -> int:
        with self._transaction.working():
            self._flush()
            unseen = self.catalog.documents_unseen()
            alive = (segment for segment in self._transaction.segments if segment.live)
            segment = next((segment for segment in alive if is_wanted(segment, unseen)), None)
            if segment is None:
                return 0
            rebuild(segment)
            self._changed = True
        return segment.live

    # -- commit

    def commit(self) -> int:
        """Make every change durable and visible at once; return the generation, a new one if a search can see it."""
        with self._transaction.working():
            self._flush()
            if self._changed:
                self._transaction.merge()
            self._leave_base()
            generation = self._transaction.commit(changed=self._changed)
            self._begin()
        return generation

    def _flush(self) -> None:
        """Write what is pending as a segment."""
        pending = self._pending
        if not len(pending):
            return
        parts = self._transaction.parts
        segment = pending.segment()
        segment.parts[LEXICAL] = parts.lexical(pending.chunks, pending.documents)
        covered = pending.covered()
        if covered.any():
            keys = segment.chunk_keys[covered]
            segment.parts[DENSE] = parts.dense(keys, pending.vectors(), covered, self._model)
        parts.seal(segment)
        self._transaction.append(segment)
        self._pending = Pending()

    def close(self) -> None:
        """Drop what is not committed and release the lock; without effect the second time."""
        self._leave_base()
        self._transaction.close()

    def _leave_base(self) -> None:
        if self._base is not None:
            self._base.close()
            self._base = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _visible(collection: Collection) -> tuple[object, ...]:
    """Return what a search or a listing shows of a collection."""
    return collection.name, collection.root, collection.options, collection.metadata, collection.missing


def is_foreign(segment: Segment, model: str) -> bool:
    """Return whether `segment` has the vectors of another model than the one with this fingerprint."""
    return DENSE in segment.parts and segment.parts[DENSE].versions["model"] != model


def _holds(segment: Segment, documents: Sequence[int]) -> bool:
    """Return whether any of `documents` lives in `segment`."""
    return bool(documents) and bool(np.isin(segment.document_keys[~segment.dead_documents], documents).any())
