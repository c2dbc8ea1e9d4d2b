"""Front matter as rows that a filter can look up: nested keys dotted, lists spread, numbers beside their text. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

from hmem.store.rows import AttributeRow, storable
from hmem.types import Json

META = "meta."
TAGS = "tags"


def attribute_rows(document: int, metadata: Mapping[str, Json], tags: Iterable[str]) -> list[AttributeRow]:
    """Return the attributes of a document: its `tags` and its metadata below `meta.`, each list in order."""
    counts: dict[str, int] = {}
    rows = []
    values = [(TAGS, tag) for tag in tags]
    for name, value in [*values, *_flatten(META, metadata)]:
        key = storable(name)
        ordinal = counts.get(key, 0)
        counts[key] = ordinal + 1
        type_, text, number = _typed(value)
        rows.append(AttributeRow(key, document, ordinal, type_, storable(text), number))
    return rows


def _flatten(prefix: str, metadata: Mapping[str, Json]) -> Iterator[tuple[str, Json]]:
    for name, value in metadata.items():
        yield from _spread(f"{prefix}{name}", value)


def _spread(key: str, value: Json) -> Iterator[tuple[str, Json]]:
    if isinstance(value, dict):
        yield from _flatten(f"{key}.", value)
    elif isinstance(value, list):
        for element in value:
            yield from _spread(key, element)
    else:
        yield key, value


def _typed(value: Json) -> tuple[str, str, float | None]:
    if value is None:
        return "null", "", None
    if isinstance(value, bool):
        return "bool", "true" if value else "false", float(value)
    if isinstance(value, int | float):
        return "number", str(value), _finite(value)
    return "text", str(value), None


def _finite(value: float) -> float | None:
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
