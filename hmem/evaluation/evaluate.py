"""The evaluation itself: every search that is to be measured over every labelled query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from hmem.errors import ArmUnavailableError, UsageError
from hmem.evaluation.compare import check_comparable, compare
from hmem.evaluation.misses import find_misses, missed
from hmem.evaluation.ranking import Unit, locate, merged, unit_of
from hmem.evaluation.report import Evaluation
from hmem.evaluation.runs import Bench, CountTokens, Run, Search
from hmem.evaluation.sweeps import Point, Split, Sweep, split
from hmem.evaluation.variants import FUSED, Variant, ablation, alpha_sweep, k_sweep, unboosted

if TYPE_CHECKING:
    from hmem.evaluation.compare import Earlier
    from hmem.evaluation.judgments import Judgments
    from hmem.evaluation.locate import Place
    from hmem.evaluation.misses import Miss
    from hmem.search.query import SearchOptions

Progress: TypeAlias = Callable[[str, int, int], None]
"""Told what is being measured, how many searches are done, and of how many."""


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """What to measure. `base` is the search as it is set now, its query stands for none.
    `tokens` counts those of a text.

    `unit` None: documents if every label names a whole one, else chunks. `seed` halves the queries for the sweeps.
    """

    base: SearchOptions
    tokens: CountTokens
    unit: Unit | None = None
    sweeps: bool = True
    misses: bool = False
    seed: int = 0
    earlier: Earlier | None = None


def evaluate(
    judgments: Judgments,
    find: Callable[[str], Place | None],
    search: Search,
    options: EvaluationOptions,
    *,
    progress: Progress | None = None,
) -> Evaluation:
    """Return what `search` is worth on `judgments`, whose labels `find` locates.

    Raises UsageError if there is nothing to measure or to compare, ArmUnavailableError if no arm can answer.
    """
    if not judgments.questions:
        raise UsageError("no query has a label", hint="`hmem eval --init` writes a file to start from")
    cases = locate(judgments.questions, find)
    unit = options.unit or unit_of(cases)
    cases = [merged(case, unit) for case in cases]
    if options.earlier:
        check_comparable(options.earlier, cases, unit)
    meter = _Meter(progress)
    return _measure(Bench(search, cases, unit, options.tokens, meter.tick), meter, options, judgments.unlabelled)


@dataclass(slots=True)
class _Meter:
    """Counts searches for `progress`."""

    progress: Progress | None
    what: str = ""
    done: int = 0
    total: int = 0

    def tick(self) -> None:
        self.done += 1
        if self.progress:
            self.progress(self.what, self.done, self.total)


def _measure(bench: Bench, meter: _Meter, options: EvaluationOptions, unlabelled: Sequence[str]) -> Evaluation:
    def measured(variant: Variant) -> Run:
        meter.what = variant.name
        return bench.run(variant)

    cases, base = bench.cases, Variant(FUSED, options.base)
    swept = [alpha_sweep(base.options), k_sweep(base.options)] if options.sweeps else []
    meter.total = len(cases) * sum(map(len, ([base], ablation(base.options), *swept)))
    fused = measured(base)
    if all(outcome.broken for outcome in fused.outcomes):
        raise ArmUnavailableError(f"nothing can answer: {next(iter(fused.degraded))}")
    parts = ablation(base.options, fused.arms)
    boosted = [unboosted(base.options)] if any(outcome.boosted for outcome in fused.outcomes) else []
    meter.total = len(cases) * sum(map(len, ([base], parts, boosted, *swept)))
    runs = [measured(variant) for variant in parts]
    silent = {run.name for run in runs if not run.arms.issuperset(run.name.split("+"))}
    heard = [*(run for run in runs if run.name not in silent), *map(measured, boosted), fused]
    halves = split(cases, options.seed)
    sweeps = [
        _sweep([(point.value, measured(point)) for point in points], points[0].name, fused, halves)
        for points in swept
        if points
    ]
    alone = [part for part in parts if "+" not in part.name and part.name not in silent]
    return Evaluation(
        unit=bench.unit,
        cases=tuple(cases),
        runs=tuple(heard),
        seed=options.seed,
        sweeps=tuple(sweeps),
        silent=tuple(sorted(silent)),
        misses=_misses(bench, meter, [*alone, base], fused) if options.misses else None,
        comparison=compare(options.earlier, cases, heard) if options.earlier else None,
        unlabelled=tuple(unlabelled),
    )


def _misses(bench: Bench, meter: _Meter, variants: Sequence[Variant], fused: Run) -> tuple[Miss, ...]:
    failed = missed(fused, bench.cases)
    meter.what = "misses"
    meter.total += len(failed) * len(variants)
    return find_misses(bench, variants, failed)


def _sweep(points: Sequence[tuple[float, Run]], name: str, fused: Run, halves: Split) -> Sweep:
    found = tuple(Point(value, halves.means(run.scores)) for value, run in points)
    return Sweep(name, found, halves.means(fused.scores))
