"""Every test has data, configuration and home directories of its own, and no colour."""

from __future__ import annotations

import os

os.environ["TERMINAL_WIDTH"] = "100"
os.environ["NO_COLOR"] = "1"

import pytest


@pytest.fixture(autouse=True)
def isolated(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path_factory.mktemp("own")
    for name in list(os.environ):
        if name.startswith("HMEM_") and name != "HMEM_BENCH_DATA":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setenv("HMEM_DATA_DIR", str(place / "data"))
    monkeypatch.setenv("HMEM_CONFIG_DIR", str(place / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(place / "xdg-data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(place / "xdg-config"))
    monkeypatch.setenv("TERM", "dumb")
