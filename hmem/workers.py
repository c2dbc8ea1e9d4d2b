"""Reads and prepares files, in this process or in several; results come in the order of the files either way."""

from __future__ import annotations

import os
import signal
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_all_start_methods, get_context
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from hmem.discover import load
from hmem.prepare import PreparedDocument, content_hash, prepare
from hmem.types import FileState, Skipped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from concurrent.futures import Future

BATCH_FILES = 64
BATCH_BYTES = 1 << 20
PARALLEL_FROM_BYTES = 8 << 20
"""Below this many bytes starting the workers (about 0.3 s each) costs more than they save."""

MAX_JOBS = 4


@dataclass(frozen=True, slots=True)
class Task:
    """A file to look at. `known_hash` is the content hash it had when it was indexed, None to prepare it anyway.

    `limit` in bytes; with `secrets` private keys are indexed too.
    """

    state: FileState
    limit: int
    known_hash: str | None = None
    secrets: bool = False


@dataclass(frozen=True, slots=True)
class Touched:
    """The file has another stat but the content that is indexed."""

    state: FileState


@dataclass(frozen=True, slots=True)
class Ready:
    """The file is prepared."""

    state: FileState
    prepared: PreparedDocument


@dataclass(frozen=True, slots=True)
class Unreadable:
    """The file could not be read; what is indexed of it stays."""

    state: FileState
    reason: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The file turned out not to be for indexing; what is indexed of it goes."""

    state: FileState
    skipped: Skipped


Outcome: TypeAlias = Touched | Ready | Unreadable | Refused


def default_jobs() -> int:
    """Return one worker per usable core, at most `MAX_JOBS`."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, MAX_JOBS)


def look(root: Path, collection: str, task: Task) -> Outcome:
    """Read one file and return what to do with it."""
    state = task.state
    try:
        data = load(root, state, task.limit, secrets=task.secrets)
    except FileNotFoundError:
        return Unreadable(state, "vanished while it was indexed")
    except OSError as error:
        return Unreadable(state, (error.strerror or str(error)).lower())
    if isinstance(data, Skipped):
        return Refused(state, data)
    if task.known_hash is not None and task.known_hash == content_hash(data):
        return Touched(state)
    return Ready(state, prepare(collection, state.path, data, root=str(root)))


def look_at_all(root: Path, collection: str, tasks: Sequence[Task], *, jobs: int) -> Iterator[Outcome]:
    """Yield one outcome per task, in order, holding at most a few batches in memory."""
    total = sum(task.state.size for task in tasks)
    if jobs < 2 or total < PARALLEL_FROM_BYTES:
        for task in tasks:
            yield look(root, collection, task)
        return
    batches = _batches(tasks)
    with _pool(jobs) as pool:
        pending: deque[Future[list[Outcome]]] = deque()
        for batch in islice(batches, jobs * 3):
            pending.append(pool.submit(_look_at_batch, root, collection, batch))
        while pending:
            outcomes = pending.popleft().result()
            for batch in islice(batches, 1):
                pending.append(pool.submit(_look_at_batch, root, collection, batch))
            yield from outcomes


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    # A forked child would inherit the locks of this process' threads; the fork server starts clean.
    method = "forkserver" if "forkserver" in get_all_start_methods() else "spawn"
    pool = ProcessPoolExecutor(jobs, mp_context=get_context(method), initializer=_leave_interrupts_to_parent)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _leave_interrupts_to_parent() -> None:
    """Ctrl-C reaches the whole process group; a worker must not answer it with a traceback of its own."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _look_at_batch(root: Path, collection: str, batch: Sequence[Task]) -> list[Outcome]:
    return [look(root, collection, task) for task in batch]


def _batches(tasks: Sequence[Task]) -> Iterator[list[Task]]:
    batch: list[Task] = []
    size = 0
    for task in tasks:
        if batch and (len(batch) >= BATCH_FILES or size + task.state.size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(task)
        size += task.state.size
    if batch:
        yield batch
