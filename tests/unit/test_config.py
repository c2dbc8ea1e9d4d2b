"""Layers of configuration: what wins, where it comes from, what is refused."""

from __future__ import annotations

from dataclasses import fields

import pytest
from hmem.config import load, read_folder
from hmem.errors import ConfigError, UnknownKeyError
from hmem.search.recipe import BOUNDS, DEFAULT_RECIPE, Recipe
from hmem.settings import BY_KEY, FORMATS, SETTINGS, parse_size


@pytest.fixture
def file(tmp_path):
    def write(text):
        path = tmp_path / "config.toml"
        path.write_text(text)
        return path

    return write


def test_defaults_without_a_file(tmp_path):
    settings = load({}, path=tmp_path / "none.toml")
    assert settings["search.top_k"] == 10
    assert {value.origin for value in settings.values.values()} == {"default"}
    assert set(settings.values) == set(BY_KEY)


def test_variables_beat_the_file_and_origins_are_told(file):
    path = file("lock-timeout = 3\n[search]\ntop-k = 20\nwhere = ['a = b, c']\n")
    settings = load({"HMEM_TOP_K": "7", "HMEM_STORE": "x", "PATH": "y"}, path=path)
    assert (settings["search.top-k"], settings.origin("search.top_k").origin) == (7, "HMEM_TOP_K")
    assert (settings["lock_timeout"], settings.origin("lock-timeout").origin) == (3.0, str(path))
    assert settings["search.where"] == ("a = b, c",)


def test_dashes_and_underscores_are_the_same(file):
    assert load({}, path=file("[search]\ntop_k = 3\n"))["search.top-k"] == 3


@pytest.mark.parametrize(
    ("text", "nearest"),
    [
        ("[search]\ntopk = 3", "search.top_k"),
        ("[serch]\ntop_k = 3", "search.top_k"),
        ("lock_timout = 1", "lock_timeout"),
    ],
)
def test_an_unknown_key_names_the_nearest(file, text, nearest):
    with pytest.raises(UnknownKeyError) as caught:
        load({}, path=file(text))
    assert caught.value.nearest == nearest


def test_an_unknown_variable_names_the_nearest(tmp_path):
    with pytest.raises(UnknownKeyError) as caught:
        load({"HMEM_TOPK": "3"}, path=tmp_path / "none")
    assert caught.value.nearest == "HMEM_TOP_K"


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("HMEM_TOP_K", "0"),
        ("HMEM_TOP_K", "1.5"),
        ("HMEM_ALPHA", "1.01"),
        ("HMEM_ALPHA", "nan"),
        ("HMEM_FUSION", "sum"),
        ("HMEM_FORMAT", "xml"),
        ("HMEM_HIDDEN", "perhaps"),
        ("HMEM_MAX_FILESIZE", "-1"),
        ("HMEM_MAX_FILESIZE", "1x"),
        ("HMEM_LOCK_TIMEOUT", "inf"),
        ("HMEM_JOBS", "0"),
    ],
)
def test_bad_values_name_setting_and_origin(tmp_path, key, value):
    with pytest.raises(ConfigError) as caught:
        load({key: value}, path=tmp_path / "none")
    assert f"`{key}`" in caught.value.message
    assert value in caught.value.message


@pytest.mark.parametrize("text", ["[search", "a = \x00", "x = 1979-99-99", "[alias]\na = 'b'", "alias = 3", "\xff"])
def test_a_file_that_cannot_be_read_is_an_error_not_a_crash(tmp_path, text):
    path = tmp_path / "config.toml"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ConfigError):
        load({}, path=path)


def test_aliases_are_lists_of_arguments(file):
    settings = load({}, path=file('[alias]\noncall = ["--where", "service=billing"]\n'))
    assert settings.aliases == {"oncall": ("--where", "service=billing")}


@pytest.mark.parametrize(
    ("text", "size"), [(3, 3), ("3", 3), ("512k", 512 << 10), ("1.5 MiB", 3 << 19), ("2G", 2 << 30), (" 1 kb ", 1024)]
)
def test_sizes(text, size):
    assert parse_size(text) == size


def test_a_folder_may_say_what_to_index_and_nothing_else():
    found = read_folder(
        b"[index]\nexclude = ['a']\nsecrets = true\njobs = 9\n[metadata]\nday = 2025-03-01\n[search]\nk = 1\n"
    )
    assert found.options == {"exclude": ("a",)}
    assert found.metadata == {"day": "2025-03-01"}
    assert len(found.warnings) == 3


@pytest.mark.parametrize(
    "data", [b"[", b"\xff", b"index = 3", b"a = " + b"[" * 5000, b"[index]\nhidden = 'x'", b" " * (2 << 20)]
)
def test_a_bad_folder_file_is_a_warning(data):
    found = read_folder(data)
    assert found.options == {}
    assert len(found.warnings) == 1


def test_every_setting_has_a_flag_of_its_name():
    from hmem.cli.completion.model import read_commands

    flags = {name for command in read_commands() for flag in command.flags for name in flag.names}
    missing = {setting.key for setting in SETTINGS if f"--{setting.name.replace('_', '-')}" not in flags}
    assert {key for key in missing if not key.startswith("ranking.")} <= {"model", "notes_directory"}


def test_formats_have_renderers():
    from hmem.render import RenderOptions, render

    from hits import answer, hit

    for form in FORMATS:
        assert "".join(render(answer(hit()), RenderOptions(format=form)))


# -- [ranking]

PARTS = [part.name for part in fields(Recipe)]


def test_every_part_of_the_recipe_is_a_setting_with_its_own_default(tmp_path):
    settings = load({}, path=tmp_path / "none")
    assert Recipe(**settings.section("ranking")) == DEFAULT_RECIPE
    assert [setting.name for setting in SETTINGS if setting.section == "ranking"] == PARTS
    assert all(BY_KEY[f"ranking.{name}"].meaning for name in PARTS)


@pytest.mark.parametrize("name", PARTS)
def test_a_part_may_be_anything_within_its_bounds_and_nothing_beyond(file, name):
    bounds = BOUNDS[name]
    for value in (bounds.least, bounds.most):
        settings = load({}, path=file(f"[ranking]\n{name.replace('_', '-')} = {value:f}\n"))
        assert getattr(Recipe(**settings.section("ranking")), name) == value
    for text in (f"{bounds.least - 1e-7:.9f}", f"{bounds.most * 1.001:f}", "nan", "true", "''"):
        with pytest.raises(ConfigError, match=f"ranking.{name}"):
            load({}, path=file(f"[ranking]\n{name} = {text}\n"))


def test_a_variable_sets_a_part(tmp_path, file):
    settings = load({"HMEM_RANKING_TEST": "1"}, path=file("[ranking]\ntest = 0.7\nrepeat = 0.2\n"))
    recipe = Recipe(**settings.section("ranking"))
    assert (recipe.test, recipe.repeat) == (1.0, 0.2)
    assert settings.origin("ranking.test").origin == "HMEM_RANKING_TEST"


def test_an_unknown_part_names_the_nearest(file):
    with pytest.raises(UnknownKeyError) as caught:
        load({}, path=file("[ranking]\ncode-alfa = 1\n"))
    assert caught.value.nearest == "ranking.code_alpha"


def test_a_tree_cannot_set_the_ranking():
    assert read_folder(b"[ranking]\ntest = 1\n").warnings == ("`.hmem.toml` cannot set `ranking`",)
