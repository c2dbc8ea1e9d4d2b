"""What an indexing run did: counts, reasons, warnings, and what it means for the exit code."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hmem.types import Json, Skipped


@dataclass(frozen=True, slots=True)
class FileNote:
    """Something the user should know about one file: a warning, or why it could not be read."""

    collection: str
    path: str
    reason: str

    def to_json(self) -> dict[str, Json]:
        """Return the note as one JSON object."""
        return {"collection": self.collection, "path": self.path, "reason": self.reason}


@dataclass(slots=True)
class IndexReport:
    """Counts of one run, over all its collections. Files are counted once, chunks as they were written."""

    collections: list[str] = field(default_factory=list)
    added: int = 0
    updated: int = 0
    touched: int = 0
    unchanged: int = 0
    removed: int = 0
    kept: int = 0
    chunks: int = 0
    embedded: int = 0
    reused: int = 0
    unembedded: int = 0
    bytes_read: int = 0
    seconds: float = 0.0
    generation: int = 0
    dry_run: bool = False
    skipped: list[tuple[str, Skipped]] = field(default_factory=list)
    warnings: list[FileNote] = field(default_factory=list)
    unreadable: list[FileNote] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)

    @property
    def changed(self) -> bool:
        """Whether the store holds anything that it did not hold before."""
        return bool(self.added or self.updated or self.removed)

    @property
    def files(self) -> int:
        """Files that are indexed after the run, of those that it looked at."""
        return self.added + self.updated + self.touched + self.unchanged + self.kept

    def skipped_by_reason(self) -> dict[str, int]:
        """Return how many files and folders were left out for each reason, most frequent first."""
        return dict(Counter(item.reason for _, item in self.skipped).most_common())

    def to_json(self) -> dict[str, Json]:
        """Return the report as one JSON object."""
        return {
            "schema": 1,
            "collections": list(self.collections),
            "generation": self.generation,
            "dry_run": self.dry_run,
            "files": self.files,
            "added": self.added,
            "updated": self.updated,
            "touched": self.touched,
            "unchanged": self.unchanged,
            "removed": self.removed,
            "kept": self.kept,
            "chunks": self.chunks,
            "embedded": self.embedded,
            "reused": self.reused,
            "unembedded": self.unembedded,
            "bytes_read": self.bytes_read,
            "seconds": round(self.seconds, 3),
            "skipped": {
                "by_reason": dict(self.skipped_by_reason()),
                "files": [
                    {"collection": name, "path": item.path, "reason": item.reason, "detail": item.detail}
                    for name, item in self.skipped
                ],
            },
            "warnings": [note.to_json() for note in self.warnings],
            "unreadable": [note.to_json() for note in self.unreadable],
            "missing_roots": list(self.missing),
        }
