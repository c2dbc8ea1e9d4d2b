"""Reading files of a tree that nobody vouches for: no link is followed, nothing but regular files is read."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from hmem.discover.content import HEAD, is_binary
from hmem.discover.reasons import Reason
from hmem.discover.secrets import is_secret_content
from hmem.types import Skipped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hmem.types import FileState

# O_NONBLOCK: opening a FIFO that took the file's place must not wait for a writer.
_FILE_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_DIRECTORY_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_STEP = 1 << 20
_LONGEST = 1000  # characters of a path given to the system at once; four bytes each stay below PATH_MAX


def open_root(root: Path) -> int:
    """Return a descriptor of the directory `root`, which may be a symlink. Raises OSError."""
    return os.open(root, _DIRECTORY_FLAGS)


def open_directory(root: int, path: str, *, strict: bool = False) -> int:
    """Return a descriptor of the directory `path` below the descriptor `root`, however long the path. Raises OSError.

    The last part must not be a link; with `strict` no part may be, which costs one call per part.
    """
    if not path:
        return os.dup(root)
    at = root
    try:
        for part in path.split("/") if strict else _pieces(path):
            below = os.open(part, _DIRECTORY_FLAGS | os.O_NOFOLLOW, dir_fd=at)
            if at != root:
                os.close(at)
            at = below
    except OSError:
        if at != root:
            os.close(at)
        raise
    return at


def _pieces(path: str) -> list[str]:
    """Return `path` cut at slashes into parts that the system takes."""
    pieces = []
    while len(path) > _LONGEST:
        cut = path.rfind("/", 0, _LONGEST)
        if cut < 0:
            cut = path.find("/", _LONGEST)
            if cut < 0:
                break
        pieces.append(path[:cut])
        path = path[cut + 1 :]
    return [*pieces, path]


def read_entry(directory: int, name: str | Path, limit: int) -> bytes:
    """Return the bytes of the regular file `name` in the directory with descriptor `directory`.

    Raises OSError: whatever the system says; ELOOP for a link; EINVAL for anything but a regular file; EFBIG if
    there are more than `limit` bytes, whatever its size was when it was opened.
    """
    return _read_regular(os.open(name, _FILE_FLAGS, dir_fd=directory), str(name), limit)


def _read_regular(descriptor: int, name: str, limit: int, stop: Callable[[bytes], bool] | None = None) -> bytes:
    """Read and close; if `stop` says so of the head, the head is all that is returned."""
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "not a regular file", name)
        if status.st_size > limit:
            raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), name)
        os.set_blocking(descriptor, True)  # a file that its system has to fetch first may take its time
        parts: list[bytes] = []
        left = limit + 1
        step = HEAD
        while left:
            part = os.read(descriptor, min(step, left))
            if not part or (not parts and stop is not None and stop(part)):
                return part or b"".join(parts)
            parts.append(part)
            left -= len(part)
            step = _STEP
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), name)
    finally:
        os.close(descriptor)


def read_file(root: Path, state: FileState, limit: int) -> bytes:
    """Return the bytes of a file that `walk` found under `root`, at most `limit` of them.

    A `root` that is itself a file (or a link to one) is read as such. Below a directory no part of the path may have
    become a link. Raises OSError as `read_entry`.
    """
    return _read_regular(_open_file(root, state.path), state.path, limit)


def _open_file(root: Path, path: str) -> int:
    try:
        top = open_root(root)
    except NotADirectoryError:
        return os.open(root, _FILE_FLAGS & ~os.O_NOFOLLOW)
    try:
        parent, _, name = path.rpartition("/")
        directory = open_directory(top, parent, strict=True)
        try:
            return os.open(name, _FILE_FLAGS, dir_fd=directory)
        finally:
            os.close(directory)
    finally:
        os.close(top)


def content_reason(path: str, data: bytes, *, secrets: bool = False) -> Reason | None:
    """Return why a file with these bytes is not indexed: binary, or a private key (unless `secrets`); None if it is."""
    if is_binary(data[:HEAD]):
        return Reason.BINARY
    if not secrets and is_secret_content(path, data):
        return Reason.SECRET
    return None


def load(root: Path, state: FileState, limit: int, *, secrets: bool = False) -> bytes | Skipped:
    """Return the bytes of a file to index, or why it is left out now that its content is known.

    Of a binary file only the head is read. Raises OSError if it cannot be read; FileNotFoundError means that it
    vanished since the walk.
    """
    try:
        data = _read_regular(_open_file(root, state.path), state.path, limit, stop=is_binary)
    except OSError as error:
        if error.errno == errno.EFBIG:
            return Skipped(state.path, Reason.TOO_LARGE, f"more than {limit} bytes")
        raise
    reason = content_reason(state.path, data, secrets=secrets)
    return data if reason is None else Skipped(state.path, reason)
