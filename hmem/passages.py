"""The text behind a reference, as indexed."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from hmem.references import resolve_reference

if TYPE_CHECKING:
    from hmem.store.catalog import Catalog
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

    def to_json(self) -> dict[str, Json]:
        """Return the passage as one JSON object."""
        return asdict(self)


def read_passage(catalog: Catalog, reference: str) -> Passage:
    """Return the chunk or document that `ID` or `PATH[:LINE]` names. Raises NotIndexedError, UsageError."""
    found = resolve_reference(catalog, reference)
    chunk, document = found.chunk, found.document
    if chunk is None:
        text, start, end = catalog.text(document.id), 1, document.n_lines
    else:
        text, start, end = chunk.text, chunk.start_line, chunk.end_line
    chunk_id = chunk.chunk_id if chunk else None
    return Passage(found.path, found.collection.name, document.path, start, end, text, chunk_id)
