"""Index runs: what an interrupted one keeps, what it does about another model, and what a dry run tells."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections import Counter
from pathlib import Path

import hmem.embed
import pytest
from hmem import indexer, slices
from hmem.embed import load_encoder
from hmem.freshness import Freshness
from hmem.indexer import IndexOptions
from hmem.search.query import SearchOptions
from hmem.store.verify import problems

from privileges import permissions_hold
from runner import SETTLED, hmem_here, write_tree
from watching import contents, opened, rebuilt

FILES = {f"{name}.md": f"# {name}\n\nwords of {name}\n" for name in "abcdefgh"}


@pytest.fixture
def root(tmp_path):
    return write_tree(tmp_path / "tree", FILES, mtime=SETTLED)


@pytest.fixture
def small_slices(monkeypatch):
    """Every file is a slice of its own."""
    monkeypatch.setattr(slices, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(slices, "MAX_SHARE", 1e9)
    monkeypatch.setattr(indexer, "EMBED_BATCH", 1)


class Stop(Exception):
    """Ends a run from outside."""


def interrupted(memory, *paths, after: int, **options) -> None:
    """Index, but stop when so many files are done."""

    def stop(progress) -> None:
        if progress.done == after:
            raise Stop

    with pytest.raises(Stop):
        memory.index(paths, IndexOptions(**options), progress=stop)


def test_an_interrupted_first_index_keeps_what_it_did_and_goes_on(root, small_slices):
    with opened() as memory:
        interrupted(memory, root, after=3)
        assert [path for _, path in contents(memory)] == ["a.md", "b.md", "c.md"]
        (item,) = memory.status().collections
        assert (item.to_json()["partial"], item.last_scan) == (True, None)
        for refresh in (None, False):
            found = memory.freshen(refresh)
            assert found.stale is True
            assert "tree is not indexed to the end yet; `hmem index` goes on" in found.message
        assert problems(memory.directory) == []
        report = memory.index()
        assert (report.added, report.unchanged, report.generation) == (5, 3, 8)
        assert contents(memory) == rebuilt(memory)
        assert memory.status().collections[0].to_json()["partial"] is False
        assert memory.freshen() == Freshness(False)
        assert problems(memory.directory) == []


def test_a_part_that_is_interrupted_leaves_the_rest_as_it_was(root, small_slices):
    write_tree(root, {"sub/x.md": "# X\n", "sub/y.md": "# Y\n"}, mtime=SETTLED)
    with opened() as memory:
        memory.index([root])
        write_tree(root, {"sub/x.md": "# X new\n", "sub/y.md": "# Y new\n"})
        interrupted(memory, root / "sub", after=1)
        assert memory.freshen().stale is True
        assert memory.index([root / "sub"]).updated == 1
        assert memory.freshen().stale is True  # only a whole scan vouches for the whole
        memory.index()
        assert memory.freshen() == Freshness(False)


def test_somebody_at_it_is_named(root, small_slices):
    with opened() as memory:
        interrupted(memory, root, after=1)
        with memory._store.writer():
            assert memory.freshen().message.endswith("another process is at it")


def test_new_metadata_reaches_the_documents_that_an_interrupted_run_left(root, small_slices):
    with opened() as memory:
        memory.index([root])
        (root / ".hmem.toml").write_text('[metadata]\nteam = "x"\n')
        interrupted(memory, after=3)
        assert Counter(metadata.get("team") for metadata, *_ in contents(memory).values()) == {None: 5, "x": 3}
        interrupted(memory, after=2)
        assert memory.index().updated == 3
        assert {metadata.get("team") for metadata, *_ in contents(memory).values()} == {"x"}
        assert memory.index().updated == 0


def test_metadata_that_changes_twice_reaches_all(root, small_slices):
    with opened() as memory:
        interrupted(memory, root, after=3)
        for team, after in (("x", 2), ("y", 5)):
            (root / ".hmem.toml").write_text(f'[metadata]\nteam = "{team}"\n')
            interrupted(memory, after=after)
        memory.index()
        assert {metadata.get("team") for metadata, *_ in contents(memory).values()} == {"y"}


def test_an_interrupted_rebuild_is_gone_on_with(root, small_slices):
    with opened() as memory:
        memory.index([root])
        interrupted(memory, after=6, rebuild=True)
        assert memory.index().updated == 2
        assert memory.index().updated == 0


def test_a_slow_commit_makes_slices_rarer():
    times = iter([0.0, 9.0, 11.0, 11.0, 15.0, 30.0, 60.0])

    class Writer:
        def commit(self) -> int:
            return 1

    kept = slices.Slices(Writer(), lambda: next(times))
    assert [kept.is_due, kept.is_due] == [False, True]
    kept.commit()  # four seconds, until 15
    assert [kept.is_due, kept.is_due] == [False, True]


def test_two_links_to_one_file_are_two_documents(tmp_path):
    """Their tasks are equal, what comes of them is not."""
    roots = [write_tree(tmp_path / name, {"keep.md": "# Keep\n"}) for name in ("one", "two")]
    with opened() as memory:
        memory.index(roots)
        (roots[0] / "twin.md").write_text("# Twin\n")
        os.link(roots[0] / "twin.md", roots[1] / "twin.md")
        memory.index((), IndexOptions(background=True))
        assert contents(memory) == rebuilt(memory)


# -- another model


@pytest.fixture(scope="module")
def other_model(tmp_path_factory) -> str:
    """A model that reads texts otherwise, of the same width."""
    place = tmp_path_factory.mktemp("model") / "model"
    shutil.copytree(Path(hmem.embed.__file__).parent / "builtin", place)
    tokens = json.loads((place / "tokenizer.json").read_text())
    tokens["normalizer"] = None
    (place / "tokenizer.json").write_text(json.dumps(tokens))
    return str(place)


def dense(memory) -> tuple[str, int | None]:
    arm = memory.search(SearchOptions("words of a")).arms["dense"]
    return str(arm.status), arm.unembedded


def test_what_was_indexed_under_another_model_is_counted_and_gets_its_vectors_later(root, other_model):
    write_tree(root, {"\u2603.md": "\u2603\n"}, mtime=SETTLED)
    with opened() as memory:
        memory.index([root])
        built_in = memory._encoder
        assert dense(memory) == ("ok", 1)  # the model knows no word of it
        memory._encoder = load_encoder(other_model)
        assert dense(memory) == ("unavailable", 9)
        write_tree(root, {"new.md": "# New\n\nwords of new\n"}, mtime=SETTLED)
        report = memory.index()
        assert (report.embedded, report.unembedded) == (0, 1)
        assert ["another model" in note.reason for note in report.warnings] == [True]
        assert dense(memory) == ("unavailable", 10)
        memory._encoder = built_in
        assert dense(memory) == ("ok", 2)
        assert memory.status().collections[0].unembedded == 2
        assert memory.freshen() == Freshness(False)
        assert dense(memory) == ("ok", 2)  # not before a search
        assert memory.index().embedded > 0
        assert dense(memory) == ("ok", 1)
        assert memory.index().embedded == 0
        assert problems(memory.directory) == []


def test_an_interrupted_change_of_model_is_gone_on_with(root, other_model, small_slices):
    with opened() as memory:
        memory.index([root])
        memory._encoder = load_encoder(other_model)
        interrupted(memory, after=3, rebuild=True)
        assert dense(memory)[0] == "unavailable"
        memory.index()
        assert dense(memory) == ("ok", 0)
        assert problems(memory.directory) == []


# -- dry runs, strictness, warnings


def everything_below(directory: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path.relative_to(directory)): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(directory.rglob("*"))
        if path.parent.name != "leases" and path.name not in ("leases", "catalog.sqlite-shm")
    }


def test_a_dry_run_tells_touched_from_changed_and_writes_nothing(root):
    with opened() as memory:
        memory.index([root])
        write_tree(root, {"a.md": "# Changed\n", "new.md": "# New\n", "binary.md": b"\0\1"}, mtime=SETTLED)
        os.utime(root / "b.md")
        (root / "c.md").unlink()
        before = everything_below(memory.directory)
        with memory._store.writer():
            held = everything_below(memory.directory)
            report = memory.index((), IndexOptions(dry_run=True, lock_timeout=0.0))
            assert everything_below(memory.directory) == held
        assert (report.added, report.updated, report.touched, report.removed, report.unchanged) == (1, 1, 1, 1, 5)
        assert [item.path for _, item in report.skipped] == ["binary.md"]
        assert before.keys() == everything_below(memory.directory).keys()
        real = memory.index()
        names = ("added", "updated", "touched", "removed", "unchanged", "kept")
        assert [getattr(report, name) for name in names] == [getattr(real, name) for name in names]


def test_a_dry_run_of_a_new_root_or_with_new_options_registers_nothing(root, tmp_path):
    other = write_tree(tmp_path / "other", {"x.md": "# X\n"})
    with opened() as memory:
        memory.index([root])
        assert memory.index([other], IndexOptions(dry_run=True)).added == 1
        assert memory.index([root], IndexOptions(dry_run=True, flags={"exclude": ("a.md",)})).removed == 1
        assert memory.index((), IndexOptions(dry_run=True, rebuild=True)).updated == 8
        assert [item.name for item in memory.collections()] == ["tree"]
        assert memory.collections()[0].options == {}


def test_a_dry_run_needs_no_model(root):
    assert hmem_here("index", root).code == 0
    ran = hmem_here("index", "--dry-run", "--json", HMEM_MODEL="/nowhere")
    assert (ran.code, json.loads(ran.out)["unchanged"]) == (0, 8)


def test_what_cannot_be_read_counts_in_a_dry_run_as_in_a_run(root):
    with opened() as memory:
        memory.index([root])
        os.utime(root / "a.md")
        (root / "a.md").chmod(0)
        with permissions_hold():
            reports = [memory.index((), IndexOptions(dry_run=dry)) for dry in (True, False)]
        assert [(report.kept, len(report.unreadable)) for report in reports] == [(1, 1), (1, 1)]


@pytest.mark.parametrize("flags", [(), ("--dry-run",)], ids=["run", "dry-run"])
def test_strict_includes_a_missing_root(root, flags):
    assert hmem_here("index", root, "--strict").code == 0
    shutil.rmtree(root)
    assert hmem_here("index", *flags).code == 0
    assert hmem_here("index", "--strict", *flags).code == 2


def test_status_remembers_warnings(root):
    write_tree(root, {"bad.md": "---\na: b: c\n---\n# Bad\n"})
    said = json.loads(hmem_here("index", root, "--json").out)["warnings"]
    assert [note["path"] for note in said] == ["bad.md"]
    assert json.loads(hmem_here("index", "--json").out)["warnings"] == []
    (found,) = json.loads(hmem_here("status", "--json").out)["collections"]
    assert found["warnings"] == [{"path": "bad.md", "reason": said[0]["reason"]}]
    assert "\t1 warning\n" in hmem_here("status").out
    assert said[0]["reason"] in hmem_here("status", "-v").out
    (root / "bad.md").write_text("# Good\n")
    (root / ".hmem.toml").write_text('store = "/elsewhere"\n')
    said = json.loads(hmem_here("index", "--json").out)["warnings"]
    (found,) = json.loads(hmem_here("status", "--json").out)["collections"]
    assert found["warnings"] == [{"path": ".hmem.toml", "reason": said[0]["reason"]}]
    (root / ".hmem.toml").unlink()
    assert json.loads(hmem_here("status", "--json").out)["collections"][0]["warnings"] == []


# -- one look at the disk


@pytest.mark.parametrize("is_changed", [False, True])
def test_a_search_reads_each_directory_once(root, monkeypatch, is_changed):
    read: Counter[str] = Counter()
    real = os.scandir

    def counting(path="."):
        with contextlib.suppress(TypeError, OSError):
            read[str(Path(f"/proc/self/fd/{path}").readlink() if isinstance(path, int) else path)] += 1
        return real(path)

    with opened() as memory:
        memory.index([root])
        if is_changed:
            (root / "a.md").write_text("# Changed\n")
        monkeypatch.setattr(os, "scandir", counting)
        assert memory.freshen() == Freshness(False)
    assert read[str(root)] == 1
