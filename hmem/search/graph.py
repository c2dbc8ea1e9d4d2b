"""What belongs together: documents that link to each other, and chunks that share rare names.

Activation spreads from chunks to what is one step away, each step handing on DECAY of what it has: along links of
documents, in both directions (links of the text and of the front matter, what replaces what), and to chunks that hold
a name of it which at most SHARED chunks hold, 1 / sqrt(n - 1) of it for n of them. A name that the code defines and
one that it uses are the same name, so definitions and their uses are neighbours too.

What has more than FAN_OUT links is a table of contents and hands nothing on; of names the rarest NAMES count.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final

import numpy as np

from hmem.search.entities import Activation, names_in
from hmem.search.supersession import Names
from hmem.store.parts import CHUNKS, TERMS
from hmem.store.rows import path_text, storable
from hmem.text import exact_form

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from hmem.search.arms import Indexes
    from hmem.search.bm25 import Bm25
    from hmem.store.rows import ChunkRow
    from hmem.store.snapshot import Snapshot

DECAY: Final = 0.5
HOPS: Final = 2
SEEDS: Final = 8
"""Chunks that hand something on in each step, the most active ones."""
FAN_OUT: Final = 12
SHARED: Final = 5
NAMES: Final = 24

_LINKING: Final = "key IN ('meta.supersedes', 'meta.superseded_by', 'meta.related') OR text LIKE '[[%]]'"
_LINKS_OF: Final = f"""
    SELECT document, target FROM links WHERE document = ? AND target NOT LIKE '%://%'
    UNION SELECT document, text FROM attributes WHERE document = ? AND ({_LINKING})"""
_LINKS_TO: Final = f"""
    SELECT document, target FROM links WHERE instr(lower(target), lower(?)) OR instr(lower(target), lower(?))
    UNION SELECT document, text FROM attributes
    WHERE ({_LINKING}) AND (instr(lower(text), lower(?)) OR instr(lower(text), lower(?)))"""
"""Links of the text and of the front matter: of one document, and all that may mean the one with a stem or title."""


class Graph:
    """The neighbours of one snapshot's chunks; reads its links when first asked. Safe to share between threads."""

    def __init__(self, snapshot: Snapshot, indexes: Indexes) -> None:
        self._snapshot = snapshot
        self._indexes = indexes
        self._lock = Lock()
        self._names: Names | None = None
        self._linked: dict[int, frozenset[int]] = {}

    def spread(self, seeds: Mapping[int, float], hops: int = HOPS) -> Activation:
        """Return the activation around `seeds`, positions with what they have; their own is not part of it.

        Raises ArmUnavailableError without a lexical index.
        """
        found: dict[int, float] = {}
        front = dict(seeds)
        for _ in range(hops):
            reached: dict[int, float] = {}
            for position, share in self._steps(front):
                if position not in seeds and share > found.get(position, 0.0):
                    reached[position] = max(share, reached.get(position, 0.0))
            found.update(reached)
            front = reached
        return Activation.of(found)

    def around(self, named: Activation, share: float, hops: int = HOPS) -> Activation:
        """Return what was `named` with its neighbours, which have `share` of what spreads to them."""
        seeds = dict(zip(named.positions.tolist(), named.values.tolist(), strict=True))
        near = self.spread(seeds, hops)
        handed = dict(zip(near.positions.tolist(), (share * near.values).tolist(), strict=True))
        return Activation.of(handed | seeds, named.entities)

    def _steps(self, front: Mapping[int, float]) -> Iterator[tuple[int, float]]:
        """Yield the positions one step away, with what they are handed."""
        strongest = sorted(front, key=lambda position: (-front[position], position))[:SEEDS]
        documents: dict[int, float] = {}
        for position in strongest:
            document = int(self._snapshot.documents[position])
            documents[document] = max(front[position], documents.get(document, 0.0))
        for document, share in documents.items():
            linked = self.linked(document)
            if 0 < len(linked) <= FAN_OUT:
                inside = np.isin(self._snapshot.documents, list(linked)) & self._snapshot.live
                yield from ((position, DECAY * share) for position in np.flatnonzero(inside).tolist())
        chunks = self._snapshot.catalog.chunks(self._snapshot.keys[strongest].tolist())
        field = self._indexes.field(CHUNKS, TERMS)
        for position in strongest:
            chunk = chunks[int(self._snapshot.keys[position])]
            yield from self._sharing(chunk, DECAY * front[position], field)

    @staticmethod
    def _sharing(chunk: ChunkRow, share: float, field: Bm25) -> Iterator[tuple[int, float]]:
        names = [*names_in(chunk.text), *(found.name for found in chunk.definitions)]
        forms = dict.fromkeys(form for name in names if (form := exact_form(name)))
        rare = sorted((len(held), form) for form in forms if 1 < len(held := field.holders(form)) <= SHARED)
        for count, form in rare[:NAMES]:
            yield from ((position, share * (count - 1) ** -0.5) for position in field.holders(form).tolist())

    def linked(self, document: int) -> frozenset[int]:
        """Return the documents that link to `document` or that it links to. Raises StoreError."""
        with self._lock:
            if document not in self._linked:
                self._linked[document] = self._find_links(document)
            return self._linked[document]

    def _find_links(self, document: int) -> frozenset[int]:
        catalog = self._snapshot.catalog
        if self._names is None:
            self._names = Names(catalog)
        targets = [self._target(*row) for row in catalog.rows(_LINKS_OF, (document, document))]
        found = {target for target in targets if target is not None}
        rows = catalog.rows("SELECT path, title FROM documents WHERE id = ?", (document,))
        for path, title in rows:
            stem = path_text(path).rpartition("/")[2]
            stem = stem.rpartition(".")[0] or stem
            for source, target in catalog.rows(_LINKS_TO, 2 * (storable(stem), storable(title))):
                if self._target(source, target) == document:
                    found.add(source)
        return frozenset(found - {document})

    def _target(self, source: int, name: str) -> int | None:
        """Return the document that a link stands for; its part after `#` is a place inside."""
        assert self._names is not None
        name = name.partition("#")[0]
        return self._names.resolve(name, source).document if name else None
