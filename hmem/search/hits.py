"""From fused candidates to hits: rows of the catalog with the reasons for their rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from hmem.paths import absolute_path
from hmem.search.query import Arm
from hmem.search.results import ArmHit, Boost, Hit
from hmem.store.parts import CHUNKS, TERMS
from hmem.text import count_terms

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from hmem.search.arms import Indexes, Query
    from hmem.search.facts import SnapshotColumns
    from hmem.search.fuse import Fused
    from hmem.search.lists import ArmList
    from hmem.search.mix import Mix
    from hmem.store.rows import ChunkRow, DocumentRow
    from hmem.store.snapshot import Snapshot


KEPT_DOCUMENTS: Final = 10_000
"""Rows of documents that are kept: some 20 MB."""


class Documents:
    """The rows of documents that hits came from, read once each. Safe to share between threads."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._catalog = snapshot.catalog
        self._rows: dict[int, DocumentRow] = {}

    def of(self, ids: set[int]) -> dict[int, DocumentRow]:
        """Return the documents `ids`. Raises StoreError if the catalog is damaged."""
        known = {key: row for key in ids if (row := self._rows.get(key)) is not None}
        missing = self._catalog.documents(ids - known.keys()) if len(known) < len(ids) else {}
        if len(self._rows) + len(missing) > KEPT_DOCUMENTS:
            self._rows = {}  # a new one, as another thread may be reading the old one
        self._rows.update(missing)
        return known | missing


@dataclass(frozen=True, slots=True)
class HitBuilder:
    """Reads what hits show from one snapshot."""

    snapshot: Snapshot
    columns: SnapshotColumns
    indexes: Indexes
    query: Query
    documents: Documents
    states: Callable[[NDArray[np.int64]], list[str | None]]
    notes: Mapping[str, str]

    def build(self, fused: Fused, top: NDArray[np.int64], lists: Mapping[Arm, ArmList], mix: Mix) -> tuple[Hit, ...]:
        """Return the hits at the indexes `top` of the fused candidates, best first."""
        positions = fused.positions[top]
        keys = self.snapshot.keys[positions].tolist()
        chunks = self.snapshot.catalog.chunks(keys)
        documents = self.documents.of({chunk.document for chunk in chunks.values()})
        collections = self.columns.collections()
        rows = [chunks[key] for key in keys]
        arms = self._arm_hits(fused, top, lists, mix)
        matched = self._matched(positions, rows, lists)
        scores = fused.scores[top]
        states = self.states(positions)
        hits = []
        for place, chunk in enumerate(rows):
            document = documents[chunk.document]
            collection = collections[document.collection]
            hits.append(
                Hit(
                    rank=place + 1,
                    score=float(scores[place]),
                    chunk_id=chunk.chunk_id,
                    collection=collection.name,
                    source=document.path,
                    path=absolute_path(collection.root, document.path),
                    start_line=chunk.start_line,
                    end_line=chunk.end_line,
                    kind=document.kind,
                    lang=document.lang,
                    title=document.title,
                    heading=chunk.heading,
                    symbol=chunk.symbol,
                    text=chunk.text,
                    metadata=document.metadata,
                    arms=arms[place],
                    boosts=_boosts(fused, int(top[place]), self.notes),
                    matched=matched[place],
                    state=states[place],
                )
            )
        return tuple(hits)

    def _arm_hits(
        self, fused: Fused, top: NDArray[np.int64], lists: Mapping[Arm, ArmList], mix: Mix
    ) -> list[dict[str, ArmHit | None]]:
        positions = fused.positions[top]
        weights = mix.weights(positions)
        found: list[dict[str, ArmHit | None]] = [{} for _ in top]
        for arm, ranked in lists.items():
            listed = ranked.listed_ranks(positions)
            weight = np.broadcast_to(weights[arm], positions.shape)
            for place, position in enumerate(positions.tolist()):
                contribution = float(fused.contributions[arm][top[place]])
                found[place][str(arm)] = _arm_hit(
                    ranked, position, int(listed[place]), float(weight[place]), contribution
                )
        return found

    def _matched(
        self, positions: NDArray[np.int64], rows: Sequence[ChunkRow], lists: Mapping[Arm, ArmList]
    ) -> list[tuple[str, ...]]:
        """Return the words of the query that each hit holds: by the postings, or by its text if BM25 did not run."""
        terms = self.query.terms
        if Arm.BM25 in lists:
            field = self.indexes.field(CHUNKS, TERMS)
            held = field.contributions([(term.term, 1.0) for term in terms], positions, 1.0, 0.0) > 0
        else:
            counts = [count_terms(row.text) for row in rows]
            held = np.array([[term.term in count for count in counts] for term in terms], np.bool_)
        return [
            tuple(dict.fromkeys(term.word for at, term in enumerate(terms) if held[at, place]))
            for place in range(len(rows))
        ]


def _arm_hit(ranked: ArmList, position: int, listed: int, weight: float, contribution: float) -> ArmHit | None:
    """Return what an arm said of a position: None if it did not return it, or has no say about it."""
    score = float(ranked.scores[position])
    if score == -np.inf or weight == 0 or not (listed or contribution):
        return None
    return ArmHit(listed or ranked.rank(position), score, weight, contribution)


def _boosts(fused: Fused, index: int, notes: Mapping[str, str]) -> tuple[Boost, ...]:
    values = ((name, float(part[index])) for name, part in fused.boosts.items())
    return tuple(Boost(name, value, notes.get(name, "")) for name, value in values if value)
