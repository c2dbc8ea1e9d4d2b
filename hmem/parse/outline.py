"""What every reader of a prose syntax returns: the structure of one text."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hmem.types import Json, Section

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_LINES: Final = 250_000
"""Lines beyond which a text is no longer read for its structure, to bound memory: 16 MB may be 16 million lines."""

# A path of titles is kept with every chunk, so neither its length nor a title's may grow with the input.
MAX_LEVEL: Final = 9
MAX_TITLE: Final = 200
# What a document may declare beside its text.
MAX_WORDS: Final = 10_000
MAX_ATTRIBUTES: Final = 64
MAX_ATTRIBUTE: Final = 500

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Outline:
    """Sections in order, and the (first, last) lines of blocks that must not be cut; lines are 1-based.

    A block may lie inside another one. `title` is one that the syntax declares apart from its headings; `metadata` are
    declared attributes, as text.
    """

    sections: tuple[Section, ...] = ()
    whole: tuple[Span, ...] = ()
    links: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    title: str | None = None
    metadata: dict[str, Json] = field(default_factory=dict)


def section(line: int, level: int, title: str, lines: int = 1) -> Section:
    """Return a section with its level and the length of its title kept within bounds."""
    return Section(line, max(1, min(level, MAX_LEVEL)), clean_title(title), lines)


def clean_title(title: str) -> str:
    """Return `title` on one line, cut to `MAX_TITLE` characters at a word."""
    title = " ".join(title[: 4 * MAX_TITLE].split())
    if len(title) <= MAX_TITLE:
        return title
    cut = title.rfind(" ", MAX_TITLE // 2, MAX_TITLE)
    return title[: cut if cut > 0 else MAX_TITLE - 1].rstrip() + "…"


def distinct(words: Iterable[str]) -> tuple[str, ...]:
    """Return the non-empty words, each once, in order, at most `MAX_WORDS`."""
    found: dict[str, None] = {}
    for word in words:
        if word:
            found[word] = None
            if len(found) == MAX_WORDS:
                break
    return tuple(found)


def declare(attributes: dict[str, Json], key: str, value: str | None) -> None:
    """Add an attribute that a text declares about itself, as far as there is room."""
    if len(attributes) < MAX_ATTRIBUTES:
        attributes[key.lower()] = (value or "").strip()[:MAX_ATTRIBUTE]


def listed(words: str) -> list[str]:
    """Return the parts of a list written in one line: between commas if there are any, else between blanks."""
    parts = words.split(",") if "," in words else words.split()
    return [part.strip() for part in parts]


def lines_outside(lines: Sequence[str], first: int, spans: Iterable[Span]) -> str:
    """Return the lines from the 1-based line `first` without those of the `spans`, a blank line for each of these."""
    kept: list[str] = []
    position = first
    for start, end in sorted(spans):
        if end >= position:
            kept += lines[position - 1 : start - 1]
            kept.append("")
            position = end + 1
    kept += lines[position - 1 :]
    return "\n".join(kept)
