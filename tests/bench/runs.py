"""The arms of every question of a corpus, run once; variants only fuse, boost and sort anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from corpora import Corpus, Found
from hmem.search.arms import Status
from hmem.search.engine import Gathered, Searcher
from hmem.search.query import SearchOptions
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
    memory = stores.open(corpus)
    snapshot = memory.snapshot()
    searcher = Searcher(snapshot, memory.encoder)
    catalog = snapshot.catalog
    paths = {row.id: row.path for row in catalog.documents().values()}
    rows = catalog.chunks(snapshot.keys.tolist())
    root = str(catalog.collections()[0].root)
    inside = "" if corpus.base is None else root.removeprefix(str(corpus.base)).strip("/")
    prefix = f"{inside}/" if inside else ""
    places = [
        Found(prefix + paths[rows[key].document], rows[key].start_line, rows[key].end_line)
        for key in snapshot.keys.tolist()
    ]
    gathered = [searcher.gather(SearchOptions(question.text, top_k=corpus.depth)) for question in corpus.questions]
    for arm, result in gathered[0].results.items():
        if result.status in (Status.UNAVAILABLE, Status.FAILED):
            raise SystemExit(f"{corpus.name}: {arm} is {result.status}: {result.reason}")
    return Run(corpus, searcher, gathered, places)
