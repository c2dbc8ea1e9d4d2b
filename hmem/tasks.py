"""Which files of a scan have to be looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hmem.discover import size_limit
from hmem.rules import ALL

if TYPE_CHECKING:
    from hmem.rules import EffectiveRules
    from hmem.scan import Scan
    from hmem.types import FileState


@dataclass(frozen=True, slots=True)
class Task:
    """A file to look at. `known_hash` is the content hash it had when it was indexed, None to prepare it anyway.

    `limit` in bytes; with `secrets` private keys are indexed too.
    """

    state: FileState
    limit: int
    known_hash: str | None = None
    secrets: bool = False


def tasks_for(found: Scan, rules: EffectiveRules, *, again: bool = False) -> list[Task]:
    """Return what has to be looked at after a scan, by path; `again`: every file, whatever is known of it."""
    rows, changes = found.rows, found.changes
    redo_below = ALL if again else rules.redo_below
    suspect = {state: rows[state.path].content_hash for state in changes.suspect}
    forced = [s for s in found.result.files if s.path in rows and rows[s.path].document < redo_below]
    hashes: dict[FileState, str | None] = {**suspect, **dict.fromkeys((*changes.added, *forced))}
    return [
        Task(state, rules.walk.max_filesize or size_limit(state.path), known_hash, rules.walk.secrets)
        for state, known_hash in sorted(hashes.items())
    ]
