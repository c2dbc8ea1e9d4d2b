"""Many searches with the store opened once, each over the newest generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from hmem.search.engine import Searcher
from hmem.search.recipe import DEFAULT_RECIPE

if TYPE_CHECKING:
    from hmem.search.arms import EncoderSource
    from hmem.search.query import SearchOptions
    from hmem.search.recipe import Recipe
    from hmem.search.results import SearchResult
    from hmem.store import Snapshot, Store


class FollowingSearcher:
    """Searches like `Searcher`; once a writer has committed, the next search sees it. A context manager."""

    def __init__(self, store: Store, encoder: EncoderSource = None, recipe: Recipe = DEFAULT_RECIPE) -> None:
        self._store = store
        self._encoder = encoder
        self._recipe = recipe
        self._latest = store.latest()
        self._snapshot: Snapshot | None = None
        self._searcher: Searcher | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._latest.close()
        if self._snapshot is not None:
            self._snapshot.close()

    def search(self, options: SearchOptions) -> SearchResult:
        """Return the ranked hits for `options` from the store as it is now. Raises as `Searcher.search` does."""
        return self._current().search(options)

    def _current(self) -> Searcher:
        before = self._snapshot
        if self._searcher is not None and before is not None and self._latest.generation in (None, before.generation):
            return self._searcher
        snapshot = self._store.snapshot()
        self._snapshot, self._searcher = snapshot, Searcher(snapshot, self._encoder, recipe=self._recipe)
        if before is not None:
            before.close()
        return self._searcher
