"""What holds for a collection when it is indexed: its options and default metadata from all layers.

Lowest first: defaults, `config.toml`, the tree's own `.hmem.toml`, `HMEM_*`, flags (kept with the collection).
`exclude` adds up over the layers, so that a tree cannot bring back what the user left out.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hmem.config import FOLDER_NAME, MAX_CONFIG_BYTES, FolderConfig, Layer, read_folder
from hmem.discover import WalkOptions, read_file
from hmem.errors import UsageError
from hmem.preparation import document_versions
from hmem.types import FileState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from hmem.config import Settings
    from hmem.store.rows import Collection
    from hmem.types import Json

_KEYS = ("include", "exclude", "no_ignore", "hidden", "secrets", "max_filesize")
ALL = (1 << 63) - 1
"""Above every id."""

MAX_FOLDER_FILESIZE = 16 << 20
"""A tree's own `max_filesize` cannot go beyond this."""


@dataclass(frozen=True, slots=True)
class EffectiveRules:
    """Options of the walk, default metadata, complaints about `.hmem.toml`, and which documents must be redone.

    `stamp` changes with everything that prepares documents other than their own content; those with an id lower than
    `redo_below` were made by other rules.
    """

    walk: WalkOptions
    metadata: Mapping[str, Json]
    stamp: str
    redo_below: int = 0
    warnings: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        """Whether any document was made by other rules."""
        return self.redo_below > 0


def parse_metadata(pairs: Sequence[str]) -> dict[str, Json]:
    """Return the metadata of `--meta KEY=VALUE`; a value that is a JSON number or truth value becomes one."""
    metadata: dict[str, Json] = {}
    for pair in pairs:
        key, equals, text = pair.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"not `KEY=VALUE`: `{pair}`", hint="write `--meta service=billing`")
        metadata[key.strip()] = _scalar(text)
    return metadata


def _scalar(text: str) -> Json:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, bool | int | float) and text not in {"NaN", "Infinity", "-Infinity"} else text


def effective(collection: Collection, settings: Settings) -> EffectiveRules:
    """Return what holds for `collection` now."""
    folder = _folder_config(collection.root)
    options = {key: _layered(key, settings, folder, collection.options) for key in _KEYS}
    metadata = {**collection.metadata, **folder.metadata}
    walk = WalkOptions(
        include=tuple(options["include"]),
        exclude=tuple(options["exclude"]),
        ignore_files=not options["no_ignore"],
        hidden=options["hidden"],
        secrets=options["secrets"],
        max_filesize=options["max_filesize"],
    )
    stamp = _stamp(metadata)
    redo_below = collection.redo_below if collection.stamp in (None, stamp) else ALL
    return EffectiveRules(walk, metadata, stamp, redo_below, folder.warnings)


def _layered(key: str, settings: Settings, folder: FolderConfig, flags: Mapping[str, Any]) -> Any:
    """Return what holds for one option: of `exclude` the sum of all layers, else the highest layer that says it."""
    user = settings.origin(f"index.{key}")
    given = user.layer is not Layer.DEFAULT
    own = folder.options.get(key)
    if key == "exclude":
        # Of globs the last that matches decides: those of the tree come first, so that it takes nothing back.
        return [*(own or ()), *user.value, *flags.get(key, ())]
    if key in flags:
        return flags[key]
    if key == "include" and given:  # the tree must not widen what the user narrowed
        return user.value
    if own is None or user.layer is Layer.ENVIRONMENT:  # a variable stands above the tree's file
        return user.value
    return min(own, MAX_FOLDER_FILESIZE) if key == "max_filesize" else own


def _stamp(metadata: Mapping[str, Json]) -> str:
    text = json.dumps([document_versions(), metadata], sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def _folder_config(root: Path) -> FolderConfig:
    try:
        stat = (root / FOLDER_NAME).lstat()
        data = read_file(root, FileState(FOLDER_NAME, stat.st_size, stat.st_mtime_ns, stat.st_ino), MAX_CONFIG_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return FolderConfig()
    except OSError as error:
        return FolderConfig(warnings=(f"`{FOLDER_NAME}` is ignored: {error.strerror}",))
    return read_folder(data)
