"""The one module that writes bytes into a store: exclusive creation, full writes, fsync, rename, checksum, removal.

Every operation announces itself to `fault_hook` first, so that a test can fail, shorten or kill at any of them:
`make-dir create write sync replace publish sync-dir remove`, and the points of a commit that callers name with `reach`.
Functions raise `OSError`; the store translates it at its boundary.
"""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import xxhash

if TYPE_CHECKING:
    from concurrent.futures import ThreadPoolExecutor

Hook: TypeAlias = Callable[[str, Path], "int | None"]
Data: TypeAlias = "bytes | bytearray | memoryview"

# Called with (point, path) before the operation. It may raise, or for `write` return the most bytes that the one
# system call that follows takes (a short write).
fault_hook: Hook | None = None

_FULL_SYNC: int | None = getattr(fcntl, "F_FULLFSYNC", None)
_NO_FULL_SYNC = {errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL, errno.ENOTTY, errno.ENOSYS}
_NO_LINKS = {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS}
_BLOCK = 1 << 20
_THREADS = 16
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class FileStamp:
    """What a sealed file was: content by `size` and `checksum` (xxh3-128, hex), the inode's state by the rest.

    A file whose stat still equals the stamp was not written since (`ctime` cannot be set by a program), so its
    content need not be read again; a copied or restored one is compared by checksum.
    """

    size: int
    checksum: str
    mtime_ns: int
    ctime_ns: int
    inode: int


def reach(point: str, path: Path) -> int | None:
    """Tell the fault hook that the operation `point` on `path` comes next."""
    return None if fault_hook is None else fault_hook(point, path)


def make_dir(path: Path) -> None:
    """Create the directory `path`, for the owner only; one that exists is fine."""
    reach("make-dir", path)
    path.mkdir(mode=0o700, exist_ok=True)


def write_file(path: Path, data: Data | Iterable[Data]) -> None:
    """Create `path` (it must not exist), mode 0600, holding `data`; durable only once it is sealed."""
    reach("create", path)
    descriptor = os.open(path, _CREATE, 0o600)
    try:
        for block in (data,) if isinstance(data, bytes | bytearray | memoryview) else data:
            _write_all(descriptor, path, memoryview(block).cast("B"))
    finally:
        os.close(descriptor)


def write_aside(path: Path, data: Data) -> None:
    """Replace the content of `path` in one step: a reader sees the old bytes or the new ones, also after a crash."""
    aside = path.with_name(path.name + ".new")
    with suppress(FileNotFoundError):
        aside.unlink()  # left by a crash
    with finished(aside, data):
        replace(aside, path)


@contextmanager
def finished(aside: Path, data: Data) -> Iterator[None]:
    """Create `aside`, sealed, holding `data`, for a block that gives it its name; what is left of it then goes."""
    try:
        write_file(aside, data)
        seal(aside)
        yield
    finally:
        with suppress(OSError):
            aside.unlink()


def replace(source: Path, target: Path) -> None:
    """Rename `source` over `target` in the same directory and force the rename to the disk."""
    reach("replace", target)
    source.replace(target)
    sync_dir(target.parent)


def publish(source: Path, target: Path) -> None:
    """Give the finished file `source` the name `target` in the same directory, never in place of another file.

    Raises FileExistsError if the name is taken. Where the file system has no hard links it can only look first.
    """
    reach("publish", target)
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if os.path.lexists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        source.rename(target)
    sync_dir(target.parent)


def sync_dir(path: Path) -> None:
    """Force the names inside the directory `path` to the disk."""
    reach("sync-dir", path)
    _sync_dir(path)


def seal(path: Path) -> FileStamp:
    """Force a finished file to the disk, whoever wrote it, restrict it to the owner and return its stamp."""
    reach("sync", path)
    return _seal(path)


def seal_trees(directories: Iterable[Path]) -> list[dict[str, FileStamp]]:
    """Seal every file under each directory and force all names, the directory's own included.

    Returns the stamps of each tree by relative path with `/`.
    """
    roots = list(directories)
    trees = [sorted(root.rglob("*")) for root in roots]
    paths = [path for tree in trees for path in tree if not path.is_dir()]
    folders = {path for tree in trees for path in tree if path.is_dir()}
    folders.update(roots, (root.parent for root in roots))
    for path in paths:
        reach("sync", path)
    for folder in sorted(folders):
        reach("sync-dir", folder)
    with _pool() as pool:
        synced = [pool.submit(_sync_dir, folder) for folder in folders]
        stamps = dict(zip(paths, pool.map(_seal, paths), strict=True))
        for future in synced:
            future.result()
    return [
        {path.relative_to(root).as_posix(): stamps[path] for path in tree if path in stamps}
        for root, tree in zip(roots, trees, strict=True)
    ]


def checksum(path: Path) -> str:
    """Return the xxh3-128 of the file's bytes in hex."""
    descriptor = os.open(path, _READ)
    try:
        return _digest(descriptor)
    finally:
        os.close(descriptor)


def is_untouched(path: Path, stamp: FileStamp) -> bool:
    """Return whether the stat of `path` is that of the stamp, so that nobody wrote to the file since."""
    try:
        status = path.lstat()
    except OSError:
        return False
    seen = (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    return stat.S_ISREG(status.st_mode) and seen == (stamp.size, stamp.mtime_ns, stamp.ctime_ns, stamp.inode)


def fault_of(path: Path, stamp: FileStamp, *, deep: bool = False) -> str | None:
    """Return why `path` is not the file that was sealed, or None; `deep` reads it even if it is untouched."""
    if not deep and is_untouched(path, stamp):
        return None
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            return "is not a regular file"
        if status.st_size != stamp.size:
            return f"has {status.st_size} bytes instead of {stamp.size}"
        return None if checksum(path) == stamp.checksum else "does not match its checksum"
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"


def remove_file(path: Path) -> None:
    """Remove the file `path`; one that is gone already is fine."""
    reach("remove", path)
    path.unlink(missing_ok=True)


def remove_trees(directories: Iterable[Path]) -> None:
    """Remove directories with everything in them, without following links; what is gone already is fine."""
    names: list[Path] = []
    folders: list[Path] = []
    for directory in directories:
        for folder, inner, files in os.walk(directory, topdown=False):
            links = [name for name in inner if Path(folder, name).is_symlink()]
            names += [Path(folder, name) for name in (*files, *links)]
            folders.append(Path(folder))
    for path in (*names, *folders):
        reach("remove", path)
    with _pool() as pool:
        list(pool.map(lambda path: path.unlink(missing_ok=True), names))
        depths = sorted({len(folder.parts) for folder in folders}, reverse=True)
        for depth in depths:
            list(pool.map(_remove_dir, [folder for folder in folders if len(folder.parts) == depth]))


def _pool() -> ThreadPoolExecutor:
    """Return threads that wait for the disk: it takes many requests together in little more than the time of one."""
    from concurrent.futures import ThreadPoolExecutor  # a search that never writes does not pay for it

    return ThreadPoolExecutor(_THREADS)


def _remove_dir(path: Path) -> None:
    with suppress(FileNotFoundError):
        path.rmdir()


def _write_all(descriptor: int, path: Path, view: memoryview) -> None:
    while view:
        most = reach("write", path)
        view = view[os.write(descriptor, view[:most]) :]


def _digest(descriptor: int) -> str:
    digest = xxhash.xxh3_128()
    while block := os.read(descriptor, _BLOCK):
        digest.update(block)
    return digest.hexdigest()


def _sync_dir(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _force(descriptor)
    finally:
        os.close(descriptor)


def _force(descriptor: int) -> None:
    """Return once the disk has it; on macOS `fsync` alone leaves it in the drive's own memory."""
    if _FULL_SYNC is None:
        os.fsync(descriptor)
        return
    try:
        fcntl.fcntl(descriptor, _FULL_SYNC)
    except OSError as error:
        if error.errno not in _NO_FULL_SYNC:
            raise
        os.fsync(descriptor)  # a file system that does not know it: a network's, most of the others


def _seal(path: Path) -> FileStamp:
    descriptor = os.open(path, _READ)
    try:
        os.fchmod(descriptor, 0o600)
        _force(descriptor)
        digest = _digest(descriptor)
        status = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    return FileStamp(status.st_size, digest, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
