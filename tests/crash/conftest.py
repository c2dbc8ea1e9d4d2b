"""Counts the faults that the crash tests inject and that hmem survives, and prints them at the end."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import pytest

NAMES = ("injected", "survived")


class Faults:
    """What one test did to hmem: `injected` before each fault, `survived` once all that was to be checked held."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def inject(self) -> None:
        self.counts["injected"] += 1

    def survive(self) -> None:
        self.counts["survived"] += 1


@pytest.fixture
def faults(record_property):
    """Return the counter of a test; what it counted travels with the test's report, also from a worker's process."""
    found = Faults()
    yield found
    for name in NAMES:
        record_property(name, found.counts[name])


def pytest_terminal_summary(terminalreporter) -> None:
    """Print the counts by test, parameters added up."""
    totals: dict[str, Counter[str]] = {}
    for report in (report for reports in terminalreporter.stats.values() for report in reports):
        properties = dict(getattr(report, "user_properties", ()))
        if getattr(report, "when", None) == "teardown" and "injected" in properties:
            name = report.nodeid.partition("[")[0].rpartition("/")[2]
            totals.setdefault(name, Counter()).update({key: properties[key] for key in NAMES})
    if not totals:
        return
    terminalreporter.section("faults")
    for name, counts in sorted(totals.items()):
        terminalreporter.write_line(f"{counts['injected']:6,} injected, {counts['survived']:6,} survived  {name}")
    injected, survived = (sum(counts[key] for counts in totals.values()) for key in NAMES)
    terminalreporter.write_line(f"{injected:6,} injected, {survived:6,} survived  together")


def _mounted(place, megabytes: int):
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m,mode=0700", "tmpfs", str(place)]
    if sys.platform != "linux" or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("needs the right to mount a tmpfs")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 2 MiB."""
    yield from _mounted(tmp_path / "disk", 2)


@pytest.fixture
def disk(tmp_path):
    """A file system of 12 MiB."""
    yield from _mounted(tmp_path / "disk", 12)
