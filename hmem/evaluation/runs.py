"""Runs labelled queries through a search and keeps, for each query, how well, how fast and how long it answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from hmem.evaluation.metrics import DEEPEST, Scores, mean_scores, measure
from hmem.evaluation.ranking import Case, Found, Unit, gains, ranked
from hmem.search.query import SearchOptions
from hmem.search.results import SearchResult

if TYPE_CHECKING:
    from hmem.evaluation.variants import Variant

Search: TypeAlias = Callable[[SearchOptions], SearchResult]
CountTokens: TypeAlias = Callable[[str], int]
Tick: TypeAlias = Callable[[], None]

ANSWER: Final = 10
"""Hits whose text makes an answer, as in `hmem search` by default."""
MOST: Final = 320
"""Chunks up to which deeper searches look for more documents."""
_FACTOR: Final = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one query: measures, milliseconds, tokens of the answer (an estimate), what the arms did."""

    scores: Scores
    ms: float
    tokens: int
    boosted: bool
    broken: bool
    arms: tuple[str, ...]
    degraded: tuple[str, ...]
    generation: int


@dataclass(frozen=True, slots=True)
class Run:
    """What one search gave for every case, in their order."""

    name: str
    outcomes: tuple[Outcome, ...]

    @property
    def scores(self) -> list[Scores]:
        """The measures of each case."""
        return [outcome.scores for outcome in self.outcomes]

    @property
    def means(self) -> dict[str, float]:
        """The mean of every measure."""
        return mean_scores(self.scores)

    @property
    def mean_tokens(self) -> float:
        """The mean tokens of an answer, an estimate."""
        return sum(outcome.tokens for outcome in self.outcomes) / max(1, len(self.outcomes))

    @property
    def arms(self) -> frozenset[str]:
        """The arms that answered at least one query."""
        return frozenset(arm for outcome in self.outcomes for arm in outcome.arms)

    @property
    def degraded(self) -> Counter[str]:
        """What arms said that could not answer, with the number of queries."""
        return Counter(text for outcome in self.outcomes for text in outcome.degraded)

    def latency(self, percent: float) -> float:
        """Return a percentile of the warm latency in milliseconds, interpolated."""
        return float(np.percentile([outcome.ms for outcome in self.outcomes], percent)) if self.outcomes else 0.0


@dataclass(frozen=True, slots=True)
class Bench:
    """What every search is measured on. `tick` is called after each measured search."""

    search: Search
    cases: Sequence[Case]
    unit: Unit
    count_tokens: CountTokens
    tick: Tick

    def run(self, variant: Variant) -> Run:
        """Search for every case and measure the answers. One search ahead of them warms up and is not timed."""
        if self.cases:
            self.search(replace(variant.options, query=self.cases[0].question.query, top_k=DEEPEST))
        return Run(variant.name, tuple(self._outcome(variant.options, case) for case in self.cases))

    def _outcome(self, options: SearchOptions, case: Case) -> Outcome:
        result, found = deep_answer(self.search, replace(options, query=case.question.query), self.unit, DEEPEST)
        self.tick()
        return Outcome(
            scores=measure(gains(case, found, self.unit), case.grades),
            ms=result.took_ms,
            tokens=sum(self.count_tokens(hit.text) for hit in result.hits[:ANSWER]),
            boosted=any(hit.boosts for hit in result.hits),
            broken=result.broken,
            arms=tuple(arm for arm, report in result.arms.items() if report.status.ran),
            degraded=result.degraded,
            generation=result.generation,
        )


def deep_answer(search: Search, options: SearchOptions, unit: Unit, depth: int) -> tuple[SearchResult, list[Found]]:
    """Return the answer with `depth` hits, and what its ranks stand for: `depth` results, if there are as many.

    The first results are those of the answer; where its hits are of fewer documents, deeper searches add theirs.
    """
    result = more = search(replace(options, top_k=depth))
    found, asked = ranked(result.hits, unit), depth
    while len(found) < depth and len(more.hits) == asked and asked < MOST:
        asked *= _FACTOR
        more = search(replace(options, top_k=asked))
        found = ranked((*found, *more.hits), unit)
    return result, found[:depth]
