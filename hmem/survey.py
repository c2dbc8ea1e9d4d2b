"""What a scan of several collections shows, before any file is read. A search that finds nothing new loads no more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hmem.paths import real
from hmem.rules import effective
from hmem.scan import scan
from hmem.tasks import tasks_for

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hmem.config import Settings
    from hmem.rules import EffectiveRules
    from hmem.scan import Scan
    from hmem.store.catalog import Catalog
    from hmem.store.rows import Collection
    from hmem.tasks import Task
    from hmem.types import Skipped
    from hmem.workers import Outcome


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
class Survey:
    """What was seen by collection's name, compared with a generation (-1: nothing)."""

    generation: int = -1
    looks: Mapping[str, Look] = field(default_factory=dict)


def survey(catalog: Catalog, store: Path, settings: Settings, only: frozenset[str] | None = None) -> Survey:
    """Scan the collections named in `only` (None: all) of the store in the directory `store`; read no file."""
    collections = catalog.collections()
    places = [*(collection.root for collection in collections), real(store)]
    looks = {}
    for collection in collections:
        if only is None or collection.name in only:
            rules = effective(collection, settings)
            found = scan(catalog, collection, rules, places)
            skipped = frozenset(catalog.skipped(collection.id))
            looks[collection.name] = Look(collection, skipped, rules, found, tasks_for(found, rules))
    return Survey(catalog.generation, looks)
