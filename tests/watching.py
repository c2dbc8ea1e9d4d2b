"""A watcher in a thread, and what a store should hold: what a rebuild from the same files holds."""

from __future__ import annotations

import contextlib
import queue
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hmem.embed import load_encoder
from hmem.library import KnowledgeBase
from hmem.watch.events import WatchEvent
from hmem.watch.watcher import Watcher

ENCODER = load_encoder()
PATIENCE = 20.0
"""Seconds until a test gives up: far more than anything should take, even on a machine that is busy."""


def opened(place: Path | None = None, kind: type[KnowledgeBase] = KnowledgeBase) -> KnowledgeBase:
    memory = kind.open(place, create=True)
    memory._encoder = ENCODER  # loaded once for all tests
    return memory


def contents(memory: KnowledgeBase) -> dict[tuple[str, str], tuple[Any, ...]]:
    """Everything that is stored of every document, by collection and path."""
    with memory.snapshot() as snapshot:
        collections = {item.id: item for item in snapshot.catalog.collections()}
        assert int(snapshot.live.sum()) == sum(chunks for _, chunks, _ in snapshot.catalog.counts().values())
        return {
            (collections[row.collection].name, row.path): (
                row.metadata,
                row.title,
                tuple((chunk.chunk_id, chunk.text) for chunk in snapshot.catalog.chunks_of(row.id)),
            )
            for row in snapshot.catalog.documents().values()
        }


def rebuilt(memory: KnowledgeBase) -> dict[tuple[str, str], tuple[Any, ...]]:
    """What a new store with the same collections holds; those whose roots are missing are left out."""
    with tempfile.TemporaryDirectory() as place, opened(Path(place) / "store") as fresh:
        known = memory.collections()
        with fresh._store.writer() as writer:
            for item in known:
                writer.put_collection(type(item)(item.name, item.root, metadata=item.metadata))
            writer.commit()
        fresh.index()
        return contents(fresh)


class Watching:
    """A running watcher, the events it has told so far, and how to wait for it."""

    def __init__(self, watcher: Watcher, memory: KnowledgeBase) -> None:
        self.watcher = watcher
        self.memory = memory
        self.events: list[WatchEvent] = []
        self.arrived: queue.Queue[WatchEvent] = queue.Queue()

    def tell(self, event: WatchEvent) -> None:
        self.events.append(event)
        self.arrived.put(event)

    def until(self, done: Callable[[], bool], what: str) -> None:
        """Return as soon as `done`, which is asked after every event."""
        ended = time.monotonic() + PATIENCE
        while not done():
            if time.monotonic() > ended:
                raise AssertionError(f"never {what}; events: {self.events}")
            try:
                self.arrived.get(timeout=0.05)
            except queue.Empty:
                continue

    def event(self, kind: str, text: str = "") -> WatchEvent:
        """Return the next event of a kind whose message holds `text`."""
        ended = time.monotonic() + PATIENCE
        while True:
            try:
                found = self.arrived.get(timeout=max(0.0, ended - time.monotonic()))
            except queue.Empty:
                raise AssertionError(f"no event `{kind}` with `{text}`: {self.events}") from None
            if found.kind == kind and text in found.message:
                return found

    def nothing(self, seconds: float, *, marked: bool = False) -> None:
        """Fail if anything is told within so many seconds, or `marked` as changed unless that is expected."""
        while not self.arrived.empty():
            self.arrived.get()
        ended = time.monotonic() + seconds
        while time.monotonic() < ended:
            assert marked or self.watcher.waiting == 0
            with contextlib.suppress(queue.Empty):
                raise AssertionError(f"unexpected: {self.arrived.get(timeout=0.01)}")

    def settle(self) -> dict[tuple[str, str], tuple[Any, ...]]:
        """Wait until the store equals its rebuild; return what it holds."""
        wanted = rebuilt(self.memory)
        self.until(lambda: contents(self.memory) == wanted, "the same as its rebuild")
        return wanted

    def of_kind(self, kind: str) -> list[WatchEvent]:
        return [event for event in self.events if event.kind == kind]


@contextmanager
def watching(memory: KnowledgeBase, *paths: Path, debounce: float = 0.03, poll: bool = False):
    """Watch in a thread; a watcher that does not stop when it is told to, or fails, fails the test."""
    found: list[BaseException] = []
    running: Watching
    watcher = Watcher(memory, lambda event: running.tell(event), debounce=debounce, poll=poll)
    running = Watching(watcher, memory)

    def run() -> None:
        try:
            watcher.run(paths)
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        running.event("watching")
        yield running
    finally:
        watcher.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive()
        assert found == []
        assert running.events[-1].kind == "stopped"
