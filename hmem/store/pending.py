"""What a writer has taken in and not yet written as a segment, in compact form."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from hmem.store.segments import Segment


class Counts(Sequence[Mapping[str, int]]):
    """Term counts of many texts in arrays: a tenth of what one dict for each would take."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._terms: list[str] = []
        self._ids = array("I")
        self._counts = array("I")
        self._ends = array("Q", [0])

    def append(self, counts: Mapping[str, int]) -> None:
        """Add the counts of one more text."""
        numbers, terms = self._numbers, self._terms
        for term in counts:
            number = numbers.get(term)
            if number is None:
                number = numbers[term] = len(terms)
                terms.append(term)
            self._ids.append(number)
        self._counts.extend(counts.values())
        self._ends.append(len(self._ids))

    @overload
    def __getitem__(self, index: int) -> Mapping[str, int]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Mapping[str, int]]: ...
    def __getitem__(self, index: int | slice) -> Mapping[str, int] | Sequence[Mapping[str, int]]:
        if isinstance(index, slice):
            return [self[i] for i in range(len(self))[index]]
        at = range(len(self))[index]
        span = slice(self._ends[at], self._ends[at + 1])
        return dict(zip([self._terms[i] for i in self._ids[span]], self._counts[span], strict=True))

    def __iter__(self) -> Iterator[Mapping[str, int]]:
        return (self[i] for i in range(len(self)))

    def __len__(self) -> int:
        return len(self._ends) - 1


class Pending:
    """Documents on their way into one segment; they come in ascending order of their keys."""

    def __init__(self) -> None:
        self.terms = Counts()
        self.pairs = Counts()
        self.document_terms = Counts()
        self._documents = array("q")
        self._chunks = array("q")
        self._chunk_documents = array("i")
        self._vectors: list[NDArray[np.float32]] = []
        self._covered = bytearray()

    def __len__(self) -> int:
        """Return the number of chunks."""
        return len(self._chunks)

    def __contains__(self, document: int) -> bool:
        return document in self._documents

    def begin_document(self, document: int, terms: Mapping[str, int]) -> None:
        """Take a document in; the chunks that follow are its own."""
        self._documents.append(document)
        self.document_terms.append(terms)

    def add_chunk(
        self, key: int, terms: Mapping[str, int], pairs: Mapping[str, int], vector: NDArray[np.float32] | None
    ) -> None:
        """Take a chunk of the current document in; None says that it has no vector."""
        self._chunks.append(key)
        self._chunk_documents.append(len(self._documents) - 1)
        self.terms.append(terms)
        self.pairs.append(pairs)
        self._covered.append(vector is not None)
        if vector is not None:
            self._vectors.append(vector)

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
        return np.array(self._vectors, np.float32)
