"""Whether one entry of a directory belongs to a collection, by its name, its path and its size. Pure.

The methods return None for what belongs, else the reason and its particulars.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from hmem.discover.builtin import VERSION_CONTROL, ignored_by_name
from hmem.discover.content import is_binary_name, size_limit
from hmem.discover.ignore import normal_form, parse_globs
from hmem.discover.reasons import Reason
from hmem.discover.secrets import SECRET_DIRECTORIES, is_secret_name

if TYPE_CHECKING:
    from collections.abc import Set

    from hmem.discover.ignore import Layers
    from hmem.discover.options import WalkOptions

Refusal: TypeAlias = "tuple[Reason, str] | None"


class Selection:
    """The choice that a collection's options and the ignore files make."""

    def __init__(self, options: WalkOptions) -> None:
        self._options = options
        self._exclude = parse_globs(options.exclude, source="exclude")
        self._include = parse_globs(options.include, source="include")

    def includes(self, name: str, path: str, is_dir: bool, inherited: bool) -> bool:
        """Return whether the include globs take `path` in; `inherited` is their answer for its directory."""
        if not self._include:
            return True
        rule = self._include.match(normal_form(name), normal_form(path), is_dir)
        return inherited if rule is None else not rule.negated

    def refuse_directory(self, name: str, path: str, layers: Layers, siblings: Set[str]) -> tuple[Refusal, bool]:
        """Return the refusal of a directory, and whether the user took it back in from the built-in list."""
        if path in self._options.exclude_paths:
            return (Reason.NESTED, ""), False
        if name in VERSION_CONTROL:
            return (Reason.VERSION_CONTROL, ""), False
        if not self._options.secrets and name in SECRET_DIRECTORIES:
            return (Reason.SECRET, ""), False
        refusal, readmitted = self._by_rules(name, path, True, layers)
        if refusal is None and not self._options.hidden and name.startswith("."):
            refusal = (Reason.HIDDEN, "")
        if refusal is None and self._options.ignore_files and not readmitted:
            looks = ignored_by_name(name, siblings)
            refusal = (Reason.BUILT_IN, looks) if looks else None
        return refusal, readmitted

    def refuse_file(self, name: str, path: str, layers: Layers, inherited: bool) -> Refusal:
        """Return the refusal of a regular file before its size is known."""
        if path in self._options.exclude_paths:
            return Reason.NESTED, ""
        if name in VERSION_CONTROL:  # the `.git` of a submodule or worktree
            return Reason.VERSION_CONTROL, ""
        if not self._options.secrets and is_secret_name(name):
            return Reason.SECRET, ""
        refusal, _ = self._by_rules(name, path, False, layers)
        if refusal is not None:
            return refusal
        if not self._options.hidden and name.startswith("."):
            return Reason.HIDDEN, ""
        if not self.includes(name, path, False, inherited):
            return Reason.NOT_INCLUDED, ""
        return (Reason.BINARY, "by its name") if is_binary_name(name) else None

    def refuse_link(self, name: str, path: str, layers: Layers) -> Refusal:
        """Return the refusal of a link: what the rules say about it, which is of more use than that it is one."""
        refusal, _ = self._by_rules(name, path, False, layers)
        if refusal is None and not self._options.hidden and name.startswith("."):
            return Reason.HIDDEN, ""
        return refusal

    def refuse_single(self, name: str) -> Refusal:
        """Return the refusal of a file that is a collection of its own: it was named, so the rules do not count."""
        if not self._options.secrets and is_secret_name(name):
            return Reason.SECRET, ""
        return (Reason.BINARY, "by its name") if is_binary_name(name) else None

    def refuse_size(self, name: str, size: int) -> Refusal:
        """Return the refusal of a file of `size` bytes."""
        limit = self._options.max_filesize
        if limit is None:
            limit = size_limit(name)
        return (Reason.TOO_LARGE, f"{size} bytes, the limit is {limit}") if size > limit else None

    def _by_rules(self, name: str, path: str, is_dir: bool, layers: Layers) -> tuple[Refusal, bool]:
        """Return what globs and ignore files refuse, and whether a rule written for hmem takes the entry back in."""
        if not (self._exclude or layers):
            return None, False
        name, path = normal_form(name), normal_form(path)
        rule = self._exclude.match(name, path, is_dir) if self._exclude else None
        if rule is not None:
            return (None, rule.is_specific) if rule.negated else ((Reason.EXCLUDED, rule.pattern), False)
        verdict = layers.verdict(name, path, is_dir)
        if verdict is None:
            return None, False
        if verdict.ignored:
            return (Reason.IGNORED, verdict.detail), False
        return None, verdict.rule.is_specific and verdict.rules in layers.hmem
