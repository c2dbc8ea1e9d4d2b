"""`path:line: text` for editors and pipes, and bare paths for `xargs`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from hmem.render.explain import explanation
from hmem.render.plain import display_path, printable, without_controls
from hmem.search.snippet import Highlighter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hmem.render import RenderOptions
    from hmem.search.results import Hit, SearchResult
    from hmem.search.snippet import Line


def render_lines(result: SearchResult, options: RenderOptions) -> Iterator[str]:
    """Yield the best line of each hit, or with `--full` and `--max-lines` several, as `path:line: text`."""
    highlighter = Highlighter(result.query, marks=False)
    base = os.getcwd()  # noqa: PTH109
    for hit in result.hits:
        path = on_one_line(hit.path, options, base)
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


def on_one_line(path: str, options: RenderOptions, base: str) -> str:
    """Return the path for a record of one line, control characters as pictures: a pipe may end at a terminal too."""
    shown = display_path(path, absolute=options.absolute, base=base)
    return (printable(shown) if sys.stdout.isatty() else without_controls(shown)).replace("\n", "\u240a")


def render_paths(result: SearchResult, options: RenderOptions) -> Iterator[str]:
    """Yield each document once, best first; with `-0` exactly as the file system has it, for `xargs -0`."""
    base = os.getcwd()  # noqa: PTH109
    for path in dict.fromkeys(hit.path for hit in result.hits):
        if options.null:
            yield display_path(path, absolute=options.absolute, base=base) + "\0"
        else:
            yield f"{on_one_line(path, options, base)}\n"
