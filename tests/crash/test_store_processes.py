"""Several processes on one store, processes that die at random moments, and a disk that is full.

A commit's content is a function of its number, so every reader can tell whether what it sees is one generation.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from hmem.errors import StoreAccessError, StoreLockedError
from hmem.store import Store
from hmem.store.verify import problems

from store_faults import in_child
from store_samples import MODEL, add, build, contents

pytestmark = pytest.mark.crash

SECONDS = float(os.environ.get("CRASH_SECONDS", "4"))
FILES = 6


def state_of(number: int) -> dict[str, tuple[str, ...]]:
    """Commit `number` holds, in file i, the words of the last commit up to it that wrote the file."""
    found = {}
    for at in range(FILES):
        written = number - (number - at) % FILES
        if written >= 0:
            found[f"{at}.md"] = (f"pool n{written}", "unknown") if written % 4 else (f"pool n{written}",)
    return found


def write(writer, number: int) -> None:
    path = f"{number % FILES}.md"
    add(writer, path, *state_of(number)[path])


def number_of(found: dict[str, tuple[str, ...]]) -> int:
    return max(int(lines[0].removeprefix("pool n")) for lines in found.values())


@pytest.fixture
def store(tmp_path):
    return build(tmp_path / "store", state_of(0))


def commit_for_ever(store: Store, first: int, report: int, dice: random.Random) -> None:
    """Commit numbers from `first` on, one byte to `report` after each, with a new writer now and then."""
    number = first
    while True:
        with store.writer(30, model=MODEL) as writer:
            for _ in range(dice.randint(1, 5)):
                write(writer, number)
                writer.commit()
                os.write(report, b"x")
                number += 1


@pytest.mark.parametrize("seed", range(3))
def test_killed_at_random_moments(store, faults, seed):
    dice = random.Random(seed)
    last = 0
    ended = time.monotonic() + SECONDS
    rounds = 0
    while time.monotonic() < ended:
        rounds += 1
        read, report = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            commit_for_ever(store, last + 1, report, dice)
        os.close(report)
        wanted = dice.randrange(4)
        while wanted > 0 and os.read(read, 1):
            wanted -= 1
            last += 1
        time.sleep(dice.random() * 0.1)
        faults.inject()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while os.read(read, 1):
            last += 1
        os.close(read)
        found = contents(store)
        assert number_of(found) in (last, last + 1)
        last = number_of(found)
        assert found == state_of(last)
        faults.survive()
    store.writer().close()
    assert problems(store.path) == []
    assert rounds > 3


def read_for(store: Store, seconds: float) -> None:
    ended, seen = time.monotonic() + seconds, -1
    while time.monotonic() < ended:
        with store.snapshot() as snapshot:
            generation = snapshot.generation
        found = contents(store)
        number = number_of(found)
        assert found == state_of(number)
        assert number >= seen
        assert number >= generation - 1
        seen = number
    assert seen > 0


def write_for(store: Store, seconds: float) -> None:
    ended, number = time.monotonic() + seconds, 0
    while time.monotonic() < ended:
        with store.writer(30, model=MODEL) as writer:
            number = number_of({row.path: (writer.catalog.text(row.id).split("\n")[0],) for row in _documents(writer)})
            write(writer, number + 1)
            writer.commit()
    assert number > 3


def _documents(writer):
    return writer.catalog.documents().values()


def run_together(*acts) -> None:
    children = []
    for act in acts:
        child = os.fork()
        if child == 0:
            try:
                act()
                os._exit(0)
            except BaseException:
                import traceback

                traceback.print_exc()
                os._exit(70)
        children.append(child)
    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * len(children)


def test_readers_see_whole_generations_while_two_writers_take_turns(store):
    readers = [lambda: read_for(store, SECONDS)] * 4
    writers = [lambda: write_for(store, SECONDS)] * 2
    run_together(*readers, *writers)
    store.writer().close()
    assert problems(store.path) == []
    assert contents(store) == state_of(number_of(contents(store)))
    named = {name for (name,) in _used(store)}
    assert {entry.name for entry in (store.path / "segments").iterdir()} == named


def _used(store: Store):
    with store.snapshot() as snapshot:
        return snapshot.catalog.rows("SELECT directory FROM parts")


def test_a_reader_that_dies_leaves_nothing_behind(store):
    def die() -> None:
        store.snapshot()
        os.kill(os.getpid(), signal.SIGKILL)

    assert in_child(die) == signal.SIGKILL
    for number in range(1, 12):
        with store.writer(model=MODEL) as writer:
            write(writer, number)
            writer.commit()
    assert problems(store.path) == []
    assert len(list((store.path / "leases").iterdir())) <= 3


def test_a_second_writer_is_told_who_is_in_the_way(store):
    ready, done = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:
        with store.writer():
            os.write(ready[1], b"x")
            os.read(done[0], 1)
        os._exit(0)
    os.read(ready[0], 1)
    with pytest.raises(StoreLockedError) as caught:
        store.writer(0.2)
    assert caught.value.pid == child
    with store.snapshot() as snapshot:
        assert snapshot.generation == 1
    os.write(done[1], b"x")
    store.writer(30).close()
    os.waitpid(child, 0)


def _fill(mount: Path, free: int) -> Path:
    """Leave about `free` bytes on the file system."""
    filler = mount / "filler"
    left = os.statvfs(mount)
    with filler.open("wb") as file:
        file.write(b"\0" * max(0, left.f_bavail * left.f_frsize - free))
    return filler


def test_a_full_disk_loses_nothing_and_is_still_searched(small_disk, faults):
    store = build(small_disk / "store", state_of(0))
    failed, number = 0, 0
    for free in range(0, 640 * 1024, 16 * 1024):
        filler = _fill(small_disk, free)
        try:
            with store.writer(model=MODEL) as writer:
                write(writer, number + 1)
                writer.commit()
            number += 1
        except StoreAccessError:
            failed += 1
            faults.inject()
            assert contents(store) in (state_of(number), state_of(number + 1))
        number = number_of(contents(store))
        assert contents(store) == state_of(number)
        filler.unlink()
        assert problems(store.path) == []
        faults.counts["survived"] = failed
    assert failed > 3
    assert number > 3


def test_a_store_on_a_read_only_disk_is_searched(small_disk):
    store = build(small_disk / "store", state_of(0))
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert contents(store) == state_of(0)
    assert problems(store.path) == []
    with pytest.raises(StoreAccessError):
        store.writer()


def test_a_store_cannot_be_made_on_a_full_disk_but_later(small_disk):
    for free in (0, 4096, 20_000, 60_000, 120_000):
        filler = _fill(small_disk, free)
        try:
            build(small_disk / "store", state_of(0))
        except StoreAccessError:
            filler.unlink()
        else:
            filler.unlink()
            break
        build(small_disk / "store", state_of(0))
        assert contents(Store.open(small_disk / "store")) == state_of(0)
        shutil.rmtree(small_disk / "store")
