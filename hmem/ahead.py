"""What can be done before the writer's lock is taken: scan, and read the little that changed.

Others then wait only while it is written. Under the lock a run scans again, and takes the outcomes of files whose task
is still the same; one that gets the lock at once, on behalf of a search, takes the scan as it is too.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from hmem.paths import real
from hmem.report import FileNote, IndexReport
from hmem.rules import effective
from hmem.scan import note, scan
from hmem.store.rows import INDEXED
from hmem.workers import Outcome, Task, Unreadable, look, tasks_for

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hmem.config import Settings
    from hmem.rules import EffectiveRules
    from hmem.scan import Scan
    from hmem.store import Snapshot
    from hmem.store.rows import Collection
    from hmem.types import Skipped

AHEAD_BYTES = 4 << 20
"""More than this is read under the lock instead: it would have to be kept in memory, and workers share it."""

RECENT_NS = 50_000_000_000
"""A scan that found nothing is recorded only if the last one on record is older: polling must not wear the disk."""


@dataclass(frozen=True, slots=True)
class Look:
    """A collection as the store knew it, with what it left out, the rules that hold for it, and what a scan found.

    `outcomes` are those of the tasks that were done already.
    """

    collection: Collection
    skipped: frozenset[Skipped]
    rules: EffectiveRules
    found: Scan
    tasks: Sequence[Task]
    outcomes: Mapping[Task, Outcome] = field(default_factory=dict)

    @property
    def pending(self) -> int:
        """How many files would have to be read or forgotten; a root that went missing counts as one."""
        is_lost = self.found.result.root_missing and not self.collection.missing
        return len(self.tasks) + len(self.found.changes.removed) + is_lost

    @property
    def pending_bytes(self) -> int:
        """The size of the files that would have to be read."""
        return sum(task.state.size for task in self.tasks)

    @property
    def racy(self) -> int:
        """How many of the pending files may be as they were: they changed at the moment of the last scan."""
        return sum(self.found.rows[state.path].state == state for state in self.found.changes.suspect)


@dataclass(frozen=True, slots=True)
class Ahead:
    """What was seen by collection's name, compared with a generation (-1: nothing).

    `idle` is the report of a run that has nothing to write; None if there is something.
    """

    generation: int = -1
    looks: Mapping[str, Look] = field(default_factory=dict)
    idle: IndexReport | None = None


def survey(snapshot: Snapshot, store: Path, settings: Settings, only: frozenset[str] | None = None) -> Ahead:
    """Scan the collections named in `only` (None: all) of the store in the directory `store`; read no file."""
    collections = snapshot.catalog.collections()
    places = [*(collection.root for collection in collections), real(store)]
    looks = {}
    for collection in collections:
        if only is None or collection.name in only:
            rules = effective(collection, settings)
            found = scan(snapshot.catalog, collection, rules, places)
            skipped = frozenset(snapshot.catalog.skipped(collection.id))
            looks[collection.name] = Look(collection, skipped, rules, found, tasks_for(found, rules))
    return Ahead(snapshot.generation, looks)


def look_ahead(seen: Ahead) -> Ahead:
    """Return `seen` with what the files hold that a survey found to be new or changed, if they are not too large."""
    if sum(task.state.size for one in seen.looks.values() for task in one.tasks) > AHEAD_BYTES:
        return seen
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
    return Ahead(seen.generation, looks, report if is_idle else None)


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
