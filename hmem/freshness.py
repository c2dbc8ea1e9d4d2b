"""Whether an answer is up to date, and making it so when that is cheap. An answer never hides its age."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hmem.errors import HmemError, StoreLockedError
from hmem.indexer import IndexOptions
from hmem.rules import effective
from hmem.scan import scan
from hmem.watch.events import watching

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.library import KnowledgeBase
    from hmem.store.rows import Collection

CHEAP_SECONDS = 0.2
"""A scan that took this long last time is not made before every search."""

CHEAP_BYTES = 1 << 20
"""As much is read and embedded before a search: about half a second of work."""


@dataclass(frozen=True, slots=True)
class Freshness:
    """What is known of the store's age: `stale` as in an answer, and what to tell the user."""

    stale: bool | None
    message: str = ""


def freshen(memory: KnowledgeBase, refresh: bool | None) -> Freshness:
    """Bring the store up to date if `refresh` is set, or if that is cheap and `refresh` is None.

    False asks for the store as it is. A live watcher keeps it current, so nothing is scanned then.
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
    if sum(item.last_scan_seconds or 0.0 for item in collections) > CHEAP_SECONDS:
        return Freshness(None, f"not checked for changes, last scan {_age(collections)}; `--refresh` checks")
    pending, size = _pending(memory, collections)
    if not pending:
        return Freshness(False)
    if size > CHEAP_BYTES:
        return Freshness(True, f"{pending:,} files changed since the last scan; `hmem index` or `--refresh` reads them")
    return _refresh(memory, lock_timeout=0.0)


def _refresh(memory: KnowledgeBase, lock_timeout: float | None = None) -> Freshness:
    try:
        report = memory.index((), IndexOptions(lock_timeout=lock_timeout, jobs=1))
    except StoreLockedError:
        return Freshness(True, "another process is indexing; this is the state before")
    except HmemError as error:
        return Freshness(True, f"could not be brought up to date: {error.message}")
    return Freshness(False, _missing(report.missing))


def _missing(names: Sequence[str]) -> str:
    return f"the root of {', '.join(names)} is missing; the answer has what was indexed of it" if names else ""


def _pending(memory: KnowledgeBase, collections: Sequence[Collection]) -> tuple[int, int]:
    """Return how many files differ from the store, and the bytes to read; files of a moment ago count as both."""
    roots = [collection.root for collection in collections]
    pending = size = 0
    with memory.snapshot() as snapshot:
        for collection in collections:
            rules = effective(collection, memory.settings)
            found = scan(snapshot.catalog, collection, rules, [*roots, memory.directory])
            pending += found.pending + (found.result.root_missing and not collection.missing)
            size += found.pending_bytes
            if rules.changed:
                pending += len(found.rows)
                size += sum(row.state.size for row in found.rows.values())
    return pending, size


def _age(collections: Sequence[Collection]) -> str:
    oldest = min((item.last_scan_ns or 0 for item in collections), default=0)
    if not oldest:
        return "never"
    seconds = max(0.0, time.time() - oldest / 1e9)
    for unit, length in (("days", 86400.0), ("hours", 3600.0), ("minutes", 60.0)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit} ago"
    return f"{seconds:.0f} seconds ago"
