"""BM25 over arrays: one pass per query term, over several segments, counting live documents only.

    idf(t)      = ln(1 + (N - df + 0.5) / (df + 0.5))
    score(d)    = sum over t of weight(t) * idf(t) * tf / (tf + k1 * (1 - b + b * length(d) / average length))

This is Lucene's form since version 8 (without the constant factor k1 + 1), `method="lucene"` of bm25s. N, df and the
average come from live documents, so a score does not depend on how documents are spread over segments or on what was
deleted: the same live documents give the same bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

CACHE_BYTES = 64 << 20
"""Default bound of a cache of decoded postings: about 50,000 terms of 100 documents."""

_FREQUENT = 4  # a term of one document in so many is faster and smaller as a value for every position
_ENTRY_BYTES = 200  # what an entry takes besides its numbers, roughly

Parameter: TypeAlias = "float | NDArray[np.float32]"


class PostingSource(Protocol):
    """What is scored: `hmem.store.lexical.LexicalSegment`, or anything like it."""

    n: int

    def postings(self, field: str, term: str) -> tuple[NDArray[np.int32], NDArray[np.float32]] | None:
        """Return (document numbers, frequencies) of a term or None."""

    def lengths(self, field: str) -> NDArray[np.float32]:
        """Return the lengths of all documents."""

    def terms_with(self, field: str, prefix: str, limit: int) -> list[str]:
        """Return the first `limit` terms that start with `prefix`."""


@dataclass(frozen=True, slots=True)
class _Term:
    """A term's live postings. `positions` is None for a frequent term: then `tfs` has one value per position."""

    positions: NDArray[np.intp] | None
    tfs: NDArray[np.float32]
    df: int

    @property
    def size(self) -> int:
        return _ENTRY_BYTES + self.tfs.nbytes + (0 if self.positions is None else self.positions.nbytes)


class Bm25:
    """Scores one field of a snapshot's segments. Safe to share between threads.

    A position counts the documents of all segments in order, dead ones included. `live` has one bool per position.
    """

    def __init__(
        self,
        segments: Sequence[PostingSource],
        field: str,
        live: NDArray[np.bool_],
        *,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        """Gather the lengths; `cache_bytes` bounds the decoded postings that are kept (0: none)."""
        self._segments = tuple(segments)
        self._field = field
        self._live = live
        self._all_live = bool(live.all())
        lengths = [segment.lengths(field) for segment in segments]
        self._lengths = np.concatenate(lengths) if lengths else np.empty(0, np.float32)
        if len(self._lengths) != len(live):
            raise ValueError(f"{len(live)} live flags for {len(self._lengths)} documents")
        self.documents = int(np.count_nonzero(live))
        total = float(self._lengths.sum(where=live, dtype=np.float64))
        self.average_length = total / self.documents if self.documents else 0.0
        self._cache: dict[str, _Term] = {}
        self._capacity = self._room = cache_bytes
        self._lock = Lock()

    def scores(self, terms: Sequence[tuple[str, float]], k1: Parameter, b: Parameter) -> NDArray[np.float32]:
        """Return the score of every position, shape (P,), 0 where no term occurs or the document is dead.

        `terms` are (term, weight); repeated ones add up. `k1` >= 0 and 0 <= `b` <= 1 are numbers or one value per
        position.
        """
        result = np.zeros(len(self._live), np.float32)
        norm = self._norm(k1, b)
        for term, weight in terms:
            found = self._term(term)
            factor = np.float32(weight * self._idf(found.df))
            if not found.df or not factor:
                continue
            if found.positions is None:
                impact = norm + found.tfs
                np.divide(found.tfs, impact, out=impact)
                impact *= factor
                result += impact
            else:
                impact = norm.take(found.positions)
                impact += found.tfs
                np.divide(found.tfs, impact, out=impact)
                impact *= factor
                np.add.at(result, found.positions, impact)
        return result

    def contributions(
        self, terms: Sequence[tuple[str, float]], positions: NDArray[np.intp], k1: Parameter, b: Parameter
    ) -> NDArray[np.float32]:
        """Return what each term adds to the score of each of `positions`, shape (terms, positions).

        Summed in order over the terms this is `scores(...)[positions]`.
        """
        norm = self._norm(k1, b)[positions]
        result = np.zeros((len(terms), len(positions)), np.float32)
        for row, (term, weight) in enumerate(terms):
            found = self._term(term)
            if not found.df:
                continue
            if found.positions is None:
                tfs = found.tfs[positions]
            else:
                place = np.searchsorted(found.positions, positions).clip(max=found.df - 1)
                tfs = np.where(found.positions[place] == positions, found.tfs[place], np.float32(0))
            result[row] = tfs / (tfs + norm) * np.float32(weight * self._idf(found.df))
        return result

    @property
    def cached_bytes(self) -> int:
        """The size of the decoded postings that are kept now."""
        return self._capacity - self._room

    def df(self, term: str) -> int:
        """Return the number of live documents that hold `term`."""
        return self._term(term).df

    def holders(self, term: str) -> NDArray[np.intp]:
        """Return the positions of the live documents that hold `term`, ascending."""
        found = self._term(term)
        return np.flatnonzero(found.tfs) if found.positions is None else found.positions

    def terms_with(self, prefix: str, limit: int) -> list[str]:
        """Return up to `limit` terms of live documents that start with `prefix`, ascending.

        A term counts towards the limit of its segment even if nothing alive holds it.
        """
        stored = {term for segment in self._segments for term in segment.terms_with(self._field, prefix, limit)}
        return sorted(term for term in stored if self.df(term))[:limit]

    def idf(self, term: str) -> float:
        """Return ln(1 + (N - df + 0.5) / (df + 0.5)), always positive."""
        return self._idf(self._term(term).df)

    def _idf(self, df: int) -> float:
        return math.log1p((self.documents - df + 0.5) / (df + 0.5))

    def _norm(self, k1: Parameter, b: Parameter) -> NDArray[np.float32]:
        relative = self._lengths / np.float32(self.average_length or 1.0)
        share = np.asarray(b, np.float32)
        norm = np.asarray(k1, np.float32) * (1 - share + share * relative)
        # A norm of 0 (k1 = 0, or b = 1 and an empty document) must not make 0 / 0 of an absent term.
        result: NDArray[np.float32] = np.maximum(norm, np.finfo(np.float32).tiny)
        return result

    def _term(self, term: str) -> _Term:
        with self._lock:
            found = self._cache.pop(term, None)
            if found is not None:
                self._cache[term] = found  # the first entry is the one not used for longest
                return found
        found = self._load(term)
        with self._lock:
            if term not in self._cache and found.size <= self._capacity:
                while self._room < found.size:
                    self._room += self._cache.pop(next(iter(self._cache))).size
                self._cache[term] = found
                self._room -= found.size
        return found

    def _load(self, term: str) -> _Term:
        positions, tfs, base = [], [], 0
        for segment in self._segments:
            if (found := segment.postings(self._field, term)) is not None:
                positions.append(found[0].astype(np.intp) + base)
                tfs.append(found[1])
            base += segment.n
        if not positions:
            return _Term(np.empty(0, np.intp), np.empty(0, np.float32), 0)
        where = positions[0] if len(positions) == 1 else np.concatenate(positions)
        what = tfs[0] if len(tfs) == 1 else np.concatenate(tfs)
        if not self._all_live:
            alive = self._live[where]
            where, what = where[alive], what[alive]
        if _FREQUENT * len(where) < len(self._live):
            return _Term(where, what, len(where))
        everywhere = np.zeros(len(self._live), np.float32)
        everywhere[where] = what
        return _Term(None, everywhere, len(where))
