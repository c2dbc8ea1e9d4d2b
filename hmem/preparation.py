"""The versions of hmem's own reading: what a store holds was made by them, and is made anew where they changed.

Every other place asks here, so that none can forget one.
"""

from __future__ import annotations

from typing import Final

TEXT_VERSION: Final = 1
"""Changes whenever any text would get other terms or another form for the model (`hmem.text`)."""

REPRESENT_VERSION: Final = 3
"""Changes whenever any chunk would get other terms, pairs or another vector from the same text analysis and model
(`hmem.represent`)."""

PREPARE_VERSION: Final = 3
"""Changes whenever parsing or chunking would make other documents or chunks of the same bytes (`hmem.prepare`)."""


def postings_versions() -> dict[str, str | int]:
    """Return what postings depend on beside the texts of the catalog."""
    return {"text": TEXT_VERSION, "represent": REPRESENT_VERSION}


def vector_versions() -> tuple[int, ...]:
    """Return what vectors depend on beside the texts of the catalog and the model's own files."""
    return TEXT_VERSION, REPRESENT_VERSION


def document_versions() -> tuple[int, ...]:
    """Return what documents depend on beside their files' bytes and the metadata of their collection."""
    return TEXT_VERSION, REPRESENT_VERSION, PREPARE_VERSION
