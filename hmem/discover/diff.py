"""What changed between the disk and the catalog. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from hmem.discover.walk import WalkResult
    from hmem.types import FileState


@dataclass(frozen=True, slots=True)
class Known:
    """A document in the catalog. `racy`: its file changed within two seconds of the scan that indexed it.

    A racy file may have changed again within the same tick of the clock, so its stat proves nothing.
    """

    state: FileState
    document_id: int
    racy: bool


@dataclass(frozen=True, slots=True)
class Changes:
    """The work that a scan leaves, each part sorted by path.

    `added` files are new; `suspect` ones differ in size, mtime or inode or are racy, their hash decides; `removed`
    documents have no file any more; `kept` ones could not be looked at and stay; `unchanged` counts the rest.
    """

    added: tuple[FileState, ...] = ()
    suspect: tuple[FileState, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    kept: tuple[str, ...] = ()


def diff(result: WalkResult, known: Mapping[str, Known], within: str = "") -> Changes:
    """Return the changes between `result`, a walk of the part `within`, and the `known` documents by path.

    Documents outside `within` ("" for all) are not looked at. Nothing is removed under a missing root or a
    directory that could not be read.
    """
    added: list[FileState] = []
    suspect: list[FileState] = []
    unchanged = 0
    found = set()
    for state in result.files:
        found.add(state.path)
        before = known.get(state.path)
        if before is None:
            added.append(state)
        elif before.racy or before.state != state:
            suspect.append(state)
        else:
            unchanged += 1
    removed: list[str] = []
    kept: list[str] = []
    unreadable = {""} if result.root_missing else set(result.unreadable)
    for path in known:
        if path not in found and is_within(path, within):
            (kept if unreadable and lies_under(path, unreadable) else removed).append(path)
    return Changes(tuple(added), tuple(suspect), tuple(sorted(removed)), unchanged, tuple(sorted(kept)))


def is_within(path: str, part: str) -> bool:
    """Return whether `path` is `part` or lies below it; everything lies within ""."""
    return not part or path == part or path.startswith(part + "/")


def lies_under(path: str, directories: Collection[str]) -> bool:
    """Return whether `path` is one of `directories` or below one of them; "" is the root."""
    return any(ancestor in directories for ancestor in _ancestors(path))


def _ancestors(path: str) -> Iterator[str]:
    """Yield `path`, then every directory above it, the root ("") last."""
    while path:
        yield path
        path = path.rpartition("/")[0]
    yield ""
