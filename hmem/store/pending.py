"""What a writer has taken in and not yet written as a segment, as numbers in arrays."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from hmem.store.lexical import LexicalBuilder
from hmem.store.parts import CHUNK_FIELDS, DOCUMENT_FIELDS, PAIRS, TERMS
from hmem.store.segments import Segment

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Pending:
    """Documents on their way into one segment; they come in ascending order of their keys."""

    def __init__(self) -> None:
        self.chunks = LexicalBuilder(CHUNK_FIELDS)
        self.documents = LexicalBuilder(DOCUMENT_FIELDS)
        self._embedded: list[NDArray[np.float32]] = []
        self._documents = array("q")
        self._chunks = array("q")
        self._chunk_documents = array("i")
        self._covered = bytearray()

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self._chunks)

    def __contains__(self, document: int) -> bool:
        return document in self._documents

    def begin_document(self, document: int, terms: Mapping[str, int]) -> None:
        """Take a document in; the chunks that follow are its own."""
        self._documents.append(document)
        self.documents.add({TERMS: terms})

    def add_chunk(
        self, key: int, terms: Mapping[str, int], pairs: Mapping[str, int], vector: NDArray[np.float32] | None
    ) -> None:
        """Take a chunk of the current document in; None says that it has no vector."""
        self._chunks.append(key)
        self._chunk_documents.append(len(self._documents) - 1)
        self.chunks.add({TERMS: terms, PAIRS: pairs})
        self._covered.append(vector is not None)
        if vector is not None:
            self._embedded.append(vector)

    def segment(self) -> Segment:
        """Return the segment that covers what was taken in, without files yet."""
        return Segment.of(
            np.array(self._documents, np.int64),
            np.array(self._chunks, np.int64),
            np.array(self._chunk_documents, np.int32),
        )

    def covered(self) -> NDArray[np.bool_]:
        """Return for each chunk whether it has a vector."""
        return np.frombuffer(bytes(self._covered), np.bool_)

    def vectors(self) -> NDArray[np.float32]:
        """Return the vectors of the covered chunks, shape (n, dimensions)."""
        return np.array(self._embedded, np.float32)
