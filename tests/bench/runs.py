"""The arms of every question of a corpus, run once; variants only fuse, boost and sort anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpora import Corpus, Found
from hmem.library import KnowledgeBase
from hmem.search.arms import Status
from hmem.search.engine import Gathered, Searcher
from hmem.search.query import SearchOptions
from hmem.store import Snapshot
from stores import Stores
from variants import Variant


@dataclass(frozen=True, slots=True)
class Run:
    """What the arms of one corpus said to each of its questions."""

    corpus: Corpus
    searcher: Searcher
    gathered: Sequence[Gathered]
    places: Sequence[Found]

    def scores(self, variant: Variant) -> list[float]:
        """Return the score of every question under a variant."""
        found = []
        for question, gathered in zip(self.corpus.questions, self.gathered, strict=True):
            options = SearchOptions(question.text, top_k=self.corpus.depth, **variant.options)
            ranking = self.searcher.rank(options, gathered.only(variant.arms), variant.recipe)
            hits = [self.places[position] for position in ranking.positions.tolist()]
            found.append(self.corpus.score(hits, question))
        return found


def load_run(stores: Stores, corpus: Corpus) -> Run:
    """Return the corpus with all its arms run; its store stays open as long as the process lives."""
    return _runs(stores.open(corpus), [corpus])[0]


def load_joined(stores: Stores, name: str, corpora: Sequence[Corpus]) -> list[Run]:
    """Return each of `corpora` run in one store that holds them all: what another one answers is wrong."""
    return _runs(stores.open_all(name, list(corpora)), corpora)


def _runs(memory: KnowledgeBase, corpora: Sequence[Corpus]) -> list[Run]:
    snapshot = memory.snapshot()
    searcher = Searcher(snapshot, memory.encoder)
    return [Run(corpus, searcher, _gathered(searcher, corpus), _places(snapshot, corpus)) for corpus in corpora]


def _places(snapshot: Snapshot, corpus: Corpus) -> list[Found]:
    catalog = snapshot.catalog
    owner = catalog.collection(corpus.name)
    assert owner is not None
    documents = catalog.documents()
    inside = "" if corpus.base is None else str(owner.root).removeprefix(str(corpus.base)).strip("/")
    prefix = f"{inside}/" if inside else ""
    rows = catalog.chunks(snapshot.keys.tolist())
    places = []
    for key in snapshot.keys.tolist():
        document = documents[rows[key].document]
        own = document.collection == owner.id
        path = prefix + document.path if own else f"{document.collection}:{document.id}"
        places.append(Found(path, rows[key].start_line, rows[key].end_line))
    return places


def _gathered(searcher: Searcher, corpus: Corpus) -> list[Gathered]:
    found = [searcher.gather(SearchOptions(question.text, top_k=corpus.depth)) for question in corpus.questions]
    for arm, result in found[0].results.items():
        if result.status in (Status.UNAVAILABLE, Status.FAILED):
            raise SystemExit(f"{corpus.name}: {arm} is {result.status}: {result.reason}")
    return found
