"""The boosts of one search: what code says beside its words, each as a named part of the score.

    definition  the chunk defines a name that the query asks for
    coherence   other chunks of the file answer too
    name        the query holds the words of the file's name
    folder      … and of its directory's
    test        a test, where the query does not ask for tests
    aside       documentation, configuration or data among code, where the query does not ask for it
    repeat      a further chunk of a file that has a better one
    level       notes are among the candidates: what `coherence`, `name` and `folder` added is taken back from the rest

The unit of the additive ones is the best score that fusion can give, so they mean the same under every method. All
but `aside` and `level` concern chunks of code alone. Prose counts as being among code if nearly all files of its
directory, those below included, are code; any other prose has no boost. Notes are prose that is not, in a collection
that is not mainly code: what lies in a repository of code is its documentation.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from hmem.errors import ArmUnavailableError
from hmem.represent import file_stem
from hmem.search import names, rank
from hmem.search.fuse import Fused
from hmem.store.parts import DOCUMENTS, TERMS
from hmem.store.rows import definitions_from, names_from, path_bytes, path_text
from hmem.text import stem
from hmem.types import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from hmem.search.arms import Indexes
    from hmem.search.names import Symbol
    from hmem.search.recipe import Recipe
    from hmem.store.snapshot import Snapshot
    from hmem.types import Definition

AMONG_CODE: Final = 0.75
"""Share of code among the files of a directory from which on its other files count as lying among code."""
MAINLY_CODE: Final = 0.5
"""The like for a collection, from which on all of its prose counts as the documentation of its code."""
SAMPLE: Final = 1000
"""How many files of a directory are looked at for that."""

SURE: Final = 0.3
"""Strength from which on a definition is a candidate even if no arm puts it up."""
_RAISING: Final = ("coherence", "name", "folder")
"""What lifts much of the code for words that prose may hold as well; a definition is what no prose has."""

MOST_DEFINITIONS: Final = 200
"""A name that is defined more often than this says nothing."""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What is known of a file: the words of its name and directory, and what it is.

    Of the words: their rarity among documents by their roots; none unless the file is code.
    """

    name: Mapping[str, float]
    folder: Mapping[str, float]
    test: bool
    aside: bool
    note: bool


@dataclass(frozen=True, slots=True)
class Defined:
    """Chunks that define what a query asks for: `strength` (n,) of the definition at `positions` (n,), ascending.

    `alone` (n,): the name is the whole query.
    """

    positions: NDArray[np.int64]
    strength: NDArray[np.float64]
    alone: NDArray[np.bool_]

    def candidates(self, recipe: Recipe) -> NDArray[np.int64]:
        """Return the positions that are candidates by themselves."""
        wanted = np.where(self.alone, recipe.definition, recipe.mention) > 0
        return self.positions[wanted & (self.strength > SURE)]

    def at(self, positions: NDArray[np.int64], recipe: Recipe) -> NDArray[np.float64]:
        """Return the boost at `positions` (m,), ascending, as a share of the best score."""
        values = np.zeros(len(positions), np.float64)
        _, places, own = np.intersect1d(positions, self.positions, assume_unique=True, return_indices=True)
        weight = np.where(self.alone, recipe.definition, recipe.mention)
        values[places] = (weight * self.strength)[own]
        return values


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a definition stands: the lower-case scopes and path around it, and the definitions of its chunk."""

    context: str
    definitions: tuple[Definition, ...]


NOTHING_DEFINED: Final = Defined(np.empty(0, np.int64), np.empty(0, np.float64), np.empty(0, np.bool_))


class Booster:
    """Finds and adds the boosts of searches of one snapshot. Safe to share between threads; keeps what it has read."""

    def __init__(self, snapshot: Snapshot, indexes: Indexes) -> None:
        self._snapshot = snapshot
        self._indexes = indexes
        self._facts: dict[int, FileFacts] = {}
        self._code_shares: dict[tuple[int, bytes], float] = {}

    def definitions(self, query: str, eligible: NDArray[np.bool_]) -> Defined:
        """Return where the symbols of `query` are defined among the `eligible` positions (P,)."""
        found: dict[int, tuple[float, bool]] = {}
        for symbol in names.symbols(query):
            for position, strength in self._defining(symbol, eligible).items():
                found[position] = max(found.get(position, (0.0, False)), (strength, symbol.alone))
        if not found:
            return NOTHING_DEFINED
        positions = np.array(sorted(found), np.int64)
        values = [found[position] for position in positions.tolist()]
        return Defined(positions, np.array([v for v, _ in values]), np.array([alone for _, alone in values], np.bool_))

    def _defining(self, symbol: Symbol, eligible: NDArray[np.bool_]) -> dict[int, float]:
        catalog = self._snapshot.catalog
        rows = catalog.definitions({symbol.name, symbol.written})
        if not 0 < len(rows) <= MOST_DEFINITIONS:
            return {}
        positions = self._snapshot.positions_of([row.chunk for row in rows]).tolist()
        files = len({int(self._snapshot.documents[position]) for position in positions if position >= 0})
        places = self._places({row.chunk for row in rows})
        found: dict[int, float] = defaultdict(float)
        for row, position in zip(rows, positions, strict=True):
            if position < 0 or not eligible[position]:
                continue
            place = places[row.chunk]
            nested = any(
                each.indent > 0 for each in place.definitions if (each.line, each.name) == (row.line, row.name)
            )
            strength = rank.definition_strength(
                symbol, row.name, row.kind, nested=nested, context=place.context, files=files
            )
            found[position] = max(found[position], strength)
        return found

    def _places(self, chunks: set[int]) -> dict[int, _Place]:
        sql = """SELECT c.id, c.scopes, c.definitions, d.path FROM chunks c JOIN documents d ON d.id = c.document
                 WHERE c.id IN ({})"""
        return {
            chunk: _Place(" ".join((*names_from(scopes), path_text(path))).lower(), definitions_from(definitions))
            for chunk, scopes, definitions, path in self._snapshot.catalog.rows_of(sql, chunks)
        }

    def boost(self, fused: Fused, query: str, defined: Defined, unit: float, recipe: Recipe) -> Fused:
        """Return `fused` with its boosts; `unit` is the best score that fusion can give."""
        code = self._indexes.is_code()[fused.positions]
        if not code.any():
            return fused
        files, file_of = np.unique(self._snapshot.document_positions[fused.positions], return_inverse=True)
        facts = self._facts_of(files.tolist())
        scores = base = fused.scores
        boosts: dict[str, NDArray[np.float64]] = {}

        def add(name: str, values: NDArray[np.float64]) -> None:
            nonlocal scores
            if values.any():
                boosts[name] = values
                scores = scores + values

        def each(share: Iterable[float]) -> NDArray[np.float64]:
            return np.array(list(share), np.float64)[file_of]

        # Of the fused score alone: what a name adds to every chunk of a file says nothing of its other chunks.
        together = np.where(code, rank.coherence(scores, file_of, recipe.coherence), 0.0)
        asked = names.asked_roots(query)
        add("definition", unit * defined.at(fused.positions, recipe))
        add("coherence", together)
        add("name", unit * recipe.name * each(rank.named_share(fact.name, asked) for fact in facts))
        add("folder", unit * recipe.folder * each(rank.named_share(fact.folder, asked) for fact in facts))
        if not names.asks_for_tests(query):
            add("test", rank.scaled(scores, each(recipe.test if fact.test else 1.0 for fact in facts)))
        if not names.asks_aside(query):
            add("aside", rank.scaled(scores, each(recipe.aside if fact.aside else 1.0 for fact in facts)))
        add("repeat", np.where(code, rank.repeats(scores, file_of, recipe.repeat), 0.0))
        raised = sum((boosts[name] for name in _RAISING if name in boosts), start=base)
        notes = np.array([fact.note for fact in facts], np.bool_)[file_of]
        add("level", rank.levelled(scores, base, raised, notes, recipe.level))
        return Fused(fused.positions, fused.contributions, boosts)

    def _facts_of(self, files: list[int]) -> list[FileFacts]:
        """Return the facts of document positions, in their order."""
        missing = [file for file in files if file not in self._facts]
        if missing:
            keys = dict(zip(self._snapshot.document_keys[missing].tolist(), missing, strict=True))
            sql = "SELECT id, collection, path, kind FROM documents WHERE id IN ({})"
            for document, collection, path, kind in self._snapshot.catalog.rows_of(sql, keys):
                self._facts[keys[document]] = self._read(collection, path_text(path), Kind(kind))
        return [self._facts[file] for file in files]

    def _read(self, collection: int, path: str, kind: Kind) -> FileFacts:
        code = kind is Kind.CODE
        folder = path.rsplit("/", 2)[-2] if "/" in path else ""
        directory = path_bytes(path).rpartition(b"/")[0]
        aside = not code and (kind is Kind.TEXT or self._code_share(collection, directory) >= AMONG_CODE)
        note = not code and not aside and self._code_share(collection, b"") < MAINLY_CODE
        words = (self._rarities(file_stem(path)), self._rarities(folder)) if code else ({}, {})
        return FileFacts(*words, test=code and names.is_test(path), aside=aside, note=note)

    def _rarities(self, name: str) -> dict[str, float]:
        """Return the rarity of the words of `name` by their roots: idf among whole documents, 1 if it is not known."""
        try:
            field = self._indexes.field(DOCUMENTS, TERMS)
        except ArmUnavailableError:
            return {names.root(word): 1.0 for word in names.name_words(name)}
        return {names.root(word): field.idf(stem(word)) for word in names.name_words(name)}

    def _code_share(self, collection: int, directory: bytes) -> float:
        """Return the share of code among the files below a directory, those below included; of SAMPLE at most."""
        if (collection, directory) not in self._code_shares:
            after, before = (directory + b"/", directory + b"0") if directory else (b"", b"\xff")
            sql = "SELECT kind FROM documents WHERE collection = ? AND path > ? AND path < ? ORDER BY path LIMIT ?"
            rows = self._snapshot.catalog.rows(sql, (collection, after, before, SAMPLE))
            kinds = [kind for (kind,) in rows]
            self._code_shares[collection, directory] = kinds.count(Kind.CODE) / max(1, len(kinds))
        return self._code_shares[collection, directory]
