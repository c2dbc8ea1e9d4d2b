"""A small indexed tree: one that all tests read, and fresh ones for tests that change it."""

from __future__ import annotations

import os
from pathlib import Path
from unittest import mock

import pytest

from cli_samples import FILES
from runner import SETTLED, hmem_here, write_tree


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
