"""Brings the store up to date with what a scan found: prepare, embed, write, commit in slices.

The only place where the stages of indexing meet. Everything is written through the store's writer, file by file; until
a slice is committed no reader sees any of it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from hmem.embed import compose
from hmem.report import FileNote, IndexReport
from hmem.represent import embed_key
from hmem.rules import ALL
from hmem.scan import note
from hmem.slices import Slices
from hmem.store.rows import INDEXED, PARTIAL
from hmem.tasks import tasks_for
from hmem.timeline import document_dates
from hmem.workers import Ready, Refused, Touched, Unreadable, look_at_all

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from hmem.ahead import Ahead
    from hmem.embed import Encoder
    from hmem.rules import EffectiveRules
    from hmem.scan import Scan
    from hmem.store import Writer
    from hmem.store.rows import Collection, FileRow
    from hmem.tasks import Task
    from hmem.types import FileState, Skipped
    from hmem.workers import Outcome

EMBED_BATCH = 512


@dataclass(frozen=True, slots=True)
class IndexOptions:
    """What `hmem index` was asked for. `flags` holds only the indexing options that were given.

    `only` limits a run without PATHs to the collections with these names, as far as they exist; `background` leaves
    the writer's lock to others for as long as it can, and altogether if nothing changed; `ahead` is what was seen for
    such a run already.
    """

    name: str | None = None
    metadata: tuple[str, ...] = ()
    flags: Mapping[str, Any] = field(default_factory=dict)
    rebuild: bool = False
    dry_run: bool = False
    prune_missing: bool = False
    jobs: int | None = None
    yes: bool = False
    lock_timeout: float | None = None
    only: frozenset[str] | None = None
    background: bool = False
    ahead: Ahead | None = None


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
        """Index with `jobs` processes, without an `encoder` only words."""
        self._writer = writer
        self._encoder = encoder
        self._options = options
        self._jobs = jobs
        self._progress = progress
        self._started = time.monotonic()
        self._scan: Scan
        self._unfinished: Collection
        self.report = IndexReport()
        self.slices = Slices(writer)
        self._waiting: list[Ready] = []
        self._waiting_chunks = 0

    def run(
        self, collection: Collection, rules: EffectiveRules, found: Scan, known: Mapping[Task, Outcome] | None = None
    ) -> None:
        """Bring the part of a stored collection that was scanned up to date; `known` are outcomes that there are."""
        self._scan = found
        found.check(collection)
        tasks = tasks_for(found, rules, again=self._options.rebuild)
        note(self.report, collection.name, rules, found, len(tasks))
        if found.result.root_missing:
            self._writer.put_collection(replace(collection, missing=True))
            return
        self._unfinished = _unfinished(collection, rules, found, self._first_to_keep(rules))
        refused = self._look(collection, rules, found.rows, tasks, known)
        # Removed documents go last: a renamed file finds its vectors while they are still there.
        self._writer.remove_documents([found.rows[path].document for path in found.changes.removed])
        skipped = [*found.result.skipped, *found.settled, *refused]
        self.report.skipped += [(collection.name, item) for item in skipped]
        self._writer.put_collection(_scanned(collection, rules, found))
        self._writer.put_skipped(collection.id, skipped, found.within)

    def _first_to_keep(self, rules: EffectiveRules) -> int:
        """Return the lowest id of a document that need not be redone, should this run be interrupted."""
        return self._writer.next_document if self._options.rebuild or rules.redo_below == ALL else rules.redo_below

    def _look(
        self,
        collection: Collection,
        rules: EffectiveRules,
        rows: Mapping[str, FileRow],
        tasks: Sequence[Task],
        known: Mapping[Task, Outcome] | None,
    ) -> list[Skipped]:
        refused: list[Skipped] = []
        all_outcomes = look_at_all(collection.root, collection.name, tasks, jobs=self._jobs, known=known)
        with closing(all_outcomes) as outcomes:  # at once, if this run is interrupted: workers wait for it
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
                    if self.slices.is_due:
                        self._writer.put_collection(self._unfinished)
                        self.slices.commit()
            case Touched() if row:
                self.report.touched += 1
                self._writer.touch(row.document, state, self._is_racy(state))
            case Unreadable():
                self.report.unreadable.append(FileNote(collection.name, state.path, outcome.skipped.detail))
                self.report.kept += 1 if row else 0
                return outcome.skipped
            case Refused():
                if row:
                    self._writer.remove_documents([row.document])
                    self.report.removed += 1
                return outcome.skipped if self._is_racy(state) else replace(outcome.skipped, state=state)
        return None

    def _is_racy(self, state: FileState) -> bool:
        return self._scan.is_racy(state.mtime_ns)

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
            created, updated = document_dates(metadata, prepared.document)
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
        warnings = ready.prepared.document.warnings
        report.warnings += [FileNote(collection.name, path, text) for text in warnings]

    def _embed(self, waiting: Sequence[Ready]) -> tuple[list[bytes | None], list[NDArray[np.float32] | None]]:
        """Return embed key and vector of every waiting chunk; no key without a model, no vector if it knows no word."""
        parts = [chunk.vector_parts for ready in waiting for chunk in ready.prepared.chunks]
        encoder = self._encoder
        if encoder is None:
            self.report.unembedded += len(parts)
            return [None] * len(parts), [None] * len(parts)
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
        return [*keys], found


def _unfinished(collection: Collection, rules: EffectiveRules, found: Scan, redo_below: int) -> Collection:
    """Return `collection` as the next run must find it if only some slices of this one are committed."""
    if found.within:
        return replace(collection, state=PARTIAL)
    return replace(collection, state=PARTIAL, stamp=rules.stamp, redo_below=redo_below)


def _scanned(collection: Collection, rules: EffectiveRules, found: Scan) -> Collection:
    """Return `collection` with what the next scan must know of this one; only a whole scan counts as the last."""
    seen = replace(collection, root_id=found.result.root_id or collection.root_id, missing=False)
    if found.within:
        return seen
    return replace(
        seen,
        stamp=rules.stamp,
        redo_below=0,
        mounts=found.result.mounts,
        state=INDEXED,
        last_scan_ns=found.started_ns,
        last_scan_seconds=found.seconds,
    )
