"""Files that nobody expected: bounded memory and time, the rest indexed, each one named with its reason."""

from __future__ import annotations

import json
import os
import resource
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from hmem import workers
from hmem.library import KnowledgeBase

from privileges import permissions_hold
from runner import SOURCE, write_tree
from runner import hmem_here as here
from watching import contents, opened

GOOD = {"good.md": "# Good\n\nthe zebra is here\n", "sub/also.py": "def also_good():\n    pass\n"}
NAMES = [
    "new\nline.md",
    "carriage\rreturn.md",
    "tab\there.md",
    'quote".md',
    "apostrophe'.md",
    "back`tick$(reboot).md",
    "\x1b[31mred\x1b[0m.md",
    "\x1b]0;title\x07.md",
    "bidi\u202egnp.md",
    "-rf.md",
    "--store.md",
    " blank .md",
    "[bold]markup[].md",
    "%s%n{}.md",
    "n" * 252 + ".md",
    "é" * 126 + ".md",
    os.fsdecode(b"not-utf8-\xff\xfe.md"),
    "\U0001f9a5 sloth.md",
    "nul-like\u2400.md",
    "a\\b.md",
    "c:d.md",
    "*?.md",
]


@pytest.fixture
def root(tmp_path):
    return write_tree(tmp_path / "tree", GOOD)


def index(*args: str | Path) -> dict:
    ran = here("index", *args, "--json")
    assert ran.code == 0, ran.err
    assert "\x1b" not in ran.err
    return json.loads(ran.out)


def reasons(report: dict) -> dict[str, str]:
    found = {item["path"]: item["reason"] for item in report["skipped"]["files"]}
    return found | {item["path"]: item["reason"] for item in report["unreadable"]}


def still_good() -> None:
    for query, source in (("zebra", "good.md"), ("also_good", "sub/also.py")):
        assert json.loads(here("search", query, "--json").out)["results"][0]["source"] == source
    assert here("doctor").code == 0


def test_any_name_is_indexed_found_and_shown_harmlessly(root):
    for name in NAMES:
        (root / name).write_text(f"# Title\n\nzebra number {NAMES.index(name)}\n")
    assert index(root)["added"] == len(NAMES) + len(GOOD)
    for output in ("lines", "jsonl", "md", "table"):
        ran = here("search", "zebra", "-k", "100", "--format", output)
        assert ran.code == 0
        assert not set(ran.out) & set("\x1b\x07\u202e"), output
    assert not set(here("status", "-v").out) & set("\x1b\x07\u202e")
    found = json.loads(here("search", "zebra", "-k", "100", "--json").out)
    assert {hit["source"] for hit in found["results"]} >= set(NAMES)
    shown = set(here("search", "zebra", "-k", "100", "-l", "-0", "--absolute").out.split("\0")) - {""}
    assert {Path(path).name for path in shown} >= set(NAMES)
    assert all(os.path.lexists(path) for path in shown)
    for name in NAMES:
        (root / name).rename(root / "sub" / name)
    assert index()["reused"] == len(NAMES)
    assert here("doctor").code == 0


def test_what_is_no_regular_file_is_named(root):
    os.mkfifo(root / "fifo.md")
    with socket.socket(socket.AF_UNIX) as server:
        os.chdir(root)
        server.bind("socket.md")
        (root / "outside.md").symlink_to("/etc/passwd")
        (root / "loop.md").symlink_to("loop.md")
        (root / "up").symlink_to("..")
        (root / "inside.md").symlink_to("good.md")
        expected = {"fifo.md", "socket.md", "outside.md", "loop.md", "up", "inside.md"}
        if os.geteuid() == 0:
            os.mknod(root / "zero.md", stat.S_IFCHR | 0o666, os.makedev(1, 5))
            expected.add("zero.md")
        begun = time.monotonic()
        report = index(root)
    assert time.monotonic() - begun < 120  # it does not wait for a pipe that nobody writes to
    assert report["added"] == len(GOOD)
    assert expected <= reasons(report).keys()
    still_good()


def test_names_that_end_up_as_something_else(root):
    """A fifo, a directory, a link out of the tree or nothing takes a file's place after the scan."""
    states = {}
    for name in ("fifo.md", "folder.md", "link.md", "gone.md", "grown.md"):
        (root / name).write_text("# Was a file\n")
        states[name] = workers.Task(_state(root, name), 1000)
    for name in states:
        (root / name).unlink()
    os.mkfifo(root / "fifo.md")
    (root / "folder.md").mkdir()
    (root / "link.md").symlink_to("/etc/passwd")
    (root / "grown.md").write_bytes(b"x" * 2000)
    outcomes = {name: workers.look(root, "tree", task) for name, task in states.items()}
    grown = outcomes.pop("grown.md")
    assert isinstance(grown, workers.Refused)
    assert all(isinstance(outcome, workers.Unreadable) for outcome in outcomes.values()), outcomes


def _state(root: Path, name: str):
    from hmem.discover import WalkOptions, walk

    return next(state for state in walk(root, WalkOptions()).files if state.path == name)


def test_files_that_change_while_they_are_read(root):
    """An editor at work during many runs: no failure, and in the end what is on the disk."""
    stop = threading.Event()

    def edit() -> None:
        number = 0
        while not stop.is_set():
            number += 1
            path = root / f"busy{number % 5}.md"
            with path.open("a") as file:
                file.write(f"line {number} " * 500)
            if number % 3 == 0:
                path.chmod(0)
                path.chmod(0o644)
            if number % 4 == 0:
                path.unlink()

    thread = threading.Thread(target=edit)
    with opened() as memory:
        memory.index([root])
        thread.start()
        try:
            for _ in range(15):
                memory.index()
        finally:
            stop.set()
            thread.join()
        memory.index()
        stored = {path: "".join(text for _, text in chunks) for (_, path), (_, _, chunks) in contents(memory).items()}
    on_disk = {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*.*")}
    assert stored == on_disk


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_unreadable_places_are_named_and_kept(root, jobs):
    write_tree(root, {"locked.md": "# Locked\n", "closed/x.md": "# X\n"})
    index(root)
    for name in ("locked.md", "closed/x.md"):
        os.utime(root / name, (1, 1))
    (root / "locked.md").chmod(0)
    (root / "closed").chmod(0)
    with permissions_hold():
        report = index("--jobs", jobs)
        assert {"locked.md", "closed"} <= reasons(report).keys()
        assert report["kept"] == 2
        assert here("index", "--strict").code == 2
    (root / "closed").chmod(0o700)
    still_good()


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 9)}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
)
CONTENTS = {
    "bomb.md": f"---\n{BOMB}---\n# Bomb\n",
    "tags.md": "---\na: !!python/object/apply:os.system ['touch /tmp/hmem-was-here']\n---\n# Tags\n",
    "deep.md": "---\na: " + "[" * 20_000 + "\n---\n# Deep\n",
    "recursive.md": "---\na: &a [*a]\n---\n# Recursive\n",
    "open.md": "---\n" + "key: value\n" * 100_000,
    "dates.md": "---\ndate: 9999-99-99\nn: 0x" + "f" * 5000 + "\n---\n# Dates\n",
    "headings.md": "# h\n" * 100_000,
    "levels.md": "\n".join("#" * (n % 6 + 1) + f" h{n}" for n in range(20_000)),
    "quotes.md": ">" * 50_000 + " quoted\n",
    "lists.md": "".join("  " * n + "- x\n" for n in range(500)),
    "links.md": "[[links]] " * 50_000 + "[[circle-a]]",
    "circle-a.md": "[[circle-b]] ![[circle-b]]",
    "circle-b.md": "[[circle-a]] ![[circle-a]]",
    "brackets.md": "[" * 100_000,
    "emphasis.md": "*a **b " * 30_000,
    "fence.md": "```\n" + "code\n" * 100_000,
    "table.md": "| a |\n|---|\n" + "| x |\n" * 30_000,
    "include.rst": ".. include:: include.rst\n" * 1000,
    "include.adoc": "include::include.adoc[]\n" * 1000,
    "parens.py": "(" * 100_000,
    "indent.py": "".join(" " * n + "if x:\n" for n in range(1000)),
    "one-line.js": "x" * 1_000_000,
    "words.txt": "word " * 200_000,
    "numbers.json": "[" * 50_000,
    "marks.txt": "e" + "\u0301" * 100_000,
    "surrogates.txt": b"\xed\xa0\x80" * 1000,
    "utf16.txt": "quokka\n".encode("utf-16") * 2,
    "latin.txt": "café\n".encode("latin-1"),
    "lines.txt": "\n" * 500_000,
    "controls.txt": "\x1b[2J\x1b]0;x\x07 text " * 100,
    "empty.md": "",
    "null.md": b"# A\0B\n",
}


@pytest.mark.parametrize("name", CONTENTS)
def test_odd_content_is_indexed_within_bounds(root, name):
    write_tree(root, {name: CONTENTS[name]})
    begun = time.process_time()
    report = index(root)
    assert time.process_time() - begun < 10
    indexed = report["added"] == len(GOOD) + 1
    assert indexed or name in reasons(report)
    assert indexed or name in ("null.md", "surrogates.txt", "controls.txt")
    assert not Path("/tmp/hmem-was-here").exists()
    still_good()


def test_a_trees_own_configuration_reaches_nothing_outside(root, tmp_path):
    write_tree(tmp_path / "outside", {"secret.md": "# Secret quagga\n"})
    write_tree(root, {".env": "TOKEN=quagga\n"})
    (root / ".hmem.toml").write_text(
        'model = "/evil"\nstore = "/tmp/evil"\nlock_timeout = 0\n[index]\nsecrets = true\njobs = 99\n'
        'include = ["../outside/**", "/etc/**", "**"]\nmax_filesize = "900G"\n[search]\ntop_k = 1\n'
        '[alias]\nsearch = ["index", "/"]\n[metadata]\nteam = "x"\n'
    )
    report = index(root)
    said = " ".join(note["reason"] for note in report["warnings"])
    for key in ("`model`", "`store`", "`lock_timeout`", "`index.secrets`", "`index.jobs`", "`search`", "`alias`"):
        assert key in said
    assert here("search", "quagga", "--alpha", "0").code == 1
    for target in ("/etc/passwd", "/dev/zero"):
        (root / ".hmem.toml").unlink()
        (root / ".hmem.toml").symlink_to(target)
        assert index()["unchanged"] + report["updated"] >= 0
    still_good()


def run_bounded(*args: str | Path, megabytes: int, seconds: float) -> dict:
    """Run `hmem ARGS --json` in a process that may not take more memory than so much, nor seconds of the processor."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (megabytes << 20, megabytes << 20))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "hmem", *map(str, args), "--json"],
        env={**os.environ, "PYTHONPATH": str(SOURCE), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        preexec_fn=limit,
        timeout=seconds * 20,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < seconds
    return json.loads(done.stdout)


@pytest.mark.crash
def test_huge_files_are_named_not_read(root):
    with (root / "sparse.md").open("wb") as file:
        file.truncate(2 << 30)
    with (root / "line.txt").open("wb") as file:
        for _ in range(100):
            file.write(b"x" * (1 << 20))
    report = run_bounded("index", root, megabytes=2048, seconds=20)
    assert report["added"] == len(GOOD)
    assert {"sparse.md", "line.txt"} <= reasons(report).keys()
    still_good()


@pytest.mark.crash
@pytest.mark.skipif(os.environ.get("CRASH_STEP", "1") != "1", reason="takes minutes: a part of the whole suite only")
def test_the_largest_files_that_are_read_fit_into_memory(root):
    (root / "line.txt").write_bytes(b"x" * (16 << 20))
    (root / "words.txt").write_text("".join(f"w{n} " for n in range(1_500_000)))
    (root / "code.py").write_text("def f():\n    pass\n" * 50_000)
    report = run_bounded("index", root, megabytes=4096, seconds=240)
    assert report["added"] == len(GOOD) + 3
    still_good()


@pytest.mark.crash
def test_a_deep_tree_and_a_broad_one(root):
    here_now = os.open(root, os.O_RDONLY)
    try:
        for _ in range(3000):
            os.mkdir("d", dir_fd=here_now)
            below = os.open("d", os.O_RDONLY, dir_fd=here_now)
            os.close(here_now)
            here_now = below
        bottom = os.open("bottom.md", os.O_WRONLY | os.O_CREAT, 0o600, dir_fd=here_now)
        os.write(bottom, b"# The bottom quagga\n")
        os.close(bottom)
    finally:
        os.close(here_now)
    (root / "broad").mkdir()
    for number in range(5000):
        (root / "broad" / f"{number}.md").touch()
    report = index(root)
    assert report["added"] == len(GOOD) + 5001
    with KnowledgeBase.open() as memory:
        assert any(path.endswith("/bottom.md") for _, path in contents(memory))
    still_good()
    subprocess.run(["rm", "-rf", str(root / "d")], check=True)
