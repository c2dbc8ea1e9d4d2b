"""Rows of text: tab-separated for programs, aligned for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.cells import cell_len

from hmem.render.plain import one_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

GAP = 2


def tabbed(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield each row on one line, fields apart by tabs."""
    for row in rows:
        yield "\t".join(one_line(field) for field in row)


def aligned(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield each row on one line, fields in columns as wide as their widest."""
    table = [[one_line(field) for field in row] for row in rows]
    sizes = widths(table)
    for row in table:
        line = "".join(field + " " * (size - cell_len(field) + GAP) for field, size in zip(row, sizes, strict=True))
        yield line.rstrip()


def widths(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return how many terminal columns the widest field of each column takes."""
    return [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
