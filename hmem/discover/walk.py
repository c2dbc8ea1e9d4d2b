"""One pass over a collection: which files to index, what is left out and why, what could not be looked at.

The walk lists directories and asks for each file's size, times and inode; it opens nothing but ignore files, cache tags
and git's pointers. What only the content shows (binary data, private keys) is decided when a file is read: `read.load`.
Every directory is opened through the root's descriptor, so that paths may be longer than the system takes at once, and
no link below the root is followed.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from hmem.discover.builtin import CACHE_TAG, CACHE_TAG_SIGNATURE, ignored_by_content
from hmem.discover.diff import is_within
from hmem.discover.gitrepo import enclosing_repository, repository_of, twin_of
from hmem.discover.ignore import Layers
from hmem.discover.ignorefiles import IgnoreFileReader
from hmem.discover.read import open_directory, open_root, read_entry
from hmem.discover.reasons import Reason
from hmem.discover.selection import Selection
from hmem.types import FileState, Skipped

if TYPE_CHECKING:
    from collections.abc import Set

    from hmem.discover.options import WalkOptions
    from hmem.discover.selection import Refusal

# The directory went away, or something else took its place, after its parent was listed.
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ELOOP})
_TYPES = {stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "socket", stat.S_IFCHR: "device", stat.S_IFBLK: "device"}
_by_path = attrgetter("path")


@dataclass(frozen=True, slots=True)
class WalkResult:
    """What a walk found, each part sorted by path; directories in `skipped` end with "/".

    `unreadable` are the directories (relative, "" is the root) and files that the system refused, and directories
    where nothing is mounted any more: their documents must be kept. They are in `skipped` too, with the reason.
    `root_id` is (st_dev, st_ino) of the root. `mounts` are the directories that are or were mount points.
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
        return WalkResult(unreadable=("",), skipped=(Skipped("./", Reason.UNREADABLE, _message(error)),))
    except OSError:
        return WalkResult(root_missing=True)
    try:
        return _Walk(top, Path(os.path.realpath(root)), options).run(route)
    finally:
        os.close(top)


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
        refusal = (Reason.SPECIAL, _type(status))
    root_id = (status.st_dev, status.st_ino)
    if refusal is not None:
        return WalkResult(skipped=(Skipped(root.name, *refusal),), root_id=root_id)
    return WalkResult(files=(_state(root.name, status),), root_id=root_id)


def _state(path: str, status: os.stat_result) -> FileState:
    return FileState(path, status.st_size, status.st_mtime_ns, status.st_ino)


def _type(status: os.stat_result) -> str:
    return _TYPES.get(stat.S_IFMT(status.st_mode), "unknown type")


def _message(error: OSError) -> str:
    return error.strerror or type(error).__name__


@dataclass(frozen=True, slots=True)
class _Directory:
    """A directory that is still to be listed.

    `path` ends with "/", the root's is "". `layers`, `included`, `siblings` and `device` are its parent's answers;
    `readmitted` says that the built-in list does not hold; `route` names the parts that lead on to the wanted one.
    """

    path: str
    name: str
    layers: Layers
    included: bool
    siblings: Set[str]
    device: int
    readmitted: bool
    route: tuple[str, ...]


class _Walk:
    """One pass and what it has found so far."""

    def __init__(self, top: int, root: Path, options: WalkOptions) -> None:
        self._top = top
        self._root = root
        self._options = options
        self._selection = Selection(options)
        self._repository = enclosing_repository(root)
        self._reader = IgnoreFileReader()
        self._files: list[FileState] = []
        self._skipped: list[Skipped] = []
        self._unreadable: list[str] = []
        self._mounts: list[str] = []
        self._pending: list[_Directory] = []

    def run(self, route: tuple[str, ...]) -> WalkResult:
        """Return the result for the part that `route` leads to."""
        status = os.fstat(self._top)
        layers = self._reader.above(self._root, self._repository) if self._options.ignore_files else Layers()
        included = not self._options.include
        self._pending.append(_Directory("", "", layers, included, frozenset(), status.st_dev, True, route))
        while self._pending:
            self._visit(self._pending.pop())
        within = "/".join(route)
        elsewhere = [path for path in self._options.mounts if not is_within(path, within)]
        return WalkResult(
            files=tuple(sorted(self._files, key=_by_path)),
            skipped=tuple(sorted(self._skipped + self._reader.problems, key=_by_path)),
            unreadable=tuple(sorted(self._unreadable)),
            root_id=(status.st_dev, status.st_ino),
            mounts=tuple(sorted(self._mounts + elsewhere)),
        )

    def _visit(self, directory: _Directory) -> None:
        try:
            descriptor = open_directory(self._top, directory.path[:-1])
        except OSError as error:
            self._refused(directory.path, error)
            return
        try:
            self._list(directory, descriptor)
        except OSError as error:
            self._refused(directory.path, error)
        finally:
            os.close(descriptor)

    def _refused(self, path: str, error: OSError) -> None:
        """Take note of what could not be looked at; what has just gone away is no failure."""
        if error.errno in _GONE and path:
            return
        self._unreadable.append(path.removesuffix("/"))
        self._skipped.append(Skipped(path or "./", Reason.UNREADABLE, _message(error)))

    def _list(self, directory: _Directory, descriptor: int) -> None:
        with os.scandir(descriptor) as listing:
            entries = list(listing)
        names = frozenset(entry.name for entry in entries)
        device = os.fstat(descriptor).st_dev
        self._note_mount(directory, device)
        layers, refusal = self._enter(directory, descriptor, names)
        if refusal is not None:
            self._skipped.append(Skipped(directory.path, *refusal))
            return
        for entry in entries:
            if not directory.route or entry.name == directory.route[0]:
                try:
                    self._sort_in(entry, directory, layers, names, device)
                except OSError as error:
                    self._refused(directory.path + entry.name, error)

    def _note_mount(self, directory: _Directory, device: int) -> None:
        path = directory.path[:-1]
        if device != directory.device:
            self._mounts.append(path)
        elif path in self._options.mounts:
            self._mounts.append(path)
            self._unreadable.append(path)
            self._skipped.append(Skipped(directory.path, Reason.UNREADABLE, "no longer mounted"))

    def _enter(self, directory: _Directory, descriptor: int, names: Set[str]) -> tuple[Layers, Refusal]:
        """Return the rules that hold inside a directory, and why its content leaves it out (None: it does not)."""
        layers, refusal = directory.layers, None
        if directory.path:
            if ".git" in names:
                layers, refusal = self._enter_repository(directory)
            if self._options.ignore_files and not directory.readmitted and refusal is None:
                looks = ignored_by_content(directory.name, directory.siblings, names)
                if looks is None and CACHE_TAG in names and _is_cache_tag(descriptor):
                    looks = "cache tag"
                refusal = (Reason.BUILT_IN, looks) if looks else None
        if self._options.ignore_files and refusal is None:
            layers = self._reader.add_directory(layers, descriptor, names, directory.path)
        return layers, refusal

    def _enter_repository(self, directory: _Directory) -> tuple[Layers, Refusal]:
        repository = repository_of(self._root / directory.path)
        if repository is None:
            return directory.layers, None
        twin = twin_of(repository, self._root, self._repository)
        if twin is not None:
            return directory.layers, (Reason.WORKTREE, f"of {twin}")
        if not self._options.ignore_files:
            return directory.layers, None
        return self._reader.enter_repository(directory.layers, repository, directory.path), None

    def _sort_in(
        self, entry: os.DirEntry[str], directory: _Directory, layers: Layers, names: Set[str], device: int
    ) -> None:
        """Put one entry where it belongs: files, skipped, or pending."""
        name = entry.name
        path = directory.path + name
        refusal: Refusal
        if entry.is_file(follow_symlinks=False):
            if len(directory.route) > 1:
                return
            refusal = self._selection.refuse_file(name, path, layers, directory.included)
            if refusal is None:
                status = entry.stat(follow_symlinks=False)
                refusal = self._selection.refuse_size(name, status.st_size)
                if refusal is None:
                    self._files.append(_state(path, status))
                    return
        elif entry.is_dir(follow_symlinks=False):
            refusal, readmitted = self._selection.refuse_directory(name, path, layers, names)
            if refusal is None:
                included = self._selection.includes(name, path, True, directory.included)
                route = directory.route[1:]
                self._pending.append(_Directory(path + "/", name, layers, included, names, device, readmitted, route))
                return
            path += "/"
        elif entry.is_symlink():
            refusal = self._selection.refuse_name(name, path, layers) or self._link(path)
        else:
            refusal = (Reason.SPECIAL, _type(entry.stat(follow_symlinks=False)))
        self._skipped.append(Skipped(path, *refusal))

    def _link(self, path: str) -> tuple[Reason, str]:
        """Return the reason for leaving out a link: never followed, for what it shows is indexed in its own place."""
        link = self._root / path
        target = Path(os.path.realpath(link))
        if not os.path.lexists(target) or target.is_symlink():
            reason = Reason.SYMLINK_BROKEN
        else:
            reason = Reason.SYMLINK if target.is_relative_to(self._root) else Reason.SYMLINK_OUTSIDE
        return reason, f"-> {link.readlink()}"


def _is_cache_tag(directory: int) -> bool:
    try:
        return read_entry(directory, CACHE_TAG, 1 << 16).startswith(CACHE_TAG_SIGNATURE)
    except OSError:
        return False
