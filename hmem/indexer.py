"""Brings the store up to date with the disk: scan, compare, prepare, embed, commit.

The only place where the stages of indexing meet. Everything that is kept on one run is written through the store's
writer; until its commit no reader sees any of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from hmem.discover import Known, WalkResult, diff, size_limit, walk
from hmem.embed import compose
from hmem.report import FileNote, IndexReport
from hmem.represent import embed_key
from hmem.rules import EffectiveRules
from hmem.targets import nested
from hmem.timeline import document_dates
from hmem.types import FileState, Json, Skipped
from hmem.workers import Ready, Refused, Task, Touched, Unreadable, look_at_all

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from hmem.embed import Encoder
    from hmem.store import Writer
    from hmem.store.rows import Collection, FileRow
    from hmem.workers import Outcome

RACY_NS = 2_000_000_000
"""A file that changed this shortly before its scan may change again within the same clock tick: it is hashed again
at the next scan, whatever its stat says."""

EMBED_BATCH = 512


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """What `hmem index` was asked for. `flags` holds only the indexing options that were given."""

    name: str | None = None
    metadata: tuple[str, ...] = ()
    flags: Mapping[str, Any] = field(default_factory=dict)
    rebuild: bool = False
    dry_run: bool = False
    prune_missing: bool = False
    jobs: int | None = None
    yes: bool = False
    lock_timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is: files looked at of those that need it, and chunks written per second so far."""

    collection: str
    done: int
    total: int
    chunks_per_second: float


ProgressCallback: TypeAlias = Callable[[Progress], None]


class Indexer:
    """One run over parts of collections, under one writer."""

    def __init__(
        self,
        writer: Writer,
        encoder: Encoder | None,
        options: IndexOptions,
        *,
        jobs: int,
        progress: ProgressCallback | None = None,
    ) -> None:
        self._writer = writer
        self._encoder = encoder
        self._options = options
        self._jobs = jobs
        self._progress = progress
        self._started = time.monotonic()
        self.report = IndexReport(dry_run=options.dry_run)
        self._waiting: list[Ready] = []
        self._waiting_chunks = 0
        self._racy_from = 0

    def run(self, collection: Collection, within: str, rules: EffectiveRules, roots: Sequence[Path]) -> None:
        """Bring the part `within` of a collection up to date; `roots` are those of all collections."""
        self.report.collections.append(collection.name)
        self._warn(collection, [FileNote(collection.name, ".hmem.toml", text) for text in rules.warnings])
        scan_started = time.time_ns()
        clock = time.monotonic()
        mounts = collection.options.get("mounts")
        options = replace(
            rules.walk,
            exclude_paths=nested(collection.root, roots),
            mounts=frozenset(map(str, mounts)) if isinstance(mounts, list) else frozenset(),
        )
        result = walk(collection.root, options, within)
        if result.root_missing and not self._options.prune_missing:
            self._keep_missing(collection)
            return
        self._racy_from = scan_started - RACY_NS
        refused = self._apply(collection, within, rules, result)
        whole = not within
        scan = replace(
            collection,
            options=_remembered(collection, rules, result) if whole else collection.options,
            root_id=result.root_id or collection.root_id,
            missing=False,
            state="indexed" if whole else collection.state,
            last_scan_ns=scan_started if whole else collection.last_scan_ns,
            last_scan_seconds=time.monotonic() - clock if whole else collection.last_scan_seconds,
        )
        skipped = [*result.skipped, *refused]
        self.report.skipped += [(collection.name, item) for item in skipped]
        if not self._options.dry_run:
            self._writer.put_collection(scan)
            self._writer.put_skipped(collection.id, skipped, within)

    def _keep_missing(self, collection: Collection) -> None:
        self.report.missing.append(collection.name)
        self.report.kept += len(self._writer.catalog.files(collection.id))
        if not self._options.dry_run:
            self._writer.put_collection(replace(collection, missing=True))

    def _apply(self, collection: Collection, within: str, rules: EffectiveRules, result: WalkResult) -> list[Skipped]:
        rows = {row.state.path: row for row in self._writer.catalog.files(collection.id, within)}
        known = {path: Known(row.state, row.document, row.racy) for path, row in rows.items()}
        if self._options.prune_missing:
            result = replace(result, unreadable=(), root_missing=False)
        changes = diff(result, known, within)
        for place in result.unreadable:
            self.report.unreadable.append(FileNote(collection.name, place or ".", "the directory cannot be read"))
        self.report.kept += len(changes.kept)
        forced = rules.changed or self._options.rebuild
        suspect = changes.suspect if not forced else tuple(s for s in result.files if s.path in rows)
        self.report.unchanged += 0 if forced else changes.unchanged
        self.report.removed += len(changes.removed)
        if self._options.dry_run:
            self.report.added += len(changes.added)
            self.report.updated += len(suspect)
            return []
        tasks = [
            Task(
                state,
                rules.walk.max_filesize or size_limit(state.path),
                self._known_hash(rows, state, forced),
                rules.walk.secrets,
            )
            for state in sorted((*changes.added, *suspect))
        ]
        refused = self._look(collection, rules, rows, tasks)
        # Removed documents go last: a renamed file finds its vectors while they are still there.
        self._writer.remove_documents([rows[path].document for path in changes.removed])
        return refused

    @staticmethod
    def _known_hash(rows: Mapping[str, FileRow], state: FileState, forced: bool) -> str | None:
        row = rows.get(state.path)
        return None if forced or row is None else row.content_hash

    def _look(
        self, collection: Collection, rules: EffectiveRules, rows: Mapping[str, FileRow], tasks: Sequence[Task]
    ) -> list[Skipped]:
        refused: list[Skipped] = []
        outcomes = look_at_all(collection.root, collection.name, tasks, jobs=self._jobs)
        for number, outcome in enumerate(outcomes, 1):
            item = self._take(collection, rules, rows, outcome)
            if item:
                refused.append(item)
            if self._progress:
                elapsed = max(time.monotonic() - self._started, 1e-6)
                self._progress(Progress(collection.name, number, len(tasks), self.report.chunks / elapsed))
        self._flush(collection, rules, rows)
        return refused

    def _take(
        self, collection: Collection, rules: EffectiveRules, rows: Mapping[str, FileRow], outcome: Outcome
    ) -> Skipped | None:
        state = outcome.state
        row = rows.get(state.path)
        match outcome:
            case Ready():
                self._waiting.append(outcome)
                self._waiting_chunks += len(outcome.prepared.chunks)
                if self._waiting_chunks >= EMBED_BATCH:
                    self._flush(collection, rules, rows)
            case Touched() if row:
                self.report.touched += 1
                self._writer.touch(row.document, state, self._is_racy(state))
            case Unreadable():
                self.report.unreadable.append(FileNote(collection.name, state.path, outcome.reason))
                self.report.kept += 1 if row else 0
            case Refused():
                if row:
                    self._writer.remove_documents([row.document])
                    self.report.removed += 1
                return outcome.skipped
        return None

    def _is_racy(self, state: FileState) -> bool:
        return state.mtime_ns >= self._racy_from

    def _flush(self, collection: Collection, rules: EffectiveRules, rows: Mapping[str, FileRow]) -> None:
        """Embed and write the documents that wait."""
        waiting, self._waiting, self._waiting_chunks = self._waiting, [], 0
        if not waiting:
            return
        keys, vectors = self._embed(waiting)
        place = 0
        for ready in waiting:
            prepared, state = ready.prepared, ready.state
            count = len(prepared.chunks)
            metadata = {**rules.metadata, **prepared.document.metadata}
            created, updated = document_dates(metadata)
            self._writer.add_document(
                collection.id,
                state,
                prepared,
                self._is_racy(state),
                vectors=vectors[place : place + count],
                embed_keys=keys[place : place + count],
                created=created,
                updated=updated,
                metadata=metadata,
            )
            place += count
            self._count(collection, ready, new=state.path not in rows)

    def _count(self, collection: Collection, ready: Ready, *, new: bool) -> None:
        report = self.report
        report.added += new
        report.updated += not new
        report.chunks += len(ready.prepared.chunks)
        report.bytes_read += ready.state.size
        path = ready.state.path
        self._warn(collection, [FileNote(collection.name, path, text) for text in ready.prepared.document.warnings])

    def _warn(self, collection: Collection, notes: Sequence[FileNote]) -> None:
        self.report.warnings += notes

    def _embed(self, waiting: Sequence[Ready]) -> tuple[list[bytes], list[NDArray[np.float32] | None]]:
        """Return embed key and vector of every waiting chunk; None where the model knows no word of it."""
        parts = [chunk.vector_parts for ready in waiting for chunk in ready.prepared.chunks]
        encoder = self._encoder
        if encoder is None:
            return [b""] * len(parts), [None] * len(parts)
        keys = [embed_key(part, encoder.fingerprint) for part in parts]
        known = self._writer.vectors_for(keys)
        fresh = [number for number, key in enumerate(keys) if key not in known]
        composed = compose(encoder, [parts[number] for number in fresh])
        found: list[NDArray[np.float32] | None] = [known.get(key) for key in keys]
        for row, number in enumerate(fresh):
            found[number] = composed[row] if composed[row].any() else None
        self.report.embedded += len(fresh)
        self.report.reused += len(keys) - len(fresh)
        self.report.unembedded += sum(vector is None for vector in found)
        return keys, found


def _remembered(collection: Collection, rules: EffectiveRules, result: WalkResult) -> dict[str, Json]:
    """Return the collection's options with what the next whole scan must know of this one."""
    mounts: list[Json] = [*result.mounts]
    return {**collection.options, "stamp": rules.stamp, "mounts": mounts}
