"""From a label to the place in the index that it names."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from hmem.errors import NotIndexedError, UsageError
from hmem.references import Reference, resolve_reference

if TYPE_CHECKING:
    from hmem.store.catalog import Catalog

_SPAN: Final = re.compile(r"(.+?):(\d+)(?:-(\d+))?(?::\d*)?", re.DOTALL)
"""`path:line`, `path:first-last`; a column or colon after the line is what grep-like output carries on."""


@dataclass(frozen=True, slots=True)
class Place:
    """A document, or lines (1-based, inclusive) or one chunk of it."""

    collection: str
    source: str
    start_line: int | None = None
    end_line: int | None = None
    chunk_id: str | None = None

    @property
    def document(self) -> tuple[str, str]:
        """The collection and the path inside it, which name a document."""
        return self.collection, self.source

    @property
    def whole(self) -> bool:
        """Whether the place is a document, not a part of it."""
        return self.start_line is None and self.chunk_id is None


class Locator:
    """Finds what labels name in one snapshot's catalog.

    A label is what `hmem get` accepts: a path of the file system, a path inside a collection, with lines, or a chunk
    id. What is none of these may be the end of one path (`retry.md` for `api/notes/retry.md`), or, as in test
    collections, its file name without the extension.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def find(self, label: str) -> Place | None:
        """Return the place, or None if there is none in the index, or several."""
        found = self._resolve(label)
        span = _SPAN.fullmatch(label)
        if found and found.chunk is None:
            return _document(found)
        if found and found.chunk and not span:
            return Place(found.collection.name, found.document.path, chunk_id=found.chunk.chunk_id)
        if span:
            lines = int(span[2]), int(span[3] or span[2])
            if part := self._part(span[1], *lines):
                return part
        return self._by_end(label)

    def _resolve(self, label: str) -> Reference | None:
        try:
            return resolve_reference(self._catalog, label)
        except (NotIndexedError, UsageError):
            return None

    def _part(self, path: str, first: int, last: int) -> Place | None:
        """Return lines of the document at `path`; None if it has no such lines."""
        found = self._resolve(path)
        whole = _document(found) if found and found.chunk is None else self._by_end(path)
        if whole is None or not 1 <= first <= last or first > self._lines(whole):
            return None
        return Place(whole.collection, whole.source, first, last)

    def _lines(self, place: Place) -> int:
        collection = self._catalog.collection(place.collection)
        document = self._catalog.document_at(collection.id, place.source) if collection else None
        return document.n_lines if document else 0

    def _by_end(self, label: str) -> Place | None:
        """Return the only document whose path ends with `label`, or else the only one whose file is called so."""
        wanted = os.path.normpath(label)
        name = wanted.rpartition("/")[2]
        ends = [place for place in self._by_name.get(name, ()) if f"/{place.source}".endswith(f"/{wanted}")]
        found = ends or (self._by_stem.get(name, []) if name == wanted else [])
        return found[0] if len(found) == 1 else None

    @cached_property
    def _by_name(self) -> dict[str, list[Place]]:
        """The documents by the name of their file."""
        found: dict[str, list[Place]] = defaultdict(list)
        for collection in self._catalog.collections():
            for row in self._catalog.files(collection.id):
                found[row.state.path.rpartition("/")[2]].append(Place(collection.name, row.state.path))
        return found

    @cached_property
    def _by_stem(self) -> dict[str, list[Place]]:
        """The documents by the name of their file without its extension."""
        found: dict[str, list[Place]] = defaultdict(list)
        for name, places in self._by_name.items():
            found[name.rpartition(".")[0]] += places
        return found


def _document(found: Reference) -> Place:
    return Place(found.collection.name, found.document.path)
