"""A budget over a whole printed answer, for readers who pay by the token. Pure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hmem.render import RenderOptions, render
from hmem.search.snippet import Highlighter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hmem.search.results import Hit, SearchResult

BYTES_PER_TOKEN: Final = 4
"""A rule of thumb that holds for English and code within a fifth: no tokenizer of any one model is the right one."""


def tokens(text: str) -> int:
    """Return about how many tokens a language model reads in `text`: its bytes in UTF-8 by four, rounded up."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // BYTES_PER_TOKEN)


def fit_budget(
    result: SearchResult, options: RenderOptions, printed: Callable[[SearchResult], Iterable[str]] | None = None
) -> SearchResult:
    """Return `result` with as many of its best hits as `options.max_tokens` has room for when all is printed.

    `printed` gives the pieces of an answer, those of `options.format` unless given. Hits are whole; the last one may be
    cut to the lines around its best one, and says so. Of the first hit one line is kept, whatever the budget.
    `truncated` tells that anything is missing.
    """
    budget = options.max_tokens
    if budget is None or not result.hits:
        return result

    def fits(hits: tuple[Hit, ...]) -> bool:
        size = 0
        part = replace(result, hits=hits, truncated=True)
        for piece in printed(part) if printed else render(part, options):
            size += len(piece.encode("utf-8", "surrogatepass"))
            if size > budget * BYTES_PER_TOKEN:
                return False
        return True

    if fits(result.hits):
        return result
    whole = _most(len(result.hits) - 1, lambda count: fits(result.hits[:count]))
    kept = result.hits[:whole]
    cut = _cut(result, whole, lambda hit: fits((*kept, hit)))
    return replace(result, hits=(*kept, *cut), truncated=True)


def _cut(result: SearchResult, place: int, fits: Callable[[Hit], bool]) -> tuple[Hit, ...]:
    """Return the hit at `place` with as many lines as fit; nothing if not even its best line does."""
    hit = result.hits[place]
    highlighter = Highlighter(result.query, marks=False)
    lines = hit.text.removesuffix("\n").count("\n") + 1
    count = _most(lines - 1, lambda number: fits(_shortened(hit, highlighter, number)))
    if count:
        return (_shortened(hit, highlighter, count),)
    return () if place else (_shortened(hit, highlighter, 1),)


def _shortened(hit: Hit, highlighter: Highlighter, lines: int) -> Hit:
    window = highlighter.window(hit.text, hit.start_line, max(1, lines))
    text = "\n".join(line.text for line in window) + "\n"
    return replace(hit, text=text, start_line=window[0].number, end_line=window[-1].number, truncated=True)


def _most(limit: int, fits: Callable[[int], bool]) -> int:
    """Return the largest number from 1 to `limit` that fits, by halving; 0 if none does."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low
