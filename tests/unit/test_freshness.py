"""What a search does about the age of the store, and what it says of it."""

from __future__ import annotations

import json
import os
import shutil

import pytest
from hmem import freshness
from hmem.freshness import Freshness

from privileges import permissions_hold
from runner import hmem_here, write_tree
from watching import contents, opened, watching


@pytest.fixture
def root(tmp_path):
    return write_tree(tmp_path / "tree", {"a.md": "# A\n", "b/b.md": "# B\n"})


@pytest.fixture
def memory(root):
    with opened() as found:
        found.index([root])
        yield found


def test_what_changed_is_indexed_first_if_that_is_cheap(memory, root):
    (root / "a.md").write_text("# New\n")
    (root / "b/b.md").unlink()
    assert memory.freshen() == Freshness(False)
    assert [title for _, title, _ in contents(memory).values()] == ["New"]
    generation = memory.status().generation
    assert memory.freshen() == Freshness(False)
    assert memory.status().generation == generation


def test_not_if_it_is_not_wanted(memory, root):
    (root / "a.md").write_text("# New\n")
    assert memory.freshen(False) == Freshness(None)
    assert memory.status().generation == 1


@pytest.mark.parametrize("limit", ["CHEAP_BYTES", "CHEAP_FILES"])
def test_many_changes_are_not_indexed_but_named(memory, root, monkeypatch, limit):
    monkeypatch.setattr(freshness, limit, 1)
    write_tree(root, {"c.md": "# C\n", "d.md": "# D\n"})
    for path in ("a.md", "b/b.md"):
        os.utime(root / path, (1e9, 1e9))
    found = memory.freshen()
    assert found.stale is True
    assert "4 files changed" in found.message
    assert memory.status().generation == 1
    assert memory.freshen(True) == Freshness(False)
    assert memory.status().generation == 2


def test_a_scan_that_was_slow_is_not_made(memory, root, monkeypatch):
    monkeypatch.setattr(freshness, "CHEAP_SECONDS", 0.0)
    (root / "a.md").write_text("# New\n")
    found = memory.freshen()
    assert found.stale is None
    assert "not checked for changes, last scan 0 seconds ago" in found.message
    assert memory.freshen(True) == Freshness(False)
    assert memory.status().generation == 2


def test_a_store_that_somebody_writes_is_answered_from(memory, root, monkeypatch):
    monkeypatch.setenv("HMEM_LOCK_TIMEOUT", "0.05")
    memory.reload_settings()
    for path in root.rglob("*.md"):
        os.utime(path, (1e9, 1e9))
    memory.index()
    with memory._store.writer():
        assert memory.freshen() == Freshness(False)  # nothing to write
        (root / "a.md").write_text("# New\n")
        for wanted in (None, True):
            found = memory.freshen(wanted)
            assert found.stale is True
            assert "another process is indexing" in found.message
    assert memory.freshen() == Freshness(False)


def test_a_missing_root_is_named_every_time(memory, root):
    shutil.move(root, root.with_name("away"))
    for wanted in (None, None, True):
        found = memory.freshen(wanted)
        assert found.stale is None
        assert "the root of tree is missing" in found.message
    shutil.move(root.with_name("away"), root)
    assert memory.freshen() == Freshness(False)


@pytest.mark.parametrize("what", ["locked", "locked/x.md"])
def test_what_cannot_be_read_is_not_called_current(root, memory, what):
    write_tree(root, {"locked/x.md": "# X\n"})
    for path in root.rglob("*.md"):
        os.utime(path, (1e9, 1e9))
    memory.index()
    assert memory.freshen() == Freshness(False)
    os.utime(root / "locked/x.md", (2e9, 2e9))
    (root / what).chmod(0)
    with permissions_hold():
        assert memory.freshen() == Freshness(None)
        report = memory.index()
        assert [note.path for note in report.unreadable] == [what]
        assert report.kept == 1
        assert len(contents(memory)) == 3
        assert what in [item.path.rstrip("/") for item in memory.status().collections[0].skipped]
        generation = memory.status().generation
        with memory._store.writer():
            assert memory.freshen() == Freshness(None)  # nothing to write
        assert memory.status().generation == generation
        (root / what).chmod(0o700)
        assert memory.freshen() == Freshness(False)


def test_a_collection_that_was_never_scanned_is_behind(memory, root, tmp_path):
    with memory._store.writer() as writer:
        known = memory.collections()[0]
        writer.put_collection(type(known)("other", tmp_path))
        writer.commit()
    found = memory.freshen()
    assert found.stale is True
    assert "other is not indexed to the end yet" in found.message


def test_a_watcher_keeps_it_current(memory, root):
    with watching(memory) as live:
        assert memory.freshen() == Freshness(None)
        (root / "a.md").write_text("# New\n")
        live.settle()


def test_no_collection_no_scan():
    with opened() as memory:
        assert memory.freshen() == Freshness(None)


@pytest.mark.parametrize(
    ("flags", "stale", "warning"),
    [((), False, ""), (("--no-refresh",), None, ""), (("--refresh",), False, "")],
    ids=["default", "no-refresh", "refresh"],
)
def test_the_answer_says_so(memory, root, flags, stale, warning):
    write_tree(root, {"new.md": "# New\n\nquokka\n"})
    ran = hmem_here("search", "quokka", "--json", *flags)
    found = json.loads(ran.out)
    assert found["stale"] is stale
    assert ("quokka" in str(found["results"])) is (stale is False)
    assert warning in ran.err


def test_a_stale_answer_warns(memory, root, monkeypatch):
    monkeypatch.setattr(freshness, "CHEAP_FILES", 0)
    (root / "a.md").write_text("# New\n")
    ran = hmem_here("search", "A", "--json")
    assert json.loads(ran.out)["stale"] is True
    assert ran.err.startswith("warning: ")
    assert "`--refresh`" in ran.err
