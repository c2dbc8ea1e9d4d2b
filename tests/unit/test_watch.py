"""The watcher's parts, and what it does when something is in its way."""

from __future__ import annotations

import json
import logging
import os
from pathlib import Path

import pytest
from hmem import indexing
from hmem.errors import StoreLockedError, UsageError
from hmem.indexer import IndexOptions
from hmem.report import IndexReport
from hmem.watch import watcher as loop
from hmem.watch.dirty import LONGEST_DELAY, Dirty
from hmem.watch.events import LOCK_NAME, WatchEvent
from hmem.watch.events import watching as who_watches
from hmem.watch.limits import is_exhausted, limit
from hmem.watch.watcher import Watcher

from runner import write_tree
from watching import KnowledgeBase, contents, opened, watching


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_names_are_due_once_it_was_quiet():
    clock = Clock()
    dirty = Dirty(0.3, clock)
    assert dirty.due() is None
    dirty.mark(["a"])
    clock.now = 0.2
    dirty.mark(["b"])
    assert dirty.due() == pytest.approx(0.3)
    assert dirty.take() == (frozenset(), 0.0)
    clock.now = 0.5
    assert dirty.take() == ({"a", "b"}, 0.0)
    assert dirty.due() is None


def test_a_storm_does_not_put_it_off_for_ever():
    clock = Clock()
    dirty = Dirty(0.3, clock)
    while clock.now < 0.79:
        dirty.mark(["a"])
        clock.now += 0.1
    assert dirty.due() == pytest.approx(LONGEST_DELAY - clock.now)
    clock.now = LONGEST_DELAY
    assert dirty.take()[0] == {"a"}


def test_a_long_debounce_is_kept():
    clock = Clock()
    dirty = Dirty(5.0, clock)
    dirty.mark(["a"])
    clock.now = 4.9
    assert dirty.take()[0] == frozenset()
    clock.now = 5.0
    assert dirty.take()[0] == {"a"}


def test_waking_ends_every_waiting():
    dirty = Dirty(0.3)
    dirty.wake()
    dirty.wait(60)
    dirty.pause(60)


def test_events_as_json():
    assert WatchEvent("watching", ("a", "b")).to_json() == {
        "schema": 1,
        "event": "watching",
        "collections": ["a", "b"],
    }
    report = IndexReport(["a"], added=1, updated=2, removed=3, chunks=4, generation=5)
    found = WatchEvent("indexed", ("a",), report=report, seconds=0.12345).to_json()
    assert json.loads(json.dumps(found)) == {
        "schema": 1,
        "event": "indexed",
        "collections": ["a"],
        "added": 1,
        "updated": 2,
        "removed": 3,
        "chunks": 4,
        "generation": 5,
        "seconds": 0.123,
    }


def test_the_limit_of_watches():
    assert not is_exhausted()
    assert limit() is None or limit() > 0


@pytest.fixture
def root(tmp_path):
    return write_tree(tmp_path / "tree", {"a.md": "# A\n", "b/b.md": "# B\n"})


def test_polling_finds_what_changed_and_writes_only_then(root, monkeypatch):
    monkeypatch.setattr(loop, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(loop, "TICK_SECONDS", 0.05)
    with opened() as memory, watching(memory, root, poll=True) as live:
        (root / "b/c.md").write_text("# C\n")
        live.settle()
        memory.index()  # so that no file counts as changed a moment ago
        for path in root.rglob("*.md"):
            os.utime(path, (1e9, 1e9))
        live.until(lambda: not any(row.racy for row in _rows(memory)), "sure of its files")
        stamp = memory.collections()[0].last_scan_ns
        lock = memory._store.writer(5)
        try:
            live.nothing(0.4, marked=True)
        finally:
            lock.close()
        assert memory.collections()[0].last_scan_ns == stamp


def _rows(memory: KnowledgeBase):
    with memory.snapshot() as snapshot:
        return [row for item in snapshot.catalog.collections() for row in snapshot.catalog.files(item.id)]


def test_lost_events_mean_a_scan(root):
    with opened() as memory, watching(memory, root) as live:
        live.settle()
        live.watcher._roots._stop("tree")
        (root / "a.md").write_text("# Nobody tells\n")
        logging.getLogger("watchdog.observers.inotify_c").warning("Inotify queue overflowed")
        live.settle()


def test_a_rescan_finds_what_no_event_told(root, monkeypatch):
    monkeypatch.setattr(loop, "RESCAN_SECONDS", 0.1)
    monkeypatch.setattr(loop, "TICK_SECONDS", 0.05)
    with opened() as memory, watching(memory, root) as live:
        live.settle()
        live.watcher._roots._stop("tree")
        (root / "a.md").write_text("# Nobody tells\n")
        live.settle()


class Failing(KnowledgeBase):
    """Fails to index as often as it is told to."""

    failures: list[Exception]

    def index(self, paths=(), options=None, *, progress=None):
        if self.failures and not paths:
            raise self.failures.pop(0)
        return super().index(paths, options, progress=progress)

    def collections(self):
        if self.failures and isinstance(self.failures[0], MemoryError):
            raise self.failures.pop(0)
        return super().collections()


def test_no_failure_ends_the_loop(root, monkeypatch):
    monkeypatch.setattr(loop, "RETRY_SECONDS", (0.01, 0.05))
    with opened(kind=Failing) as memory:
        memory.failures = []
        with watching(memory, root) as live:
            live.settle()
            memory.failures = [OSError(5, "Input/output error"), ValueError("odd"), ZeroDivisionError()]
            (root / "a.md").write_text("# Changed\n")
            assert live.event("error").message == "input/output error"
            assert "ValueError: odd" in live.event("error").message
            live.event("error")
            live.settle()
            memory.failures = [MemoryError("no room")]
            memory_config = Path(os.environ["HMEM_CONFIG_DIR"])
            memory_config.mkdir(exist_ok=True, parents=True)
            (memory_config / "config.toml").write_text('[index]\nexclude = ["b/**"]\n')
            live.event("error", "no room")
            assert len(live.settle()) == 1
            (memory_config / "config.toml").write_text("[index\n")
            live.event("error", "config.toml")
            (root / "a.md").write_text("# Followed with the last good configuration\n")
            live.until(lambda: "last good" in str(contents(memory)), "indexed")
            assert set(contents(memory)) == {("tree", "a.md")}


def test_the_store_vanishes_and_comes_back(root, monkeypatch):
    monkeypatch.setattr(loop, "RETRY_SECONDS", (0.01, 0.05))
    with opened() as memory, watching(memory, root) as live:
        live.settle()
        memory.directory.rename(memory.directory.with_name("away"))
        (root / "a.md").write_text("# Changed meanwhile\n")
        live.event("error")
        memory.directory.with_name("away").rename(memory.directory)
        live.settle()


def test_a_busy_store_is_waited_for(root, monkeypatch):
    monkeypatch.setattr(loop, "RETRY_SECONDS", (0.01, 0.05))
    monkeypatch.setenv("HMEM_LOCK_TIMEOUT", "0.05")
    with opened() as memory, watching(memory, root) as live:
        live.settle()
        with memory._store.writer():
            (root / "a.md").write_text("# Changed\n")
            live.event("warning", f"process {os.getpid()}")
        live.settle()
        assert live.of_kind("error") == []


def test_one_watcher_a_store(root):
    with opened() as memory, watching(memory, root):
        found = who_watches(memory.directory)
        assert found is not None
        assert found.pid == os.getpid()
        with pytest.raises(UsageError, match=f"already watched by process {os.getpid()}"):
            Watcher(memory, lambda event: None).run([root])
        assert memory.status().watcher == found
    assert who_watches(memory.directory) is None
    assert (memory.directory / LOCK_NAME).exists()


def test_a_path_that_cannot_be_watched_is_an_error_of_the_command(tmp_path):
    told = []
    with opened() as memory:
        with pytest.raises(UsageError, match="no such file"):
            Watcher(memory, told.append).run([tmp_path / "nowhere"])
        assert who_watches(memory.directory) is None
    assert [event.kind for event in told] == ["stopped"]


def test_each_complaint_is_told_once(root):
    (root / "bad.md").write_bytes(b"---\na: [\n---\n# Bad\n")
    (root / ".hmem.toml").write_text('model = "other"\n')
    with opened() as memory, watching(memory, root) as live:
        live.settle()
        for number in range(3):
            (root / "a.md").write_text(f"# {number}\n")
            live.event("indexed")
        warnings = [event.message for event in live.of_kind("warning")]
        assert len(warnings) == len(set(warnings))
        assert sum(".hmem.toml" in text for text in warnings) == 1


def test_a_background_run_takes_the_lock_only_if_there_is_something_to_write(root):
    options = IndexOptions(background=True, lock_timeout=0.0)
    with opened() as memory:
        memory.index([root])
        for path in root.rglob("*.md"):
            os.utime(path, (1e9, 1e9))
        memory.index()
        lock = memory._store.writer(5)
        try:
            report = memory.index((), options)
            assert (report.unchanged, report.changed, report.generation) == (2, False, 1)
            (root / "a.md").write_text("# Changed\n")
            with pytest.raises(StoreLockedError):
                memory.index((), options)
        finally:
            lock.close()
        assert memory.index((), options).updated == 1
        assert memory.index((), IndexOptions(background=True, only=frozenset({"gone"}))).collections == []


def between(monkeypatch, act) -> None:
    """Call `act` after the look ahead of the next background run, before it takes the lock."""
    ahead = indexing.look_ahead

    def look(*given):
        found = ahead(*given)
        monkeypatch.setattr(indexing, "look_ahead", ahead)
        act()
        return found

    monkeypatch.setattr(indexing, "look_ahead", look)


def test_what_changes_after_it_was_read_ahead_is_found_by_the_next_run(root, monkeypatch):
    def change() -> None:
        (root / "a.md").write_text("# Other version\n")  # of the same size
        (root / "b/b.md").unlink()

    with opened() as memory:
        memory.index([root])
        (root / "a.md").write_text("# First version\n")
        between(monkeypatch, change)
        for expected in (["# B\n", "# First version\n"], ["# Other version\n"]):
            memory.index((), IndexOptions(background=True))
            assert sorted(text for *_, chunks in contents(memory).values() for _, text in chunks) == expected


def test_what_was_read_ahead_is_looked_at_again_if_somebody_committed(root, monkeypatch):
    def change() -> None:
        (root / "a.md").write_text("# Second and longer version\n")
        (root / "b/b.md").unlink()
        with opened() as other:
            other.index()

    with opened() as memory:
        memory.index([root])
        (root / "a.md").write_text("# First version\n")
        between(monkeypatch, change)
        assert memory.index((), IndexOptions(background=True)).changed is False
        assert [text for *_, chunks in contents(memory).values() for _, text in chunks] == [
            "# Second and longer version\n"
        ]
