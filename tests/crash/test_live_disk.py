"""An index that fills the disk: it fails and says so, what it did is kept, and with room it gets to its end."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import pytest
from hmem import indexer, slices

from runner import SETTLED, hmem_here, write_tree

pytestmark = pytest.mark.crash

FILES = {f"d{n % 7}/{n}.md": f"# File {n}\n\n" + f"word{n} of a pool\n\n" * 300 for n in range(120)}


@pytest.fixture
def small_slices(monkeypatch):
    monkeypatch.setattr(slices, "SLICE_SECONDS", 0.0)
    monkeypatch.setattr(indexer, "EMBED_BATCH", 64)


def found(env: dict[str, str]) -> set[str]:
    ran = hmem_here("search", "pool", "-k", "5000", "--json", "--no-refresh", **env)
    assert ran.code in (0, 1), ran.err
    return {hit["source"] for hit in json.loads(ran.out)["results"]}


def fill(path: Path) -> None:
    """Leave not one byte for the search."""
    with contextlib.suppress(OSError), path.open("wb", buffering=0) as file:
        while True:
            file.write(b"\0" * 4096)


def test_an_index_that_does_not_fit(tmp_path, disk, small_slices, faults):
    root = write_tree(tmp_path / "tree", FILES, mtime=SETTLED)
    env = {"HMEM_DATA_DIR": str(disk / "data")}
    filler = disk / "filler"
    known: set[str] = set()
    for free in (512, 1024, 3072, 12 << 10):  # KiB
        filler.write_bytes(b"\0" * (os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize - (free << 10)))
        ran = hmem_here("index", root, "--jobs", "1", **env)
        if ran.code == 2 and not (disk / "data/stores/default/catalog.sqlite").exists():
            continue
        if ran.code == 2:
            faults.inject()
            assert "free some space; nothing that was indexed before is lost" in ran.err
            fill(disk / "rest")
        else:
            assert ran.code == 0, ran.err
        now = found(env)
        assert now >= known, "lost what was there"
        known = now
        (disk / "rest").unlink(missing_ok=True)
        filler.unlink()
        assert hmem_here("doctor", **env).code == 0
        faults.counts["survived"] = faults.counts["injected"]
    assert faults.counts["injected"] >= 2
    assert known == set(FILES)
    assert [path.name for path in disk.iterdir()] == ["data"]
