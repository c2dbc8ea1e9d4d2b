"""A warm process answers as a cold one does, to the byte; whatever is wrong with it, the cold one answers."""

from __future__ import annotations

import os
import re
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cli_samples import FILES
from runner import SOURCE, Ran, hmem, write_tree

COMMANDS = [
    ("search", "pool"),
    ("search", "pool", "--json", "--explain"),
    ("search", "connection pool exhausted", "--format", "table", "-k", "3"),
    ("search", "pool", "--format", "md", "--max-tokens", "60"),
    ("search", "pool", "-l", "-0", "--absolute"),
    ("search", '"no such phrase"'),
    ("search", "pool", "-w", "servise=billing"),
    ("search", "pool", "--alpha", "7"),
    ("search", "--help"),
    ("search",),
    ("related", "notes/pool.md", "--format", "csv"),
    ("related", "nowhere.md"),
    ("get", "notes/pool.md"),
    ("get", "notes/pool.md:2", "--json"),
]
DIRECT = {"HMEM_RESIDENT": "0"}


@pytest.fixture
def tree(tmp_path) -> Path:
    write_tree(tmp_path, FILES)
    assert hmem("index", "notes", "src", cwd=tmp_path).code == 0
    return tmp_path


def sock() -> Path:
    return Path(os.environ["HMEM_DATA_DIR"]) / "stores" / "default" / "resident.sock"


@contextmanager
def serving(*args: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run `hmem serve` until the end of the block."""
    process = subprocess.Popen(
        [sys.executable, "-m", "hmem", "serve", *args], env={**os.environ, "PYTHONPATH": str(SOURCE)}
    )
    try:
        while not sock().exists():
            assert process.poll() is None
        yield process
    finally:
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(20)


def without_times(ran: Ran) -> tuple[int, str, str]:
    def settled(text: str) -> str:
        return re.sub(r'("(?:took_)?ms": )[\d.]+|\b\d+ ms\b', r"\1", text)

    return ran.code, settled(ran.out), settled(ran.err)


def is_warm(tree: Path, *, env: dict[str, str] | None = None) -> bool:
    """Tell whether a search is answered without an engine of its own."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "hmem", "search", "pool"],
        env={**os.environ, "PYTHONPATH": str(SOURCE), **(env or {})},
        cwd=tree,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "pool.md" in done.stdout
    return "numpy" not in done.stderr


def test_the_same_to_the_byte(tree):
    cold = [without_times(hmem(*command, cwd=tree, **DIRECT)) for command in COMMANDS]
    with serving("--quiet"):
        assert is_warm(tree)
        assert not is_warm(tree, env=DIRECT)
        warm = [without_times(hmem(*command, cwd=tree)) for command in COMMANDS]
        inside = without_times(hmem("search", "pool", "--since", "2020-01-01", cwd=tree / "notes"))
    assert warm == cold
    assert inside == without_times(hmem("search", "pool", "--since", "2020-01-01", cwd=tree / "notes"))


def test_environment_and_configuration_are_the_callers(tree):
    other = tree / "config"
    other.mkdir()
    (other / "config.toml").write_text("[search]\ntop_k = 1\n")
    with serving("--quiet"):
        assert len(hmem("search", "pool", cwd=tree, HMEM_CONFIG_DIR=str(other)).out.splitlines()) == 1
        assert len(hmem("search", "pool", cwd=tree, HMEM_TOP_K="2").out.splitlines()) == 2
        assert hmem("search", "pool", cwd=tree, HMEM_NONSENSE="1").code == 2
        latin = hmem("search", "pool", "--format", "table", cwd=tree, PYTHONIOENCODING="ascii")
        assert without_times(latin) == without_times(
            hmem("search", "pool", "--format", "table", cwd=tree, PYTHONIOENCODING="ascii", **DIRECT)
        )


def test_what_was_committed_or_changed_is_seen(tree):
    with serving("--quiet"):
        assert hmem("search", "okapi", "-l", cwd=tree).out == hmem("search", "okapi", "-l", cwd=tree, **DIRECT).out
        write_tree(tree, {"notes/okapi.md": "# Okapi\n\nAn okapi.\n"})
        assert hmem("search", "okapi", "-l", "-k", "1", cwd=tree).out == "notes/okapi.md\n"
        (tree / "notes/okapi.md").unlink()
        assert hmem("index", cwd=tree).code == 0
        assert "okapi" not in hmem("search", "okapi", "-l", cwd=tree).out


def test_it_is_the_owners_alone_and_gone_at_the_end(tree):
    with serving("--quiet") as process:
        assert stat.S_IMODE(sock().lstat().st_mode) == 0o600
        assert hmem("doctor").code == 0
    assert process.returncode == 0
    assert not sock().exists()


def test_a_dead_one_is_no_hindrance(tree):
    with serving("--quiet") as process:
        process.kill()
        process.wait()
        assert sock().exists()
        assert not is_warm(tree)
        sock().unlink()
        with serving("--quiet"):
            assert is_warm(tree)


def test_one_that_hangs_is_passed_by(tree):
    with serving("--quiet") as process:
        process.send_signal(signal.SIGSTOP)
        assert not is_warm(tree)


@pytest.mark.parametrize("said", [b"", b"a", b"no"])
def test_one_that_says_something_else_is_passed_by(tree, said):
    """Another version hangs up; one that dies before it writes has done nothing."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(sock()))
        listener.listen()
        code = (
            "import socket, sys\nlistener = socket.socket(fileno=int(sys.argv[1]))\n"
            "c, _ = listener.accept()\nc.recv(1)\nc.sendall(sys.argv[2].encode())\nc.close()\n"
        )
        command = [sys.executable, "-c", code, str(listener.fileno()), said.decode()]
        with subprocess.Popen(command, pass_fds=[listener.fileno()]) as process:
            assert not is_warm(tree)
            assert process.wait(20) == 0


def test_a_second_one_takes_the_place(tree):
    with serving("--quiet") as first:
        before = sock().lstat().st_ino
        second = subprocess.Popen(
            [sys.executable, "-m", "hmem", "serve", "-q"], env={**os.environ, "PYTHONPATH": str(SOURCE)}
        )
        try:
            assert first.wait(20) == 0
            assert sock().lstat().st_ino != before
            assert is_warm(tree)
        finally:
            second.terminate()
            assert second.wait(20) == 0


def test_it_ends_when_nobody_asks(tree):
    process = subprocess.run(
        [sys.executable, "-m", "hmem", "serve", "--idle", "1s"],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert process.returncode == 0
    assert process.stderr.startswith(b"answering for ")
    assert not sock().exists()


def test_a_pipe_that_closes_early_is_no_error(tree):
    write_tree(tree, {f"notes/n{n}.md": f"# N {n}\n\n" + "the pool again and again\n" * 60 for n in range(60)})
    assert hmem("index", cwd=tree).code == 0
    command = f"{sys.executable} -m hmem search pool --full -k 60 | head -n 1; echo ${{PIPESTATUS[0]}}"
    with serving("--quiet"):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(SOURCE)},
            capture_output=True,
            text=True,
            check=True,
        )
    assert done.stdout.splitlines()[-1] == "0"
    assert done.stderr == ""


def test_a_long_path_is_told(tmp_path):
    store = tmp_path / ("x" * 100)
    write_tree(tmp_path, FILES)
    assert hmem("index", "notes", "--store", f"{store}/", cwd=tmp_path).code == 0
    ran = hmem("serve", "--store", f"{store}/")
    assert ran.code == 2
    assert "too long for a socket" in ran.err
    assert hmem("search", "pool", "--store", f"{store}/", cwd=tmp_path).code == 0


def test_a_watcher_brings_one_and_takes_it_along(tree):
    watcher = subprocess.Popen(
        [sys.executable, "-m", "hmem", "watch", "--json"],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        stdout=subprocess.PIPE,
        cwd=tree,
    )
    try:
        while not sock().exists():
            assert watcher.poll() is None
        assert is_warm(tree)
    finally:
        watcher.terminate()
        watcher.communicate(timeout=20)
    assert watcher.returncode == 0
    assert not sock().exists()
