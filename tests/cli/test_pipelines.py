"""Searches in shell pipelines: readers that stop early, stall or die, and tools that read paths and lines.

Six kinds of pipeline over an answer of more than 1 MiB. `PIPELINE_CALLS=200` runs as many searches through them.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from runner import SOURCE, hmem_here, write_tree

CALLS = int(os.environ.get("PIPELINE_CALLS", "12"))
FILES, LINES = 60, 400
KINDS = {
    "head": "hmem search pool --full -k 1000 | head -n 1 | wc -l",
    "dies": "hmem search pool --full -k 1000 --format {format} | {{ read -r first; exit 7; }}; echo 1",
    "stalls": "hmem search pool --full -k 1000 --json | {{ sleep 0.3; head -c 10 | wc -l; echo 1; }} | tail -n 1",
    "xargs": "hmem search pool -l -0 -k 1000 | xargs -0 ls -d -- | wc -l",
    "while": 'hmem search pool -k 7 | while IFS=: read -r path line text; do sed -n "${{line}}p" "$path"; done | wc -l',
    "closed": "hmem search pool --full -k 1000 >&-; echo 1",
}
WANTED = {"head": "1", "dies": "1", "stalls": "1", "xargs": str(FILES), "while": "7", "closed": "1"}


@pytest.fixture(scope="module")
def big(tmp_path_factory):
    """A directory with a collection whose whole text is more than 1 MiB, and its data directory."""
    place = tmp_path_factory.mktemp("big")
    line = "the connection pool is exhausted when every connection is checked out\n"
    files = {
        f"n/folder {number % 3}/file {number}.md": f"# Note {number}\n\n" + line * LINES for number in range(FILES)
    }
    root = write_tree(place / "work", files)
    with mock.patch.dict(os.environ, {"HMEM_DATA_DIR": str(place / "data"), "HMEM_CONFIG_DIR": str(place / "config")}):
        assert hmem_here("index", "n", "-q", cwd=root).code == 0
        assert len(hmem_here("search", "pool", "--full", "-k", "1000", "--no-refresh", cwd=root).out) > 1 << 20
    return root, place / "data"


@pytest.fixture
def shell(big, tmp_path, monkeypatch):
    """Run a line of bash beside the collection; `hmem` tells its exit code on a file."""
    root, data = big
    command = tmp_path / "bin" / "hmem"
    command.parent.mkdir()
    codes, errors = tmp_path / "codes", tmp_path / "errors"
    command.write_text(
        f'#!/bin/bash\nexport PYTHONPATH="{SOURCE}"\n"{sys.executable}" -m hmem "$@" 2>>"{errors}"\n'
        f'code=$?; echo $code >>"{codes}"; exit $code\n'
    )
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("HMEM_DATA_DIR", str(data))
    monkeypatch.setenv("HMEM_REFRESH", "false")

    def run(line: str) -> tuple[str, list[str]]:
        done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=root, timeout=60, check=False)
        assert done.stderr == ""
        assert errors.read_text() == ""
        return done.stdout, codes.read_text().split()

    return run


@pytest.mark.parametrize("kind", KINDS)
def test_readers_get_what_they_want_and_end_when_they_want(kind, shell):
    formats = ("lines", "jsonl", "md", "csv", "json", "paths")
    for call in range(max(1, CALLS // len(KINDS))):
        out, codes = shell(KINDS[kind].format(format=formats[call % len(formats)]))
        assert out.split()[-1] == WANTED[kind]
        assert set(codes) == {"0"}


def test_no_path_is_cut_or_wrapped_off_a_terminal(shell, big):
    root, _ = big
    paths, _ = shell("hmem search pool -l -k 1000")
    assert {root / path for path in paths.splitlines()} == set((root / "n").rglob("*.md"))
    for form in ("lines", "csv", "md"):
        out, _ = shell(f"hmem search pool -k 3 --absolute --format {form} | cat")
        assert sum(f"/n/folder {number}/file " in out for number in range(3))


def test_the_name_of_a_long_path_stays_whole_in_a_table_too(shell):
    out, _ = shell("COLUMNS=30 hmem search pool -k 1 --absolute --format table | tr -d '\\n '")
    assert ".md:" in out


@pytest.mark.skipif(not shutil.which("vim"), reason="vim is not installed")
def test_vim_lands_on_the_line_that_matches(shell, tmp_path):
    at = tmp_path / "at"
    script = f"call writefile([expand('%:p') . ':' . line('.')], '{at}')"
    line = f"hmem search pool -k 1 > list; vim -u NONE -N -es -q list -c \"{script}\" -c 'qa!'; hmem search pool -k 1"
    out, _ = shell(line)
    path, number = at.read_text().strip().rsplit(":", 1)
    found = out.splitlines()[-1].split(":")
    assert path.endswith(found[0])
    assert number == found[1]
    text = Path(path).read_text().splitlines()[int(number) - 1]
    assert "pool" in text


@pytest.mark.skipif(not shutil.which("fzf"), reason="fzf is not installed")
def test_fzf_filters_lines(shell):
    out, _ = shell("hmem search pool -k 20 | fzf --filter connection --delimiter : | head -n 1 | wc -l")
    assert out.strip() == "1"


def test_a_full_disk_is_an_error(shell):
    with pytest.raises(AssertionError, match="no space left"):
        shell("hmem search pool > /dev/full")


@pytest.mark.skipif(not (shutil.which("fzf") and shutil.which("script")), reason="fzf or script is not installed")
def test_fzf_previews_what_a_line_names(big, shell, tmp_path):
    """The recipe of the README on a terminal that `script` makes; it lives as long as its stdin is open."""
    seen = tmp_path / "seen"
    line = f"hmem search pool -k 5 | fzf --delimiter : --preview 'hmem get {{1}}:{{2}} | tee {seen}'"
    with subprocess.Popen(
        ["script", "-qec", line, "/dev/null"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=big[0],
        env={**os.environ, "TERM": "xterm", "SHELL": "/bin/bash"},
    ) as terminal:
        assert terminal.stdin is not None
        assert terminal.stdout is not None
        while not (seen.exists() and "connection pool" in seen.read_text()):
            assert os.read(terminal.stdout.fileno(), 65536), "fzf ended without a preview"
        terminal.stdin.write(b"\x1b")
        terminal.stdin.close()
        terminal.stdout.read()
    path, number = shell("hmem search pool -k 1")[0].split(":")[:2]
    assert seen.read_text() == shell(f"hmem get '{path}:{number}'")[0]
