"""`hmem watch` as a process: signals, terminals, a stopped process that loses events, too few watches."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from runner import SOURCE, hmem_here, write_tree
from watching import PATIENCE

HMEM = (sys.executable, "-m", "hmem")


@pytest.fixture
def root(tmp_path):
    return write_tree(tmp_path / "tree", {"a.md": "# Pool\n", "b/b.md": "# Retry\n"})


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(SOURCE), **more}


@contextmanager
def started(*args: str | Path, wrap: tuple[str, ...] = (), **options) -> Iterator[subprocess.Popen[str]]:
    """Run `hmem watch` as a process that is stopped at the end of the block whatever happens."""
    process = subprocess.Popen(
        [*wrap, *HMEM, "watch", *map(str, args)],
        env=environment(),
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )
    guard = threading.Timer(4 * PATIENCE, process.kill)
    guard.start()
    try:
        yield process
    finally:
        guard.cancel()
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def event(process: subprocess.Popen[str], kind: str, text: str = "") -> dict:
    """Return the next JSON event of a kind."""
    assert process.stdout is not None
    for line in process.stdout:
        found = json.loads(line)
        if found["event"] == kind and text in found.get("message", ""):
            return found
    raise AssertionError(f"no `{kind}`: {process.stderr.read() if process.stderr else ''}")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["sigterm", "ctrl-c"])
def test_json_events_and_an_orderly_end(root, number):
    with started(root, "--json") as process:
        assert event(process, "indexed")["added"] == 2
        assert event(process, "watching")["collections"] == ["tree"]
        (root / "new.md").write_text("# New\n\nquokka\n")
        found = event(process, "indexed")
        assert (found["added"], found["collections"]) == (1, ["tree"])
        assert 0 < found["seconds"] < PATIENCE
        ran = hmem_here("search", "quokka", "--json")
        assert json.loads(ran.out)["total_retrieved"] >= 1
        assert json.loads(ran.out)["stale"] is None
        assert json.loads(hmem_here("status", "--json").out)["watcher"]["pid"] == process.pid
        second = hmem_here("watch", root)
        assert second.code == 2
        assert f"already watched by process {process.pid}" in second.err
        process.send_signal(number)
        assert event(process, "stopped")
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == ""
    assert json.loads(hmem_here("status", "--json").out)["watcher"] is None


def test_lines_without_a_terminal(root):
    with started(root) as process:
        assert "tree: +2 ~0 -0 files, 2 chunks" in process.stdout.readline()
        assert "watching tree" in process.stdout.readline()
        (root / "a.md").unlink()
        assert "tree: +0 ~0 -1 files, 0 chunks" in process.stdout.readline()
        process.terminate()
        assert process.wait(PATIENCE) == 0


def test_a_live_line_on_a_terminal(root, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    leader, follower = pty.openpty()
    with started(root, stdout=follower, stderr=subprocess.PIPE) as process:
        os.close(follower)
        shown = _read_until(leader, b"up to date \xc2\xb7 2 chunks")
        assert b"watching tree" in shown
        (root / "new.md").write_text("# New\n")
        shown = _read_until(leader, b"3 chunks \xc2\xb7 last")
        assert b"error" not in shown
        os.killpg(process.pid, signal.SIGINT)
        _read_until(leader, None)
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == ""
    os.close(leader)


def test_lines_on_a_dumb_terminal(root):
    leader, follower = pty.openpty()
    with started(root, stdout=follower) as process:
        os.close(follower)
        shown = _read_until(leader, b"watching tree")
        assert b"tree: +2 ~0 -0 files, 2 chunks" in shown
        process.terminate()
        assert process.wait(PATIENCE) == 0
    os.close(leader)


def _read_until(leader: int, wanted: bytes | None) -> bytes:
    """Return what a terminal shows up to `wanted` without its control sequences; None: until it is closed."""
    shown, ended = b"", time.monotonic() + PATIENCE
    while wanted is None or wanted not in shown:
        assert time.monotonic() < ended, shown
        if not select.select([leader], [], [], 0.1)[0]:
            continue
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        shown = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", shown + part)
    return shown


def test_a_listener_that_goes_away_ends_it_quietly(root):
    with started(root, "--json") as process:
        event(process, "watching")
        process.stdout.close()
        (root / "a.md").write_text("# Changed\n")
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == ""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["sigterm", "ctrl-c"])
@pytest.mark.crash
def test_an_end_in_the_middle_of_the_first_pass(tmp_path, number):
    files = {f"d{n % 9}/{n}.md": f"# File {n}\n\n" + f"word{n} pool\n\n" * 900 for n in range(1200)}
    root = write_tree(tmp_path / "tree", files)
    for delay in (0.3, 0.8, 1.5, 2.5):
        with started(root, "--json") as process:
            time.sleep(delay)
            os.killpg(process.pid, number)
            code = process.wait(PATIENCE)
            # before the handler is in place the interpreter's own answer holds
            assert code == 0 or (delay < 1 and code in (130, -signal.SIGINT, -signal.SIGTERM))
            assert "Traceback" not in process.stderr.read()
            assert _members(process.pid) == []
    assert hmem_here("doctor").code == 0


def _members(group: int) -> list[str]:
    """Processes that are left of a group, once its workers had the time to notice."""
    ended = time.monotonic() + 5
    while True:
        found = subprocess.run(["ps", "-o", "args=", "-g", str(group)], capture_output=True, text=True, check=False)
        left = [line for line in found.stdout.splitlines() if "defunct" not in line]
        if not left or time.monotonic() > ended:
            return left
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("number", "code"),
    [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)],
    ids=["ctrl-c", "sigterm", "kill"],
)
@pytest.mark.crash
def test_an_interrupted_index_leaves_no_worker_and_the_store_as_it_was(tmp_path, number, code):
    root = write_tree(tmp_path / "tree", {"a.md": "# Before\n"})
    assert hmem_here("index", root).code == 0
    before = json.loads(hmem_here("status", "--json").out)
    write_tree(root, {f"d{n % 9}/{n}.md": f"# File {n}\n\n" + f"word{n} pool\n\n" * 900 for n in range(1500)})
    for delay in (1.2, 2.0, 3.5):
        process = subprocess.Popen(
            [*HMEM, "index", "--jobs", "2"],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        )
        time.sleep(delay)
        (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
        out, err = process.communicate(timeout=PATIENCE)
        assert process.returncode == code
        assert out == ""
        if number != signal.SIGKILL:
            assert err == ""
        assert _members(process.pid) == []
        after = json.loads(hmem_here("status", "--json").out)
        assert (after["generation"], after["documents"]) == (before["generation"], before["documents"])
    assert hmem_here("doctor").code == 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify")
def test_a_queue_that_overflows_means_a_scan_at_once(root):
    queue = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    if queue > 100_000:
        pytest.skip("a queue too long to overflow")
    with started(root, "--json") as process:
        event(process, "watching")
        process.send_signal(signal.SIGSTOP)
        for number in range(queue // 2):  # two events each at least
            (root / f"x{number % 7}.md").touch()
            (root / f"x{number % 7}.md").unlink()
        (root / "b/lost.md").write_text("# Lost\n")
        process.send_signal(signal.SIGCONT)
        begun = time.monotonic()
        assert event(process, "indexed")["added"] == 1
        assert time.monotonic() - begun < 30  # and not with the next rescan
        process.terminate()
        assert process.wait(PATIENCE) == 0


def test_too_few_watches_mean_polling_and_a_warning(root):
    few = ("unshare", "-Ur", "sh", "-c", 'echo 20 > /proc/sys/user/max_inotify_watches && exec "$0" "$@"')
    if shutil.which("unshare") is None or subprocess.run([*few, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs a user namespace of its own")
    write_tree(root, {f"d{number:02}/{number}.md": f"# {number}\n" for number in range(60)})
    with started(root, "--json", wrap=few) as process:
        message = event(process, "warning")["message"]
        assert "tree is polled instead of watched: the limit of file watches is reached" in message
        assert "`fs.inotify.max_user_watches`, 20; raise it with `sysctl`" in message
        event(process, "watching")
        for number in (0, 30, 59):
            (root / f"d{number:02}/new.md").write_text("# New\n")
            assert event(process, "indexed")["added"] == 1
        process.terminate()
        assert process.wait(PATIENCE) == 0


def _until_changed(process: subprocess.Popen[str], documents: int) -> None:
    """Wait until so many documents more (or fewer) than before are indexed."""
    while documents:
        found = event(process, "indexed")
        documents -= found["added"] - found["removed"]


def test_folders_that_come_when_no_watch_is_left_are_polled(root):
    few = ("unshare", "-Ur", "sh", "-c", 'echo 20 > /proc/sys/user/max_inotify_watches && exec "$0" "$@"')
    if shutil.which("unshare") is None or subprocess.run([*few, "true"], capture_output=True, check=False).returncode:
        pytest.skip("needs a user namespace of its own")
    with started(root, "--json", wrap=few) as process:
        event(process, "watching")
        write_tree(root, {f"d{number:02}/{number}.md": f"# {number}\n" for number in range(60)})
        event(process, "warning", "everything is polled instead of watched")
        (root / "d59/new.md").write_text("# New\n")
        _until_changed(process, 61)
        (root / "d59/new.md").unlink()
        _until_changed(process, -1)
        for number in range(60):
            shutil.rmtree(root / f"d{number:02}")
        _until_changed(process, -60)
        process.terminate()
        assert process.wait(PATIENCE) == 0
