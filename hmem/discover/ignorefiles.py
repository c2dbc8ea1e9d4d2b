"""Reading the ignore files of a directory and of the directories above a collection."""

from __future__ import annotations

import dataclasses
import errno
import os
from typing import TYPE_CHECKING

from hmem.discover.ignore import Layers, Rules, normal_form, parse_rules
from hmem.discover.read import open_root, read_entry
from hmem.discover.reasons import Reason
from hmem.types import Skipped

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from hmem.discover.gitrepo import Repository

IGNORE_FILES = {".gitignore": "git", ".ignore": "ignore", ".hmemignore": "hmem"}
"""The names of ignore files and the layer that each belongs to."""

_LIMIT = 1 << 20


class IgnoreFileReader:
    """Reads ignore files and keeps account of those that could not be read: their rules do not hold."""

    def __init__(self) -> None:
        self.problems: list[Skipped] = []

    def add_directory(self, layers: Layers, directory: int, names: Collection[str], path: str) -> Layers:
        """Return `layers` with the files among `names` in the open `directory`, whose relative `path` ends with "/"."""
        cut = len(normal_form(path))
        for name, layer in IGNORE_FILES.items():
            if name in names:
                rules = self._read(directory, name, source=path + name, cut=cut)
                layers = _with(layers, layer, rules)
        return layers

    def enter_repository(self, layers: Layers, repository: Repository, path: str) -> Layers:
        """Return `layers` for a repository at `path`: git's rules begin anew with its own `info/exclude`."""
        layers = dataclasses.replace(layers, git=())
        return self._add_exclude(layers, repository, path)

    def above(self, root: Path, repository: Repository | None) -> Layers:
        """Return the rules that hold in `root` because of files above it, up to the top of its working tree."""
        layers = Layers()
        if repository is None:
            return layers
        inside = root.relative_to(repository.top).parts
        layers = self._add_exclude(layers, repository, lead=_lead(inside))
        directory = repository.top
        for depth, part in enumerate(inside):
            layers = self._add_outer(layers, directory, _lead(inside[depth:]))
            directory /= part
        return layers

    def _add_exclude(self, layers: Layers, repository: Repository, path: str = "", lead: str = "") -> Layers:
        file = repository.exclude_file
        try:
            directory = open_root(file.parent)
        except OSError:
            return layers
        try:
            source = path + ".git/info/exclude"
            rules = self._read(directory, file.name, source=source, cut=len(normal_form(path)), lead=lead)
        finally:
            os.close(directory)
        return _with(layers, "git", rules)

    def _add_outer(self, layers: Layers, path: Path, lead: str) -> Layers:
        try:
            directory = open_root(path)
        except OSError:
            return layers
        try:
            for name, layer in IGNORE_FILES.items():
                rules = self._read(directory, name, source=str(path / name), lead=lead)
                layers = _with(layers, layer, rules)
        finally:
            os.close(directory)
        return layers

    def _read(self, directory: int, name: str, *, source: str, cut: int = 0, lead: str = "") -> Rules:
        try:
            text = read_entry(directory, name, _LIMIT).decode("utf-8", "surrogateescape")
        except FileNotFoundError:
            return Rules(())
        except OSError as error:
            reason = "symlink" if error.errno == errno.ELOOP else error.strerror or "unreadable"
            self.problems.append(Skipped(source, Reason.BAD_IGNORE_FILE, reason))
            return Rules(())
        return parse_rules(text, source=source, cut=cut, lead=lead)


def _lead(parts: tuple[str, ...]) -> str:
    return normal_form("".join(f"{part}/" for part in parts))


def _with(layers: Layers, layer: str, rules: Rules) -> Layers:
    """Return `layers` with `rules` added to one layer as its innermost file."""
    if not rules:
        return layers
    return dataclasses.replace(layers, **{layer: (*getattr(layers, layer), rules)})
