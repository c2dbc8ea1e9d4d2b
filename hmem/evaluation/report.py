"""What an evaluation found, and its JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hmem.evaluation.metrics import Scores, mean_scores
from hmem.evaluation.variants import FUSED

if TYPE_CHECKING:
    from hmem.evaluation.compare import Comparison
    from hmem.evaluation.misses import Miss
    from hmem.evaluation.ranking import Case, Unit
    from hmem.evaluation.runs import Run
    from hmem.evaluation.sweeps import Sweep
    from hmem.types import Json

SCHEMA: Final = 1


@dataclass(frozen=True, slots=True)
class TagScores:
    """The means of the fused search over the queries with one tag."""

    tag: str
    queries: int
    means: Scores


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was measured. `runs` end with the fused one; `silent` are searches left out because nothing answered."""

    unit: Unit
    cases: tuple[Case, ...]
    runs: tuple[Run, ...]
    seed: int
    sweeps: tuple[Sweep, ...] = ()
    silent: tuple[str, ...] = ()
    misses: tuple[Miss, ...] | None = None
    comparison: Comparison | None = None
    unlabelled: Sequence[str] = field(default=())

    @property
    def fused(self) -> Run:
        """The search as it is set now."""
        return next(run for run in self.runs if run.name == FUSED)

    @property
    def generation(self) -> int:
        """The generation of the store that was searched last."""
        return self.fused.outcomes[-1].generation

    @property
    def lost(self) -> list[str]:
        """The labels that name nothing in the index, or several things, each once."""
        labels = (target.label for case in self.cases for target in case.targets if target.place is None)
        return list(dict.fromkeys(labels))

    @property
    def labels(self) -> int:
        """How many targets all cases have."""
        return sum(len(case.targets) for case in self.cases)

    @property
    def tags(self) -> tuple[TagScores, ...]:
        """The means of the fused search by tag, in alphabetical order."""
        grouped: dict[str, list[Scores]] = {}
        for case, scores in zip(self.cases, self.fused.scores, strict=True):
            for tag in case.question.tags:
                grouped.setdefault(tag, []).append(scores)
        return tuple(TagScores(tag, len(found), mean_scores(found)) for tag, found in sorted(grouped.items()))

    def to_json(self) -> dict[str, Json]:
        """Return the evaluation as one JSON object, which `--compare` reads."""
        return {
            "schema": SCHEMA,
            "unit": str(self.unit),
            "queries": len(self.cases),
            "unlabelled": len(self.unlabelled),
            "labels": self.labels,
            "labels_not_indexed": len(self.lost),
            "generation": self.generation,
            "seed": self.seed,
            "runs": [_run_json(run) for run in self.runs],
            "silent": [*self.silent],
            "sweeps": {sweep.name: sweep.to_json() for sweep in self.sweeps},
            "tags": [{"tag": each.tag, "queries": each.queries, **each.means} for each in self.tags],
            "comparison": self.comparison.to_json() if self.comparison else None,
            "misses": None if self.misses is None else [miss.to_json() for miss in self.misses],
            "results": [self._case_json(at) for at in range(len(self.cases))],
        }

    def _case_json(self, at: int) -> dict[str, Json]:
        question = self.cases[at].question
        scores: Mapping[str, Json] = {run.name: {**run.outcomes[at].scores} for run in self.runs}
        return {"id": question.id, "query": question.query, "tags": [*question.tags], "scores": {**scores}}


def _run_json(run: Run) -> dict[str, Json]:
    return {
        "name": run.name,
        **run.means,
        "latency_ms": {"p50": round(run.latency(50), 3), "p95": round(run.latency(95), 3)},
        "answer_tokens": round(run.mean_tokens, 1),
    }
