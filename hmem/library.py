"""The facade: one object per store, and the only place where the parts are wired together.

with KnowledgeBase.open(create=True) as memory:
    memory.index("notes")
    for hit in memory.search("connection pool exhausted", top_k=3).hits:
        print(hit.path, hit.start_line, hit.score)
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from hmem import config
from hmem.errors import ArmUnavailableError, ModelError, NotIndexedError, StoreDamagedError, StoreFormatError
from hmem.paths import store_dir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType

    from hmem.config import Settings
    from hmem.doctor import Checkup
    from hmem.embed import Encoder
    from hmem.freshness import Freshness
    from hmem.indexer import IndexOptions, ProgressCallback
    from hmem.keys import KeySummary
    from hmem.notes.files import Note
    from hmem.passages import Passage
    from hmem.report import IndexReport
    from hmem.search.query import SearchOptions
    from hmem.search.recipe import Recipe
    from hmem.search.results import SearchResult
    from hmem.search.session import FollowingSearcher
    from hmem.status import Status
    from hmem.store import Snapshot, Store
    from hmem.store.rows import Collection, DocumentRow
    from hmem.types import Json


class KnowledgeBase:
    """An open store, usable from several threads at once; a context manager.

    Each call sees one generation, and what it returns is a value that needs the store no more; its `to_json` is what
    the command of the same name prints. Nothing is held between calls but the embedding model. Installs no signal
    handlers; `index` starts worker processes for large amounts alone, which do not import the caller's main module.
    """

    def __init__(self, store: Store, settings: Settings) -> None:
        """Wrap an open store; use `open`, which finds it."""
        self._store = store
        self.settings = settings
        self._encoder: Encoder | None = None
        self._loading = threading.Lock()

    @classmethod
    def open(
        cls,
        store: str | Path | None = None,
        *,
        create: bool = False,
        rebuild: bool = False,
        settings: Settings | None = None,
    ) -> Self:
        """Open the store called `store`: a name, or a directory if it is a Path or has a separator.

        None is `$HMEM_STORE`, else the store `default`. With `rebuild` a store of another format, or without its
        catalog, starts anew with the same collections. Raises NotIndexedError if it does not exist and `create` is not
        set, StoreError if it cannot be used.
        """
        from hmem.store import Store

        directory = store.expanduser().absolute() if isinstance(store, Path) else store_dir(store)
        if not create and not (directory / "catalog.sqlite").exists() and not (directory / "collections.json").exists():
            raise NotIndexedError(f"there is no store yet: `{directory}`", hint="`hmem index PATH` makes it")
        try:
            opened = Store.open(directory, create=create)
        except (StoreFormatError, StoreDamagedError):
            if not rebuild:
                raise
            opened = Store.recreate(directory)
        return cls(opened, settings or config.load())

    @property
    def directory(self) -> Path:
        """The store's directory."""
        return self._store.path

    def close(self) -> None:
        """Let go of the model; between calls nothing else is held. Snapshots are closed by whoever pinned them."""
        self._encoder = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def encoder(self) -> Encoder:
        """Return the configured embedding model, loaded once. Raises ModelError."""
        with self._loading:
            if self._encoder is None:
                from hmem.embed import load_encoder

                self._encoder = load_encoder(self.settings["model"])
            return self._encoder

    @property
    def has_bm25(self) -> bool:
        """Whether a search can use words: False where the lexical index is damaged or of another version."""
        with self.snapshot() as snapshot:
            return _answers(lambda: snapshot.lexical("chunks"))

    @property
    def has_dense(self) -> bool:
        """Whether a search can use meaning: False without vectors, and where they come from another model."""
        with self.snapshot() as snapshot:
            return _answers(lambda: snapshot.dense(self.encoder().fingerprint)) and bool(snapshot.embedded().any())

    @property
    def recipe(self) -> Recipe:
        """What weighs in the ranking: `[ranking]` of the configuration."""
        from hmem.search.recipe import Recipe

        return Recipe(**self.settings.section("ranking"))

    def reload_settings(self) -> None:
        """Read the configuration again; the model is loaded anew if another one is named. Raises ConfigError."""
        before, self.settings = self.settings["model"], config.load()
        if self.settings["model"] != before:
            self._encoder = None

    # -- writing

    def index(
        self,
        paths: str | Path | Sequence[str | Path] = (),
        options: IndexOptions | None = None,
        *,
        progress: ProgressCallback | None = None,
    ) -> IndexReport:
        """Register each of `paths` that is new and bring it up to date with the disk; all collections without any.

        A long run is committed in slices: what one that is interrupted did so far is kept. A dry run neither waits
        for a writer nor changes anything. Raises UsageError for a path that cannot be a collection, StoreLockedError
        if another process writes for longer than the lock's timeout. Files that cannot be read are in the report.
        """
        places = [Path(path) for path in ((paths,) if isinstance(paths, str | Path) else paths)]
        if options is not None and options.dry_run:
            from hmem.rehearsal import rehearse

            return rehearse(self._store, self.settings, places, options)
        from hmem.indexing import run_index

        return run_index(self._store, self.settings, self.encoder(), places, options, progress=progress)

    def remove(self, names: Sequence[str], *, lock_timeout: float | None = None) -> dict[str, int]:
        """Forget collections; return how many documents each had. Raises NotIndexedError before anything changes."""
        from hmem.registered import remove_collections

        timeout = self.settings["lock_timeout"] if lock_timeout is None else lock_timeout
        return remove_collections(self._store, names, timeout)

    def remember(
        self,
        text: str,
        *,
        title: str | None = None,
        metadata: Mapping[str, Json] | None = None,
        tags: Sequence[str] = (),
        supersedes: Sequence[str] = (),
        lock_timeout: float | None = None,
    ) -> Note:
        """Write `text` as a markdown note into the collection of notes and index it; return its id and path.

        `supersedes` names what it replaces as `get` does. Raises UsageError for a text or metadata that cannot be a
        note, NotIndexedError, NoteError if the disk refuses. A note whose `unindexed` is set was written all the same.
        """
        from hmem.notes.files import Draft
        from hmem.notes.remember import remember

        draft = Draft(text, title, metadata or {}, tags, supersedes)
        return remember(self, self._store, draft, lock_timeout=lock_timeout)

    def forget(self, reference: str, *, lock_timeout: float | None = None) -> Note:
        """Mark a note that hmem wrote as retracted. Raises NotIndexedError, NoteError for any other file."""
        from hmem.notes.remember import forget

        return forget(self, reference, lock_timeout=lock_timeout)

    # -- reading

    def snapshot(self) -> Snapshot:
        """Pin the current generation; close the snapshot, or use it as a context manager."""
        return self._store.snapshot()

    def freshen(self, refresh: bool | None = None) -> Freshness:
        """Bring the store up to date before a search: if `refresh` is set, or if None and it is cheap."""
        from hmem.freshness import freshen

        return freshen(self, refresh)

    def search(self, query: str | SearchOptions, **options: Any) -> SearchResult:
        """Return the ranked hits for `query` from the store as it is: `freshen` it first if files may have changed.

        `options` are fields of SearchOptions (`top_k=5`, `where="service=billing"`, `kinds=["note", "wiki"]`). Beside
        them hold `[search] where` and `[ranking]` of the configuration; of a query that is a SearchOptions only the
        latter. Raises UsageError.
        """
        wanted = self._options(query, options)
        with self.session() as search:
            return search(wanted)

    async def asearch(self, query: str | SearchOptions, **options: Any) -> SearchResult:
        """Search in a thread of its own, so that the event loop goes on; as `search`."""
        import asyncio

        return await asyncio.to_thread(self.search, query, **options)

    def following(self) -> FollowingSearcher:
        """Return what answers many searches, from several threads, each over the newest generation.

        Store and model are opened once for all of them, which makes each several times as fast as `search`. Close it
        by using it as a context manager.
        """
        from hmem.search.session import FollowingSearcher

        return FollowingSearcher(self._store, self.encoder, self.recipe)

    @contextmanager
    def session(self) -> Iterator[Callable[[SearchOptions], SearchResult]]:
        """Yield a search function over one generation, with store and model opened once."""
        from hmem.search.engine import Searcher

        with self.snapshot() as snapshot:
            yield Searcher(snapshot, self.encoder, recipe=self.recipe).search

    def related(self, reference: str, options: SearchOptions | None = None, **more: Any) -> SearchResult:
        """Return the chunks nearest to the chunk or document that `ID` or `PATH[:LINE]` names, without itself.

        The query of `options` is not used; `more` are fields of SearchOptions, as in `search`. Raises NotIndexedError,
        UsageError.
        """
        wanted = self._options("" if options is None else options, more)
        with self.following() as searcher:
            return searcher.related(reference, wanted)

    def _options(self, query: str | SearchOptions, fields: Mapping[str, Any]) -> SearchOptions:
        from hmem.search.fields import with_fields
        from hmem.search.query import SearchOptions

        if isinstance(query, SearchOptions):
            return with_fields(query, fields)
        return with_fields(SearchOptions(query, default_where=tuple(self.settings["search.where"])), fields)

    def get(self, reference: str) -> Passage:
        """Return the chunk or document that `ID` or `PATH[:LINE]` names. Raises NotIndexedError, UsageError."""
        from hmem.passages import read_passage

        with self.snapshot() as snapshot:
            return read_passage(snapshot.catalog, reference)

    def verify(self) -> Checkup:
        """Return what is wrong with the store and its model, every invariant checked; it may take a while."""
        from hmem.doctor import check

        return check(f"{self.directory}/")

    def status(self) -> Status:
        """Return what is indexed and how fresh it is."""
        from hmem.status import read_status

        with self.snapshot() as snapshot:
            return read_status(self._store.path, snapshot, self.settings)

    def collections(self) -> list[Collection]:
        """Return all collections by name."""
        with self.snapshot() as snapshot:
            return snapshot.catalog.collections()

    def keys(self) -> list[KeySummary]:
        """Return the metadata keys that documents have, by name."""
        from hmem.keys import metadata_keys

        with self.snapshot() as snapshot:
            return metadata_keys(snapshot.catalog)

    def documents(self, names: Sequence[str] = ()) -> list[tuple[Collection, DocumentRow]]:
        """Return the documents of the named collections (of all without names), by collection and path."""
        from hmem.registered import documents_of

        with self.snapshot() as snapshot:
            return documents_of(snapshot.catalog, names)


def _answers(open_index: Callable[[], object]) -> bool:
    try:
        open_index()
    except (ArmUnavailableError, ModelError):
        return False
    return True
