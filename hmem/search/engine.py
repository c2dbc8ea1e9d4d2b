"""The search: filters first, then the arms side by side, fusion, and the hits with the reasons for their rank."""

from __future__ import annotations

import os
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Final

import numpy as np

from hmem.errors import ArmUnavailableError
from hmem.search.arms import (
    BUDGET,
    ArmResult,
    EncoderSource,
    Indexes,
    Query,
    Status,
    run_bm25,
    run_dense,
    run_document,
    side_by_side,
)
from hmem.search.boosts import Booster
from hmem.search.entities import NOTHING_NAMED, Activation, Entities, names_in
from hmem.search.facts import SnapshotColumns
from hmem.search.filters import Scene
from hmem.search.graph import Graph
from hmem.search.hits import Documents, HitBuilder
from hmem.search.lists import ArmList, best_first
from hmem.search.mix import Mix, plan
from hmem.search.phrase import phrase_mask
from hmem.search.query import Arm, SearchOptions
from hmem.search.recipe import DEFAULT_RECIPE
from hmem.search.results import ArmReport, SearchResult
from hmem.search.select import select
from hmem.search.standing import Moment, Standing
from hmem.store.parts import CHUNKS, TERMS

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from hmem.search.fuse import Fused
    from hmem.search.recipe import Recipe
    from hmem.store.snapshot import Snapshot

DECIMALS: Final = 12
"""To which scores are compared where time weighs: equal dates are equal then, whatever they were added to."""

MIN_DEPTH: Final = 100
DEPTH_FACTOR: Final = 10
"""An arm puts up at least MIN_DEPTH candidates, and DEPTH_FACTOR times as many as hits are asked for."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What the arms said to a query: `results` of all, the ranked `lists` of those that ran; `eligible` (P,).

    `hidden` counts by state what is retired and would have been eligible; `moment` is what time has to say, and
    `activation` the entity arm.
    """

    query: Query
    filters: tuple[str, ...]
    eligible: NDArray[np.bool_]
    hidden: Mapping[str, int]
    moment: Moment
    results: dict[Arm, ArmResult]
    lists: dict[Arm, ArmList]
    activation: Activation = NOTHING_NAMED

    def only(self, arms: Container[Arm]) -> Gathered:
        """Return the same as if only `arms` had run."""
        named = self.activation if Arm.ENTITY in arms else NOTHING_NAMED
        return replace(self, lists={arm: found for arm, found in self.lists.items() if arm in arms}, activation=named)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The candidates with the parts of their scores, how they were mixed, and the indexes of the best, best first."""

    mix: Mix
    fused: Fused
    top: NDArray[np.int64]

    @property
    def positions(self) -> NDArray[np.int64]:
        """The positions of the best, best first."""
        return self.fused.positions[self.top]


class Searcher:
    """Searches one snapshot, which must stay open. Safe to share between threads; keeps what it has read."""

    def __init__(
        self,
        snapshot: Snapshot,
        encoder: EncoderSource = None,
        *,
        directory: str | None = None,
        clock: Callable[[], datetime] = datetime.now,
        budget: float = BUDGET,
        recipe: Recipe = DEFAULT_RECIPE,
    ) -> None:
        """Relative paths start from `directory`, by default the working directory; `budget` is seconds per arm.

        `recipe` is what weighs in the ranking.
        """
        self._snapshot = snapshot
        self._encoder = encoder
        self._columns = SnapshotColumns(snapshot)
        self._indexes = Indexes(snapshot, self._columns, recipe)
        self._directory = directory
        self._clock = clock
        self._budget = budget
        self._recipe = recipe
        self._booster = Booster(snapshot, self._indexes)
        self._documents = Documents(snapshot)
        self._standing = Standing(snapshot)
        self._entities = Entities(snapshot, self._indexes)
        self._graph = Graph(snapshot, self._indexes)

    @property
    def snapshot(self) -> Snapshot:
        """The generation that is searched."""
        return self._snapshot

    @property
    def indexes(self) -> Indexes:
        """The indexes of the snapshot, as far as they are open."""
        return self._indexes

    def with_encoder(self, encoder: EncoderSource) -> Searcher:
        """Return a searcher with another encoder that shares what this one has read."""
        other = copy(self)
        other._encoder = encoder
        return other

    def search(self, options: SearchOptions) -> SearchResult:
        """Return the ranked hits for `options`; arms that could not answer say so in the result.

        Raises UsageError for filters that this store cannot satisfy, StoreError if the catalog is damaged.
        """
        start = perf_counter()
        gathered = self.gather(options)
        ranking = self.rank(options, gathered)
        builder = HitBuilder(
            self._snapshot,
            self._columns,
            self._indexes,
            gathered.query,
            self._documents,
            partial(self._standing.states, moment=gathered.moment),
            {**gathered.moment.notes(), str(Arm.ENTITY): gathered.activation.note()},
        )
        return SearchResult(
            query=options.query,
            fusion=ranking.mix.report(ranking.fused.positions, self._indexes.is_code),
            arms=_reports(gathered),
            filters=gathered.filters,
            eligible_chunks=int(np.count_nonzero(gathered.eligible)),
            generation=self._snapshot.generation,
            hidden=gathered.hidden,
            hits=builder.build(ranking.fused, ranking.top, gathered.lists, ranking.mix),
            took_ms=1000 * (perf_counter() - start),
            query_id=options.query_id,
            request=options.request,
        )

    def gather(self, options: SearchOptions) -> Gathered:
        """Return what the arms say: all of a search but the fusion. Raises as `search` does."""
        query = Query.read(options.query)
        scene = Scene(self._clock(), self._directory or _working_directory())
        selection = select(options, self._columns, self._snapshot.live, self._columns.roots(), scene)
        left_out = self._snapshot.positions_of(options.without)
        selection.eligible[left_out[left_out >= 0]] = False
        moment = Moment.of(options, query.text, scene.now)
        visible = self._standing.visible(selection.eligible, options, moment)
        eligible = self._with_phrases(query, visible.eligible)
        results = self._run(options, query, eligible, moment)
        lists = self._lists(options, results)
        found = results[Arm.ENTITY].activation or NOTHING_NAMED
        activation = found.inside(eligible, options.effective_minimums.get(Arm.ENTITY, 0.0))
        return Gathered(query, selection.filters, eligible, visible.hidden, moment, results, lists, activation)

    def rank(self, options: SearchOptions, gathered: Gathered, recipe: Recipe | None = None) -> Ranking:
        """Return the candidates of `gathered` in order; what weighs may differ from call to call."""
        recipe = recipe or self._recipe
        lists = gathered.lists
        mix = Mix.of(options, lists, self._indexes.is_code, recipe)
        activation = gathered.activation
        newest = self._newest(options, lists)
        if lists and options.boosted and self._indexes.is_code().any():
            code = gathered.eligible & self._indexes.is_code()
            defined = self._booster.definitions(gathered.query.text, code)
            fused = mix.fuse(lists, np.concatenate([defined.candidates(recipe), newest]), activation.positions)
            fused = self._booster.boost(fused, gathered.query.text, defined, mix.best, recipe)
        else:
            fused = mix.fuse(lists, newest, activation.positions)
        if len(activation.positions) and recipe.entity:
            added = recipe.entity * mix.best * activation.at(fused.positions)
            fused = replace(fused, boosts={**fused.boosts, str(Arm.ENTITY): added})
        scores = fused.scores
        if gathered.moment.skipped is None and lists:
            fused = self._standing.boost(fused, gathered.moment, mix.best, recipe)
            scores = np.round(fused.scores, DECIMALS)
        return Ranking(mix, fused, best_first(scores, fused.positions, options.top_k, self._columns.ties))

    def _newest(self, options: SearchOptions, lists: Mapping[Arm, ArmList]) -> NDArray[np.int64]:
        """Return the newest of all that any arm scored, where recency weighs: it does not only sort what they list."""
        if not options.recency or not lists:
            return np.empty(0, np.int64)
        scored = np.any([found.scores > -np.inf for found in lists.values()], axis=0)
        return self._standing.newest(scored, _depth(options))

    def _with_phrases(self, query: Query, eligible: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of the eligible chunks hold the quoted phrases of the query as written."""
        if not query.phrases:
            return eligible
        try:
            terms = self._indexes.field(CHUNKS, TERMS)
        except ArmUnavailableError:  # then every text has to be read
            return phrase_mask(query.phrases, eligible, None, self._texts)

        def having(alternatives: Sequence[str]) -> NDArray[np.bool_]:
            return terms.scores([(term, 1.0) for term in alternatives], 1.0, 0.0) > 0

        return phrase_mask(query.phrases, eligible, having, self._texts)

    def _texts(self, positions: NDArray[np.int64]) -> Iterable[str]:
        keys = self._snapshot.keys[positions].tolist()
        chunks = self._snapshot.catalog.chunks(keys)
        return [chunks[key].text for key in keys]

    def _run(
        self, options: SearchOptions, query: Query, eligible: NDArray[np.bool_], moment: Moment
    ) -> dict[Arm, ArmResult]:
        """Return what each arm said; those that have no say are skipped with a reason."""
        skipped = plan(options, lambda: bool((self._indexes.is_code() & eligible).any()))
        if moment.skipped is not None:
            skipped.setdefault(Arm.TIME, moment.skipped)
        if not options.without and not names_in(query.text):
            skipped.setdefault(Arm.ENTITY, "the query has no word that looks like a name")
        tasks: dict[Arm, Callable[[], ArmResult]] = {
            Arm.BM25: partial(run_bm25, self._indexes, query, eligible),
            Arm.DOCUMENT: partial(run_document, self._indexes, query, eligible),
            Arm.DENSE: partial(run_dense, self._indexes, query, eligible, self._encoder, _depth(options)),
            Arm.ENTITY: partial(self._run_entity, query.text, options.without),
            Arm.TIME: lambda: ArmResult(Status.OK),
        }
        ran = side_by_side({arm: task for arm, task in tasks.items() if arm not in skipped}, self._budget)
        return {arm: ran[arm] if arm in ran else ArmResult.skipped(skipped[arm]) for arm in Arm}

    def _run_entity(self, query: str, example: Sequence[int]) -> ArmResult:
        """Return what the `query` names; of an `example`, chunks by key, what is linked with it or shares its names."""
        if example:
            found = self._snapshot.positions_of(example)
            activation = self._graph.spread(dict.fromkeys(found[found >= 0].tolist(), 1.0))
        else:
            activation = self._entities.named(query)
            if self._recipe.neighbour and len(activation.positions):
                activation = self._graph.around(activation, self._recipe.neighbour)
        return ArmResult(Status.OK if len(activation.positions) else Status.EMPTY, activation=activation)

    def _lists(self, options: SearchOptions, results: dict[Arm, ArmResult]) -> dict[Arm, ArmList]:
        """Return the ranked list of every arm that ran."""
        lists: dict[Arm, ArmList] = {}
        ties, depth, minimums = self._columns.ties, _depth(options), options.effective_minimums
        for arm, result in results.items():
            if result.scores is None:
                continue
            minimum = minimums.get(arm, -np.inf)
            if arm is Arm.DOCUMENT:
                chunks = lists[Arm.BM25].scores if Arm.BM25 in lists else result.scores
                units = self._snapshot.document_positions
                found = ArmList.of_documents(result.scores, chunks, units, depth, ties, minimum)
            else:
                found = ArmList.of_chunks(result.scores, depth, ties, minimum)
            lists[arm] = replace(found, most=result.most)
        return lists


def _depth(options: SearchOptions) -> int:
    return max(MIN_DEPTH, DEPTH_FACTOR * options.top_k)


def _reports(gathered: Gathered) -> dict[str, ArmReport]:
    """Return what became of every arm."""
    about = {Arm.TIME: gathered.moment.to_json(), Arm.ENTITY: gathered.activation.to_json()}
    found = {}
    for arm, result in gathered.results.items():
        candidates = len(gathered.lists[arm].ranked) if arm in gathered.lists else 0
        if arm is Arm.ENTITY:
            candidates = len(gathered.activation.positions)
        said = about.get(arm, {}) if result.status.ran else {}
        found[str(arm)] = ArmReport(result.status, result.reason, candidates, result.ms, result.unembedded, said)
    return found


def _working_directory() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - a text, as the stored paths are
    except FileNotFoundError:  # it was deleted under us
        return "/"
