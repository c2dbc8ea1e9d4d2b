"""What a terminal gets: tables, colour and progress where it can show them, and a quiet end when it is interrupted."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import pytest

from runner import SOURCE, hmem
from terminal import ESCAPE, on_terminal


@pytest.mark.parametrize("columns", [80, 120])
def test_a_terminal_gets_a_table_with_colour_and_links(tree, columns):
    code, text = on_terminal("search", "connection pool", cwd=tree, columns=columns, NO_COLOR="")
    assert code == 0
    assert re.search(r"\x1b\]8;id=\d+;file://[^\x1b]*/notes/pool\.md\x1b\\", text)
    assert "\x1b[1;31mconnection\x1b[0m" in text
    plain = ESCAPE.sub("", text).splitlines()
    assert plain[0].split()[:2] == ["#", "score"]
    assert max(map(len, plain)) <= columns


@pytest.mark.parametrize(
    "env", [{"NO_COLOR": "1"}, {"NO_COLOR": "", "TERM": "dumb"}, {"FORCE_COLOR": "1", "TERM": "dumb"}]
)
def test_no_escape_where_colour_is_not_wanted(tree, env):
    _, text = on_terminal("search", "connection pool", cwd=tree, **env)
    assert text.split()[:2] == ["#", "score"]
    assert "\x1b" not in text


def test_no_hit_is_said_on_a_terminal_too(tree):
    code, text = on_terminal("search", "xylophone", "--alpha", "0", cwd=tree)
    assert (code, text) == (1, "hint: no hit among 4 chunks\n")


def test_status_and_lists_are_aligned(tree):
    _, status = on_terminal("status", cwd=tree)
    assert re.search(r"^notes +3 +3 ", status, re.MULTILINE)
    _, listed = on_terminal("ls", cwd=tree)
    assert [line.index("/") for line in listed.splitlines()] == [7, 7]


def test_progress_is_for_terminals(own_tree):
    _, text = on_terminal("index", "--rebuild", cwd=own_tree, NO_COLOR="")
    assert "chunks/s" in text
    assert "\x1b[?25l" in text
    quiet = hmem("index", "--rebuild", cwd=own_tree)
    assert "\x1b" not in quiet.err
    assert hmem("index", "-q", cwd=own_tree).err == ""


@pytest.mark.parametrize("encoding", ["C", "POSIX"])
def test_a_locale_without_our_signs_keeps_the_columns(tree, encoding):
    env = {"LC_ALL": encoding, "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    plain = hmem("search", "connection", "--format", "table", cwd=tree, **env)
    signs = hmem("search", "connection", "--format", "table", cwd=tree)
    assert plain.out.isascii()
    times = re.compile(r"\d+ ms")
    assert list(map(len, times.sub("", plain.out).split("\n"))) == list(map(len, times.sub("", signs.out).split("\n")))


def test_a_closed_stdin_is_an_error_only_where_it_is_read(tree):
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = f"{sys.executable} -m hmem search"
    for line, code in ((f"{command} pool <&-", 0), (f"{command} --batch - <&-", 2), (f"{command} --request - <&-", 2)):
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=tree, env=env, check=False)
        assert done.returncode == code
        assert "Traceback" not in done.stderr


def test_an_interrupted_search_ends_with_130(tree):
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    process = subprocess.Popen(
        [sys.executable, "-m", "hmem", "search", "--batch", "-"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tree,
        env=env,
    )
    assert process.stdin
    assert process.stdout
    process.stdin.write(b"pool\n")
    process.stdin.flush()
    assert process.stdout.readline().startswith(b'{"schema"')
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (130, b"")


def test_debug_shows_where_an_error_comes_from(tree):
    env = {**os.environ, "PYTHONPATH": str(SOURCE)}
    for args, extra in ((["--debug", "get", "nothing"], {}), (["get", "nothing"], {"HMEM_DEBUG": "1"})):
        done = subprocess.run(
            [sys.executable, "-m", "hmem", *args], capture_output=True, text=True, env={**env, **extra}, check=False
        )
        assert done.returncode == 2
        assert "Traceback" in done.stderr
        assert done.stderr.splitlines()[-2].startswith("error: not indexed")
