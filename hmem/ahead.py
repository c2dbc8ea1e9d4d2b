"""What a background run does before it takes the writer's lock: scan, and read the little that changed.

Others then wait only while it writes. Everything is checked again under the lock: a file whose task is still the same
has its outcome already, any other is looked at once more.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hmem.config import FOLDER_NAME
from hmem.paths import real
from hmem.report import FileNote, IndexReport
from hmem.rules import effective
from hmem.scan import scan
from hmem.workers import Outcome, Task, Unreadable, look, tasks_for

if TYPE_CHECKING:
    from hmem.config import Settings
    from hmem.rules import EffectiveRules
    from hmem.scan import Scan
    from hmem.store import Snapshot, Store
    from hmem.store.rows import Collection

AHEAD_BYTES = 4 << 20
"""More than this is read under the lock instead: it would have to be kept in memory, and workers share it."""

RECENT_NS = 50_000_000_000
"""A scan that found nothing is recorded only if the last one on record is older: polling must not wear the disk."""


@dataclass(frozen=True, slots=True)
class Ahead:
    """Outcomes by task, and the report of a run that has nothing to write; None if there is something."""

    outcomes: Mapping[Task, Outcome] = field(default_factory=dict)
    idle: IndexReport | None = None


def look_ahead(store: Store, settings: Settings, only: frozenset[str] | None) -> Ahead:
    """Scan the collections named in `only` (None: all) as they are in the store now, and read what changed."""
    outcomes: dict[Task, Outcome] = {}
    report = IndexReport()
    is_idle = True
    with store.snapshot() as snapshot:
        collections = snapshot.catalog.collections()
        places = [*(collection.root for collection in collections), real(store.path)]
        for collection in collections:
            if only is not None and collection.name not in only:
                continue
            rules = effective(collection, settings)
            found = scan(snapshot.catalog, collection, rules, places)
            tasks = tasks_for(found, rules)
            if sum(task.state.size for task in tasks) > AHEAD_BYTES:
                return Ahead()
            seen = {task: look(collection.root, collection.name, task) for task in tasks}
            outcomes |= seen
            is_idle = is_idle and not rules.changed and _is_idle(snapshot, collection, found, seen)
            _note(report, collection, rules, found, seen)
        report.generation = snapshot.generation
    return Ahead(outcomes, report if is_idle else None)


def _is_idle(snapshot: Snapshot, collection: Collection, found: Scan, outcomes: Mapping[Task, Outcome]) -> bool:
    """Return whether the catalog knows all that the scan found; files that cannot be read change nothing."""
    result = found.result
    if result.root_missing:
        return collection.missing
    refused = [outcome.skipped for outcome in outcomes.values() if isinstance(outcome, Unreadable)]
    if found.changes.removed or len(refused) < len(outcomes):
        return False
    known = (collection.missing, collection.root_id, collection.options.get("mounts"))
    return (
        known == (False, result.root_id, [*result.mounts])
        and time.time_ns() - (collection.last_scan_ns or 0) < RECENT_NS
        and {*result.skipped, *found.settled, *refused} == set(snapshot.catalog.skipped(collection.id))
    )


def _note(
    report: IndexReport,
    collection: Collection,
    rules: EffectiveRules,
    found: Scan,
    outcomes: Mapping[Task, Outcome],
) -> None:
    """Add to the report of a run without changes what the user must know all the same."""
    name = collection.name
    report.collections.append(name)
    report.warnings += [FileNote(name, FOLDER_NAME, text) for text in rules.warnings]
    if found.result.root_missing:
        report.missing.append(name)
    report.kept += len(found.changes.kept)
    report.unchanged += found.changes.unchanged
    report.unreadable += [FileNote(name, path, reason) for path, reason in found.unreadable]
    refused = (outcome.skipped for outcome in outcomes.values() if isinstance(outcome, Unreadable))
    report.unreadable += [FileNote(name, item.path, item.detail) for item in refused]
