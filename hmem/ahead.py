"""What can be done before the writer's lock is taken: scan, and read the little that changed.

Others then wait only while it is written. What was seen is used as it is if nobody committed meanwhile; else the run
scans again, and takes the outcomes of files whose task is still the same. What changes on the disk after the scan is
found by the next one: its state differs, or it is so young that it is hashed again.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hmem.report import FileNote, IndexReport
from hmem.scan import note
from hmem.store.rows import INDEXED
from hmem.survey import Survey
from hmem.workers import Unreadable, look

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.survey import Look
    from hmem.types import Skipped

AHEAD_BYTES = 4 << 20
"""More than this is read under the lock instead: it would have to be kept in memory, and workers share it."""

RECENT_NS = 50_000_000_000
"""A scan that found nothing is recorded only if the last one on record is older: polling must not wear the disk."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """What was seen, with the outcomes of its tasks, and the report of a run that has nothing to write; else None."""

    seen: Survey = field(default_factory=Survey)
    idle: IndexReport | None = None


def look_ahead(seen: Survey) -> Ahead:
    """Read the files that a survey found to be new or changed, if they are not too large."""
    if sum(task.state.size for one in seen.looks.values() for task in one.tasks) > AHEAD_BYTES:
        return Ahead(seen)
    looks = {}
    report = IndexReport(generation=seen.generation)
    is_idle = True
    for name, one in seen.looks.items():
        outcomes = {task: look(one.collection.root, name, task) for task in one.tasks}
        looks[name] = replace(one, outcomes=outcomes)
        refused = [outcome.skipped for outcome in outcomes.values() if isinstance(outcome, Unreadable)]
        is_idle = is_idle and len(refused) == len(outcomes) and _is_idle(one, refused)
        note(report, name, one.rules, one.found, len(one.tasks))
        report.unreadable += [FileNote(name, item.path, item.detail) for item in refused]
    return Ahead(replace(seen, looks=looks), report if is_idle else None)


def _is_idle(seen: Look, refused: Sequence[Skipped]) -> bool:
    """Return whether the catalog knows all that the scan found; files that cannot be read change nothing."""
    collection, result = seen.collection, seen.found.result
    if result.root_missing:
        return collection.missing
    if seen.rules.changed or seen.found.changes.removed:
        return False
    known = (collection.state, collection.missing, collection.root_id, collection.mounts)
    return (
        known == (INDEXED, False, result.root_id, result.mounts)
        and time.time_ns() - (collection.last_scan_ns or 0) < RECENT_NS
        and {*result.skipped, *seen.found.settled, *refused} == seen.skipped
    )
