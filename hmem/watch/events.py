"""What a watcher tells, and whether one is alive."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hmem.store.lock import Holder, is_locked, read_holder

if TYPE_CHECKING:
    from pathlib import Path

    from hmem.report import IndexReport
    from hmem.types import Json

LOCK_NAME = "watch.lock"


@dataclass(frozen=True, slots=True)
class WatchEvent:
    """One thing that happened. `kind`: `watching`, `indexed`, `warning`, `error` or `stopped`.

    `seconds`: from the first hint of a change to the durable commit (`indexed` only).
    """

    kind: str
    collections: tuple[str, ...] = ()
    message: str = ""
    report: IndexReport | None = None
    seconds: float = 0.0

    def to_json(self) -> dict[str, Json]:
        """Return the event as one JSON object."""
        found: dict[str, Json] = {"schema": 1, "event": self.kind, "collections": list(self.collections)}
        if self.message:
            found["message"] = self.message
        if self.report:
            report = self.report
            found |= {
                "added": report.added,
                "updated": report.updated,
                "removed": report.removed,
                "chunks": report.chunks,
                "generation": report.generation,
                "seconds": round(self.seconds, 3),
            }
        return found


def watching(store: Path) -> Holder | None:
    """Return who watches the store in the directory `store`, None if nobody does."""
    lock = store / LOCK_NAME
    if not is_locked(lock):
        return None
    return read_holder(lock) or Holder(0, "unknown")
