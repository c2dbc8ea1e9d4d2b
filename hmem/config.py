"""Layers of configuration: defaults, `hmem model use`, the user's `config.toml`, `HMEM_*` variables, flags.

A `.hmem.toml` at a collection's root comes with the tree and is trusted with little: what to index (but not secrets)
and default metadata. It is read by `read_folder`, never by `load`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from hmem.chosen import ORIGIN, chosen_file, chosen_model
from hmem.errors import ConfigError, UnknownKeyError
from hmem.paths import config_dir
from hmem.settings import BY_KEY, BY_VARIABLE, FOLDER_SECTION, PLACES, SETTINGS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from hmem.types import Json

CONFIG_NAME = "config.toml"
FOLDER_NAME = ".hmem.toml"
MAX_CONFIG_BYTES = 1 << 20
_FOLDER_KEYS = frozenset({"include", "exclude", "hidden", "no_ignore", "max_filesize"})


class Layer(StrEnum):
    """Where a setting may come from, lowest first. Flags stand above all and are no part of `Settings`."""

    DEFAULT = "default"
    CHOSEN = "chosen"
    FILE = "file"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class Value:
    """A setting's value, the layer it comes from, and its `origin` in words: the layer, the file, or the variable."""

    value: Any
    layer: Layer
    origin: str


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its origin, and the saved searches of `[alias]`."""

    values: Mapping[str, Value]
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __getitem__(self, key: str) -> Any:
        """Return the value of the dotted `key`; raises UnknownKeyError."""
        return self.origin(key).value

    def origin(self, key: str) -> Value:
        """Return value and origin of the dotted `key` (`-` and `_` are the same); raises UnknownKeyError."""
        try:
            return self.values[key.replace("-", "_")]
        except KeyError:
            raise UnknownKeyError("setting", key, self.values) from None

    def section(self, name: str) -> dict[str, Any]:
        """Return the values of a section by their names in it."""
        prefix = f"{name}."
        return {key.removeprefix(prefix): found.value for key, found in self.values.items() if key.startswith(prefix)}


def config_file() -> Path:
    """Return the path of the user's own file."""
    return config_dir() / CONFIG_NAME


def watched_files() -> tuple[Path, ...]:
    """Return the files that `load` reads, whether they are there or not."""
    return (config_file(), chosen_file())


def load(environ: Mapping[str, str] | None = None, *, path: Path | None = None) -> Settings:
    """Return the settings of all layers below the flags; raises ConfigError and UnknownKeyError."""
    environ = os.environ if environ is None else environ
    path = path or config_file()
    values = {setting.key: Value(setting.default, Layer.DEFAULT, Layer.DEFAULT) for setting in SETTINGS}
    if (chosen := chosen_model()) is not None:
        values["model"] = Value(BY_KEY["model"].read(chosen, f"`{chosen_file()}`"), Layer.CHOSEN, ORIGIN)
    document = _read_toml(path)
    aliases = _aliases(document.pop("alias", {}), path)
    for key, raw in _flatten(document, path).items():
        values[key] = Value(BY_KEY[key].read(raw, f"`{path}`"), Layer.FILE, str(path))
    for name, text in environ.items():
        if name.startswith("HMEM_") and name not in PLACES:
            if name not in BY_VARIABLE:
                raise UnknownKeyError("environment variable", name, BY_VARIABLE)
            setting = BY_VARIABLE[name]
            values[setting.key] = Value(setting.read(text, f"`{name}`"), Layer.ENVIRONMENT, name)
    return Settings(values, aliases)


@dataclass(frozen=True, slots=True)
class FolderConfig:
    """What a collection's own `.hmem.toml` says: indexing options by name, default metadata, and complaints."""

    options: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Json] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


def read_folder(data: bytes) -> FolderConfig:
    """Return the content of a `.hmem.toml`; whatever it may not or cannot say becomes a warning, never an error."""
    try:
        document = _parse_toml(data)
    except ValueError as error:
        return FolderConfig(warnings=(f"`{FOLDER_NAME}` is ignored: {error}",))
    warnings: list[str] = []
    metadata = document.pop("metadata", {})
    index = document.pop(FOLDER_SECTION, {})
    if not isinstance(metadata, dict) or not isinstance(index, dict):
        return FolderConfig(warnings=(f"`{FOLDER_NAME}` is ignored: `[index]` and `[metadata]` are tables",))
    options: dict[str, Any] = {}
    for raw_key, value in index.items():
        key = raw_key.replace("-", "_")
        if key not in _FOLDER_KEYS:
            warnings.append(f"`{FOLDER_NAME}` cannot set `{FOLDER_SECTION}.{raw_key}`")
            continue
        try:
            options[key] = BY_KEY[f"{FOLDER_SECTION}.{key}"].read(value, f"`{FOLDER_NAME}`")
        except ConfigError as error:
            warnings.append(error.message)
    warnings += [f"`{FOLDER_NAME}` cannot set `{key}`" for key in document]
    return FolderConfig(options, _to_json(metadata), tuple(warnings))


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"cannot read `{path}`: {error.strerror}") from None
    try:
        return _parse_toml(data)
    except ValueError as error:
        raise ConfigError(f"cannot read `{path}`: {error}") from None


def _parse_toml(data: bytes) -> dict[str, Any]:
    import tomli

    if len(data) > MAX_CONFIG_BYTES:
        raise ValueError("larger than 1 MiB")
    try:
        return tomli.loads(data.decode("utf-8"))
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _flatten(document: dict[str, Any], path: Path) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for raw_name, value in document.items():
        name = raw_name.replace("-", "_")
        entries = (
            {f"{name}.{k.replace('-', '_')}": v for k, v in value.items()} if isinstance(value, dict) else {name: value}
        )
        for key, entry in entries.items():
            if key not in BY_KEY:
                raise UnknownKeyError(f"setting in `{path}`", key, BY_KEY)
            flat[key] = entry
    return flat


def _aliases(table: Any, path: Path) -> dict[str, tuple[str, ...]]:
    if not isinstance(table, dict):
        raise ConfigError(f"`[alias]` in `{path}` is a table of names and lists of arguments")
    for name, words in table.items():
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise ConfigError(f"alias `{name}` in `{path}` is not a list of arguments: `{words}`")
    return {name: tuple(words) for name, words in table.items()}


def _to_json(value: Any) -> Any:
    """Return a TOML value as JSON types; dates and times become ISO 8601 text."""
    if isinstance(value, dict):
        return {str(key): _to_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_to_json(item) for item in value]
    return value if isinstance(value, bool | int | float | str) else value.isoformat()
