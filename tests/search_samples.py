"""A real store from texts, built with the real parts, without a disk to walk."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hmem.embed import compose, load_encoder
from hmem.prepare import prepare
from hmem.represent import embed_key
from hmem.search.engine import Searcher
from hmem.search.query import SearchOptions
from hmem.search.recipe import DEFAULT_RECIPE, Recipe
from hmem.store import Store
from hmem.store.rows import Collection
from hmem.timeline import document_dates
from hmem.types import FileState

DAY = 86_400
FIRST_DAY = 1_740_787_200  # 2025-03-01 00:00 UTC: the first file's time, the next ones a day later each


@cache
def encoder():
    return load_encoder()


def add_files(writer, files: dict[str, str | bytes], *, collection: str = "notes", root: str = "/abs", start: int = 0):
    """Add documents in the order given; `files` maps paths to contents."""
    found = writer.catalog.collection(collection)
    number = found.id if found else writer.put_collection(Collection(collection, Path(root)))
    for place, (path, content) in enumerate(files.items(), start):
        data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
        ready = prepare(collection, path, data)
        parts = [chunk.vector_parts for chunk in ready.chunks]
        created, updated = document_dates(ready.document.metadata, ready.document)
        writer.add_document(
            number,
            FileState(path, len(data), (FIRST_DAY + place * DAY) * 10**9, place + 1),
            ready,
            False,
            vectors=list(compose(encoder(), parts)),
            embed_keys=[embed_key(part, encoder().fingerprint) for part in parts],
            created=created,
            updated=updated,
        )


def store_of(directory: Path, files: dict[str, str | bytes], **options) -> Store:
    """A store of one commit."""
    store = Store.open(directory / "store", create=True)
    with store.writer(model=encoder().fingerprint) as writer:
        add_files(writer, files, **options)
        writer.commit()
    return store


def ask(store: Store, query: str, *, recipe: Recipe = DEFAULT_RECIPE, **options):
    """Search one snapshot with the default encoder."""
    with store.snapshot() as snapshot:
        return Searcher(snapshot, encoder, directory="/", recipe=recipe).search(SearchOptions(query, **options))


def sources(result) -> list[str]:
    return [hit.source for hit in result.hits]
