"""Which model a name means, and what happens when the hub is asked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import huggingface_hub
import numpy as np
import pytest
from hmem.embed import load_encoder
from hmem.embed.sources import (
    BUILT_IN_FOLDER,
    acquire,
    download,
    is_hub_id,
    list_models,
    model_info,
    models_dir,
    resolve,
)
from hmem.errors import ModelError
from safetensors.numpy import save_file


@pytest.fixture(autouse=True)
def own_data_dir(tmp_path, monkeypatch):
    monkeypatch.setenv("HMEM_DATA_DIR", str(tmp_path / "data"))


def write_tiny(folder: Path) -> None:
    """The built-in tokenizer over two dimensions."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(BUILT_IN_FOLDER / "tokenizer.json", folder / "tokenizer.json")
    rows = load_encoder().vocabulary_size
    save_file({"embeddings": np.ones((rows, 2), np.float32)}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"normalize": True}))
    (folder / "README.md").write_text("---\nlanguage: en\nlicense: mit\n---\nA model.\n")


@pytest.fixture
def hub(monkeypatch):
    """A hub with one model; records what was asked of it."""
    asked = []

    def snapshot_download(name, *, local_dir, **options):
        asked.append((name, options))
        if name != "someone/tiny":
            raise OSError("404 Client Error\nmore lines")
        write_tiny(Path(local_dir))
        (Path(local_dir) / ".cache").mkdir()
        return str(local_dir)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    return asked


@pytest.mark.parametrize("name", [None, "built-in"])
def test_the_built_in_model(name):
    assert resolve(name) == BUILT_IN_FOLDER
    info = model_info(name)
    assert (info.name, info.origin, info.dimensions) == ("built-in", "built-in", 256)
    assert info.licence == "apache-2.0"
    assert info.size <= 16_000_000
    assert info.fingerprint == load_encoder().fingerprint


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("minishlab/potion-base-8M", True),
        ("potion", False),
        ("/abs/path", False),
        ("a/b/c", False),
        ("./a", False),
        ("", False),
    ],
)
def test_hub_ids(name, is_one):
    assert is_hub_id(name) is is_one


def test_a_folder(tmp_path):
    write_tiny(tmp_path / "mine")
    info = model_info(str(tmp_path / "mine"))
    assert (info.origin, info.dimensions, info.licence) == ("folder", 2, "mit")
    assert acquire(str(tmp_path / "mine")) == info


def test_a_missing_hub_model_says_how_to_get_it():
    with pytest.raises(ModelError) as caught:
        load_encoder("someone/tiny")
    assert "hmem model use someone/tiny" in (caught.value.hint or "")


def test_a_folder_wins_over_a_hub_id(tmp_path, monkeypatch, hub):
    write_tiny(tmp_path / "someone" / "tiny")
    monkeypatch.chdir(tmp_path)
    assert acquire("someone/tiny").origin == "folder"
    assert hub == []


def test_a_download_happens_once_and_is_anonymous(hub):
    info = acquire("someone/tiny")
    assert (info.name, info.origin, info.licence) == ("someone/tiny", "hub", "mit")
    assert acquire("someone/tiny") == info
    assert [name for name, _ in hub] == ["someone/tiny"]
    assert hub[0][1]["token"] is False
    assert sorted(path.name for path in info.path.iterdir()) == [
        "README.md",
        "config.json",
        "model.safetensors",
        "tokenizer.json",
    ]
    assert [path.name for path in models_dir().iterdir()] == ["someone--tiny"]
    assert load_encoder("someone/tiny").dimensions == 2
    assert [one.name for one in list_models()] == ["built-in", "someone/tiny"]


def test_a_failed_download_is_a_model_error_and_leaves_nothing(hub):
    with pytest.raises(ModelError, match=r"404 Client Error$") as caught:
        acquire("someone/else")
    assert caught.value.hint
    assert list(models_dir().iterdir()) == []


def test_what_is_not_a_static_model_is_refused_after_the_download(monkeypatch):
    def snapshot_download(name, *, local_dir, **options):
        write_tiny(Path(local_dir))
        save_file({"encoder.layer.0": np.zeros((2, 2), np.float32)}, Path(local_dir) / "model.safetensors")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot_download)
    with pytest.raises(ModelError):
        download("someone/transformer")
    assert list(models_dir().iterdir()) == []


def test_no_download_while_offline(monkeypatch):
    """The real library, told not to use the network: no request leaves, and the error is ours."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="cannot download"):
        download("someone/tiny")


def test_a_damaged_download_is_not_listed(hub):
    path = acquire("someone/tiny").path
    (path / "model.safetensors").write_bytes(b"junk")
    assert [one.name for one in list_models()] == ["built-in"]
