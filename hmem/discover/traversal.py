"""The way through a collection's directories.

It lists directories and asks for each file's size, times and inode; it opens nothing but ignore files, cache tags and
git's pointers. Every directory is opened through the root's descriptor, so that paths may be longer than the system
takes at once, and no link below the root is followed. The directories to come are a list, not a recursion: a tree may
be as deep as it likes.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hmem.discover.builtin import CACHE_TAG, CACHE_TAG_SIGNATURE, ignored_by_content
from hmem.discover.gitrepo import enclosing_repository, repository_of, twin_of
from hmem.discover.ignore import Layers
from hmem.discover.ignorefiles import IgnoreFileReader
from hmem.discover.read import open_directory, read_entry
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


def file_state(path: str, status: os.stat_result) -> FileState:
    """Return what is known of the file `path` without reading it."""
    return FileState(path, status.st_size, status.st_mtime_ns, status.st_ino)


def file_type(status: os.stat_result) -> str:
    """Return what a thing that is neither file, directory nor link is called."""
    return _TYPES.get(stat.S_IFMT(status.st_mode), "unknown type")


@dataclass(frozen=True, slots=True)
class _Directory:
    """A directory that is still to be listed.

    `path` ends with "/", the root's is "". `included` is the answer of the include globs; `readmitted` says that the
    built-in list does not hold; `route` names the parts that lead on to the wanted one; `above` is the open parent.
    """

    path: str
    name: str
    included: bool
    readmitted: bool
    route: tuple[str, ...]
    above: _Open


@dataclass(frozen=True, slots=True)
class _Open:
    """A directory that has been listed: its device, the names in it and the rules that hold in it.

    `descriptor` is closed once all entries have been looked at.
    """

    descriptor: int
    device: int
    names: Set[str]
    layers: Layers


class Traversal:
    """One pass below the root with descriptor `top` and real path `root`; the attributes are what it has found.

    `unreadable` and `mounts` are as in `WalkResult`, nothing is sorted.
    """

    def __init__(self, top: int, root: Path, options: WalkOptions) -> None:
        self._top = top
        self._root = root
        self._options = options
        self._selection = Selection(options)
        self._repository = enclosing_repository(root)
        self._reader = IgnoreFileReader()
        self._pending: list[_Directory] = []
        self.files: list[FileState] = []
        self.skipped = self._reader.problems
        self.unreadable: set[str] = set()
        self.mounts: set[str] = set()

    def run(self, route: tuple[str, ...]) -> None:
        """Look at the part that `route` leads to, () for all."""
        layers = self._reader.above(self._root, self._repository) if self._options.ignore_files else Layers()
        outside = _Open(self._top, os.fstat(self._top).st_dev, frozenset(), layers)
        self._pending.append(_Directory("", "", not self._options.include, True, route, outside))
        while self._pending:
            self._visit(self._pending.pop())

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
        if error.errno not in _GONE or not path:
            self.unreadable.add(path.removesuffix("/"))
            self._skip(path or "./", (Reason.UNREADABLE, error.strerror or type(error).__name__))

    def _skip(self, path: str, refusal: tuple[Reason, str]) -> None:
        self.skipped.append(Skipped(path, *refusal))

    def _list(self, directory: _Directory, descriptor: int) -> None:
        with os.scandir(descriptor) as listing:
            entries = list(listing)
        names = frozenset(entry.name for entry in entries)
        device = os.fstat(descriptor).st_dev
        self._note_mount(directory, device)
        layers, refusal = self._enter(directory, descriptor, names)
        if refusal is not None:
            self._skip(directory.path, refusal)
            return
        here = _Open(descriptor, device, names, layers)
        for entry in entries:
            if not directory.route or entry.name == directory.route[0]:
                try:
                    self._sort_in(entry, directory, here)
                except OSError as error:
                    self._refused(directory.path + entry.name, error)

    def _note_mount(self, directory: _Directory, device: int) -> None:
        path = directory.path[:-1]
        if device != directory.above.device:
            self.mounts.add(path)
        elif path in self._options.mounts:
            self.mounts.add(path)
            self.unreadable.add(path)
            self._skip(directory.path, (Reason.UNREADABLE, "no longer mounted"))

    def _enter(self, directory: _Directory, descriptor: int, names: Set[str]) -> tuple[Layers, Refusal]:
        """Return the rules that hold inside a directory, and why its content leaves it out (None: it does not)."""
        layers: Layers = directory.above.layers
        refusal: Refusal = None
        if directory.path and ".git" in names:
            layers, refusal = self._enter_repository(directory)
        if refusal is None and not directory.readmitted and self._options.ignore_files:
            refusal = self._refuse_content(directory, descriptor, names)
        if refusal is None and self._options.ignore_files:
            layers = self._reader.add_directory(layers, descriptor, names, directory.path)
        return layers, refusal

    def _enter_repository(self, directory: _Directory) -> tuple[Layers, Refusal]:
        layers = directory.above.layers
        repository = repository_of(self._root / directory.path)
        if repository is None:
            return layers, None
        twin = twin_of(repository, self._root, self._repository)
        if twin is not None:
            return layers, (Reason.WORKTREE, f"of {twin}")
        if not self._options.ignore_files:
            return layers, None
        return self._reader.enter_repository(layers, repository, directory.path), None

    @staticmethod
    def _refuse_content(directory: _Directory, descriptor: int, names: Set[str]) -> Refusal:
        looks = ignored_by_content(directory.name, directory.above.names, names)
        if looks is None and CACHE_TAG in names and _is_cache_tag(descriptor):
            looks = "cache tag"
        return (Reason.BUILT_IN, looks) if looks else None

    def _sort_in(self, entry: os.DirEntry[str], directory: _Directory, here: _Open) -> None:
        """Put one entry where it belongs: among the files, the skipped or the directories to come."""
        path = directory.path + entry.name
        if entry.is_file(follow_symlinks=False):
            if len(directory.route) < 2:  # else the wanted part would lie below a file
                self._sort_in_file(entry, path, directory, here)
        elif entry.is_dir(follow_symlinks=False):
            self._sort_in_directory(entry, path, directory, here)
        elif entry.is_symlink():
            refusal = self._selection.refuse_link(entry.name, path, here.layers)
            self._skip(path, refusal or self._about_link(entry.name, path, here))
        else:
            self._skip(path, (Reason.SPECIAL, file_type(entry.stat(follow_symlinks=False))))

    def _sort_in_file(self, entry: os.DirEntry[str], path: str, directory: _Directory, here: _Open) -> None:
        refusal = self._selection.refuse_file(entry.name, path, here.layers, directory.included)
        if refusal is None:
            status = entry.stat(follow_symlinks=False)
            refusal = self._selection.refuse_size(entry.name, status.st_size)
            if refusal is None:
                self.files.append(file_state(path, status))
                return
        self._skip(path, refusal)

    def _sort_in_directory(self, entry: os.DirEntry[str], path: str, directory: _Directory, here: _Open) -> None:
        name = entry.name
        refusal, readmitted = self._selection.refuse_directory(name, path, here.layers, here.names)
        if refusal is None:
            included = self._selection.includes(name, path, True, directory.included)
            self._pending.append(_Directory(path + "/", name, included, readmitted, directory.route[1:], here))
        else:
            self._skip(path + "/", refusal)

    def _about_link(self, name: str, path: str, here: _Open) -> tuple[Reason, str]:
        """Return the reason for leaving out a link: never followed, for what it shows is indexed in its own place."""
        shown = f"-> {os.readlink(name, dir_fd=here.descriptor)}"
        target = Path(os.path.realpath(self._root / path))
        if not os.path.lexists(target) or target.is_symlink():
            return Reason.SYMLINK_BROKEN, shown
        return (Reason.SYMLINK if target.is_relative_to(self._root) else Reason.SYMLINK_OUTSIDE), shown


def _is_cache_tag(directory: int) -> bool:
    try:
        return read_entry(directory, CACHE_TAG, 1 << 16).startswith(CACHE_TAG_SIGNATURE)
    except OSError:
        return False
