"""Columns over rows that a test writes down, one position per row."""

from __future__ import annotations

import numpy as np
from hmem.search.columns import Column, encode


class Table:
    """`rows` map built-in keys and `meta.KEY` to values; an absent key is missing."""

    def __init__(self, rows: list[dict]) -> None:
        self.rows = rows
        self.size = len(rows)

    def column(self, key: str) -> Column:
        return encode(row.get(key) for row in self.rows)

    def metadata_column(self, key: str) -> Column | None:
        name = f"meta.{key}"
        return self.column(name) if any(name in row for row in self.rows) else None

    def metadata_keys(self) -> frozenset[str]:
        return frozenset(key[5:] for row in self.rows for key in row if key.startswith("meta."))


def chosen(mask: np.ndarray) -> list[int]:
    return np.flatnonzero(mask).tolist()
