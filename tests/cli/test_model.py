"""`hmem model`: what is listed, what a choice changes, and that only a download uses the network."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hmem.chosen import chosen_file

from hub_samples import ID, Hub, serving
from model_samples import write_model
from runner import hmem, hmem_here

UNREACHABLE = {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HUB_ETAG_TIMEOUT": "1", "HF_HUB_DOWNLOAD_TIMEOUT": "1"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_model(tmp_path / "small", dimensions=8)


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serving(dimensions=8) as running:
        yield running


def listed() -> list[dict]:
    return json.loads(hmem_here("model", "list", "--json").out)["models"]


def arm(root: Path, name: str = "dense") -> dict:
    ran = hmem_here("search", "connection pool", "--json", cwd=root)
    return json.loads(ran.out)["arms"][name]


def test_the_built_in_model_is_in_use_at_first():
    (only,) = listed()
    assert (only["name"], only["origin"], only["in_use"]) == ("built-in", "built-in", True)
    told = json.loads(hmem_here("model", "info", "--json").out)
    assert {**told, "in_use": True} == {"schema": 1, **only}


def test_a_choice_is_told_by_list_info_and_config(folder):
    ran = hmem_here("model", "use", "small", cwd=folder.parent)
    assert (ran.code, ran.out) == (0, "")
    assert "hmem index --rebuild" in ran.err
    assert [(model["name"], model["in_use"]) for model in listed()] == [("built-in", False), (str(folder), True)]
    assert json.loads(hmem_here("model", "info", "--json").out)["dimensions"] == 8
    config = json.loads(hmem_here("config", "model", "--json").out)
    assert config == {"key": "model", "value": str(folder), "layer": "chosen", "origin": "hmem model use"}
    back = hmem_here("model", "use", "built-in")
    assert back.code == 0
    assert not chosen_file().exists()


def test_the_same_model_again_leaves_nothing_to_do(folder):
    assert "--rebuild" in hmem_here("model", "use", str(folder)).err
    assert "--rebuild" not in hmem_here("model", "use", str(folder)).err


def test_every_higher_layer_wins_and_is_named(folder, tmp_path, monkeypatch):
    config = Path(os.environ["HMEM_CONFIG_DIR"]) / "config.toml"
    config.parent.mkdir(parents=True)
    config.write_text("model = 'built-in'\n")
    assert f"`built-in` in `{config}`" in hmem_here("model", "use", str(folder)).err
    assert json.loads(hmem_here("config", "model", "--json").out)["origin"] == str(config)
    monkeypatch.setenv("HMEM_MODEL", str(folder))
    assert json.loads(hmem_here("model", "info", "--json").out)["path"] == str(folder)


def test_another_model_makes_the_arm_unavailable_until_the_store_is_rebuilt_without_its_sources(own_tree, folder):
    before = hmem_here("search", "connection pool", "-l", cwd=own_tree).out
    assert arm(own_tree)["status"] == "ok"
    assert hmem_here("model", "use", str(folder)).code == 0
    (own_tree / "notes").rename(own_tree / "away")
    (own_tree / "src").rename(own_tree / "gone")

    degraded = hmem_here("search", "connection pool", "--json", cwd=own_tree)
    assert json.loads(degraded.out)["arms"]["dense"]["status"] == "unavailable"
    assert "another model" in json.loads(degraded.out)["arms"]["dense"]["reason"]
    assert "warning: " in degraded.err
    assert degraded.code == 0
    assert hmem_here("index", cwd=own_tree).code == 0  # not mended by the way: vectors of two models never mix
    assert arm(own_tree)["status"] == "unavailable"
    assert "hmem index --rebuild" in hmem_here("doctor").err

    rebuilt = hmem_here("index", "--rebuild", "--json", cwd=own_tree)
    assert rebuilt.code == 0
    assert json.loads(rebuilt.out)["embedded"] > 0
    again = arm(own_tree)
    assert (again["status"], again["unembedded"]) == ("ok", 0)
    assert "no problems" in hmem_here("doctor").out
    assert set(hmem_here("search", "connection pool", "-l", cwd=own_tree).out.split()) <= set(before.split())


def test_only_the_first_use_of_a_hub_model_asks_the_hub_and_without_a_token(hub, monkeypatch):
    env = {"HF_ENDPOINT": hub.address, "HF_TOKEN": "secret", "HF_HUB_DISABLE_XET": "1"}
    missing = hmem_here("model", "info", ID)
    assert (missing.code, hub.asked) == (2, [])
    assert f"hmem model use {ID}" in missing.err

    ran = hmem("model", "use", ID, **env)
    assert ran.code == 0, ran.err
    assert f"downloading {ID}" in ran.err
    files = {path.rpartition("/")[2] for path, _ in hub.asked if not path.startswith("/api/")}
    assert files == {"README.md", "config.json", "model.safetensors", "tokenizer.json"}
    assert all(ID in path for path, _ in hub.asked)
    assert not any(token for _, token in hub.asked)

    hub.asked.clear()
    assert hmem("model", "use", ID, **env).code == 0
    assert [(model["name"], model["in_use"]) for model in listed()] == [("built-in", False), (ID, True)]
    assert json.loads(hmem("model", "info", "--json", **env).out)["licence"] == "mit"
    assert hub.asked == []


@pytest.mark.parametrize("env", [UNREACHABLE, {"HF_HUB_OFFLINE": "1"}], ids=["unreachable", "offline"])
def test_no_network_is_an_error_that_changes_nothing(env):
    ran = hmem("model", "use", ID, **env)
    assert (ran.code, ran.out) == (2, "")
    assert f"error: cannot download the model `{ID}`" in ran.err
    assert "hint: " in ran.err
    assert [model["name"] for model in listed()] == ["built-in"]
    assert not chosen_file().exists()


@pytest.mark.parametrize("name", ["no/such/folder", "", "."])
def test_what_is_no_model_changes_nothing(name, folder, tmp_path):
    assert hmem_here("model", "use", str(folder)).code == 0
    ran = hmem_here("model", "use", name, cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert chosen_file().read_text() == f"{folder}\n"


def test_a_chosen_model_that_is_gone_can_be_replaced(folder, own_tree):
    assert hmem_here("model", "use", str(folder)).code == 0
    folder.rename(folder.with_name("elsewhere"))
    searched = hmem_here("search", "pool", cwd=own_tree)
    assert "no such model folder" in searched.err
    ran = hmem_here("model", "list")
    assert "warning: the model in use cannot be used" in ran.err
    assert hmem_here("model", "use", "built-in").code == 0
    assert arm(own_tree)["status"] == "ok"


def test_a_damaged_choice_says_how_to_mend_it():
    chosen_file().parent.mkdir(parents=True)
    chosen_file().write_bytes(b"\n")
    ran = hmem_here("config")
    assert ran.code == 2
    assert "hint: `hmem model use" in ran.err
    assert hmem_here("model", "use", "built-in").code == 0
    assert hmem_here("config").code == 0


def test_a_name_that_is_not_utf8_is_kept(folder):
    odd = folder.rename(folder.with_name(os.fsdecode(b"m\xff")))
    assert hmem("model", "use", odd).code == 0
    assert chosen_file().read_bytes() == os.fsencode(odd) + b"\n"
    assert json.loads(hmem("model", "info", "--json").out)["dimensions"] == 8
