"""Faults for tests of the store: failing, shortening and killing at the n-th operation, and forgetting what was not
forced to the disk. Scenarios are changes that can be run again until they go through."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from hmem import indexer, slices
from hmem.store import Store, files
from hmem.store.repair import repair

from runner import SETTLED, write_tree
from store_samples import MODEL, add, build
from watching import opened

Contents = dict[str, tuple[str, ...]]
Change = Callable[[Path], None]


@contextmanager
def hooked(hook: files.Hook) -> Iterator[None]:
    files.fault_hook = hook
    try:
        yield
    finally:
        files.fault_hook = None


def count_points(change: Change, directory: Path) -> int:
    """Return how many operations `change` announces."""
    names: list[str] = []

    def hook(name: str, path: Path) -> None:
        names.append(name)

    with hooked(hook):
        change(directory)
    return len(names)


def failing(at: int, code: int = errno.ENOSPC, *, forever: bool = False) -> files.Hook:
    """A hook that fails the operation number `at` (from 0), or all from there on."""
    seen = -1

    def hook(name: str, path: Path) -> None:
        nonlocal seen
        seen += 1
        if seen == at or (forever and seen > at):
            raise OSError(code, os.strerror(code), str(path))

    return hook


def killing(at: int, before: Callable[[], None] = lambda: None, inner: files.Hook | None = None) -> files.Hook:
    """A hook that kills this process at the operation number `at`, having called `before`."""
    seen = -1

    def hook(name: str, path: Path) -> None:
        nonlocal seen
        seen += 1
        if seen == at:
            before()
            os.kill(os.getpid(), signal.SIGKILL)
        if inner is not None:
            inner(name, path)

    return hook


class LostWrites:
    """Follows a process' operations and can undo those that a power failure would: all not forced to the disk.

    What was forced is taken from the calls of `os.fsync` themselves. SQLite's own files are left as they are.
    """

    def __init__(self) -> None:
        self._unwritten: set[Path] = set()  # contents
        self._unnamed: set[Path] = set()  # entries of their directories
        self._replaced: dict[Path, bytes | None] = {}
        self._mutex = threading.Lock()

    def follow(self) -> None:
        """Watch this process' calls of `os.fsync` from now on."""
        real = os.fsync

        def fsync(descriptor: int) -> None:
            real(descriptor)
            path = Path(f"/proc/self/fd/{descriptor}").readlink()
            with self._mutex:
                self._unwritten.discard(path)
                if path.is_dir():
                    self._unnamed = {entry for entry in self._unnamed if entry.parent != path}
                    self._replaced = {entry: data for entry, data in self._replaced.items() if entry.parent != path}

        os.fsync = fsync

    def __call__(self, name: str, path: Path) -> None:
        with self._mutex:
            if name in ("create", "make-dir") and not path.exists():
                self._unnamed.add(path)
                if name == "create":
                    self._unwritten.add(path)
            elif name == "replace":
                self._replaced[path] = path.read_bytes() if path.exists() else None

    def lose(self) -> None:
        """Make the disk what it would be after the power failed now."""
        for path, data in self._replaced.items():
            if path.suffix == ".sqlite":
                path.unlink()
            elif data is None:
                path.unlink(missing_ok=True)
            else:
                path.write_bytes(data)
        for path in self._unwritten:
            if path.exists() and ".sqlite" not in path.name:
                os.truncate(path, path.stat().st_size // 2)
        for path in self._unnamed:
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif ".sqlite" not in path.name:
                path.unlink(missing_ok=True)


def in_child(act: Callable[[], None]) -> int:
    """Run `act` in a forked process; return the signal that ended it, 0 if it went through."""
    child = os.fork()
    if child == 0:
        try:
            act()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(70)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        return os.WTERMSIG(status)
    assert os.WEXITSTATUS(status) == 0
    return 0


@dataclass(frozen=True)
class Scenario:
    """A starting state and a change that leads to `new`, from wherever an earlier attempt ended.

    `partial`: it makes a part of `new` durable at a time. Of its operations `every` n-th is enough.
    """

    name: str
    start: Callable[[Path], None]
    change: Change
    old: Contents | None
    new: Contents
    partial: bool = False
    every: int = 1


def _documents(directory: Path, documents: Contents, gone: tuple[str, ...] = (), *, create: bool = False) -> None:
    store = Store.open(directory, create=create)
    with store.writer(model=MODEL) as writer:
        known = {row.state.path: row for row in writer.catalog.files(1)}
        writer.remove_documents([known[path].document for path in gone if path in known])
        for path, texts in documents.items():
            add(writer, path, *texts)
        writer.commit()


OLD = {"a.md": ("pool exhausted", "retry later"), "b.md": ("unknown",), "c.md": ("pool drained",)}
NEW = {"a.md": ("pool exhausted", "retry now"), "c.md": ("pool drained",), "d.md": ("new words",)}


def _small(directory: Path) -> None:
    _documents(directory, {"a.md": NEW["a.md"], "d.md": NEW["d.md"]}, ("b.md",))


def _eight_segments(directory: Path) -> None:
    store = build(directory, {"a.md": ("pool 0",)})
    for number in range(1, 8):
        with store.writer(model=MODEL) as writer:
            add(writer, f"{number}.md", f"pool {number}", "unknown")
            writer.commit()


EIGHT = {"a.md": ("pool 0",), **{f"{n}.md": (f"pool {n}", "unknown") for n in range(1, 8)}}


def _ninth(directory: Path) -> None:
    _documents(directory, {"9.md": ("pool 9",)}, ("3.md",))


def _first(directory: Path) -> None:
    _documents(directory, OLD, create=True)


SLICED = {f"{n}.md": (f"# Title {n}\n\npool of {n}",) for n in range(6)}


def _sliced(directory: Path) -> None:
    """Index a tree beside the store, every file a slice of its own."""
    tree = directory.with_name(f"{directory.name}-tree")
    write_tree(tree, {name: "\n".join(lines) + "\n" for name, lines in SLICED.items()}, mtime=SETTLED)
    small = {"SLICE_SECONDS": 0.0, "MAX_SHARE": 1e9}
    with (
        mock.patch.multiple(slices, **small),
        mock.patch.object(indexer, "EMBED_BATCH", 1),
        opened(directory) as memory,
    ):
        memory.index([tree])


def _without_part(directory: Path) -> None:
    build(directory, OLD)
    next(directory.glob("segments/*-lexical/chunks/lengths")).unlink()


def _repaired(directory: Path) -> None:
    repair(directory)
    _documents(directory, OLD)


def _without_catalog(directory: Path) -> None:
    build(directory, OLD)
    (directory / "catalog.sqlite").write_bytes(b"nothing")


SCENARIOS = [
    Scenario("change", lambda directory: build(directory, OLD) and None, _small, OLD, NEW),
    Scenario(
        "merge",
        _eight_segments,
        _ninth,
        EIGHT,
        {**{k: v for k, v in EIGHT.items() if k != "3.md"}, "9.md": ("pool 9",)},
    ),
    Scenario("create", lambda directory: None, _first, None, OLD),
    Scenario("slices", lambda directory: None, _sliced, None, SLICED, partial=True, every=5),
    Scenario("repair", _without_part, _repaired, None, OLD),
    Scenario("recreate", _without_catalog, _repaired, None, OLD),
]
