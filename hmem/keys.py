"""The metadata keys that documents have, summed up so that a person can discover what to filter by."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hmem.search.dates import parse_moment
from hmem.search.filters import BUILT_IN, META

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.store.catalog import Catalog
    from hmem.store.rows import AttributeRow
    from hmem.types import Json

EXAMPLES: Final = 3


@dataclass(frozen=True, slots=True)
class KeySummary:
    """A key as `--where` takes it: its types, most frequent first, how many documents have it, frequent values.

    Types are `number`, `date`, `bool`, `text`, `null`; `is_list` if any document has several values.
    """

    key: str
    types: tuple[str, ...]
    is_list: bool
    documents: int
    values: int
    examples: tuple[str, ...]

    def to_json(self) -> dict[str, Json]:
        """Return the summary as one JSON object."""
        return {
            "key": self.key,
            "types": [*self.types],
            "list": self.is_list,
            "documents": self.documents,
            "values": self.values,
            "examples": [*self.examples],
        }


def metadata_keys(catalog: Catalog) -> list[KeySummary]:
    """Return the metadata keys that documents have, by name."""
    stored = catalog.attribute_keys()
    # A document's tags are those of its front matter and of its text.
    names = [key for key in stored if key != "meta.tags" or "tags" not in stored]
    found = [summarise(key, catalog.attributes(key)) for key in names]
    return sorted(found, key=lambda summary: summary.key)


def summarise(key: str, rows: Sequence[AttributeRow]) -> KeySummary:
    """Return the summary of one stored key (`tags`, or `meta.` and the key) from all its values."""
    name = key.removeprefix(META)
    types = Counter(_type(row) for row in rows)
    values = Counter(row.text for row in rows if row.type != "null")
    return KeySummary(
        key=key if name in BUILT_IN else name,
        types=tuple(kind for kind, _ in types.most_common()),
        is_list=any(row.ordinal for row in rows),
        documents=len({row.document for row in rows}),
        values=len(values),
        examples=tuple(text for text, _ in sorted(values.items(), key=lambda item: (-item[1], item[0]))[:EXAMPLES]),
    )


def _type(row: AttributeRow) -> str:
    if row.type == "text" and parse_moment(row.text) is not None:
        return "date"
    return row.type
