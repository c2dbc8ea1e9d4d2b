"""Many searches with the store opened once, each over the newest generation."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from hmem.search.engine import Searcher
from hmem.search.recipe import DEFAULT_RECIPE
from hmem.search.related import search_related

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hmem.search.arms import EncoderSource
    from hmem.search.query import SearchOptions
    from hmem.search.recipe import Recipe
    from hmem.search.results import SearchResult
    from hmem.store import Snapshot, Store


@dataclass(slots=True, eq=False)
class _Pinned:
    """An open generation, and how many calls use it right now."""

    snapshot: Snapshot
    searcher: Searcher
    users: int = 0


class FollowingSearcher:
    """Searches like `Searcher`; once a writer has committed, the next search sees it.

    A context manager. Safe to share between threads. Between calls it pins the generation that it used last, which
    keeps files on the disk that a writer would remove: `release` it where calls may stay away for long.
    """

    def __init__(self, store: Store, encoder: EncoderSource = None, recipe: Recipe = DEFAULT_RECIPE) -> None:
        self._store = store
        self._encoder = encoder
        self._recipe = recipe
        self._latest = store.latest()
        self._mutex = threading.Lock()
        self._pinned: _Pinned | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the store for good."""
        self.release()
        self._latest.close()

    def search(self, options: SearchOptions) -> SearchResult:
        """Return the ranked hits for `options` from the store as it is now. Raises as `Searcher.search` does."""
        with self._newest() as pinned:
            return pinned.searcher.search(options)

    def related(self, reference: str, options: SearchOptions) -> SearchResult:
        """Return what is nearest to what `reference` names, without itself; the query of `options` is not used.

        Raises NotIndexedError, UsageError.
        """
        with self._newest() as pinned:
            return search_related(pinned.searcher, reference, options)

    def release(self) -> None:
        """Let go of the generation until the next call; calls that are under way end with it."""
        with self._mutex:
            self._replace(None)

    @contextmanager
    def _newest(self) -> Iterator[_Pinned]:
        with self._mutex:
            pinned = self._current()
            pinned.users += 1
        try:
            yield pinned
        finally:
            with self._mutex:
                pinned.users -= 1
                if pinned is not self._pinned and not pinned.users:
                    pinned.snapshot.close()

    def _current(self) -> _Pinned:
        pinned = self._pinned
        if pinned is not None and self._latest.generation in (None, pinned.snapshot.generation):
            return pinned
        snapshot = self._store.snapshot()
        fresh = _Pinned(snapshot, Searcher(snapshot, self._encoder, recipe=self._recipe))
        self._replace(fresh)
        return fresh

    def _replace(self, fresh: _Pinned | None) -> None:
        before, self._pinned = self._pinned, fresh
        if before is not None and not before.users:
            before.snapshot.close()
