"""Whether an answer is up to date, and making it so when that is cheap. An answer never hides its age.

What only a scan or an index run needs is imported there: a search beside a watcher needs neither.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from hmem.errors import HmemError, StoreLockedError
from hmem.watch.events import watching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.library import KnowledgeBase
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


@dataclass(slots=True)
class _Pending:
    """What a scan of all collections found: files to look at (of them `racy` ones, that changed at the moment of the
    last scan and may be as they were), their bytes, and what could not be looked at.
    """

    files: int = 0
    racy: int = 0
    bytes: int = 0
    missing: list[str] = field(default_factory=list)
    unreadable: bool = False


def freshen(memory: KnowledgeBase, refresh: bool | None) -> Freshness:
    """Bring the store up to date if `refresh` is set, or if that is cheap and `refresh` is None.

    False asks for the store as it is. A live watcher keeps it current, so nothing is scanned then. `stale` is false
    only of a store that was compared with all files just now: what is missing or unreadable was not.
    """
    if refresh is False:
        return Freshness(None)
    if refresh:
        return _refresh(memory)
    if watching(memory.directory):
        return Freshness(None)
    collections = memory.collections()
    if not collections:
        return Freshness(None)
    unfinished = [item.name for item in collections if item.last_scan_ns is None and not item.missing]
    if unfinished:
        return Freshness(True, f"{', '.join(unfinished)} was never indexed to the end; `hmem index` does it")
    if sum(item.last_scan_seconds or 0.0 for item in collections) > CHEAP_SECONDS:
        return Freshness(None, f"not checked for changes, last scan {_age(collections)}; `--refresh` checks")
    found = _pending(memory, collections)
    if not found.files:
        return _current(found.missing, is_whole=not found.unreadable)
    if found.bytes > CHEAP_BYTES or found.files > CHEAP_FILES:
        how = "`hmem index` or `--refresh` reads them"
        if found.files == found.racy:
            return Freshness(None, f"{found.files:,} files were written while they were indexed; {how} again")
        return Freshness(True, f"{found.files:,} files changed since the last scan; {how}")
    return _refresh(memory, lock_timeout=0.0, jobs=1, background=True)


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


def _pending(memory: KnowledgeBase, collections: Sequence[Collection]) -> _Pending:
    """Compare the store with the disk; files of a moment ago count as changed."""
    from hmem.paths import real
    from hmem.rules import effective
    from hmem.scan import scan

    places = [*(collection.root for collection in collections), real(memory.directory)]
    total = _Pending()
    with memory.snapshot() as snapshot:
        for collection in collections:
            rules = effective(collection, memory.settings)
            found = scan(snapshot.catalog, collection, rules, places)
            total.files += found.pending + (found.result.root_missing and not collection.missing)
            total.bytes += found.pending_bytes
            total.racy += sum(found.rows[state.path].state == state for state in found.changes.suspect)
            if found.result.root_missing:
                total.missing.append(collection.name)
            total.unreadable |= bool(found.result.unreadable)
            if rules.changed:
                total.files += len(found.rows)
                total.bytes += sum(row.state.size for row in found.rows.values())
    return total


def _age(collections: Sequence[Collection]) -> str:
    oldest = min((item.last_scan_ns or 0 for item in collections), default=0)
    seconds = max(0.0, time.time() - oldest / 1e9)
    for unit, length in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit} ago"
    return f"{seconds:.0f} seconds ago"
