"""Text for a given number of terminal columns: what is left out, and where. Pure."""

from __future__ import annotations

from typing import TypeAlias

from rich.cells import cell_len, chop_cells

Spans: TypeAlias = "tuple[tuple[int, int], ...]"

ELLIPSIS = "…"
_MATCHES = 12
"""Matches that are weighed against each other on one line."""


def shorten_path(path: str, cells: int) -> str:
    """Return `path` in at most `cells` columns if leaving out folders from the middle can do it.

    The file name is never cut: it is what people look for. The first and the last folders stay as long as they can.
    """
    if cell_len(path) <= cells or "/" not in path:
        return path
    root = "/" if path.startswith("/") else ""
    *parts, name = path.removeprefix("/").split("/")
    for left in range(len(parts) - 1, 0, -1):
        head, tail = parts[: (left + 1) // 2], parts[len(parts) - left // 2 :]
        short = root + "/".join([*head, ELLIPSIS, *tail, name])
        if cell_len(short) <= cells:
            return short
    return f"{ELLIPSIS}/{name}" if parts else path


def fit_line(text: str, spans: Spans, cells: int) -> tuple[str, Spans]:
    """Return the part of `text` with the most matches that fits into `cells` columns, and the spans inside it.

    What is left out at either end is shown by an ellipsis.
    """
    cells = max(cells, 4)
    if cell_len(text) <= cells:
        return text, spans
    start = _best_start(text, spans, cells)
    lead = ELLIPSIS if start else ""
    rest = text[start:]
    room = cells - len(lead)
    if cell_len(rest) > room:
        rest = chop_cells(rest, room - 1)[0] + ELLIPSIS
    shift = len(lead) - start
    end = len(lead) + len(rest)
    moved = ((max(len(lead), first + shift), min(end, last + shift)) for first, last in spans)
    return lead + rest, tuple((first, last) for first, last in moved if first < last)


def _best_start(text: str, spans: Spans, cells: int) -> int:
    """Return where to begin: at the front if as many matches are seen from there, else shortly before a match."""
    spans = spans[:_MATCHES]

    def seen(start: int) -> int:
        return sum(start <= first and cell_len(text[start:last]) <= cells - 2 for first, last in spans)

    starts = [0, *(_word_start(text, max(0, first - cells // 5)) for first, _ in spans)]
    best = max(starts, key=seen)
    # Nothing is gained from text that does not fill the line.
    while best and cell_len(text[best:]) < cells - 1:
        best -= 1
    return best


def _word_start(text: str, at: int) -> int:
    """Return the start of the next word after `at`, or `at` if none is near."""
    blank = text.find(" ", at, at + 12)
    return at if at == 0 or blank < 0 else blank + 1
