"""Which layer decides how a collection is indexed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hmem.config import Settings, load
from hmem.errors import UsageError
from hmem.rules import MAX_FOLDER_FILESIZE, effective, parse_metadata
from hmem.store.rows import Collection


def settings(tmp_path: Path, text: str = "", **environ: str) -> Settings:
    path = tmp_path / "config.toml"
    path.write_text(text)
    return load(environ, path=path)


def collection(tmp_path: Path, folder: str = "", **fields) -> Collection:
    root = tmp_path / "tree"
    root.mkdir()
    if folder:
        (root / ".hmem.toml").write_text(folder)
    return Collection("tree", root, **fields)


def test_a_tree_cannot_take_back_what_the_user_excludes(tmp_path):
    tree = collection(tmp_path, '[index]\nexclude = ["!private/", "drafts/"]\n')
    rules = effective(tree, settings(tmp_path, '[index]\nexclude = ["private/"]\n'))
    assert rules.walk.exclude == ("!private/", "drafts/", "private/")


def test_a_tree_cannot_ask_for_secrets_or_name_a_model(tmp_path):
    tree = collection(tmp_path, 'model = "evil"\n[index]\nsecrets = true\n[search]\ntop_k = 3\n')
    rules = effective(tree, settings(tmp_path))
    assert not rules.walk.secrets
    assert len(rules.warnings) == 3


def test_a_tree_cannot_widen_what_the_user_includes_nor_the_largest_file(tmp_path):
    tree = collection(tmp_path, '[index]\ninclude = ["*.txt"]\nmax-filesize = "2G"\n')
    rules = effective(tree, settings(tmp_path, '[index]\ninclude = ["*.md"]\n'))
    assert rules.walk.include == ("*.md",)
    assert rules.walk.max_filesize == MAX_FOLDER_FILESIZE


def test_layers_from_low_to_high(tmp_path):
    tree = collection(tmp_path, "[index]\nhidden = true\n")
    assert effective(tree, settings(tmp_path)).walk.hidden
    assert effective(tree, settings(tmp_path, "[index]\nhidden = false\n")).walk.hidden
    assert not effective(tree, settings(tmp_path, HMEM_HIDDEN="0")).walk.hidden
    flagged = Collection("tree", tree.root, options={"hidden": False})
    assert not effective(flagged, settings(tmp_path)).walk.hidden


def test_default_metadata_folder_beats_flag(tmp_path):
    tree = collection(tmp_path, '[metadata]\nteam = "b"\n', metadata={"team": "a", "level": 2})
    assert effective(tree, settings(tmp_path)).metadata == {"team": "b", "level": 2}


def test_new_default_metadata_changes_the_stamp(tmp_path):
    first = effective(collection(tmp_path), settings(tmp_path))
    again = Collection("tree", tmp_path / "tree", stamp=first.stamp, metadata={"x": 1})
    assert not first.changed
    assert effective(again, settings(tmp_path)).changed


@pytest.mark.parametrize("damage", ["[index\n", "index = 3\n", '[index]\nhidden = "maybe"\n'])
def test_a_broken_folder_file_is_a_warning(tmp_path, damage):
    assert effective(collection(tmp_path, damage), settings(tmp_path)).warnings


def test_metadata_flags_have_types():
    assert parse_metadata(["a=1", "b=true", "c=1.5", "d=x=y", "e=", "f=NaN"]) == {
        "a": 1,
        "b": True,
        "c": 1.5,
        "d": "x=y",
        "e": "",
        "f": "NaN",
    }
    with pytest.raises(UsageError):
        parse_metadata(["novalue"])
