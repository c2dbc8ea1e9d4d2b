"""The entity arm: exact names in a query, and which chunks hold them.

A name is told by its form: an identifier, an error code, the number of a ticket or an invoice, a version, a path. It
is looked up in the postings of exact forms, which every chunk has for its text, title, headings, front matter and
definitions, so that the store keeps nothing for it; a path or the name of a file in the catalog too. A name that
nothing holds stands for the only one that it is the beginning of.

A chunk's activation is the sum, up to 1, of 1 / sqrt(n) for each name that it holds, n the chunks that do: the rarer,
the surer; times the share of names among the words of the query, since a long question is about more than the names
in it. What more than RARE chunks hold says nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from hmem.store.parts import CHUNKS, TERMS
from hmem.store.rows import path_bytes
from hmem.text import STOP_WORDS, exact_form, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hmem.search.arms import Indexes
    from hmem.search.bm25 import Bm25
    from hmem.store.snapshot import Snapshot
    from hmem.types import Json

RARE: Final = 20
"""Chunks that may hold a name, or files that may have it; one that more have is a word like others."""
MIN_PREFIX: Final = 4
"""Characters that the beginning of a name needs."""

_NAME: Final = re.compile(
    r"(?=[^\d]*\d)(?=.*[^\W\d_])"  # letters and digits
    r"|#\d|\w_\w|\w(?:\.|::|/|->)\w|[a-z][A-Z]|[A-Z]{2,}[a-z]{2}"
)
_FILE: Final = re.compile(r"[\w-]\.[A-Za-z]\w{0,9}$|/")


@dataclass(frozen=True, slots=True, eq=False)
class Entity:
    """A name of the query as `written`, the `form` under which it was found, and the chunks that have it.

    `positions` int64 (n,), ascending.
    """

    written: str
    form: str
    positions: NDArray[np.int64]

    def to_json(self) -> dict[str, Json]:
        """Return the entity as one JSON object."""
        return {"name": self.written, "chunks": len(self.positions)}


@dataclass(frozen=True, slots=True, eq=False)
class Activation:
    """How much each chunk has to do with what was named: `values` (n,) in (0, 1] at `positions` (n,), ascending."""

    positions: NDArray[np.int64]
    values: NDArray[np.float64]
    entities: tuple[Entity, ...] = ()

    @classmethod
    def of(cls, found: Mapping[int, float], entities: tuple[Entity, ...] = ()) -> Activation:
        """Return the activation of positions, which have 0 to 1 each."""
        positions = np.array(sorted(found), np.int64)
        values = np.array([found[position] for position in positions.tolist()], np.float64)
        return cls(positions, values, entities)

    def inside(self, eligible: NDArray[np.bool_], minimum: float = 0.0) -> Activation:
        """Return what of it concerns `eligible` (P,) chunks and is at least `minimum`."""
        kept = eligible[self.positions] & (self.values >= minimum)
        entities = (replace(each, positions=each.positions[eligible[each.positions]]) for each in self.entities)
        seen = tuple(each for each in entities if len(each.positions))
        return Activation(self.positions[kept], self.values[kept], seen)

    def at(self, positions: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the activation of `positions` (m,), ascending, (m,)."""
        values = np.zeros(len(positions), np.float64)
        _, places, own = np.intersect1d(positions, self.positions, assume_unique=True, return_indices=True)
        values[places] = self.values[own]
        return values

    def to_json(self) -> dict[str, Json]:
        """Return what was named, for the report of the arm."""
        return {"entities": [each.to_json() for each in self.entities]} if self.entities else {}

    def note(self) -> str:
        """Return in a few words what was named and how many chunks have it."""
        return ", ".join(f"`{each.written}` in {len(each.positions):,}" for each in self.entities)


NOTHING_NAMED: Final = Activation(np.empty(0, np.int64), np.empty(0, np.float64))


def names_in(text: str) -> list[str]:
    """Return the distinct words of `text` that look like names, in order."""
    return [word for word in dict.fromkeys(words(text)) if _NAME.search(word)]


class Entities:
    """Looks names up in one snapshot. Safe to share between threads."""

    def __init__(self, snapshot: Snapshot, indexes: Indexes) -> None:
        self._snapshot = snapshot
        self._indexes = indexes

    def named(self, query: str) -> Activation:
        """Return the activation of the chunks that have any of the names in `query`. Raises ArmUnavailableError."""
        field = self._indexes.field(CHUNKS, TERMS)
        entities = [entity for name in names_in(query) if (entity := self._entity(name, field))]
        if not entities:
            return NOTHING_NAMED
        held: dict[int, float] = {}
        for entity in entities:
            for position in entity.positions.tolist():
                held[position] = held.get(position, 0.0) + len(entity.positions) ** -0.5
        asked = sum(word.lower() not in STOP_WORDS for word in dict.fromkeys(words(query)))
        share = len(entities) / max(asked, len(entities))
        return Activation.of({position: share * min(1.0, sum_) for position, sum_ in held.items()}, tuple(entities))

    def _entity(self, name: str, field: Bm25) -> Entity | None:
        if (form := exact_form(name)) is None:
            return None
        held = self._held(name, form, field)
        if not len(held) and len(form) > MIN_PREFIX:
            longer = field.terms_with(form, 2)
            form = longer[0] if len(longer) == 1 else form
            held = field.holders(form)
        return Entity(name, form, held.astype(np.int64)) if 0 < len(held) <= RARE else None

    def _held(self, name: str, form: str, field: Bm25) -> NDArray[np.intp]:
        held = field.holders(form)
        return np.union1d(held, self._inside_file(name)) if _FILE.search(name) else held

    def _inside_file(self, name: str) -> NDArray[np.intp]:
        """Return the chunks of the files whose path is `name` or ends with it."""
        ending = b"/" + path_bytes(name.lstrip("/"))
        sql = "SELECT id FROM documents WHERE substr(path, ?) = ? OR path = ? LIMIT ?"
        rows = self._snapshot.catalog.rows(sql, (-len(ending), ending, ending[1:], RARE + 1))
        documents = [row[0] for row in rows]
        return np.flatnonzero(np.isin(self._snapshot.documents, documents) & self._snapshot.live)
