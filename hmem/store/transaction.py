"""One write transaction: the catalog under the writer's lock, the segments it sees, and how both are committed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from hmem.errors import ArmUnavailableError, HmemError, StoreDamagedError, StoreError
from hmem.store import files, listing, merge
from hmem.store.catalog import Catalog
from hmem.store.lock import FileLock
from hmem.store.parts import PartWriter, restamped
from hmem.store.schema import CATALOG, LEASES, LOCK, SEGMENTS, connect
from hmem.store.segment_records import delete_segment, insert_part, insert_segment, update_tombstones
from hmem.store.segments import Segment, load_segments
from hmem.store.sweep import sweep
from hmem.store.translate import REPAIR, translated


class Transaction:
    """Begun when made, and again after each commit; after an exception inside `working` only closing is left.

    `segments` are in the order of their keys; `catalog` and `connection` see the uncommitted state.
    """

    def __init__(self, directory: Path, lock_timeout: float, *, mending: bool = False) -> None:
        """Begin on the store in `directory` once nobody else writes; closing lets the next one.

        `mending`: what the catalog says about segments may be wrong; they are not looked at. Raises
        `StoreLockedError` after `lock_timeout` seconds.
        """
        self._directory = directory
        self._broken = False
        self._lock = FileLock(directory / LOCK)
        path = directory / CATALOG
        with translated(path):
            self._lock.acquire(lock_timeout)
            try:
                for name in (SEGMENTS, LEASES):
                    files.make_dir(directory / name)  # should somebody have removed it
                self.connection: sqlite3.Connection = connect(path, write=True)
            except BaseException:
                self._lock.release()
                raise
            try:
                self.catalog = Catalog(self.connection, path)
                if not mending:
                    self._settle()
                self._begin(mending=mending)
            except BaseException:
                self.connection.close()
                self._lock.release()
                raise

    def _begin(self, *, mending: bool = False) -> None:
        files.reach("begin", self.catalog.path)
        self.connection.execute("BEGIN IMMEDIATE")
        self.generation = self.catalog.generation
        self.segments = [] if mending else load_segments(self.catalog)
        for segment in self.segments:
            for part in segment.parts.values():
                if fresh := restamped(self._directory / SEGMENTS, part):
                    insert_part(self.connection, segment.id, fresh)
        self._touched: dict[int, Segment] = {}

    def _settle(self) -> None:
        """Do what follows a commit and what a crash may have kept from being done."""
        if listing.is_foreign(self._directory, self.catalog):
            raise StoreDamagedError(f"the catalog is another store's: `{self.catalog.path}`", hint=REPAIR)
        listing.publish(self._directory, self.catalog.meta("store_id"), self.catalog.collections())
        with suppress(OSError, sqlite3.OperationalError):  # what stays is removed by the next writer
            sweep(self._directory, self.connection, self.catalog.generation)
        self._roll_back()

    def _roll_back(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")

    @contextmanager
    def working(self) -> Iterator[None]:
        """Translate errors, and let nothing half done be committed after one."""
        if self._broken:
            raise StoreError("an earlier step of this writer failed; nothing of it is kept")
        try:
            with translated(self.catalog.path):
                yield
        except BaseException:
            self._broken = True
            raise

    @property
    def parts(self) -> PartWriter:
        """Where the files of new segments go."""
        return PartWriter(self._directory / SEGMENTS, self.generation + 1)

    def bury(self, document: int) -> None:
        """Mark a document as gone in the segment that holds it, if one does."""
        for segment in self.segments:
            if segment.bury(document):
                self._touched[segment.id] = segment

    def append(self, segment: Segment) -> None:
        """Store a sealed segment whose keys are above all others."""
        insert_segment(self.connection, segment)
        self.segments.append(segment)

    def replace(self, old: Sequence[Segment], new: Segment | None) -> None:
        """Store a sealed segment in place of neighbouring ones; None if nothing of them is left."""
        for segment in old:
            delete_segment(self.connection, segment.id, self.generation + 1)
            self._touched.pop(segment.id, None)
        if new is not None:
            insert_segment(self.connection, new)
        at = self.segments.index(old[0])
        self.segments[at : at + len(old)] = [] if new is None else [new]

    def merge(self) -> None:
        """Rewrite the segments that the policy chooses; those whose vectors cannot be read stay as they are."""
        sizes = [(segment.live, len(segment.chunk_keys)) for segment in self.segments]
        chosen = [self.segments[begin:end] for begin, end in merge.choose(sizes)]
        for segments in chosen:
            if merge.can_join(segments):
                with suppress(ArmUnavailableError):
                    self.replace(segments, merge.rewrite(self.catalog, segments, self.parts))

    def commit(self, *, changed: bool) -> int:
        """Make everything durable, and visible at once as a new generation if it `changed` what a search sees."""
        for segment in self._touched.values():
            update_tombstones(self.connection, segment)
        if changed:
            self.generation += 1
            self.connection.execute("UPDATE meta SET value = ? WHERE key = 'generation'", (self.generation,))
        files.reach("commit", self.catalog.path)
        self.connection.execute("COMMIT")
        files.reach("committed", self.catalog.path)
        generation = self.generation
        self._settle()
        self._begin()
        return generation

    def close(self) -> None:
        """Drop what is not committed and release the lock; without effect the second time."""
        try:
            with suppress(HmemError, OSError), translated(self.catalog.path):
                if self.connection.in_transaction:
                    self._roll_back()
                    sweep(self._directory, self.connection, self.catalog.generation)
        finally:
            self.connection.close()
            self._lock.release()
