"""Cutting a run of text into pieces of a bearable size, at the best places there are.

An *atom* is what is never cut: a line, a block that must stay whole, or a part of a line that is too long. Everything
is linear in the length of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT: Final = 2000
"""Characters that no piece exceeds."""
LEAST: Final = 300
"""Characters below which a piece does not stand alone if a neighbour can take it."""

# Sentences shorter than this are not worth a place to cut of their own.
_SENTENCES: Final = LEAST // 2
_SENTENCE_END = re.compile(r"[.!?…][\"')\]»”’]*\s+|[。！？]\s*")


class Rank(IntEnum):
    """How good a place for a cut is, worst first; what stands before an atom decides."""

    CHARACTER = 0
    BLANK = 1
    WORD = 2
    SENTENCE = 3
    LINE = 4
    SENTENCE_LINE = 5
    ITEM = 6
    INNER_PARAGRAPH = 7
    PARAGRAPH = 8


@dataclass(slots=True)
class Atoms:
    """Consecutive atoms of a text as parallel lists: offset of the first character, 1-based line, rank of a cut there.

    `end` is the offset behind the last one.
    """

    starts: list[int] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    ranks: list[Rank] = field(default_factory=list)
    end: int = 0

    def add(self, size: int, line: int, rank: Rank) -> None:
        """Append an atom of `size` characters."""
        self.starts.append(self.end)
        self.lines.append(line)
        self.ranks.append(rank)
        self.end += size

    def add_long(self, text: str, line: int, rank: Rank) -> None:
        """Append a line that is longer than an atom may be, in parts."""
        for size, inner in split_line(text):
            self.add(size, line, rank if inner is Rank.LINE else inner)


def split_line(line: str, limit: int = LIMIT) -> Iterator[tuple[int, Rank]]:
    """Yield the sizes of the parts that `line` falls into, none above `limit`, with the rank of the cut before each.

    Parts end behind sentences where these fit, else behind a blank, else anywhere. The first rank is `LINE`.
    """
    start, rank = 0, Rank.LINE
    for match in _SENTENCE_END.finditer(line):
        if match.end() - start >= _SENTENCES:
            yield from _split_run(line, start, match.end(), rank, limit)
            start, rank = match.end(), Rank.SENTENCE
    if start < len(line):
        yield from _split_run(line, start, len(line), rank, limit)


def _split_run(line: str, start: int, end: int, rank: Rank, limit: int) -> Iterator[tuple[int, Rank]]:
    while end - start > limit:
        low, high = start + limit // 4, start + limit // 2
        blank = max(line.rfind(" ", low, high), line.rfind("\t", low, high))
        stop = blank + 1 if blank >= 0 else start + limit
        yield stop - start, rank
        start, rank = stop, Rank.WORD if blank >= 0 else Rank.CHARACTER
    yield end - start, rank


def cut_by_size(text: str, limit: int = LIMIT) -> Iterator[int]:
    """Yield the offsets at which pieces of at most `limit` characters end: behind a line or a word in their last half.

    Needs no memory, for texts of too many lines to look at each.
    """
    start = 0
    while len(text) - start > limit:
        low, high = start + limit // 2, start + limit
        place = text.rfind("\n", low, high)
        if place < 0:
            place = text.rfind(" ", low, high)
        start = place + 1 if place >= 0 else high
        yield start
    if text:
        yield len(text)


def cut(atoms: Atoms, limit: int = LIMIT, least: int = LEAST) -> list[int]:
    """Return the indexes of the atoms with which pieces begin; a piece has at most `limit` characters.

    The text is divided evenly: each cut is the best-ranked one near the end of an equal share, and as far as that
    allows no piece is shorter than `least`. An atom beyond the limit makes a piece of its own.
    """
    begins: list[int] = []
    first = 0
    while first < len(atoms.starts):
        begins.append(first)
        first = _next_cut(atoms, first, limit, least)
    return begins


def _next_cut(atoms: Atoms, first: int, limit: int, least: int) -> int:
    starts = atoms.starts
    begin = starts[first]
    rest = atoms.end - begin
    if rest <= limit:
        return len(starts)
    share = begin + rest / -(-rest // limit)
    low = bisect_left(starts, begin + max(least, (share - begin) / 2), first + 1)
    high = bisect_right(starts, min(begin + limit, atoms.end - least), first + 1)
    if low < high:
        top = max(atoms.ranks[low:high])
        return min(
            (index for index in range(low, high) if atoms.ranks[index] == top), key=lambda i: abs(starts[i] - share)
        )
    return max(first + 1, bisect_right(starts, begin + limit, first + 1) - 1)
