"""Random edits, commits, rollbacks, reopened stores and long-lived readers against a plain dict.

What a committed store holds is compared with the dict through every layer; at the end with a store built in one go.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from hmem.store import Snapshot, Store, merge, writer
from hmem.store.verify import problems
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from store_samples import MODEL, add, build, contents, postings_of, state

MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None  # a disk would take most of the time

paths = st.sampled_from(["a.md", "dir/b.md", "é.md"])
texts = st.lists(st.sampled_from(["pool", "pool drained", "unknown", "x x y", "retry later"]), max_size=3).map(tuple)


class StoreMachine(RuleBasedStateMachine):
    """`committed` is what readers must see, `current` what the open writer has made of it."""

    @initialize(small=st.booleans())
    def begin(self, small) -> None:
        """Start empty; `small` limits make a few chunks flush, merge and rewrite as thousands do."""
        self.limits = pytest.MonkeyPatch()
        if small:
            self.limits.setattr(writer, "FLUSH_CHUNKS", 3)
            self.limits.setattr(merge, "FLOOR", 2)
            self.limits.setattr(merge, "MAX_SEGMENTS", 3)
            self.limits.setattr(merge, "MAX_CHUNKS", 8)
        self.directory = Path(tempfile.mkdtemp(prefix="hmem-machine-", dir=MEMORY))
        self.store = Store.open(self.directory / "store", create=True)
        self.writer = None
        self.committed: dict[str, tuple[str, ...]] = {}
        self.readers: list[tuple[Snapshot, dict[str, tuple[str, ...]]]] = []
        self.generation = 0

    def _writer(self):
        if self.writer is None:
            self.writer = self.store.writer(0, model=MODEL)
            self.current = dict(self.committed)
        return self.writer

    def _document(self, path: str):
        found = self._writer().catalog.collection("notes")
        return None if found is None else self.writer.catalog.document_at(found.id, path)

    @rule(path=paths, lines=texts)
    def put(self, path, lines) -> None:
        add(self._writer(), path, *lines)
        self.current[path] = lines

    @rule(path=paths)
    def remove(self, path) -> None:
        if found := self._document(path):
            self.writer.remove_documents([found.id, 10**6])
        self.current.pop(path, None)

    @rule(old=paths, new=paths)
    def rename(self, old, new) -> None:
        if old in self._current() and old != new:
            lines = self.current.pop(old)
            self.remove(old)
            self.put(new, lines)

    def _current(self) -> dict[str, tuple[str, ...]]:
        self._writer()
        return self.current

    @rule(path=paths, version=st.integers(2, 9))
    def touch(self, path, version) -> None:
        if found := self._document(path):
            self.writer.touch(found.id, state(path, version), True)

    @precondition(lambda self: self.writer is not None)
    @rule(close=st.booleans())
    def commit(self, close) -> None:
        generation = self.writer.commit()
        assert generation >= self.generation
        if self.current != self.committed:
            assert generation == self.generation + 1
        self.generation = generation
        self.committed = dict(self.current)
        if close:
            self.writer.close()
            self.writer = None
        self.check()

    @precondition(lambda self: self.writer is not None)
    @rule()
    def drop(self) -> None:
        self.writer.close()
        self.writer = None
        self.check()

    @rule()
    def reopen(self) -> None:
        self.store = Store.open(self.store.path)

    @precondition(lambda self: len(self.readers) < 3)
    @rule()
    def read(self) -> None:
        self.readers.append((self.store.snapshot(), self.committed))

    @precondition(lambda self: self.readers)
    @rule(number=st.integers(0, 2))
    def leave(self, number) -> None:
        snapshot, expected = self.readers.pop(number % len(self.readers))
        catalog = snapshot.catalog
        rows = catalog.documents().values()
        assert {row.path: tuple(chunk.text[:-1] for chunk in catalog.chunks_of(row.id)) for row in rows} == expected
        words = {term for segment in snapshot.lexical("chunks") for term, *_ in postings_of(segment)}
        assert words >= {word for lines in expected.values() for line in lines for word in line.split()}
        snapshot.dense(MODEL)
        snapshot.close()

    def check(self) -> None:
        assert contents(self.store) == self.committed

    def teardown(self) -> None:
        if not hasattr(self, "directory"):
            return
        self.limits.undo()
        for snapshot, _ in self.readers:
            snapshot.close()
        if self.writer is not None:
            self.writer.close()
        assert problems(self.store.path) == []
        rebuilt = build(self.directory / "rebuilt", self.committed)
        assert contents(rebuilt) == contents(self.store)
        shutil.rmtree(self.directory)


TestStoreMachine = StoreMachine.TestCase
TestStoreMachine.settings = settings(
    max_examples=25, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)


@pytest.mark.crash
class TestLongStoreMachine(StoreMachine.TestCase):
    """The same for longer."""

    settings = settings(TestStoreMachine.settings, max_examples=300, stateful_step_count=80)
