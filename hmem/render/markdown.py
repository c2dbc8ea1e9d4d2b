"""A compact, quotable block of sources for a context window."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from hmem.render.explain import explanation
from hmem.render.lines import shown_lines
from hmem.render.plain import display_path, one_line, printable
from hmem.search.snippet import Highlighter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hmem.render import RenderOptions
    from hmem.search.results import Hit, SearchResult
    from hmem.search.snippet import Line

_TICKS = re.compile(r"`{3,}")
DEFAULT_LINES = 12


def render_md(result: SearchResult, options: RenderOptions) -> Iterator[str]:
    """Yield one section a hit: where it stands, what it is, and its text in a fence that it cannot close.

    Text that is not the whole chunk is marked as a part.
    """
    highlighter = Highlighter(result.query, marks=False)
    base = os.getcwd()  # noqa: PTH109
    for hit in result.hits:
        path = one_line(display_path(hit.path, absolute=options.absolute, base=base))
        lines = _lines(hit, options, highlighter)
        part = "" if _is_whole(hit, lines) else " (part)"
        state = f" [{hit.state}]" if hit.state else ""
        yield f"## {hit.rank}. `{path}:{lines[0].number}-{lines[-1].number}`{_what(hit)}{state}{part}\n\n"
        text = "\n".join(printable(line.text) for line in lines)
        fence = "`" * max(3, *(len(run) + 1 for run in _TICKS.findall(text)), 3)
        yield f"{fence}{hit.lang}\n{text}\n{fence}\n\n"
        if options.explain:
            yield "".join(f"- {one_line(reason)}\n" for reason in explanation(hit)) + "\n"


def _lines(hit: Hit, options: RenderOptions, highlighter: Highlighter) -> tuple[Line, ...]:
    if options.full or options.max_lines:
        return shown_lines(hit, options, highlighter)
    return highlighter.window(hit.text, hit.start_line, DEFAULT_LINES)


def _is_whole(hit: Hit, lines: tuple[Line, ...]) -> bool:
    return not hit.truncated and (lines[0].number, lines[-1].number) == (hit.start_line, hit.end_line)


def _what(hit: Hit) -> str:
    name = hit.symbol or " > ".join(hit.heading) or hit.title
    return f" {one_line(name)}" if name else ""
