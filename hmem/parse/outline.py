"""What every reader of a prose syntax returns: the structure of one text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hmem.types import Json, Section

# A path of titles is kept with every chunk, so neither its length nor a title's may grow with the input.
MAX_LEVEL = 9
MAX_TITLE = 200

_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Outline:
    """Sections and blocks in order, lines 1-based.

    `whole` are (first, last) lines of blocks that must not be cut. `title` is one that the syntax declares apart from
    its headings; `metadata` are declared attributes, as text.
    """

    sections: tuple[Section, ...] = ()
    whole: tuple[tuple[int, int], ...] = ()
    links: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    title: str | None = None
    metadata: dict[str, Json] = field(default_factory=dict)


def section(line: int, level: int, title: str) -> Section:
    """Return a section with its level and the length of its title kept within bounds."""
    return Section(line, max(1, min(level, MAX_LEVEL)), clean_title(title))


def clean_title(title: str) -> str:
    """Return `title` on one line, cut to `MAX_TITLE` characters at a word."""
    title = _SPACES.sub(" ", title[: 4 * MAX_TITLE]).strip()
    if len(title) <= MAX_TITLE:
        return title
    cut = title.rfind(" ", MAX_TITLE // 2, MAX_TITLE)
    return title[: cut if cut > 0 else MAX_TITLE - 1].rstrip() + "…"


def distinct(words: list[str]) -> tuple[str, ...]:
    """Return the non-empty words, each once, in order."""
    return tuple(dict.fromkeys(word for word in words if word))
