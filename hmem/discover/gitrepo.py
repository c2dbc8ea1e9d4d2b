"""What `.git` says about a directory: where its repository lies, and which other directory holds the same files.

Everything is read from files, with a limit on their size; git itself is not run, and nothing here fails: what cannot be
read or understood is no repository.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from hmem.discover.read import read_entry

_LIMIT = 64 << 10
_GITDIR = "gitdir:"
_BARE = re.compile(r"^\s*bare\s*=\s*true\b", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Repository:
    """A working tree's repository. All its working trees share `common_dir`; a `linked` tree is not the main one."""

    top: Path
    common_dir: Path
    linked: bool

    @property
    def exclude_file(self) -> Path:
        """The repository's own ignore file."""
        return self.common_dir / "info" / "exclude"

    @property
    def has_files(self) -> bool:
        """Whether a tree of its own belongs to it: not so for the bare repository that only its worktrees show."""
        return self.linked or not _is_bare(self.common_dir)


def _read_small(path: Path) -> str | None:
    """Return the text of a small regular file, None if there is none."""
    try:
        directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            data = read_entry(directory, path.name, _LIMIT)
        finally:
            os.close(directory)
    except OSError:
        return None
    return os.fsdecode(data)


def _read_line(path: Path) -> str | None:
    """Return the first line of a small file without blanks at its ends, None without such a file or with a NUL."""
    text = _read_small(path)
    line = None if text is None else text.partition("\n")[0].strip()
    return None if line is None or "\0" in line else line


def _is_bare(common_dir: Path) -> bool:
    configs = (_read_small(common_dir / name) for name in ("config", "config.worktree"))
    return any(text is not None and _BARE.search(text) for text in configs)


def repository_of(top: Path) -> Repository | None:
    """Return the repository whose working tree starts at `top`, None if there is none."""
    mark = top / ".git"
    try:
        if mark.is_dir():
            return Repository(top, mark, linked=False)
        line = _read_line(mark)
        if line is None or not line.startswith(_GITDIR):
            return None
        git_dir = Path(os.path.normpath(top / line[len(_GITDIR) :].strip()))
        if not git_dir.is_dir():
            return None
        common = _read_line(git_dir / "commondir")
        if common is None:  # a submodule, or a repository kept elsewhere
            return Repository(top, git_dir, linked=False)
        return Repository(top, Path(os.path.realpath(git_dir / common)), linked=True)
    except OSError:
        return None


def enclosing_repository(directory: Path) -> Repository | None:
    """Return the repository of the working tree that `directory` (resolved) is in, None outside of any."""
    for top in (directory, *directory.parents):
        if os.path.lexists(top / ".git"):
            return repository_of(top)
    return None


def twin_of(tree: Repository, root: Path, root_repository: Repository | None) -> Path | None:
    """Return the working tree that makes indexing the linked `tree` under `root` (resolved) a repetition, or None.

    That is the tree that `root` itself is in, else the main tree if it lies under `root`, else (worktrees of a bare
    repository) the one among those under `root` that is on the repository's own branch, or the first by path. The
    answer depends on the disk only, not on where a walk started.
    """
    if not tree.linked:
        return None
    own = root_repository
    if own is not None and _same(own.common_dir, tree.common_dir) and own.has_files:
        return own.top
    main = tree.common_dir.parent
    if tree.common_dir.name == ".git" and _under(main, root) and not _is_bare(tree.common_dir):
        return main
    preferred = _preferred(tree, root)
    return None if preferred is None or _same(preferred, tree.top) else preferred


def _preferred(tree: Repository, root: Path) -> Path | None:
    """Return the linked tree of the same repository that is indexed for all those under `root`."""
    own_branch = _read_line(tree.common_dir / "HEAD")
    found = []
    try:
        entries = sorted((tree.common_dir / "worktrees").iterdir())
    except OSError:
        return None
    for entry in entries:
        mark = _read_line(entry / "gitdir")
        top = Path(os.path.realpath(entry / mark)).parent if mark else None
        if top is not None and _under(top, root) and os.path.lexists(top / ".git"):
            found.append((_read_line(entry / "HEAD") != own_branch, str(top), top))
    return min(found)[2] if found else None


def _under(path: Path, root: Path) -> bool:
    return path.is_relative_to(root)


def _same(one: Path, other: Path) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
