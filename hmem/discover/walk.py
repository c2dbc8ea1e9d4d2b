"""One pass over a collection: which files to index, what is left out and why, what could not be looked at.

What only the content shows (binary data, private keys) is decided when a file is read: `read.load`.
"""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from hmem.discover.diff import is_within, lies_under
from hmem.discover.read import open_root
from hmem.discover.reasons import Reason
from hmem.discover.selection import Selection
from hmem.discover.traversal import Traversal, file_state, file_type
from hmem.types import FileState, Skipped

if TYPE_CHECKING:
    from hmem.discover.options import WalkOptions

_by_path = attrgetter("path")


@dataclass(frozen=True, slots=True)
class WalkResult:
    """What a walk found, each part sorted by path; directories in `skipped` end with "/", the root is "./".

    `unreadable` are the directories (relative, "" is the root) and files that the system refused, and directories
    where nothing is mounted any more: their documents must be kept. They are in `skipped` too, with the reason.
    `root_id` is (st_dev, st_ino) of the root. `mounts` are the directories that are mount points, or were at the
    last scan and are no longer: to be given to the next one.
    """

    files: tuple[FileState, ...] = ()
    skipped: tuple[Skipped, ...] = ()
    unreadable: tuple[str, ...] = ()
    root_missing: bool = False
    root_id: tuple[int, int] | None = None
    mounts: tuple[str, ...] = ()


def walk(root: Path, options: WalkOptions, within: str = "") -> WalkResult:
    """Return what `root` holds: a directory, a single file, or a link to either.

    `within` is a relative path: only that file or directory is looked at, with the outcome that the whole walk would
    have for it. A single file has its own name as path, and only the checks for secrets, type and size hold for it.
    Raises ValueError if `within` leaves the root; nothing that is on the disk raises.
    """
    route = tuple(part for part in within.split("/") if part not in ("", "."))
    if ".." in route:
        raise ValueError(f"not inside the collection: {within!r}")
    try:
        top = open_root(root)
    except NotADirectoryError:
        return _walk_file(root, options)
    except PermissionError as error:
        return _without_root(WalkResult(mounts=tuple(sorted(options.mounts))), error.strerror or "")
    except OSError:
        return WalkResult(root_missing=True, mounts=tuple(sorted(options.mounts)))
    try:
        result = _walk_directory(top, root, options, route)
    finally:
        os.close(top)
    return result if _is_still(root, result.root_id) else _without_root(result, "replaced or removed during the scan")


def _walk_directory(top: int, root: Path, options: WalkOptions, route: tuple[str, ...]) -> WalkResult:
    traversal = Traversal(top, Path(os.path.realpath(root)), options)
    traversal.run(route)
    within = "/".join(route)
    unseen = {path for path in options.mounts if not is_within(path, within) or lies_under(path, traversal.unreadable)}
    status = os.fstat(top)
    return WalkResult(
        files=tuple(sorted(traversal.files, key=_by_path)),
        skipped=tuple(sorted(traversal.skipped, key=_by_path)),
        unreadable=tuple(sorted(traversal.unreadable)),
        root_id=(status.st_dev, status.st_ino),
        mounts=tuple(sorted(traversal.mounts | unseen)),
    )


def _is_still(root: Path, root_id: tuple[int, int] | None) -> bool:
    try:
        status = root.stat()
    except OSError:
        return False
    return (status.st_dev, status.st_ino) == root_id


def _without_root(result: WalkResult, why: str) -> WalkResult:
    """Return `result` for a root that could not be looked at as a whole: what was not found may yet be there."""
    note = Skipped("./", Reason.UNREADABLE, why)
    return replace(result, unreadable=("", *result.unreadable), skipped=(note, *result.skipped))


def _walk_file(root: Path, options: WalkOptions) -> WalkResult:
    """Return the result for a root that is no directory."""
    try:
        status = root.stat()
    except OSError:
        return WalkResult(root_missing=True)
    selection = Selection(options)
    if stat.S_ISREG(status.st_mode):
        refusal = selection.refuse_single(root.name) or selection.refuse_size(root.name, status.st_size)
    else:
        refusal = (Reason.SPECIAL, file_type(status))
    root_id = (status.st_dev, status.st_ino)
    if refusal is not None:
        return WalkResult(skipped=(Skipped(root.name, *refusal),), root_id=root_id)
    return WalkResult(files=(file_state(root.name, status),), root_id=root_id)
