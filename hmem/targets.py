"""From the PATHs of `hmem index` to parts of collections: which one a path belongs to, or a new one. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hmem.errors import UsageError
from hmem.paths import relative_inside

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_UNSUITED = re.compile(r"[\x00-\x1f\x7f,/\ud800-\udfff]+")


@dataclass(frozen=True, slots=True)
class Target:
    """A part of a collection to bring up to date: all of it if `within` is "", else one file or directory."""

    name: str
    root: Path
    within: str = ""
    new: bool = False


def innermost(path: Path, roots: Mapping[str, Path]) -> tuple[str, str] | None:
    """Return the name of the innermost collection that holds `path`, and the path inside it ("" for its root)."""
    best: tuple[str, str] | None = None
    for name, root in roots.items():
        inside = relative_inside(path, root)
        if inside is not None and (best is None or len(str(root)) > len(str(roots[best[0]]))):
            best = (name, inside)
    return best


def nested(root: Path, roots: Iterable[Path]) -> frozenset[str]:
    """Return the relative paths of the other `roots` that lie inside `root`."""
    inside = (relative_inside(other, root) for other in roots)
    return frozenset(path for path in inside if path)


def resolve(paths: Sequence[Path], roots: Mapping[str, Path], *, name: str | None = None) -> list[Target]:
    """Return the targets of real, absolute `paths` (every collection if there are none), in their order.

    Raises UsageError for a `name` that is taken, that does not fit, or that asks for a part of a collection to be one.
    """
    if not paths:
        return [Target(known, root) for known, root in roots.items() if name in (None, known)] or _no_such(name)
    if name is not None and len(paths) > 1:
        raise UsageError("`--name` names one collection", hint="index one PATH at a time")
    known = dict(roots)
    targets: list[Target] = []
    for path in paths:
        target = _resolve_one(path, known, name)
        known[target.name] = target.root
        if target not in targets:
            targets.append(target)
    return _without_covered(targets)


def _no_such(name: str | None) -> list[Target]:
    if name is not None:
        raise UsageError(f"no collection is named `{name}`", hint="`hmem ls` shows the collections")
    return []


def _resolve_one(path: Path, roots: Mapping[str, Path], name: str | None) -> Target:
    found = innermost(path, roots)
    if found:
        owner, within = found
        if name is not None and name != owner:
            what = "is" if not within else "belongs to"
            raise UsageError(f"`{path}` {what} collection `{owner}`", hint="a part of a collection is not a new one")
        return Target(owner, roots[owner], within)
    if not path.exists():
        raise UsageError(f"no such file or directory: `{path}`")
    if name is not None:
        if name in roots:
            raise UsageError(f"the name `{name}` is taken by `{roots[name]}`", hint="choose another `--name`")
        if not name.strip() or _UNSUITED.search(name):
            raise UsageError(
                f"not a collection name: `{name}`", hint="use a name without `/`, `,` or control characters"
            )
    return Target(name or free_name(path, roots), path, new=True)


def free_name(path: Path, taken: Iterable[str]) -> str:
    """Return the path's last component as a name, with `-2`, `-3`, … if it is taken."""
    base = _UNSUITED.sub("_", path.name).strip() or "root"
    names = set(taken)
    number, name = 1, base
    while name in names:
        number += 1
        name = f"{base}-{number}"
    return name


def _without_covered(targets: list[Target]) -> list[Target]:
    """Drop a part of a collection when all of it is a target too."""
    whole = {target.name for target in targets if not target.within}
    return [target for target in targets if not target.within or target.name not in whole]
