"""When a document was made and last changed, as it says itself."""

from __future__ import annotations

from datetime import date, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hmem.types import Json

CREATED_KEYS = ("created", "date", "created_at", "published")
UPDATED_KEYS = ("updated", "modified", "updated_at", "last_modified", "lastmod")
"""Front matter keys that say so, in order of precedence, as static site generators and note tools write them."""


def document_dates(metadata: Mapping[str, Json]) -> tuple[str | None, str | None]:
    """Return (created, updated) in ISO 8601; None where the metadata names no date that can be read."""
    return _first(metadata, CREATED_KEYS), _first(metadata, UPDATED_KEYS)


def _first(metadata: Mapping[str, Json], keys: tuple[str, ...]) -> str | None:
    for key in keys:
        value = metadata.get(key)
        if isinstance(value, str) and (found := _iso(value.strip())):
            return found
    return None


def _iso(text: str) -> str | None:
    """Return `text` if it is an ISO date or time, else None."""
    for kind in (date, datetime):
        try:
            return kind.fromisoformat(text).isoformat()
        except ValueError:
            continue
    return None
