"""Commands of many processes on one store: searches in a loop while others index, watch, edit and are killed.

Each file's text is a function of its number and version, so that every hit can be checked, and all hits of an answer
against one state of the disk. `LIVE_SECONDS` sets how long it lasts.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hmem.library import KnowledgeBase
from hmem.store.verify import problems

from runner import SETTLED, SOURCE, write_tree
from runner import hmem_here as here

pytestmark = pytest.mark.crash

SECONDS = float(os.environ.get("LIVE_SECONDS", "12"))
FILES = 60
HMEM = (sys.executable, "-m", "hmem")

SEARCHER = """
import json, os, sys
from hmem.embed import load_encoder
from hmem.library import KnowledgeBase
from hmem.search.query import SearchOptions

end, dice = sys.argv[1], __import__("random").Random(int(sys.argv[2]))
asked, generations = 0, set()
encoder = load_encoder()
while not os.path.exists(end):
    with KnowledgeBase.open() as memory:
        memory._encoder = encoder
        number = dice.randrange(60)
        result = memory.search(SearchOptions(f"marker{number} version", top_k=70))
        assert not result.degraded, result.degraded
        for hit in result.hits:
            words = hit.text.split()
            at, version = int(words[1].removeprefix("marker")), words[-1]
            assert hit.source == f"d{at % 5}/{at}.md", (hit.source, hit.text)
            assert hit.text == f"# marker{at}\\n\\nthe text of version {version}\\n", hit.text
        sources = [hit.source for hit in result.hits]
        assert len(set(sources)) == len(sources), "two versions of one file in one answer"
        assert not generations or result.generation >= max(generations)
        generations.add(result.generation)
        asked += 1
print(json.dumps({"asked": asked, "generations": len(generations)}))
"""


def text(number: int, version: int) -> str:
    return f"# marker{number}\n\nthe text of version {version}\n"


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(SOURCE), "OPENBLAS_NUM_THREADS": "1"}


def start(*command: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*map(str, command)], env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.fixture
def root(tmp_path):
    root = write_tree(tmp_path / "tree", {f"d{n % 5}/{n}.md": text(n, 0) for n in range(FILES)})
    assert here("index", root).code == 0
    return root


def edit(root: Path, dice: random.Random, version: int) -> None:
    number = dice.randrange(FILES)
    path = root / f"d{number % 5}/{number}.md"
    if dice.random() < 0.2:
        path.unlink(missing_ok=True)
    elif dice.random() < 0.5:
        path.with_suffix(".tmp").write_text(text(number, version))
        path.with_suffix(".tmp").replace(path)
    else:
        path.unlink(missing_ok=True)
        path.write_text(text(number, version))


def test_readers_a_watcher_an_indexer_and_an_editor(root, tmp_path):
    dice, end = random.Random(3), tmp_path / "end"
    searchers = [start(sys.executable, "-c", SEARCHER, end, str(seed)) for seed in range(8)]
    watcher = start(*HMEM, "watch", "--json")
    ended, version, indexed = time.monotonic() + SECONDS, 0, 0
    while time.monotonic() < ended or indexed < 5:
        indexer = start(*HMEM, "index", "--quiet", "--json", "--lock-timeout", "60")
        while indexer.poll() is None:
            version += 1
            edit(root, dice, version)
            time.sleep(0.02)
        out, err = indexer.communicate()
        assert indexer.returncode == 0, err
        assert all("vanished while it was indexed" in line for line in err.splitlines()), err
        indexed += 1
    end.touch()
    answers = [process.communicate(timeout=60) for process in searchers]
    assert [err for _, err in answers] == [""] * len(searchers)
    counts = [json.loads(out) for out, _ in answers]
    assert all(count["asked"] > 1 for count in counts), counts
    assert max(count["generations"] for count in counts) > 1, counts
    watcher.send_signal(signal.SIGTERM)
    out, err = watcher.communicate(timeout=30)
    assert (watcher.returncode, err) == (0, "")
    troubles = [found for found in map(json.loads, out.splitlines()) if found["event"] in ("error", "warning")]
    assert all("vanished while it was indexed" in found["message"] for found in troubles), troubles
    check_final(root)


def check_final(root: Path) -> None:
    """The store ends up with what is on the disk, is clean, and keeps no old generation."""
    assert here("index").code == 0
    found = json.loads(here("search", "version", "-k", "1000", "--json").out)["results"]
    stored = {hit["source"]: hit["text"] for hit in found}
    assert stored == {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*.md")}
    assert here("doctor").code == 0
    with KnowledgeBase.open() as memory, memory.snapshot() as snapshot:
        used = {name for (name,) in snapshot.catalog.rows("SELECT directory FROM parts")}
        assert {path.name for path in (memory.directory / "segments").iterdir()} == used


def test_several_indexers_take_turns(root, tmp_path):
    trees = [write_tree(tmp_path / f"more{n}", {f"{k}.md": f"# {n} {k}\n" for k in range(50)}) for n in range(5)]
    indexers = [start(*HMEM, "index", tree, "--lock-timeout", "60") for tree in trees]
    rebuild = start(*HMEM, "index", "--rebuild", "--lock-timeout", "60")
    for process in (*indexers, rebuild):
        out, err = process.communicate(timeout=120)
        assert (process.returncode, out) == (0, ""), err
    status = json.loads(here("status", "--json").out)
    assert status["documents"] == FILES + 5 * 50
    assert here("doctor").code == 0


def test_a_store_is_made_by_several_at_once(tmp_path):
    trees = [write_tree(tmp_path / f"tree{n}", {"a.md": f"# {n}\n"}) for n in range(4)]
    indexers = [start(*HMEM, "index", tree, "--lock-timeout", "60") for tree in trees]
    for process in indexers:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
    assert json.loads(here("status", "--json").out)["documents"] == 4


def test_indexers_killed_at_random_moments_lose_nothing(root, faults):
    dice = random.Random(7)
    version, killed = 0, 0
    ended = time.monotonic() + SECONDS
    while time.monotonic() < ended:
        for _ in range(10):
            version += 1
            edit(root, dice, version)
        indexer = start(*HMEM, "index", "--quiet")
        time.sleep(0.15 + dice.random() * 0.9)
        faults.inject()
        indexer.kill()
        indexer.communicate()
        killed += indexer.returncode == -signal.SIGKILL
        ran = here("search", "version", "-k", "100", "--json", "--no-refresh")
        assert ran.code == 0, ran.err
        assert ran.err == ""
        faults.survive()
    assert killed > 2
    check_final(root)


SLICED_INDEX = """
import sys
from hmem import indexer, slices
from hmem.__main__ import main

class Telling(slices.Slices):
    def commit(self):
        generation = super().commit()
        print(generation, flush=True)
        return generation

slices.SLICE_SECONDS, slices.MAX_SHARE, indexer.EMBED_BATCH, indexer.Slices = 0.0, 1e9, 4, Telling
sys.argv = ["hmem", "index", *sys.argv[1:]]
main()
"""


def test_a_first_index_killed_again_and_again_gets_to_its_end(tmp_path, faults):
    """Each run goes on where the one before was killed; what there is can be searched and is whole."""
    files = {f"d{n % 5}/{n}.md": text(n, 0) for n in range(400)}
    root = write_tree(tmp_path / "tree", files, mtime=SETTLED)
    dice = random.Random(11)
    known: set[str] = set()
    is_done = False
    while not is_done:
        run = start(sys.executable, "-c", SLICED_INDEX, root, "--quiet", "--jobs", "1")
        told = sum(bool(run.stdout.readline()) for _ in range(dice.randrange(1, 16)))
        time.sleep(dice.random() * 0.05)
        is_done = run.poll() is not None
        faults.inject()
        run.kill()
        assert run.communicate()[1] == ""
        ran = here("search", "version", "-k", "1000", "--json", "--no-refresh")
        answer = json.loads(ran.out)
        found = {hit["source"]: hit["text"] for hit in answer["results"]}
        assert found.items() <= files.items()
        assert found.keys() >= known, "lost what was there"
        assert is_done or len(found) >= min(len(files), len(known) + 4 * told)
        assert (answer["stale"] is True) == ("is not indexed to the end" in ran.err)
        assert answer["stale"] is True or len(found) == len(files)
        known = set(found)
        assert [problem for problem in problems(default_store()) if problem.code != "listing"] == []
        faults.survive()
    assert len(known) == len(files)
    assert faults.counts["injected"] > 5
    check_final(root)


def default_store() -> Path:
    return Path(os.environ["HMEM_DATA_DIR"]) / "stores/default"


def test_a_doctor_mends_while_others_index_and_watch(root):
    """Index files vanish under two indexers, a watcher and an editor; the doctor repairs; in the end all is well."""
    dice, version = random.Random(5), 0
    watcher = start(*HMEM, "watch", "--json")
    ended = time.monotonic() + SECONDS
    while time.monotonic() < ended:
        parts = sorted((default_store() / "segments").iterdir())
        if parts:
            shutil.rmtree(dice.choice(parts), ignore_errors=True)
        running = [
            start(*HMEM, "index", "--quiet", "--lock-timeout", "60"),
            start(*HMEM, "index", "--quiet", "--lock-timeout", "60"),
            start(*HMEM, "doctor", "--repair", "--json", "--lock-timeout", "60"),
        ]
        while any(process.poll() is None for process in running):
            version += 1
            edit(root, dice, version)
            time.sleep(0.02)
        for process in running:
            _, err = process.communicate()
            assert process.returncode in (0, 1), err
            assert "Traceback" not in err
            assert "bug in hmem" not in err
    watcher.send_signal(signal.SIGTERM)
    out, err = watcher.communicate(timeout=30)
    assert watcher.returncode == 0, err
    assert "bug in hmem" not in out + err
    assert here("doctor", "--repair").code == 0
    check_final(root)
