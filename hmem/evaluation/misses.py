"""The queries whose answer is not among the first ten, and where each arm ranks it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from hmem.evaluation.ranking import Case, rank_of
from hmem.evaluation.runs import Bench, Run, deep_answer

if TYPE_CHECKING:
    from hmem.evaluation.variants import Variant
    from hmem.types import Json

LOOKED_AT: Final = 100
"""How deep the answer is looked for."""
_MISSED: Final = "mrr@10"


@dataclass(frozen=True, slots=True)
class Miss:
    """A query without any relevant result in its first ten.

    `ranks`: by name of the search, where the best-ranked target stands among the first 100, None if it does not.
    `eligible`: chunks that filters and the quoted words of the query leave; 0 explains everything.
    """

    case: Case
    ranks: Mapping[str, int | None]
    eligible: int

    @property
    def indexed(self) -> bool:
        """Whether any target is in the index at all."""
        return any(target.place for target in self.case.targets)

    def to_json(self) -> dict[str, Json]:
        """Return the miss as one JSON object."""
        question = self.case.question
        return {
            "id": question.id,
            "query": question.query,
            "relevant": [target.label for target in self.case.targets],
            "indexed": self.indexed,
            "eligible_chunks": self.eligible,
            "ranks": {**self.ranks},
        }


def missed(fused: Run, cases: Sequence[Case]) -> list[Case]:
    """Return the cases that `fused` found nothing for."""
    return [case for case, scores in zip(cases, fused.scores, strict=True) if not scores[_MISSED]]


def find_misses(bench: Bench, variants: Sequence[Variant], cases: Sequence[Case]) -> tuple[Miss, ...]:
    """Return for each of the missed `cases` where each of the `variants` ranks it."""
    found = []
    for case in cases:
        ranks: dict[str, int | None] = {}
        eligible = 0
        for variant in variants:
            options = replace(variant.options, query=case.question.query)
            result, results = deep_answer(bench.search, options, bench.unit, LOOKED_AT)
            places = (rank_of(target, results, bench.unit) for target in case.targets)
            ranks[variant.name] = min((place for place in places if place), default=None)
            eligible = result.eligible_chunks
            bench.tick()
        found.append(Miss(case, ranks, eligible))
    return tuple(found)
