"""Whatever operation fails, and wherever the process dies: the old state or the new one, and the next run converges.

Every operation that the store announces is failed once, failed from there on, and killed at, with and without the loss
of what was not forced to the disk. `CRASH_STEP=N` tries every N-th of them only; of an index in slices, which
repeats itself, every fifth is enough anyway.
"""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
from pathlib import Path

import pytest
from hmem.errors import NotIndexedError, StoreError
from hmem.store import Store
from hmem.store.verify import problems

from store_faults import SCENARIOS, LostWrites, Scenario, count_points, failing, hooked, in_child, killing
from store_samples import contents

pytestmark = pytest.mark.crash

STEP = int(os.environ.get("CRASH_STEP", "1"))
scenarios = pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)


@pytest.fixture
def fresh(tmp_path, scenario):
    """Return a function that gives a new copy of the scenario's starting state."""
    template = tmp_path / "template"
    scenario.start(template)
    numbers = iter(range(10**6))

    def copy() -> Path:
        directory = tmp_path / f"store{next(numbers)}"
        if template.exists():
            shutil.copytree(template, directory)
        return directory

    return copy


def points(scenario: Scenario, fresh) -> range:
    count = count_points(scenario.change, fresh())
    assert count > 20
    return range(0, count, STEP * scenario.every)


def check(scenario: Scenario, directory: Path) -> None:
    """What can be read is the old or the new state; running the change again ends in the new one, clean."""
    is_sample = not scenario.partial
    try:
        postings = is_sample and scenario.name != "repair"
        found = contents(Store.open(directory), postings=postings, vectors=is_sample)
    except (NotIndexedError, StoreError):
        assert scenario.old is None
    else:
        if scenario.partial:  # any slices of it
            assert found.items() <= scenario.new.items()
        else:
            assert found in (scenario.old, scenario.new, {})
        assert found or scenario.old is None
    scenario.change(directory)
    assert problems(directory) == []
    assert contents(Store.open(directory), postings=is_sample, vectors=is_sample) == scenario.new
    shutil.rmtree(directory)


@scenarios
@pytest.mark.parametrize("forever", [False, True], ids=["once", "from-then-on"])
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EIO], ids=["full", "io"])
def test_the_nth_operation_fails(scenario, fresh, faults, code, forever):
    failed = 0
    for at in points(scenario, fresh):
        directory = fresh()
        faults.inject()
        with hooked(failing(at, code, forever=forever)):
            try:
                scenario.change(directory)
            except StoreError:
                failed += 1
        check(scenario, directory)
        faults.survive()
    assert failed > 0


@scenarios
def test_writes_are_short(scenario, fresh, faults):
    directory = fresh()

    faults.inject()
    with hooked(lambda name, path: 7 if name == "write" else None):
        scenario.change(directory)
    check(scenario, directory)
    faults.survive()


@scenarios
def test_killed_at_the_nth_operation(scenario, fresh, faults):
    for at in points(scenario, fresh):
        directory = fresh()

        def change(at: int = at, directory: Path = directory) -> None:
            with hooked(killing(at)):
                scenario.change(directory)

        faults.inject()
        assert in_child(change) == signal.SIGKILL
        check(scenario, directory)
        faults.survive()


@scenarios
def test_killed_again_during_recovery(scenario, fresh, faults):
    dice = random.Random(5)
    for at in list(points(scenario, fresh))[::4]:
        directory = fresh()
        for place in (at, dice.randrange(12), dice.randrange(40)):

            def change(place: int = place, directory: Path = directory) -> None:
                with hooked(killing(place)):
                    scenario.change(directory)

            faults.inject()
            in_child(change)
        check(scenario, directory)
        for _ in range(3):
            faults.survive()


@scenarios
def test_power_fails_at_the_nth_operation(scenario, fresh, faults):
    for at in points(scenario, fresh):
        directory = fresh()

        def change(at: int = at, directory: Path = directory) -> None:
            lost = LostWrites()
            lost.follow()
            with hooked(killing(at, lost.lose, lost)):
                scenario.change(directory)

        faults.inject()
        assert in_child(change) == signal.SIGKILL
        check(scenario, directory)
        faults.survive()
