"""Reads and prepares files, in this process or in several; results come in the order of the files either way."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections import deque
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from hmem.discover import Reason, load
from hmem.prepare import PreparedDocument, content_hash, prepare
from hmem.tasks import Task
from hmem.types import FileState, Skipped

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from concurrent.futures import Future
    from multiprocessing.synchronize import Event


BATCH_FILES = 64
BATCH_BYTES = 1 << 20
PARALLEL_FROM_BYTES = 8 << 20
"""Below this many bytes starting the workers (about 0.3 s each) costs more than they save."""

MAX_JOBS = 4

_starting = threading.Lock()  # of threads that index into several stores, one starts workers at a time
_stop: Event | None = None  # in a worker: set when the run that it works for is over


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
    skipped: Skipped


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
    found = read(root, task)
    if not isinstance(found, bytes):
        return found
    return Ready(task.state, prepare(collection, task.state.path, found, root=str(root)))


def read(root: Path, task: Task) -> bytes | Touched | Unreadable | Refused:
    """Return the bytes of a file that has to be indexed, or why it has not."""
    state = task.state
    try:
        data = load(root, state, task.limit, secrets=task.secrets)
    except FileNotFoundError:
        return _unreadable(state, "vanished while it was indexed")
    except OSError as error:
        return _unreadable(state, (error.strerror or str(error)).lower())
    if isinstance(data, Skipped):
        return Refused(state, data)
    if task.known_hash is not None and task.known_hash == content_hash(data):
        return Touched(state)
    return data


def _unreadable(state: FileState, why: str) -> Unreadable:
    return Unreadable(state, Skipped(state.path, Reason.UNREADABLE, why))


def look_at_all(
    root: Path, collection: str, tasks: Sequence[Task], *, jobs: int, known: Mapping[Task, Outcome] | None = None
) -> Generator[Outcome, None, None]:
    """Yield one outcome per task, in order, holding at most a few batches in memory; `known` are there already."""
    total = sum(task.state.size for task in tasks)
    if known or jobs < 2 or total < PARALLEL_FROM_BYTES:
        for task in tasks:
            yield (known or {}).get(task) or look(root, collection, task)
        return
    done = 0
    try:
        for outcome in _look_in_pool(root, collection, tasks, jobs):
            done += 1
            yield outcome
    except (BrokenProcessPool, OSError, ImportError):
        # A worker was killed, or cannot start: no semaphores, or a script without a `__main__` guard. Outcomes come
        # in the order of the tasks, so the rest is done here.
        for task in tasks[done:]:
            yield look(root, collection, task)


def _look_in_pool(root: Path, collection: str, tasks: Sequence[Task], jobs: int) -> Generator[Outcome, None, None]:
    batches = _batches(tasks)
    with _pool(jobs) as pool:
        pending: deque[Future[list[Outcome]]] = deque()
        for batch in islice(batches, jobs * 3):
            pending.append(_submit(pool, root, collection, batch))
        while pending:
            outcomes = pending.popleft().result()
            for batch in islice(batches, 1):
                pending.append(_submit(pool, root, collection, batch))
            yield from outcomes


@contextmanager
def _pool(jobs: int) -> Iterator[ProcessPoolExecutor]:
    # A forked child would inherit the locks of this process' threads, and a fork server would be that of the whole
    # program, whose own workers must not inherit what is blocked here.
    context = get_context("spawn")
    stop = context.Event()
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_start_worker, initargs=(stop,))
    try:
        yield pool
    except BaseException:
        stop.set()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _submit(pool: ProcessPoolExecutor, root: Path, collection: str, batch: Sequence[Task]) -> Future[list[Outcome]]:
    """Hand a batch over, which may start a worker: one that the pool knows, and that Ctrl-C does not reach.

    Ctrl-C goes to the whole process group. Workers inherit the blocked signal, so that it cannot end them with a
    traceback before they can ignore it.
    """
    with _uninterrupted(), _nameless_main():
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return pool.submit(_look_at_batch, root, collection, batch)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _nameless_main() -> Iterator[None]:
    """Start workers that do not import the main module: a script that indexes without a guard would run again.

    They look for its name and its file. It stays in place, whatever other threads do with it meanwhile.
    """
    with _starting:
        main = vars(sys.modules["__main__"])
        hidden: dict[str, Any] = {name: main[name] for name in ("__spec__", "__file__") if name in main}
        main.pop("__file__", None)
        main["__spec__"] = None
        try:
            yield
        finally:
            main.update(hidden)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Put off what SIGINT and SIGTERM do until the end of the block; blocking them is not enough.

    Another thread may receive them, and then it is still this one that is interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    ours = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in ours:
        signal.signal(number, lambda signum, _: received.append(signum))
    try:
        yield
    finally:
        for number, handler in ours.items():
            signal.signal(number, handler)
        for signum in received[:1]:
            signal.raise_signal(signum)


def _start_worker(stop: Event) -> None:
    """Make this worker give up its batch when `stop` is set, and end with its parent, however that ends."""
    global _stop
    _stop = stop
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _look_at_batch(root: Path, collection: str, batch: Sequence[Task]) -> list[Outcome]:
    outcomes: list[Outcome] = []
    for task in batch:
        if _stop is not None and _stop.is_set():
            break  # nobody waits for the rest
        outcomes.append(look(root, collection, task))
    return outcomes


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
