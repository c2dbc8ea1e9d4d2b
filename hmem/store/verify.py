"""Every invariant of a store, checked against the files and the catalog: nothing is trusted, nothing is changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hmem.errors import ArmUnavailableError, StoreAccessError, StoreDamagedError, StoreError, StoreFormatError
from hmem.preparation import postings_versions
from hmem.store import listing
from hmem.store.attributes import attribute_rows
from hmem.store.catalog import CHUNK_COLUMNS, DOCUMENT_COLUMNS, Catalog
from hmem.store.parts import check_files
from hmem.store.pin import Pin
from hmem.store.records import definition_rows
from hmem.store.rows import definitions_from, row_checksum, storable
from hmem.store.schema import LISTING, SEGMENTS
from hmem.store.segments import DENSE, LEXICAL, Segment, load_segments
from hmem.store.store import Store

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hmem.store.rows import DocumentRow

_BATCH = 500
_REPAIR = "hmem doctor --repair"


@dataclass(frozen=True, slots=True)
class Problem:
    """A broken invariant.

    `code` is one of `access format catalog document derived segment lexical dense listing`, `mends` the command that
    mends it; `subject` is the id of the document (`document`) or segment (`lexical`, `dense`) that is concerned.
    """

    code: str
    message: str
    mends: str = _REPAIR
    subject: int = 0


def problems(directory: Path) -> list[Problem]:
    """Return what is wrong with the store in `directory`. Raises `NotIndexedError` if there is none."""
    try:
        Store.open(directory)
        with closing(Pin(directory)) as pin:
            return list(_all(directory, pin.catalog))
    except StoreAccessError as error:
        return [Problem("access", error.message, error.hint or "")]
    except StoreFormatError as error:
        return [Problem("format", error.message, "hmem index --rebuild")]
    except StoreDamagedError as error:
        return [Problem("catalog", error.message)]


def _all(directory: Path, catalog: Catalog) -> Iterator[Problem]:
    broken = list(_database(directory, catalog))
    yield from broken
    if broken:
        return  # what else it says cannot be relied on
    documents = list(_documents(catalog))
    yield from documents
    if not documents:
        yield from _derived(catalog)
    try:
        segments = load_segments(catalog)
    except StoreDamagedError as error:
        yield Problem("segment", error.message)
    else:
        if not documents:
            yield from _coverage(catalog, segments)
        yield from _parts(directory / SEGMENTS, segments)
    yield from _listing(directory, catalog)


def _database(directory: Path, catalog: Catalog) -> Iterator[Problem]:
    for (text,) in catalog.rows("PRAGMA integrity_check(10)"):
        if text != "ok":
            yield Problem("catalog", f"the catalog is damaged: {text}")
    for table, *_ in catalog.rows("PRAGMA foreign_key_check"):
        yield Problem("catalog", f"a row of `{table}` belongs to nothing")
    try:
        catalog.collections()
        int(catalog.meta("generation"))
    except (StoreError, ValueError) as error:
        yield Problem("catalog", str(error))
    if listing.is_foreign(directory, catalog):
        yield Problem("catalog", f"the catalog is another store's: `{catalog.path}`")


def _documents(catalog: Catalog) -> Iterator[Problem]:
    """Yield one problem for each document that has a damaged row."""
    damaged: dict[int, str] = {}
    for checksum, *values in _scan(catalog, "documents", DOCUMENT_COLUMNS.partition("checksum")[2]):
        if row_checksum(values) != checksum:
            damaged[values[0]] = f"document {values[0]} does not match its checksum"
    for checksum, *values in _scan(catalog, "chunks", CHUNK_COLUMNS.partition("checksum")[2]):
        if row_checksum(values) != checksum:
            damaged.setdefault(values[1], f"chunk {values[0]} does not match its checksum")
    for document, message in damaged.items():
        yield Problem("document", message, f"{_REPAIR}, then hmem index", document)


def _scan(catalog: Catalog, table: str, columns: str) -> Iterator[tuple[Any, ...]]:
    last = -1
    while rows := catalog.rows(
        f"SELECT id, checksum{columns} FROM {table} WHERE id > ? ORDER BY id LIMIT {_BATCH}", (last,)
    ):
        last = rows[-1][0]
        yield from (row[1:] for row in rows)


def _derived(catalog: Catalog) -> Iterator[Problem]:
    """Yield a problem for each table of derived rows that differs from what it derives from."""
    ids = [row[0] for row in catalog.rows("SELECT id FROM documents ORDER BY id")]
    wrong: set[str] = set()
    for begin in range(0, len(ids), _BATCH):
        batch = ids[begin : begin + _BATCH]
        rows = catalog.documents(batch).values()
        if _stored(catalog, "attributes", "key, document, ordinal, type, text, number", batch) != _attributes(rows):
            wrong.add("attributes")
        if _stored(catalog, "links", "document, ordinal, target", batch) != _links(rows):
            wrong.add("links")
        if _stored_definitions(catalog, batch) != _definitions(catalog, batch):
            wrong.add("definitions")
    count = catalog.rows("SELECT count(*) FROM definitions WHERE chunk NOT IN (SELECT id FROM chunks)")[0][0]
    for table in sorted(wrong | ({"definitions"} if count else set())):
        yield Problem("derived", f"the {table} differ from the documents")


def _stored(catalog: Catalog, table: str, columns: str, documents: Sequence[int]) -> set[tuple[Any, ...]]:
    return set(catalog.rows_of(f"SELECT {columns} FROM {table} WHERE document IN ({{}})", documents))


def _attributes(rows: Iterable[DocumentRow]) -> set[tuple[Any, ...]]:
    return {astuple(found) for row in rows for found in attribute_rows(row.id, row.metadata, row.tags)}


def _links(rows: Iterable[DocumentRow]) -> set[tuple[Any, ...]]:
    return {(row.id, number, storable(target)) for row in rows for number, target in enumerate(row.links)}


def _stored_definitions(catalog: Catalog, documents: Sequence[int]) -> set[tuple[Any, ...]]:
    sql = """SELECT d.name_key, d.chunk, d.ordinal, d.name, d.kind, d.line
             FROM definitions d JOIN chunks c ON c.id = d.chunk WHERE c.document IN ({})"""
    return set(catalog.rows_of(sql, documents))


def _definitions(catalog: Catalog, documents: Sequence[int]) -> set[tuple[Any, ...]]:
    rows = catalog.rows_of("SELECT id, definitions FROM chunks WHERE document IN ({})", documents)
    return {found for chunk, text in rows for found in definition_rows(chunk, definitions_from(text))}


def _coverage(catalog: Catalog, segments: Sequence[Segment]) -> Iterator[Problem]:
    """Every chunk lives in exactly one segment, below its document, and has a vector where the catalog says so."""
    covered = np.concatenate([np.empty((0, 3), np.int64), *map(_covered, segments)])
    rows = _scan(catalog, "chunks", ", id, document, coalesce(length(embed_key), 0) > 0")
    stored = np.fromiter((row[1:] for row in rows), np.dtype((np.int64, 3)))
    for segment in segments:
        if segment.dead_documents[segment.chunk_documents[~segment.dead_chunks]].any():
            yield Problem("segment", f"segment {segment.id} has living chunks of dead documents")
    if len(covered) != len(stored):
        yield Problem("segment", f"the segments cover {len(covered)} chunks, not the {len(stored)} of the catalog")
    elif not np.array_equal(covered, stored):
        yield Problem("segment", "the segments cover other chunks than the catalog has, or in another order")


def _covered(segment: Segment) -> NDArray[np.int64]:
    """Return key, document and whether it has a vector of every living chunk, shape (n, 3)."""
    dense = segment.parts.get(DENSE)
    embedded = dense.covered if dense else np.zeros(len(segment.chunk_keys), np.bool_)
    documents = segment.document_keys[segment.chunk_documents]
    return np.stack([segment.chunk_keys, documents, embedded.astype(np.int64)], axis=1)[~segment.dead_chunks]


def _parts(root: Path, segments: Sequence[Segment]) -> Iterator[Problem]:
    models = {str(segment.parts[DENSE].versions) for segment in segments if DENSE in segment.parts}
    if len(models) > 1:
        yield Problem("dense", "the vectors come from several models", "hmem index --rebuild")
    for segment in segments:
        if LEXICAL not in segment.parts:
            yield Problem("lexical", f"segment {segment.id} has no postings", subject=segment.id)
        elif segment.parts[LEXICAL].versions != postings_versions():
            yield Problem("lexical", "the postings were made by another text analysis", subject=segment.id)
        for part in segment.parts.values():
            try:
                check_files(root, part, deep=True)
            except ArmUnavailableError as error:
                yield Problem(part.arm, error.message, subject=segment.id)


def _listing(directory: Path, catalog: Catalog) -> Iterator[Problem]:
    path = directory / LISTING
    collections = catalog.collections()
    try:
        if path.read_bytes() != listing.render(catalog.meta("store_id"), collections):
            yield Problem("listing", f"the list of collections is not that of the catalog: `{path}`")
    except OSError as error:
        if collections or path.exists():
            yield Problem("listing", f"the list of collections cannot be read ({error.strerror}): `{path}`")
