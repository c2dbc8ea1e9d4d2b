"""An earlier result against this one, query by query."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from hmem.errors import UsageError
from hmem.evaluation.metrics import MAIN, MEASURES, Scores
from hmem.evaluation.significance import randomisation_test
from hmem.evaluation.variants import FUSED

if TYPE_CHECKING:
    from hmem.evaluation.ranking import Case, Unit
    from hmem.evaluation.runs import Run
    from hmem.types import Json

Key: TypeAlias = tuple[str, str]
"""The id and the text of a query."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What is used of an earlier result: its measures by name of the run and query."""

    file: str
    unit: str
    runs: Mapping[str, Mapping[Key, Scores]]


@dataclass(frozen=True, slots=True)
class Change:
    """A mean before and after over the same queries; `better` and `worse` count queries, `p` is two-sided."""

    run: str
    measure: str
    before: float
    after: float
    better: int
    worse: int
    p: float

    def to_json(self) -> dict[str, Json]:
        """Return the change as one JSON object."""
        return {
            "run": self.run,
            "measure": self.measure,
            "before": self.before,
            "after": self.after,
            "difference": self.after - self.before,
            "better": self.better,
            "worse": self.worse,
            "p": self.p,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """The changes over the `queries` that both results have, and how many only one of them has."""

    file: str
    queries: int
    only_before: int
    only_now: int
    changes: tuple[Change, ...]

    def to_json(self) -> dict[str, Json]:
        """Return the comparison as one JSON object."""
        return {
            "file": self.file,
            "queries": self.queries,
            "only_before": self.only_before,
            "only_now": self.only_now,
            "test": "paired randomisation, two-sided",
            "changes": [change.to_json() for change in self.changes],
        }


def read_earlier(text: str, name: str) -> Earlier:
    """Return what `hmem eval --json` wrote. Raises UsageError if `text` is something else."""
    try:
        found = json.loads(text)
        runs: dict[str, dict[Key, Scores]] = {}
        for row in found["results"]:
            for run, scores in row["scores"].items():
                key = (str(row["id"]), str(row["query"]))
                runs.setdefault(str(run), {})[key] = {measure: float(scores[measure]) for measure in MEASURES}
        unit = str(found["unit"])
    except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
        raise UsageError(
            f"not a result of `hmem eval --json`: `{name}`", hint="keep one with `hmem eval FILE --json > FILE`"
        ) from None
    return Earlier(name, unit, runs)


def check_comparable(earlier: Earlier, cases: Sequence[Case], unit: Unit) -> None:
    """Raise UsageError if the earlier result ranked other things than `unit`, or has none of the queries."""
    if earlier.unit != unit:
        raise UsageError(
            f"the earlier result ranks {earlier.unit}s, this one {unit}s: `{earlier.file}`",
            hint=f"add `--unit {earlier.unit}`",
        )
    known = {key for scores in earlier.runs.values() for key in scores}
    if known.isdisjoint(_key(case) for case in cases):
        raise UsageError(f"no query in common with the earlier result: `{earlier.file}`")


def compare(earlier: Earlier, cases: Sequence[Case], runs: Sequence[Run]) -> Comparison:
    """Return how the runs that both have changed: nDCG@10 of each, every measure of the fused one."""
    keys = [_key(case) for case in cases]
    known = {key for scores in earlier.runs.values() for key in scores}
    common = [at for at, key in enumerate(keys) if key in known]
    changes = []
    for run in runs:
        before = earlier.runs.get(run.name, {})
        pairs = [(before[keys[at]], run.scores[at]) for at in common if keys[at] in before]
        if pairs:
            changes += [_change(run.name, measure, pairs) for measure in (MEASURES if run.name == FUSED else (MAIN,))]
    only_before = len(known.difference(keys))
    return Comparison(earlier.file, len(common), only_before, len(keys) - len(common), tuple(changes))


def _key(case: Case) -> Key:
    return case.question.id, case.question.query


def _change(run: str, measure: str, pairs: Sequence[tuple[Scores, Scores]]) -> Change:
    before: list[float] = [old[measure] for old, _ in pairs]
    after: list[float] = [new[measure] for _, new in pairs]
    count = len(pairs)
    return Change(
        run=run,
        measure=measure,
        before=sum(before) / count,
        after=sum(after) / count,
        better=sum(new > old for old, new in zip(before, after, strict=True)),
        worse=sum(new < old for old, new in zip(before, after, strict=True)),
        p=randomisation_test(before, after),
    )
