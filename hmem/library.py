"""The facade: one object per store, and the only place where the parts are wired together.

with KnowledgeBase.open(create=True) as memory:
    memory.index([Path("notes")])
    for hit in memory.search("connection pool exhausted").hits:
        print(hit.path, hit.start_line, hit.score)
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Self

from hmem import config
from hmem.errors import NotIndexedError, StoreDamagedError, StoreFormatError
from hmem.paths import store_dir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

    from hmem.config import Settings
    from hmem.embed import Encoder
    from hmem.freshness import Freshness
    from hmem.indexer import IndexOptions, ProgressCallback
    from hmem.keys import KeySummary
    from hmem.notes import Note
    from hmem.references import Reference
    from hmem.report import IndexReport
    from hmem.search.query import SearchOptions
    from hmem.search.recipe import Recipe
    from hmem.search.results import SearchResult
    from hmem.status import Status
    from hmem.store import Snapshot, Store
    from hmem.store.rows import Collection, DocumentRow
    from hmem.types import Json


@dataclass(frozen=True, slots=True)
class Passage:
    """The text of a document, or of one chunk of it, as indexed. `path` is absolute; lines are 1-based, inclusive."""

    path: str
    collection: str
    source: str
    start_line: int
    end_line: int
    text: str
    chunk_id: str | None


class KnowledgeBase:
    """An open store. Each call sees one generation; close it, or use it as a context manager."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self._store = store
        self.settings = settings
        self._encoder: Encoder | None = None

    @classmethod
    def open(
        cls,
        store: str | Path | None = None,
        *,
        create: bool = False,
        rebuild: bool = False,
        settings: Settings | None = None,
    ) -> Self:
        """Open the store called `store` (a name, or a directory if it has a separator).

        With `rebuild` a store of another format, or without its catalog, starts anew with the same collections.
        Raises NotIndexedError if it does not exist and `create` is not set, StoreError if it cannot be used.
        """
        from hmem.store import Store

        directory = store_dir(None if store is None else str(store))
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
        if self._encoder is None:
            from hmem.embed import load_encoder

            self._encoder = load_encoder(self.settings["model"])
        return self._encoder

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
        paths: Sequence[Path] = (),
        options: IndexOptions | None = None,
        *,
        progress: ProgressCallback | None = None,
    ) -> IndexReport:
        """Register each of `paths` that is new and bring it up to date with the disk; all collections without any.

        A long run is committed in slices: what one that is interrupted did so far is kept. A dry run neither waits
        for a writer nor changes anything. Raises UsageError for a path that cannot be a collection, StoreLockedError
        if another process writes for longer than the lock's timeout. Files that cannot be read are in the report.
        """
        if options is not None and options.dry_run:
            from hmem.rehearsal import rehearse

            return rehearse(self._store, self.settings, paths, options)
        from hmem.indexing import run_index

        return run_index(self._store, self.settings, self.encoder(), paths, options, progress=progress)

    def remove(self, names: Sequence[str], *, lock_timeout: float | None = None) -> dict[str, int]:
        """Forget collections; return how many documents each had. Raises NotIndexedError before anything changes."""
        timeout = self.settings["lock_timeout"] if lock_timeout is None else lock_timeout
        with self._store.writer(timeout) as writer:
            known = {collection.name: collection for collection in writer.catalog.collections()}
            for name in names:
                if name not in known:
                    raise _no_collection(name, known)
            counts = writer.catalog.counts()
            removed = {name: counts.get(known[name].id, (0, 0, 0))[0] for name in names}
            for name in removed:
                writer.remove_collection(known[name].id)
            writer.commit()
        return removed

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
        from hmem.notes import Draft, remember

        draft = Draft(text, title, metadata or {}, tags, supersedes)
        return remember(self, draft, lock_timeout=lock_timeout)

    def forget(self, reference: str, *, lock_timeout: float | None = None) -> Note:
        """Mark a note that hmem wrote as retracted. Raises NotIndexedError, NoteError for any other file."""
        from hmem.notes import forget

        return forget(self, reference, lock_timeout=lock_timeout)

    # -- reading

    def snapshot(self) -> Snapshot:
        """Pin the current generation; close the snapshot, or use it as a context manager."""
        return self._store.snapshot()

    def freshen(self, refresh: bool | None = None) -> Freshness:
        """Bring the store up to date before a search: if `refresh` is set, or if None and it is cheap."""
        from hmem.freshness import freshen

        return freshen(self, refresh)

    def search(self, options: SearchOptions | str) -> SearchResult:
        """Return the ranked hits for `options`, or for a query with the default options, from the store as it is."""
        from hmem.search.query import SearchOptions

        wanted = SearchOptions(query=options) if isinstance(options, str) else options
        with self.session() as search:
            return search(wanted)

    @contextmanager
    def session(self, *, follow: bool = False) -> Iterator[Callable[[SearchOptions], SearchResult]]:
        """Yield a search function, with store and model opened once: over one generation, or with `follow` the newest.

        With `follow` a search sees what was committed before it began.
        """
        from hmem.search.engine import Searcher
        from hmem.search.session import FollowingSearcher

        if follow:
            with FollowingSearcher(self._store, self.encoder, self.recipe) as searcher:
                yield searcher.search
            return
        with self.snapshot() as snapshot:
            yield Searcher(snapshot, self.encoder, recipe=self.recipe).search

    def related(self, reference: str, options: SearchOptions | None = None) -> SearchResult:
        """Return the chunks nearest to the chunk or document that `ID` or `PATH[:LINE]` names, without itself.

        The query of `options` is not used. Raises NotIndexedError, UsageError.
        """
        from hmem.references import resolve_reference
        from hmem.search.query import SearchOptions
        from hmem.search.related import search_related

        wanted = options or SearchOptions("")
        with self.snapshot() as snapshot:
            found = resolve_reference(snapshot.catalog, reference)
            chunks = [found.chunk] if found.chunk else snapshot.catalog.chunks_of(found.document.id)

            def without(query: str, keys: tuple[int, ...]) -> SearchOptions:
                return replace(wanted, query=query, without=keys)

            return search_related(snapshot, chunks, without, self.recipe)

    def get(self, reference: str) -> Passage:
        """Return the chunk or document that `ID` or `PATH[:LINE]` names. Raises NotIndexedError, UsageError."""
        from hmem.references import resolve_reference

        with self.snapshot() as snapshot:
            found = resolve_reference(snapshot.catalog, reference)
            if found.chunk:
                chunk = found.chunk
                return _passage(found, chunk.text, chunk.start_line, chunk.end_line, chunk.chunk_id)
            return _passage(found, snapshot.catalog.text(found.document.id), 1, found.document.n_lines, None)

    def status(self) -> Status:
        """Return what is indexed and how fresh it is."""
        from hmem.status import read_status

        with self.snapshot() as snapshot:
            return read_status(self._store.path, snapshot)

    def collections(self) -> list[Collection]:
        """Return all collections by name."""
        with self.snapshot() as snapshot:
            return snapshot.catalog.collections()

    def keys(self) -> list[KeySummary]:
        """Return the metadata keys that documents have, by name."""
        from hmem.keys import summarise

        with self.snapshot() as snapshot:
            stored = snapshot.catalog.attribute_keys()
            # A document's tags are those of its front matter and of its text.
            names = [key for key in stored if key != "meta.tags" or "tags" not in stored]
            found = [summarise(key, snapshot.catalog.attributes(key)) for key in names]
        return sorted(found, key=lambda summary: summary.key)

    def documents(self, names: Sequence[str] = ()) -> list[tuple[Collection, DocumentRow]]:
        """Return the documents of the named collections (of all without names), by collection and path."""
        with self.snapshot() as snapshot:
            collections = {collection.id: collection for collection in snapshot.catalog.collections()}
            known = {collection.name for collection in collections.values()}
            for name in names:
                if name not in known:
                    raise _no_collection(name, known)
            rows = [(collections[row.collection], row) for row in snapshot.catalog.documents().values()]
        chosen = [(owner, row) for owner, row in rows if not names or owner.name in names]
        return sorted(chosen, key=lambda pair: (pair[0].name, pair[1].path))


def _passage(found: Reference, text: str, start: int, end: int, chunk_id: str | None) -> Passage:
    return Passage(found.path, found.collection.name, found.document.path, start, end, text, chunk_id)


def _no_collection(name: str, known: Iterable[str]) -> NotIndexedError:
    near = next(iter(get_close_matches(name, list(known), n=1)), None)
    hint = f"did you mean `{near}`?" if near else "`hmem ls` shows the collections"
    return NotIndexedError(f"no collection is named `{name}`", hint=hint)
