"""Whether an answer is up to date, and making it so when that is cheap. An answer never hides its age.

What only a scan or an index run needs is imported there: a search beside a watcher needs neither.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hmem.errors import HmemError, StoreLockedError
from hmem.store.lock import is_locked
from hmem.store.schema import LOCK
from hmem.watch.events import watching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.library import KnowledgeBase
    from hmem.store import Snapshot
    from hmem.store.rows import Collection

CHEAP_SECONDS = 0.2
"""A scan that took this long last time is not made before every search."""

CHEAP_BYTES = 1 << 20
CHEAP_FILES = 100
"""As much is read and embedded before a search: about half a second of work."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """What is known of the store's age: `stale` as in an answer, and what to tell the user."""

    stale: bool | None
    message: str = ""


def freshen(memory: KnowledgeBase, refresh: bool | None) -> Freshness:
    """Bring the store up to date if `refresh` is set, or if that is cheap and `refresh` is None.

    False asks for the store as it is. A live watcher keeps it current, so nothing is scanned then. `stale` is false
    only of a store that was compared with all files just now: what is missing or unreadable was not. It is true of
    one that holds only a part of a collection, because an index run was interrupted or goes on.
    """
    if refresh:
        return _refresh(memory)
    with memory.snapshot() as snapshot:
        collections = snapshot.catalog.collections()
        if partial := [item.name for item in collections if not item.is_whole]:
            how = "another process is at it" if is_locked(memory.directory / LOCK) else "`hmem index` goes on"
            return Freshness(True, f"{', '.join(partial)} is not indexed to the end yet; {how}")
        if refresh is False or not collections or watching(memory.directory):
            return Freshness(None)
        if sum(item.last_scan_seconds or 0.0 for item in collections) > CHEAP_SECONDS:
            return Freshness(None, f"not checked for changes, last scan {_age(collections)}; `--refresh` checks")
        return _compare(memory, snapshot)


def _compare(memory: KnowledgeBase, snapshot: Snapshot) -> Freshness:
    """Scan all collections, and index what changed if that is cheap. Files of a moment ago count as changed."""
    from hmem.survey import survey

    seen = survey(snapshot.catalog, memory.directory, memory.settings)
    files = sum(one.pending for one in seen.looks.values())
    if files and (files > CHEAP_FILES or sum(one.pending_bytes for one in seen.looks.values()) > CHEAP_BYTES):
        how = "`hmem index` or `--refresh` reads them"
        if files == sum(one.racy for one in seen.looks.values()):
            return Freshness(None, f"{files:,} files were written while they were indexed; {how} again")
        return Freshness(True, f"{files:,} files changed since the last scan; {how}")
    if files:
        from hmem.ahead import look_ahead

        return _refresh(memory, lock_timeout=0.0, jobs=1, background=True, ahead=look_ahead(seen))
    missing = [name for name, one in seen.looks.items() if one.found.result.root_missing]
    return _current(missing, is_whole=not any(one.found.result.unreadable for one in seen.looks.values()))


def _refresh(memory: KnowledgeBase, **options: Any) -> Freshness:
    from hmem.indexer import IndexOptions

    try:
        report = memory.index((), IndexOptions(**options))
    except StoreLockedError:
        return Freshness(True, "another process is indexing; this is the state before")
    except HmemError as error:
        return Freshness(True, f"could not be brought up to date: {error.message}")
    return _current(report.missing, is_whole=not report.unreadable)


def _current(missing: Sequence[str], *, is_whole: bool) -> Freshness:
    """Return what holds after a comparison with the disk that had to leave out the `missing` roots."""
    if missing:
        return Freshness(None, f"the root of {', '.join(missing)} is missing; the answer has what was indexed of it")
    return Freshness(False if is_whole else None)


def _age(collections: Sequence[Collection]) -> str:
    oldest = min((item.last_scan_ns or 0 for item in collections), default=0)
    seconds = max(0.0, time.time() - oldest / 1e9)
    for unit, length in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit} ago"
    return f"{seconds:.0f} seconds ago"
