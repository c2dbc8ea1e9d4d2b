"""Cutting a run of text into pieces of a bearable size, at the best places there are.

An *atom* is what is never cut: a line, or a part of a line that is longer than the limit. Before each atom stands a
rank, how good a place for a cut it is. Everything is linear in the length of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LIMIT = 2000
LEAST = 300

# Ranks of a cut, from the worst to the best.
WITHIN, WORD, SENTENCE, LINE, LINE_AFTER_SENTENCE, ITEM, INNER_PARAGRAPH, PARAGRAPH = range(8)

_SENTENCE_END = re.compile(r"[.!?…][\"')\]»”’]*\s+|[。！？]\s*")


@dataclass(frozen=True, slots=True)
class Atom:
    """The characters [start, end) of a text, on the 1-based `line`; `rank` is that of a cut before it."""

    start: int
    end: int
    line: int
    rank: int


def split_line(line: str, limit: int = LIMIT) -> list[tuple[str, int]]:
    """Return `line` in parts of at most `limit` characters, each with the rank of the cut before it.

    Parts end behind sentences where these fit, else behind a blank, else anywhere. The first rank is `LINE`.
    """
    parts: list[tuple[str, int]] = []
    start, rank = 0, LINE
    for match in _SENTENCE_END.finditer(line):
        _split_run(line, start, match.end(), rank, limit, parts)
        start, rank = match.end(), SENTENCE
    if start < len(line):
        _split_run(line, start, len(line), rank, limit, parts)
    return parts


def _split_run(line: str, start: int, end: int, rank: int, limit: int, parts: list[tuple[str, int]]) -> None:
    """Append [start, end) of `line` to `parts`, cut at blanks into halves of the limit if it is longer."""
    while end - start > limit:
        blank = max(line.rfind(" ", start + limit // 4, start + limit // 2), line.rfind("\t", start + limit // 4, start + limit // 2))
        cut = blank + 1 if blank >= 0 else start + limit
        parts.append((line[start:cut], rank))
        start, rank = cut, WORD if blank >= 0 else WITHIN
    parts.append((line[start:end], rank))


def cut(atoms: Sequence[Atom], limit: int = LIMIT, least: int = LEAST) -> list[tuple[int, int]]:
    """Return index ranges of `atoms`, in order and without gap, of at most `limit` characters each.

    The text is divided evenly: each cut is the best-ranked one near the end of an equal share, and as far as that
    allows no piece is shorter than `least`. An atom beyond the limit makes a piece of its own.
    """
    pieces: list[tuple[int, int]] = []
    first, total = 0, len(atoms)
    while first < total:
        end = _next_cut(atoms, first, limit, least)
        pieces.append((first, end))
        first = end
    return pieces


def _next_cut(atoms: Sequence[Atom], first: int, limit: int, least: int) -> int:
    start, stop = atoms[first].start, atoms[-1].end
    rest = stop - start
    if rest <= limit:
        return len(atoms)
    share = rest / -(-rest // limit)
    best, best_key = first + 1, (False, -1, 0.0)
    for index in range(first + 1, len(atoms)):
        size = atoms[index].start - start
        if size > limit:
            break
        roomy = size >= least and stop - atoms[index].start >= least
        key = (roomy and 2 * size >= share, atoms[index].rank if roomy else 0, -abs(size - share))
        if key >= best_key:
            best, best_key = index, key
    return best
