"""Documents as the parser made them, from the catalog alone: enough to analyse and embed them again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hmem.errors import StoreDamagedError
from hmem.store.translate import REPAIR
from hmem.types import Document

if TYPE_CHECKING:
    from hmem.store.catalog import Catalog
    from hmem.store.rows import ChunkRow


def stored_document(catalog: Catalog, document_id: int) -> tuple[Document, list[ChunkRow]]:
    """Return a document and its chunks; what only cutting needs (sections, fences) is left out."""
    row = catalog.documents([document_id]).get(document_id)
    if row is None:
        raise StoreDamagedError(f"document {document_id} is missing: `{catalog.path}`", hint=REPAIR)
    chunks = catalog.chunks_of(document_id)
    document = Document(
        path=row.path,
        kind=row.kind,
        lang=row.lang,
        title=row.title,
        text="".join(chunk.text for chunk in chunks),
        encoding=row.encoding,
        metadata=row.metadata,
        tags=row.tags,
        links=row.links,
        definitions=tuple(found for chunk in chunks for found in chunk.definitions),
        body_line=row.body_line,
    )
    return document, chunks
