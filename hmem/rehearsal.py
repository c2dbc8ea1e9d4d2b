"""`hmem index --dry-run`: what a run would do, found out without the writer's lock and without writing anything."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from hmem.paths import real
from hmem.plan import make_plan
from hmem.report import FileNote, IndexReport
from hmem.rules import effective
from hmem.scan import note, scan
from hmem.tasks import tasks_for
from hmem.workers import Refused, Touched, Unreadable, read

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hmem.config import Settings
    from hmem.indexer import IndexOptions
    from hmem.scan import Scan
    from hmem.store import Store
    from hmem.store.rows import Collection
    from hmem.tasks import Task
    from hmem.types import Skipped


def rehearse(store: Store, settings: Settings, paths: Sequence[Path], options: IndexOptions) -> IndexReport:
    """Return the report of a run over `paths` (all collections without any), without its chunks. Raises UsageError.

    Files are read to tell a changed one from one that was only touched, but not parsed.
    """
    started = time.monotonic()
    report = IndexReport(dry_run=True)
    with store.snapshot() as snapshot:
        report.generation = snapshot.generation
        plan = make_plan(snapshot.catalog.collections(), paths, options, real(store.path))
        for part in plan.parts:
            collection, prune = part.collection, options.prune_missing
            rules = effective(collection, settings)
            found = scan(snapshot.catalog, collection, rules, plan.places, part.within, prune_missing=prune)
            found.check(collection)
            tasks = tasks_for(found, rules, again=options.rebuild)
            note(report, collection.name, rules, found, len(tasks))
            refused = _count(report, collection, found, tasks)
            skipped = [*found.result.skipped, *found.settled, *refused]
            report.skipped += [(collection.name, item) for item in skipped]
    report.seconds = time.monotonic() - started
    return report


def _count(report: IndexReport, collection: Collection, found: Scan, tasks: Sequence[Task]) -> list[Skipped]:
    """Count what the files of `tasks` turn out to be; return those that would be left out."""
    refused = []
    for task in tasks:
        is_known = task.state.path in found.rows
        outcome = read(collection.root, task)
        match outcome:
            case Touched():
                report.touched += 1
            case Unreadable():
                report.unreadable.append(FileNote(collection.name, task.state.path, outcome.skipped.detail))
                report.kept += is_known
                refused.append(outcome.skipped)
            case Refused():
                report.removed += is_known
                refused.append(outcome.skipped)
            case _:
                report.added += not is_known
                report.updated += is_known
    return refused
