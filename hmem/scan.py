"""One look at a collection: what its disk holds now beside what the catalog knows. Reads, changes nothing."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from hmem.config import FOLDER_NAME
from hmem.discover import Known, Reason, diff, walk
from hmem.errors import UsageError
from hmem.report import FileNote
from hmem.targets import nested

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from hmem.discover import Changes, WalkResult
    from hmem.report import IndexReport
    from hmem.rules import EffectiveRules
    from hmem.store.catalog import Catalog
    from hmem.store.rows import Collection, FileRow
    from hmem.types import Skipped

RACY_NS = 2_000_000_000
"""A file that changed this shortly before its scan may change again within the same clock tick: it is hashed again
at the next scan, whatever its stat says."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What a scan of the part `within` found.

    `rows` are the catalog's files by path; `settled` are files that are not in the catalog because of their content,
    which has not changed since; `changes.added` is without them. `started_ns` is in Unix time.
    """

    within: str
    result: WalkResult
    rows: dict[str, FileRow]
    changes: Changes
    settled: tuple[Skipped, ...]
    started_ns: int
    seconds: float

    def check(self, collection: Collection) -> None:
        """Raise UsageError if the part that was to be scanned neither is nor was there."""
        place = collection.root / self.within
        if self.within and not self.rows and not self.result.root_missing and not os.path.lexists(place):
            raise UsageError(f"no such file or directory: `{place}`")

    @property
    def unreadable(self) -> list[tuple[str, str]]:
        """The directories (the root is ".") and files that could not be looked at, with the reason."""
        reasons = {item.path.removesuffix("/"): item.detail for item in self.result.skipped}
        return [
            (path or ".", (reasons.get(path or ".") or "cannot be read").lower()) for path in self.result.unreadable
        ]

    def is_racy(self, mtime_ns: int) -> bool:
        """Whether a file that changed at `mtime_ns` may change again without its state showing it."""
        return mtime_ns >= self.started_ns - RACY_NS


def scan(
    catalog: Catalog,
    collection: Collection,
    rules: EffectiveRules,
    roots: Iterable[Path],
    within: str = "",
    *,
    prune_missing: bool = False,
) -> Scan:
    """Walk the part `within` of a collection; `roots` are the places that are not part of it though inside."""
    started_ns, clock = time.time_ns(), time.monotonic()
    options = replace(
        rules.walk,
        exclude_paths=nested(collection.root, roots),
        mounts=frozenset() if prune_missing else frozenset(collection.mounts),
    )
    result = walk(collection.root, options, within)
    if prune_missing:
        result = replace(result, unreadable=(), root_missing=False)
    elif _is_unmounted(collection, result):
        result = replace(result, root_missing=True)
    rows = {row.state.path: row for row in catalog.files(collection.id, within)} if collection.id else {}
    changes = diff(result, {path: Known(row.state, row.document, row.racy) for path, row in rows.items()}, within)
    settled: tuple[Skipped, ...] = ()
    if collection.id and not rules.changed:
        refused = [Reason.BINARY] if rules.walk.secrets else [Reason.BINARY, Reason.SECRET]
        known = (item for item in catalog.skipped(collection.id, within) if item.reason in refused)
        states = {item.state: item for item in known if item.state}
        settled = tuple(states[state] for state in changes.added if state in states)
        changes = replace(changes, added=tuple(state for state in changes.added if state not in states))
    return Scan(within, result, rows, changes, settled, started_ns, time.monotonic() - clock)


def note(report: IndexReport, name: str, rules: EffectiveRules, found: Scan, tasks: int) -> None:
    """Add to `report` what a scan of the collection `name` shows by itself: `tasks` files are still to be looked at."""
    report.collections.append(name)
    report.warnings += [FileNote(name, FOLDER_NAME, text) for text in rules.warnings]
    report.unreadable += [FileNote(name, path, reason) for path, reason in found.unreadable]
    if found.result.root_missing:
        report.missing.append(name)
    report.kept += len(found.changes.kept)
    report.removed += len(found.changes.removed)
    report.unchanged += len(found.result.files) - len(found.settled) - tasks


def _is_unmounted(collection: Collection, result: WalkResult) -> bool:
    """Whether the root is an empty directory on another device than at the last scan: a mount point without its mount.

    The number of a device alone proves nothing: it may change when the same one is mounted again.
    """
    if collection.root_id is None or result.root_id is None or result.files:
        return False
    return collection.root_id[0] != result.root_id[0]
