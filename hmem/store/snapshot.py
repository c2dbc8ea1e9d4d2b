"""A reader's view of one generation: catalog rows, positions and index files that stay as they are until it is closed.

A *position* is an index 0…P-1 over the chunks of all segments, gone ones included; every arm, filter and fusion works
on arrays over positions. Positions ascend with the chunks' keys, document positions with the documents' keys.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

import numpy as np

from hmem.errors import ArmUnavailableError
from hmem.preparation import postings_versions
from hmem.store.dense import DenseSegment
from hmem.store.lexical import LexicalSegment
from hmem.store.parts import open_dense, open_lexical
from hmem.store.pin import Pin
from hmem.store.schema import SEGMENTS
from hmem.store.segments import DENSE, LEXICAL, Segment, load_segments
from hmem.store.translate import REPAIR

if TYPE_CHECKING:
    from numpy.typing import NDArray

_T = TypeVar("_T", bound=np.generic)


class Snapshot:
    """One generation, pinned. Arrays are read-only by convention; the arms may use it from several threads.

    `keys` (int64, P) chunk keys · `documents` (int64, P) their documents' keys · `document_positions` (int64, P)
    index of the document in `document_keys` · `live` (bool, P) · `document_keys` (int64, D), the order of the
    `documents` index · `document_live` (bool, D).
    """

    def __init__(self, directory: Path) -> None:
        """Pin the current generation of the store in `directory`. Raises `StoreError`."""
        self._root = directory / SEGMENTS
        self._mutex = threading.RLock()
        self._lexical: dict[str, list[LexicalSegment]] = {}
        self._dense: list[DenseSegment | None] | None = None
        self._pin = Pin(directory)
        self.generation = self._pin.generation
        self.catalog = self._pin.catalog
        try:
            self._segments = load_segments(self.catalog)
            self._lay_out()
        except BaseException:
            self.close()
            raise

    def _lay_out(self) -> None:
        segments = self._segments
        self.keys = _joined([s.chunk_keys for s in segments], np.int64)
        self.document_keys = _joined([s.document_keys for s in segments], np.int64)
        self.live = ~_joined([s.dead_chunks for s in segments], np.bool_)
        self.document_live = ~_joined([s.dead_documents for s in segments], np.bool_)
        begins = np.cumsum([0, *(len(s.document_keys) for s in segments)])
        shifted = [s.chunk_documents.astype(np.int64) + b for s, b in zip(segments, begins, strict=False)]
        self.document_positions: NDArray[np.int64] = _joined(shifted, np.int64)
        self.documents: NDArray[np.int64] = self.document_keys[self.document_positions]

    def positions_of(self, keys: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the position of each chunk key, -1 where it has none; shape (n,)."""
        wanted = np.asarray(keys, np.int64)
        if not len(self.keys):
            return np.full(len(wanted), -1, np.int64)
        at = np.minimum(np.searchsorted(self.keys, wanted), len(self.keys) - 1)
        return np.where(self.keys[at] == wanted, at, -1).astype(np.int64)

    def lexical(self, name: str) -> list[LexicalSegment]:
        """Return the indexes `chunks` or `documents` in order of positions. Raises `ArmUnavailableError`."""
        with self._mutex:
            if name not in self._lexical:
                self._lexical[name] = self._open_lexical(name)
            return self._lexical[name]

    def _open_lexical(self, name: str) -> list[LexicalSegment]:
        opened: list[LexicalSegment] = []
        try:
            for segment in self._segments:
                part = segment.parts.get(LEXICAL)
                if part is None:
                    raise ArmUnavailableError("a segment has no lexical index", hint=REPAIR)
                if part.versions != postings_versions():
                    raise ArmUnavailableError(
                        "the lexical index was built by another text analysis", hint="run `hmem index`"
                    )
                opened.append(open_lexical(self._root, part, name))
        except BaseException:
            for index in opened:
                index.close()
            raise
        return opened

    @property
    def models(self) -> list[str]:
        """The fingerprints of the models whose vectors the store holds; several only while one replaces another."""
        return list(dict.fromkeys(str(s.parts[DENSE].versions["model"]) for s in self._segments if DENSE in s.parts))

    @property
    def model(self) -> str | None:
        """The first of `models`, None if the store holds no vectors."""
        return next(iter(self.models), None)

    def dense(self, model: str | None = None) -> list[DenseSegment]:
        """Return the vectors of every segment that has any, in order. Raises `ArmUnavailableError`.

        With `model` all of them must come from the model with that fingerprint, in any case from one and the same.
        """
        expected = model or self.model
        for segment in self._segments:
            if DENSE in segment.parts and segment.parts[DENSE].versions["model"] != expected:
                raise ArmUnavailableError(
                    "the vectors were made by another model", hint="run `hmem index --rebuild`, or name that model"
                )
        return [opened for opened in self._opened_dense() if opened is not None]

    def dense_positions(self) -> list[NDArray[np.int64]]:
        """Return for each segment of `dense()` the positions of its rows, ascending."""
        found, begin = [], 0
        for segment in self._segments:
            if DENSE in segment.parts:
                found.append(begin + np.flatnonzero(segment.parts[DENSE].covered))
            begin += len(segment.chunk_keys)
        return found

    def embedded(self) -> NDArray[np.bool_]:
        """Return which positions have a vector, shape (P,)."""
        mask = np.zeros(len(self.keys), np.bool_)
        for positions in self.dense_positions():
            mask[positions] = True
        return mask

    def vectors(self, keys: Iterable[int]) -> dict[int, NDArray[np.float32]]:
        """Return the vectors of those of `keys` that have one. Raises `ArmUnavailableError`."""
        wanted = np.unique(np.fromiter(keys, np.int64))
        found: dict[int, NDArray[np.float32]] = {}
        for opened in self._opened_dense():
            if opened is None:
                continue
            rows = np.minimum(np.searchsorted(opened.keys, wanted), len(opened.keys) - 1)
            held = opened.keys[rows] == wanted
            found.update(zip(wanted[held].tolist(), np.array(opened.vectors[rows[held]]), strict=True))
        return found

    def _opened_dense(self) -> list[DenseSegment | None]:
        with self._mutex:
            if self._dense is None:
                self._dense = [self._open_dense(segment) for segment in self._segments]
            return self._dense

    def _open_dense(self, segment: Segment) -> DenseSegment | None:
        part = segment.parts.get(DENSE)
        return None if part is None else open_dense(self._root, part, segment.chunk_keys[part.covered])

    def close(self) -> None:
        """Let the generation go; without effect the second time."""
        for index in [index for indexes in self._lexical.values() for index in indexes]:
            index.close()
        self._lexical, self._dense = {}, None
        self._pin.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _joined(arrays: list[NDArray[_T]], kind: type[_T]) -> NDArray[_T]:
    return np.concatenate(arrays) if arrays else np.empty(0, kind)
