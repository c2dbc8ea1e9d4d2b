"""Globs over paths and over plain values. Pure, no backtracking: time is bounded by pattern times text.

A path glob is gitignore's: without a slash it names the last component at any depth; with one it starts at the
root; `*` and `?` stay inside a component, `**` is any number of components, a trailing slash means everything below.
A value glob has no components: `*` is anything. In both `{a,b}` are alternatives, and a backslash takes the sign
after it as it is written.
"""

from __future__ import annotations

import fnmatch
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from hmem.errors import QueryError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MAX_ALTERNATIVES = 256
"""Most patterns that the braces of one glob may stand for."""

_NOTHING = re.compile(r"(?!)")
_BRACES = re.compile(r"(?<!\\)\{([^{}]*)\}")
_STARS = re.compile(r"(?<!\\)\*+")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_SET_OR_ESCAPED = re.compile(rf"\[([!^]?)(\]?(?:\\.|[^\]\\])*)\]|{_ESCAPED.pattern}", re.DOTALL)


def expand_braces(glob: str) -> list[str]:
    """Return the globs that `glob` stands for; braces without a comma are literal."""
    done: list[str] = []
    todo = [glob]
    while todo:
        pattern = todo.pop()
        found = next((m for m in _BRACES.finditer(pattern) if "," in m[1]), None)
        if found is None:
            done.append(pattern)
        else:
            todo.extend(pattern[: found.start()] + part + pattern[found.end() :] for part in found[1].split(","))
        if len(done) + len(todo) > MAX_ALTERNATIVES:
            raise QueryError(f"too many alternatives in the glob: `{glob}`", text=glob)
    return done


@lru_cache(maxsize=256)
def value_glob(glob: str) -> Callable[[str], bool]:
    """Return a test of whole plain values."""
    tests = [_compile(_STARS.sub("*", pattern)).match for pattern in expand_braces(glob)]
    return lambda text: any(test(text) for test in tests)


@lru_cache(maxsize=256)
def path_glob(glob: str) -> Callable[[str], bool]:
    """Return a test of paths with `/`, relative or absolute."""
    tests = [_path_test(pattern) for pattern in expand_braces(glob)]
    return lambda path: any(test(path) for test in tests)


def _path_test(glob: str) -> Callable[[str], bool]:
    parts = [part for part in glob.split("/") if part and part != "."]
    if "/" not in glob.rstrip("/"):
        parts = ["**", *parts]
    if glob.endswith("/"):
        parts = [*parts, "**"]
    if not parts:  # `/` and the like name the root, which is no file
        return lambda path: False
    if parts[-1] == "**":  # what lies below, at least one component
        parts = [*parts, "*"]
    patterns = [None if part == "**" else _compile(_STARS.sub("*", part)) for part in parts]
    return lambda path: _match(patterns, [name for name in path.split("/") if name])


def _match(patterns: Sequence[re.Pattern[str] | None], names: Sequence[str]) -> bool:
    """Match component by component; only the latest `**` (None) ever needs to grow, so time is their product."""
    p = n = 0
    star, resume = -1, 0
    while n < len(names):
        pattern = patterns[p] if p < len(patterns) else _NOTHING
        if pattern is None:
            star, resume, p = p, n, p + 1
        elif pattern.match(names[n]):
            p, n = p + 1, n + 1
        elif star >= 0:
            resume += 1
            p, n = star + 1, resume
        else:
            return False
    return all(pattern is None for pattern in patterns[p:])


@lru_cache(maxsize=1024)
def _compile(glob: str) -> re.Pattern[str]:
    try:
        return re.compile(fnmatch.translate(_SET_OR_ESCAPED.sub(_without_backslash, glob)))
    except re.error:  # a character range that runs backwards: take it as it is written
        return re.compile(re.escape(glob) + r"\Z")


def _without_backslash(match: re.Match[str]) -> str:
    """Return an escaped sign, or a `[…]`, in the form of fnmatch, which knows no backslash."""
    negation, members, sign = match.groups()
    if sign is not None:
        return f"[{sign}]" if sign in "*?[" else sign
    closing = "]" if "\\]" in members else ""  # a bracket of the set stands first
    members = _ESCAPED.sub(r"\1", members.replace("\\]", ""))
    return f"[{'!' if negation else ''}{closing}{members}]"
