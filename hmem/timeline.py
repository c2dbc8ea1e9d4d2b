"""When a document was made and last changed, as it says itself."""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import TYPE_CHECKING

from hmem.text.calendar import MONTH, MONTHS, YEAR

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hmem.types import Document, Json

CREATED_KEYS = ("created", "date", "created_at", "published")
UPDATED_KEYS = ("updated", "modified", "updated_at", "last_modified", "lastmod")
"""Front matter keys that say so, in order of precedence, as static site generators and note tools write them."""

_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_FORMS = tuple(
    re.compile(rf"(?<![^\W_])(?<![.]){form}(?![^\W_])", re.IGNORECASE)
    for form in (
        rf"{YEAR}(?P<gap>[-_.]?)(?P<month>\d\d)(?P=gap)(?P<day>\d\d)",
        rf"{_DAY} {MONTH},? {YEAR}",
        rf"{MONTH} {_DAY},? {YEAR}",
    )
)
"""`2025-03-14`, `2025_03_14`, `20250314`, `14 March 2025`, `March 14, 2025`: a day, so that it is surely a date."""


def document_dates(metadata: Mapping[str, Json], document: Document | None = None) -> tuple[str | None, str | None]:
    """Return (created, updated) in ISO 8601; None where nothing that can be read names a date.

    Created is what the metadata says, else the day in the name of the file or in its first heading.
    """
    created = _first(metadata, CREATED_KEYS)
    if created is None and document is not None:
        heading = document.sections[0].title if document.sections else ""
        created = day_in(document.path.rpartition("/")[2]) or day_in(heading)
    return created, _first(metadata, UPDATED_KEYS)


def day_in(text: str) -> str | None:
    """Return the first day that a file name or a heading names, in ISO 8601."""
    for form in _FORMS:
        for match in form.finditer(text):
            month = match["month"].lower()
            try:
                day = date(int(match["year"]), MONTHS.get(month) or int(month), int(match["day"]))
            except ValueError:
                continue
            return day.isoformat()
    return None


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
