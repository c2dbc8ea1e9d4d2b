"""From what a person types or a search printed, `ID` or `PATH[:LINE]`, to a document and perhaps a chunk of it.

An ID is that of a chunk, or the `id` in a document's front matter.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hmem.errors import NotIndexedError, UsageError
from hmem.notes.ledger import place_of
from hmem.paths import absolute_path
from hmem.targets import innermost

if TYPE_CHECKING:
    from hmem.store.catalog import Catalog
    from hmem.store.rows import ChunkRow, Collection, DocumentRow

_CHUNK_ID = re.compile(r"[0-9a-f]{6,16}")
ID_KEY = "meta.id"
"""The front matter by which a document can be named: that of hmem's own notes, and of many others."""
_LINE = re.compile(r"(.+):(\d+)(?::\d+)?:?", re.DOTALL)
"""`path:line`, also with the column or the colon that grep-like output carries on."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A document and, if an id or a line was named, the chunk."""

    collection: Collection
    document: DocumentRow
    chunk: ChunkRow | None = None

    @property
    def path(self) -> str:
        """The absolute path of the file."""
        return absolute_path(self.collection.root, self.document.path)


def resolve_reference(catalog: Catalog, text: str) -> Reference:
    """Return what `text` names. A path wins over a chunk id that reads the same, and that over an `id` in front matter.

    Raises NotIndexedError if nothing has that name, UsageError if several things do.
    """
    collections = {collection.id: collection for collection in catalog.collections()}
    found = _by_path(catalog, collections, text)
    if found:
        return Reference(*found)
    if match := _LINE.fullmatch(text):
        found = _by_path(catalog, collections, match[1])
        if found:
            return Reference(*found, _chunk_at(catalog, found[1], int(match[2]), text))
    if _CHUNK_ID.fullmatch(text):
        chunks = catalog.chunks_with_id(text, 2)
        if len(chunks) > 1:
            raise UsageError(f"several chunks start with `{text}`", hint="write more of the id")
        if chunks:
            document = catalog.documents([chunks[0].document])[chunks[0].document]
            return Reference(collections[document.collection], document, chunks[0])
    if found := _by_own_id(catalog, collections, text):
        return Reference(*found)
    raise NotIndexedError(f"not indexed: `{text}`", hint="`hmem ls` lists documents, `hmem index PATH` adds some")


def _by_path(catalog: Catalog, collections: dict[int, Collection], text: str) -> tuple[Collection, DocumentRow] | None:
    """Return the document at a path of the file system, else the only one at that path inside a collection."""
    if "\0" in text:
        return None
    by_name = {collection.name: collection for collection in collections.values()}
    real = Path(os.path.realpath(Path(text).expanduser()))
    owner = innermost(real, {name: collection.root for name, collection in by_name.items()})
    if owner:
        collection = by_name[owner[0]]
        document = catalog.document_at(collection.id, owner[1] or collection.root.name)
        if document:
            return collection, document
    matches = [
        (collection, document)
        for collection in collections.values()
        if (document := catalog.document_at(collection.id, text.removeprefix(f"{collection.name}/")))
    ]
    if len(matches) > 1:
        names = ", ".join(collection.name for collection, _ in matches)
        raise UsageError(f"`{text}` is in several collections: {names}", hint=f"write `{matches[0][0].name}/{text}`")
    return matches[0] if matches else None


def _by_own_id(
    catalog: Catalog, collections: dict[int, Collection], text: str
) -> tuple[Collection, DocumentRow] | None:
    """Return the document whose front matter says `id: text`; of several the note that hmem wrote under this id."""
    rows = catalog.documents(catalog.documents_with(ID_KEY, text)).values()
    found = [(collections[row.collection], row) for row in rows]
    if len(found) > 1:
        place = place_of(text)
        own = [(owner, row) for owner, row in found if absolute_path(owner.root, row.path) == place]
        if not own:
            raise UsageError(f"several documents have the id `{text}`", hint="name one by its path")
        return own[0]
    return found[0] if found else None


def _chunk_at(catalog: Catalog, document: DocumentRow, line: int, text: str) -> ChunkRow:
    for chunk in catalog.chunks_of(document.id):
        if chunk.start_line <= line <= chunk.end_line:
            return chunk
    raise NotIndexedError(f"the indexed text has no line {line}: `{text}`", hint=f"it has {document.n_lines} lines")
