"""From the flags of `hmem eval` to an evaluation, and from it to stdout and stderr."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hmem.cli.console import hint, read_text, warn, write, write_lines
from hmem.cli.given import Given
from hmem.cli.layers import checked, search_fields
from hmem.config import load
from hmem.errors import UnknownKeyError, UsageError
from hmem.evaluation import (
    EvaluationOptions,
    Locator,
    Unit,
    evaluate,
    read_earlier,
    read_json_lines,
    read_trec,
    starter_questions,
)
from hmem.evaluation.judgments import KEYS
from hmem.library import KnowledgeBase
from hmem.render.budget import tokens
from hmem.render.json_text import to_text
from hmem.render.report import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hmem.evaluation import Evaluation, Judgments, Question
    from hmem.evaluation.evaluate import Progress
    from hmem.types import Json

EXAMPLES = 3
EVALUATION_WIDTH = 80
"""A narrower terminal wraps whole rows: numbers that are cut say nothing."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The flags of `hmem eval`."""

    file: str | None
    qrels: str | None
    tags: tuple[str, ...]
    misses: bool
    compare: str | None
    seed: int
    sweeps: bool
    unit: str | None
    where: tuple[str, ...]
    collections: tuple[str, ...]
    quiet: bool
    as_json: bool


def run(wanted: Wanted, store: str | None) -> None:
    """Measure and print; what the user must know about the labels goes to stderr."""
    if wanted.file is None:
        raise UsageError("which queries?", hint="`hmem eval --init queries.jsonl` writes some to start from")
    if wanted.unit not in (None, *Unit):
        raise UsageError(f"unknown unit: `{wanted.unit}`", hint="`document` or `chunk`")
    settings = load()
    flags = Given(where=list(wanted.where), collection=list(wanted.collections))
    base = checked("", search_fields(flags, settings), settings)
    judgments = _read(wanted.file, wanted.qrels)
    _tell_read(judgments)
    earlier = read_earlier(read_text(wanted.compare), wanted.compare) if wanted.compare else None
    with KnowledgeBase.open(store, settings=settings) as memory:
        age = memory.freshen(settings["search.refresh"])
        if age.message:
            (warn if age.stale else hint)(age.message)
        options = EvaluationOptions(
            base=base,
            tokens=tokens,
            unit=Unit(wanted.unit) if wanted.unit else None,
            sweeps=wanted.sweeps,
            misses=wanted.misses,
            seed=wanted.seed,
            earlier=earlier,
        )
        with (
            memory.snapshot() as snapshot,
            memory.session() as search,
            _shown_progress(hidden=wanted.quiet) as progress,
        ):
            find = Locator(snapshot.catalog).find
            found = evaluate(judgments.tagged(wanted.tags), find, search, options, progress=progress)
    _tell_found(found)
    _show(found, as_json=wanted.as_json)


def write_starter(file: str | None, store: str | None) -> None:
    """Write questions to start from to a new `file`, or to stdout. Raises UsageError if the file exists."""
    to_stdout = file in (None, "-")
    if file and not to_stdout and Path(file).exists():
        raise _exists(file)
    with KnowledgeBase.open(store) as memory, memory.snapshot() as snapshot:
        questions = starter_questions(snapshot.catalog)
    if not questions:
        raise UsageError("nothing indexed has a heading or a docstring to ask about", hint="write the queries by hand")
    lines = [to_text(_row(question)) for question in questions]
    if file is None or to_stdout:
        write_lines(lines)
    else:
        try:
            with Path(file).open("x", encoding="utf-8", newline="\n") as new:
                new.writelines(f"{line}\n" for line in lines)
        except FileExistsError:
            raise _exists(file) from None
        hint(f"now `hmem eval {file}`")
    hint(
        "put the queries in your own words first: they are the words of their answers, which flatters the lexical arms"
    )


def _row(question: Question) -> dict[str, Json]:
    return {"query": question.query, "relevant": [label.text for label in question.labels], "tags": [*question.tags]}


def _exists(file: str) -> UsageError:
    return UsageError(f"the file is there already: `{file}`", hint="name a new one, or delete it")


def _read(file: str, qrels: str | None) -> Judgments:
    if qrels is None:
        return read_json_lines(read_text(file), file)
    if file == qrels == "-":
        raise UsageError("queries and labels cannot both come from stdin")
    return read_trec(read_text(file), read_text(qrels), queries_name=file, qrels_name=qrels)


def _tell_read(judgments: Judgments) -> None:
    """Warn of what in the files has no use."""
    if judgments.unlabelled:
        warn(f"{_queries(len(judgments.unlabelled))} without a label left out{_such_as(judgments.unlabelled)}")
    if judgments.orphans:
        warn(f"labels of {_queries(judgments.orphans)} that the file does not have left out")
    for key, count in judgments.unknown.items():
        nearest = UnknownKeyError("key", key, KEYS).hint
        warn(f"{plural(count, 'line')} with the unknown key `{key}`" + (f": {nearest}" if nearest else ""))


def _tell_found(found: Evaluation) -> None:
    """Warn of labels that lead nowhere and of arms that could not answer."""
    if lost := found.lost:
        warn(f"{len(lost):,} of {plural(found.labels, 'label')} not indexed, counted as missed{_such_as(lost)}")
    for text, count in found.fused.degraded.items():
        warn(f"{text} ({_queries(count)})")
    if found.silent:
        warn(f"left out, since an arm never answered: {', '.join(found.silent)}")


def _such_as(texts: list[str] | tuple[str, ...]) -> str:
    more = ", …" if len(texts) > EXAMPLES else ""
    return ": " + ", ".join(f"`{text}`" for text in texts[:EXAMPLES]) + more


def _queries(count: int) -> str:
    return "1 query" if count == 1 else f"{count:,} queries"


def _show(found: Evaluation, *, as_json: bool) -> None:
    if as_json:
        write(to_text(found.to_json()))
        return
    from hmem.render.evaluation import evaluation_lines, evaluation_table

    if not sys.stdout.isatty():
        write_lines(evaluation_lines(found))
        return
    from hmem.render.terminal import terminal

    terminal(least=EVALUATION_WIDTH).print(evaluation_table(found))


@contextmanager
def _shown_progress(*, hidden: bool) -> Iterator[Progress | None]:
    """Yield a callback that draws a bar on stderr, or None where that is no terminal."""
    if hidden or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("")

        def show(what: str, done: int, total: int) -> None:
            bars.update(bar, description=what, completed=done, total=total)

        yield show
