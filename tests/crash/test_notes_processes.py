"""Many processes that remember at once, and some that are killed: each is there whole, or not at all."""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hmem import KnowledgeBase
from hmem.parse.frontmatter import read_front_matter

from runner import SOURCE, hmem

pytestmark = pytest.mark.crash

WRITERS = 12


def start(text: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "hmem", "remember", text, "--lock-timeout", "60"],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_many_at_once_lose_nothing():
    running = [start(f"fact number {number} about the pool") for number in range(WRITERS)]
    done = [(process.communicate(timeout=120), process.returncode) for process in running]
    assert [(out[1], code) for out, code in done] == [("", 0)] * WRITERS
    ids = [out[0].strip() for out, _ in done]
    assert len(set(ids)) == WRITERS
    with KnowledgeBase.open() as memory:
        assert [collection.name for collection in memory.collections()] == ["notes"]
        assert {memory.get(note).path for note in ids} == {row.path for row in notes()}
        assert len(memory.documents()) == WRITERS


def notes() -> list[os.DirEntry[str]]:
    place = Path(os.environ["HMEM_DATA_DIR"]) / "notes"
    with os.scandir(place) as entries:
        return [entry for entry in entries if not entry.name.startswith(".")]


def test_a_kill_leaves_whole_notes_and_those_can_be_forgotten():
    dice = random.Random(7)
    for number in range(int(os.environ.get("CRASH_SECONDS", "8"))):
        process = start(f"a fact that may be cut short, number {number}")
        time.sleep(dice.uniform(0.1, 1.5))
        process.send_signal(signal.SIGKILL)
        out, _ = process.communicate()
        if note := re.match(r"note-\w+", out):
            assert any(note[0][-6:] in entry.name for entry in notes())
    assert hmem("index").code == 0
    for entry in notes() if (Path(os.environ["HMEM_DATA_DIR"]) / "notes").exists() else []:
        found = read_front_matter(Path(entry.path).read_text())
        assert found.warning is None
        assert hmem("forget", str(found.metadata["id"])).code == 0
    assert hmem("doctor").code == 0
