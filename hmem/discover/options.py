"""What belongs to a collection, as its owner said."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class WalkOptions:
    """The rules of one collection. Globs are gitignore patterns relative to its root; paths are relative directories.

    `include` narrows: a file must match, or lie in a directory that matches, and still pass all other checks.
    `exclude` outranks the ignore files, in both directions (`!x`). Without `ignore_files` neither ignore files nor
    the built-in list hold; version control data stays out. `max_filesize` in bytes replaces the limits by type.
    `exclude_paths` are the directories (or files) of nested collections and of the store. `mounts` is
    `WalkResult.mounts` of the last scan.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    ignore_files: bool = True
    hidden: bool = False
    secrets: bool = False
    max_filesize: int | None = None
    exclude_paths: frozenset[str] = frozenset()
    mounts: frozenset[str] = frozenset()
