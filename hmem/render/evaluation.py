"""An evaluation for a person at a terminal, and as lines of fields apart by tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hmem.evaluation.metrics import MAIN, MEASURES
from hmem.evaluation.misses import LOOKED_AT
from hmem.evaluation.sweeps import ALL, HELD_BACK, TUNING
from hmem.evaluation.variants import FUSED
from hmem.render.plain import one_line
from hmem.render.report import plural

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import RenderableType
    from rich.table import Table

    from hmem.evaluation import Evaluation
    from hmem.evaluation.compare import Comparison
    from hmem.evaluation.misses import Miss
    from hmem.evaluation.runs import Run
    from hmem.evaluation.sweeps import Sweep

_SHORT: Final = {
    "ndcg@10": "nDCG@10",
    "mrr@10": "MRR@10",
    "recall@1": "R@1",
    "recall@5": "R@5",
    "recall@10": "R@10",
    "recall@20": "R@20",
    "precision@5": "P@5",
}
_PART_NAMES: Final = {ALL: "all", TUNING: "tuning", HELD_BACK: "held back"}
_BAR: Final = 24
_SIGNIFICANT: Final = 0.05


def evaluation_lines(found: Evaluation) -> Iterator[str]:
    """Yield one fact a line: what kind it is, of what, which measure, the number."""
    yield f"queries\t{len(found.cases)}"
    yield f"unit\t{found.unit}"
    for run in found.runs:
        for measure, value in run.means.items():
            yield f"run\t{run.name}\t{measure}\t{value:.4f}"
        yield f"run\t{run.name}\tlatency_p50_ms\t{run.latency(50):.2f}"
        yield f"run\t{run.name}\tlatency_p95_ms\t{run.latency(95):.2f}"
        yield f"run\t{run.name}\tanswer_tokens\t{run.mean_tokens:.0f}"
    for sweep in found.sweeps:
        yield from _sweep_lines(sweep)
    for tag in found.tags:
        for measure, value in tag.means.items():
            yield f"tag\t{one_line(tag.tag)}\t{measure}\t{value:.4f}"
    for change in found.comparison.changes if found.comparison else ():
        numbers = f"{change.before:.4f}\t{change.after:.4f}\t{change.after - change.before:+.4f}\tp={change.p:.4f}"
        yield f"change\t{change.run}\t{change.measure}\t{numbers}"
    for miss in found.misses or ():
        ranks = "\t".join(f"{name}={rank or '-'}" for name, rank in miss.ranks.items())
        yield f"miss\t{one_line(miss.case.question.query)}\t{ranks}\t{one_line(_labels(miss))}"


def _sweep_lines(sweep: Sweep) -> Iterator[str]:
    for point in sweep.points:
        for part, value in point.means.items():
            yield f"sweep\t{sweep.name}={point.value:g}\t{part}\t{value:.4f}"
    for part in sweep.own:
        best = sweep.points[sweep.best(part)]
        yield f"best\t{sweep.name}={best.value:g}\t{part}\t{best.means[part]:.4f}"
    if sweep.halved:
        yield f"chosen\t{sweep.name}={sweep.chosen.value:g}\t{HELD_BACK}\t{sweep.chosen.means[HELD_BACK]:.4f}"
        yield f"now\t{sweep.name}\t{HELD_BACK}\t{sweep.own[HELD_BACK]:.4f}"


def evaluation_table(found: Evaluation) -> RenderableType:
    """Return the tables: searches, sweeps, tags, what changed, what was missed; each only if there is something."""
    from rich.console import Group

    parts: list[RenderableType] = [_runs_table(found.runs), _faint(_legend(found))]
    for sweep in found.sweeps:
        parts += ["", _sweep_table(sweep), *map(_faint, _verdict(sweep))]
    if found.tags:
        parts += ["", _tags_table(found)]
    if found.comparison:
        parts += ["", _changes_table(found.comparison), _faint(_compared(found.comparison))]
    if found.misses is not None:
        parts += ["", *_misses(found.misses)]
    return Group(*parts)


def _faint(text: str) -> RenderableType:
    from rich.text import Text

    return Text(text, style="dim")


def _table(*columns: str, title: str) -> Table:
    """Return a table whose first column is text and whose others are numbers."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column(title, overflow="fold")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True)
    return table


def _runs_table(runs: Iterable[Run]) -> Table:
    """Return one row a search; the best of each measure is bold."""
    from rich.text import Text

    runs = list(runs)
    best = {measure: max(run.means[measure] for run in runs) for measure in MEASURES}
    table = _table(*_SHORT.values(), "p50 ms", "p95 ms", "tokens", title="search")
    for run in runs:
        scores = run.means
        cells = [Text(_score(scores[name]), style="bold" if scores[name] == best[name] else "") for name in MEASURES]
        speed = (f"{run.latency(50):.1f}", f"{run.latency(95):.1f}", f"{run.mean_tokens:,.0f}")
        table.add_row(Text(run.name, style="bold" if run.name == FUSED else ""), *cells, *speed)
    return table


def _legend(found: Evaluation) -> str:
    counts = f"{_queries(len(found.cases))}, {plural(found.labels, 'label')}"
    how = "a document ranks at its first chunk" if found.unit == "document" else "every chunk has a rank"
    return f"{counts}; {how}; arms and pairs without boosts; {FUSED}: the search as it is set now"


def _sweep_table(sweep: Sweep) -> Table:
    from rich.text import Text

    parts = list(sweep.own)
    table = _table(*(_PART_NAMES[part] for part in parts), title=f"{sweep.name}, {_SHORT[MAIN]}")
    table.add_column("")
    top = max((point.means[ALL] for point in sweep.points), default=0.0)
    best = {part: sweep.best(part) for part in parts}
    for at, point in enumerate(sweep.points):
        cells = [Text(_score(point.means[part]), style="bold" if best[part] == at else "") for part in parts]
        bar = "▇" * round(_BAR * point.means[ALL] / top) if top else ""
        table.add_row(f"{point.value:g}", *cells, Text(bar, style="cyan"))
    return table


def _verdict(sweep: Sweep) -> Iterator[str]:
    """Yield what the curve says: the best point with its neighbours, and what became of it on the held-back half."""
    before, best, after = sweep.around(sweep.best(ALL))
    near = ", ".join(f"{_score(point.means[ALL])} at {point.value:g}" for point in (before, after) if point)
    yield f"best {sweep.name} {best.value:g}: {_score(best.means[ALL])} ({near}); now {_score(sweep.own[ALL])}"
    if sweep.halved:
        chosen, top = sweep.chosen, sweep.points[sweep.best(HELD_BACK)]
        yield (
            f"the tuning half would choose {chosen.value:g}: {_score(chosen.means[HELD_BACK])} on the held-back half, "
            f"whose own best is {_score(top.means[HELD_BACK])} at {top.value:g}; now {_score(sweep.own[HELD_BACK])}"
        )


def _tags_table(found: Evaluation) -> Table:
    from rich.text import Text

    table = _table("queries", *_SHORT.values(), title=f"tag, {FUSED}")
    for tag in found.tags:
        scores = (_score(tag.means[measure]) for measure in MEASURES)
        table.add_row(Text(one_line(tag.tag)), f"{tag.queries:,}", *scores)
    return table


def _changes_table(comparison: Comparison) -> Table:
    table = _table("measure", "before", "now", "change", "better", "worse", "p", title="search")
    for change in comparison.changes:
        mark = " *" if change.p < _SIGNIFICANT else "  "
        numbers = (_score(change.before), _score(change.after), f"{change.after - change.before:+.3f}")
        counts = (f"{change.better:,}", f"{change.worse:,}", f"{change.p:.3f}{mark}")
        table.add_row(change.run, _SHORT[change.measure], *numbers, *counts)
    return table


def _compared(comparison: Comparison) -> str:
    return (
        f"against {one_line(comparison.file)} over {_queries(comparison.queries)} of both; "
        f"p: paired randomisation test, two-sided, * below {_SIGNIFICANT:g}"
    )


def _misses(misses: tuple[Miss, ...]) -> Iterator[RenderableType]:
    """Yield the failing queries with the rank of the answer in each search."""
    from rich.text import Text

    if not misses:
        yield _faint("no miss: every query has a relevant result among the first 10")
        return
    table = _table(*misses[0].ranks, title="missed query → answer")
    for miss in misses:
        query = Text(one_line(miss.case.question.query))
        query.append(f" → {one_line(_labels(miss))}", style="dim")
        table.add_row(query, *(f"{rank}" if rank else "–" for rank in miss.ranks.values()))
    yield table
    yield _faint(
        f"{len(misses):,} without a relevant result among the first 10; rank of the best, – beyond {LOOKED_AT}"
    )


def _labels(miss: Miss) -> str:
    """Return the first label of a missed query, whether there are more, and why none of them can be found."""
    labels = [target.label for target in miss.case.targets]
    more = f" and {len(labels) - 1:,} more" if len(labels) > 1 else ""
    why = ""
    if not miss.indexed:
        why = " (not indexed)"
    elif not miss.eligible:
        why = " (no chunk holds the quoted words, or filters leave none)"
    return f"{labels[0]}{more}{why}"


def _queries(count: int) -> str:
    return "1 query" if count == 1 else f"{count:,} queries"


def _score(value: float) -> str:
    return f"{value:.3f}"
