"""`path:line: text` for editors and pipes, and bare paths for `xargs`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from hmem.render.explain import explanation
from hmem.render.plain import display_path, printable
from hmem.search.snippet import Highlighter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hmem.render import RenderOptions
    from hmem.search.results import Hit, SearchResult
    from hmem.search.snippet import Line


def render_lines(result: SearchResult, options: RenderOptions) -> Iterator[str]:
    """Yield the best line of each hit, or with `--full` and `--max-lines` several, as `path:line: text`."""
    highlighter = Highlighter(result.query)
    base = os.getcwd()  # noqa: PTH109
    for hit in result.hits:
        path = shown_path(hit, options, base)
        for line in shown_lines(hit, options, highlighter):
            yield f"{path}:{line.number}: {printable(line.text)}\n"
        if options.explain:
            for text in explanation(hit):
                yield f"{path}:{hit.start_line}: # {text}\n"


def shown_lines(hit: Hit, options: RenderOptions, highlighter: Highlighter) -> tuple[Line, ...]:
    """Return the lines of a hit to print: all of them, a window, or the best one."""
    if options.full:
        texts = hit.text.removesuffix("\n").split("\n")
        return tuple(highlighter.line(texts, at, hit.start_line) for at in range(len(texts)))
    if options.max_lines:
        return highlighter.window(hit.text, hit.start_line, options.max_lines)
    return (highlighter.best(hit.text, hit.start_line),)


def shown_path(hit: Hit, options: RenderOptions, base: str | None = None) -> str:
    """Return the path of a hit for one record of a line: a terminal gets no control characters, nor does a record."""
    path = display_path(hit.path, absolute=options.absolute, base=base)
    return printable(path).replace("\n", "\u240a") if sys.stdout.isatty() else path.replace("\n", "\u240a")


def render_paths(result: SearchResult, options: RenderOptions) -> Iterator[str]:
    """Yield each document once, best first; exactly as the file system has it, so that `xargs -0` finds it."""
    base = os.getcwd()  # noqa: PTH109
    for path in dict.fromkeys(hit.path for hit in result.hits):
        shown = display_path(path, absolute=options.absolute, base=base)
        if not options.null and sys.stdout.isatty():
            shown = printable(shown)
        yield shown + ("\0" if options.null else "\n")
