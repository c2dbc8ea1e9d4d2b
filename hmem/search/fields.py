"""From the names and values that a program gives to the options of a search. Pure."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from hmem.errors import UnknownKeyError
from hmem.search.query import SearchOptions, parse_fusion

if TYPE_CHECKING:
    from collections.abc import Mapping

_FIELDS: Final = {field.name: str(field.type) for field in dataclasses.fields(SearchOptions)}


def with_fields(options: SearchOptions, given: Mapping[str, Any]) -> SearchOptions:
    """Return `options` with the `given` fields: one text is a list of one, a list a tuple, a name a `Fusion`.

    Raises UnknownKeyError for a name that is no field, UsageError as SearchOptions does.
    """
    changed: dict[str, Any] = {}
    for name, value in given.items():
        if name not in _FIELDS:
            raise UnknownKeyError("search option", name, _FIELDS)
        if _FIELDS[name].startswith("tuple") and value is not None:
            value = (value,) if isinstance(value, str) else tuple(value)
        changed[name] = parse_fusion(value) if name == "fusion" else value
    return dataclasses.replace(options, **changed)
