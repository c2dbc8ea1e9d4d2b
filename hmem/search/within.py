"""`--in PATH`: the positions below a directory or a file. A path that is nowhere is a slip, never an empty answer."""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from hmem.errors import NotIndexedError, UsageError
from hmem.paths import real
from hmem.search.filters import absolute_paths, below_mask

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from hmem.search.columns import Columns
    from hmem.search.filters import Scene


def within_mask(places: Sequence[str], columns: Columns, roots: Iterable[Path], scene: Scene) -> NDArray[np.bool_]:
    """Return (P,) bool: whether a position lies below any of `places`, each absolute or from the working directory.

    A relative one that leads out of every collection is looked for inside each of them. Raises NotIndexedError for a
    place that neither the store nor, below a root, the disk has.
    """
    inside = np.zeros(columns.size, np.bool_)
    for place in places:
        inside |= _below(place, columns, roots, scene)
    return inside


def _below(place: str, columns: Columns, roots: Iterable[Path], scene: Scene) -> NDArray[np.bool_]:
    if "\0" in place:
        raise UsageError(f"not a path: `{place!r}`")
    absolute = os.path.join(scene.directory, os.path.expanduser(place))  # noqa: PTH118, PTH111 - may not be UTF-8
    resolved = str(real(absolute))
    found = below_mask([resolved, os.path.normpath(absolute)], columns)
    belongs = any(_related(resolved, str(root)) for root in roots)
    if found.any() or (belongs and os.path.lexists(resolved)):  # an empty folder, or one of ignored files, is no slip
        return found
    if not place.startswith("/"):
        found = below_mask([os.path.normpath(place)], columns)
    if not found.any():
        near = _nearest(resolved, absolute_paths(columns))
        hint = "`hmem ls` shows the collections, `hmem ls --all` the documents"
        if near:
            hint = f"did you mean `{near.removeprefix(scene.directory.rstrip('/') + '/')}`?"
        raise NotIndexedError(f"{'no such path' if belongs else 'not in any collection'}: `{place}`", hint=hint)
    return found


def _related(one: str, other: str) -> bool:
    one, other = one.rstrip("/") + "/", other.rstrip("/") + "/"
    return one.startswith(other) or other.startswith(one)


def _nearest(path: str, known: Sequence[str]) -> str | None:
    """Return the known place nearest to `path`, whose first unknown component is taken for a slip."""
    parent, name = os.path.split(path)
    while parent != "/":
        prefix = f"{parent}/"
        names = {other[len(prefix) :].partition("/")[0] for other in known if other.startswith(prefix)}
        if names:
            near = get_close_matches(name, names, n=1)
            return prefix + near[0] if near else None
        parent, name = os.path.split(parent)
    return None
