"""What is nearest to a chunk: its own vector, and the words that tell it from the others, as a query without itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from hmem.errors import ArmUnavailableError
from hmem.references import resolve_reference
from hmem.store.parts import CHUNKS, TERMS
from hmem.text import STOP_WORDS, terms, words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from hmem.search.arms import Indexes
    from hmem.search.engine import Searcher
    from hmem.search.query import SearchOptions
    from hmem.search.results import SearchResult
    from hmem.store.snapshot import Snapshot

MAX_WORDS: Final = 20
"""Words of the chunk that are looked up: more find little else and cost time."""


class OwnVector:
    """Stands for the encoder of the dense arm: whatever the text, the vector is that of the example."""

    def __init__(self, fingerprint: str, vector: NDArray[np.float32]) -> None:
        self.fingerprint = fingerprint
        self._vector = vector

    def encode_words(self, words: Sequence[str], weights: Sequence[float]) -> NDArray[np.float32]:
        """Return the example's vector, (d,)."""
        return self._vector


def search_related(searcher: Searcher, reference: str, options: SearchOptions) -> SearchResult:
    """Return the chunks nearest to the chunk or document that `reference` names, which is no candidate itself.

    The query of `options` is not used; that in the result is the words that were looked up. Raises NotIndexedError,
    UsageError.
    """
    snapshot = searcher.snapshot
    found = resolve_reference(snapshot.catalog, reference)
    chunks = [found.chunk] if found.chunk else snapshot.catalog.chunks_of(found.document.id)
    keys = tuple(chunk.key for chunk in chunks)
    query = " ".join(telling_words(searcher.indexes, "\n".join(chunk.text for chunk in chunks)))
    return searcher.with_encoder(lambda: _own_vector(snapshot, keys)).search(
        replace(options, query=query, without=keys)
    )


def telling_words(indexes: Indexes, text: str, limit: int = MAX_WORDS) -> list[str]:
    """Return up to `limit` words of `text` with the highest tf·idf over the store, highest first.

    Without a lexical index the most frequent ones.
    """
    spelled: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for word in words(text):
        if len(word) > 1 and word.lower() not in STOP_WORDS:
            stem = terms(word)[0]
            spelled.setdefault(stem, word)
            counts[stem] += 1
    weights = _weighted(indexes, counts)
    best = sorted(weights, key=lambda stem: (-weights[stem], stem))[:limit]
    return [spelled[stem] for stem in best]


def _weighted(indexes: Indexes, counts: Mapping[str, int]) -> dict[str, float]:
    try:
        field = indexes.field(CHUNKS, TERMS)
    except ArmUnavailableError:
        return {stem: float(count) for stem, count in counts.items()}
    return {stem: count * field.idf(stem) for stem, count in counts.items()}


def _own_vector(snapshot: Snapshot, keys: Sequence[int]) -> OwnVector | None:
    """Return the normalised sum of the chunks' vectors, zero if they have none. Raises ArmUnavailableError."""
    if snapshot.model is None:
        return None
    found = list(snapshot.vectors(keys).values())
    if not found:
        return OwnVector(snapshot.model, np.zeros(1, np.float32))
    total = np.sum(np.stack(found).astype(np.float64), axis=0)
    length = float(np.linalg.norm(total)) or 1.0
    return OwnVector(snapshot.model, np.asarray(total / length, np.float32))
