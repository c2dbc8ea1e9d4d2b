"""What filters see of a store: one column per key, each distinct value once. Pure.

A column maps every position to one of its values, so a condition is evaluated once per distinct value and spread
over the positions with one numpy lookup.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from numpy.typing import NDArray

Scalar: TypeAlias = "str | int | float | bool | datetime"
Value: TypeAlias = "Scalar | list[Scalar]"
"""A stored value; times of files are datetimes (naive, local). An empty text stands for null."""

MISSING = -1


@dataclass(frozen=True, slots=True)
class Column:
    """The values of a key: `codes` (P,) int32 index into `values`, MISSING where a position has none."""

    values: tuple[Value, ...]
    codes: NDArray[np.int32]

    def spread(self, results: Sequence[bool], missing: bool) -> NDArray[np.bool_]:
        """Return (P,) bool from one result per value and one for positions without a value."""
        return np.array([*results, missing], np.bool_)[self.codes]  # MISSING is the last


class Columns(Protocol):
    """The columns of one snapshot. May be shared between threads once loaded."""

    @property
    def size(self) -> int:
        """P, the number of positions."""

    def column(self, key: str) -> Column:
        """Return the column of a built-in key."""

    def metadata_column(self, key: str) -> Column | None:
        """Return the column of a dotted metadata key, or None if no live document has it."""

    def metadata_keys(self) -> frozenset[str]:
        """Return every dotted metadata key that a live document has."""


def encode(values: Iterable[Value | None], rows: NDArray[np.int64] | None = None) -> Column:
    """Return the column of one value per row (None = missing), spread over positions by `rows` (P,) if given."""
    known: dict[object, int] = {}
    distinct: list[Value] = []
    codes: list[int] = []
    for value in values:
        if value is None:
            codes.append(MISSING)
            continue
        identity = _identity(value)
        code = known.get(identity)
        if code is None:
            code = known[identity] = len(distinct)
            distinct.append(value)
        codes.append(code)
    coded = np.array(codes, np.int32)
    return Column(tuple(distinct), coded if rows is None else coded[rows])


def _identity(value: object) -> object:
    """Return a hashable stand-in that tells 1, 1.0 and True apart, as their texts differ."""
    if isinstance(value, list):
        return tuple(map(_identity, value))
    return type(value), value
