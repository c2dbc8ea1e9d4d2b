"""From documents to postings: term frequencies by document become document lists by term. Pure arrays.

A document's terms are counted into numbers at once, so that nothing but the vocabulary and eight bytes a posting
stays in memory; one sort at the end brings a whole segment into the order of its terms.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Inverted:
    """The postings of one field. Term i has `docs[starts[i] : starts[i + 1]]`, ascending, and the same of `tfs`.

    `terms` ascend as UTF-8 bytes and each has a posting. `docs` and `tfs` are uint32; `starts` is int64, one longer
    than `terms`; `lengths` is uint32, the sum of a document's frequencies.
    """

    terms: list[bytes]
    starts: NDArray[np.int64]
    docs: NDArray[np.uint32]
    tfs: NDArray[np.uint32]
    lengths: NDArray[np.uint32]


class Inverter:
    """Collects the documents of one field in order."""

    def __init__(self) -> None:
        self._vocabulary: defaultdict[str, int] = defaultdict()
        self._vocabulary.default_factory = self._vocabulary.__len__
        self._ids = array("I")
        self._tfs = array("I")
        self._sizes = array("I")

    def add(self, document: Mapping[str, int]) -> None:
        """Add the next document: a frequency of at least 1 for each of its terms."""
        self._ids.extend(map(self._vocabulary.__getitem__, document))
        self._tfs.extend(document.values())
        self._sizes.append(len(document))

    def finish(self) -> Inverted:
        """Return the postings of all documents. Raises ValueError if a frequency was 0."""
        docs = np.repeat(np.arange(len(self._sizes), dtype=np.uint32), _array(self._sizes))
        terms = list(map(encode_term, self._vocabulary))
        return arrange(terms, _array(self._ids), docs, _array(self._tfs), len(self._sizes))


def arrange(
    terms: Sequence[bytes],
    ids: NDArray[np.uint32],
    docs: NDArray[np.uint32],
    tfs: NDArray[np.uint32],
    documents: int,
) -> Inverted:
    """Return the postings (number in `terms`, document, frequency) sorted by term.

    Within a term they must come in ascending order of the documents. Terms without postings are left out.
    """
    if not tfs.all():
        raise ValueError("a term frequency must be at least 1")
    counts = np.bincount(ids, minlength=len(terms))
    order = sorted(np.flatnonzero(counts).tolist(), key=terms.__getitem__)
    rank = np.zeros(len(terms), np.uint64)
    rank[order] = np.arange(len(order), dtype=np.uint64)
    # One sort of plain numbers: the low half of each keeps the postings of a term in place and says where it was.
    key = rank[ids] << np.uint64(32)
    key |= np.arange(len(ids), dtype=np.uint64)
    key.sort()
    source = key.astype(np.uint32)
    starts = np.zeros(len(order) + 1, np.int64)
    np.cumsum(counts[order], out=starts[1:])
    lengths = np.bincount(docs, tfs, documents).astype(np.uint32)
    return Inverted([terms[number] for number in order], starts, docs[source], tfs[source], lengths)


def encode_term(term: str) -> bytes:
    """Return the key bytes of `term`; any string has them, lone surrogates included."""
    return term.encode("utf-8", "surrogatepass")


def decode_term(key: bytes) -> str:
    """Return the term whose key bytes are `key`."""
    return key.decode("utf-8", "surrogatepass")


def _array(numbers: array[int]) -> NDArray[np.uint32]:
    return np.frombuffer(numbers, np.uint32)
