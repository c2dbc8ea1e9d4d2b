"""A small indexed tree: one that all tests read, and fresh ones for tests that change it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

import pytest

from cli_samples import FILES
from runner import SETTLED, SOURCE, hmem_here, write_tree

PRELUDE = """
set -euo pipefail
vim() { command vim -u NONE -N -es "$@" -c 'qa!' < /dev/null; }
fzf() { command fzf --filter retry "$@"; }
"""


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The tree and the data directory of its store."""
    place = tmp_path_factory.mktemp("shared")
    root = write_tree(place / "work", FILES, mtime=SETTLED)
    with mock.patch.dict(os.environ, {"HMEM_DATA_DIR": str(place / "data"), "HMEM_CONFIG_DIR": str(place / "config")}):
        ran = hmem_here("index", "notes", "src", cwd=root)
    assert ran.code == 0, ran.err
    assert ran.out == ""
    return root, place / "data"


@pytest.fixture
def tree(shared: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """The tree that all tests share, its store in place; for reading only."""
    root, data = shared
    monkeypatch.setenv("HMEM_DATA_DIR", str(data))
    monkeypatch.setenv("HMEM_REFRESH", "false")
    return root


@pytest.fixture
def own_tree(tmp_path: Path) -> Path:
    """An indexed tree to change."""
    root = write_tree(tmp_path / "work", FILES, mtime=SETTLED)
    ran = hmem_here("index", "notes", "src", cwd=root)
    assert ran.code == 0, ran.err
    return root


@pytest.fixture
def demo_shell(tmp_path, monkeypatch):
    """Run bash in a copy of the demo, with `hmem` on the PATH; `vim` and `fzf` do their work and end."""
    demo = tmp_path / "demo"
    shutil.copytree(SOURCE / "tests" / "demo", demo)
    for path in demo.rglob("*.*"):
        os.utime(path, (SETTLED, SETTLED))
    (demo / "tests").symlink_to(SOURCE / "tests")
    command = tmp_path / "bin" / "hmem"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nPYTHONPATH="{SOURCE}" exec "{sys.executable}" -m hmem "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("COLUMNS", "84")

    def run(text: str, *, merged: bool = False) -> subprocess.CompletedProcess[str]:
        streams = {"stderr": subprocess.STDOUT} if merged else {"stderr": subprocess.PIPE}
        return subprocess.run(
            ["bash", "-c", PRELUDE + text],
            stdout=subprocess.PIPE,
            text=True,
            cwd=demo,
            check=False,
            timeout=120,
            **streams,
        )

    return run
