"""Hits for a person at a terminal: a Rich table with per-arm ranks and scores, a linked location and a snippet.

Only Rich's named colours and styles are used, which follow the terminal's own theme, light or dark; indexed text goes
in as `Text`, so that nothing in it is markup.
"""

from __future__ import annotations

import os
from io import StringIO
from typing import TYPE_CHECKING
from urllib.parse import quote

from rich.cells import cell_len
from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hmem.render.explain import explanation
from hmem.render.lines import shown_lines
from hmem.render.plain import display_path, one_line, printable
from hmem.search.snippet import Highlighter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from hmem.render import RenderOptions
    from hmem.search.results import Hit, SearchResult
    from hmem.search.snippet import Line

DEFAULT_LINES = 3
FIXED_WIDTH = 34
"""Columns that rank, score, arms and the gaps between them take."""


def render_table(result: SearchResult, options: RenderOptions) -> Iterator[str]:
    """Yield the table as terminal text, as wide as the terminal; nothing for no hit."""
    if result.hits:
        terminal = Console()
        yield to_text(result, options, width=terminal.width, color_system=terminal.color_system)


def to_text(result: SearchResult, options: RenderOptions, *, width: int, color_system: str | None = None) -> str:
    """Return the table at a width in columns; without a colour system there are no escape sequences at all."""
    console = Console(
        file=StringIO(),
        width=width,
        force_terminal=color_system is not None,
        color_system=color_system,  # type: ignore[arg-type]
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    console.print(_table(result, options, width=width, links=color_system is not None))
    assert isinstance(console.file, StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().split("\n"))


def _table(result: SearchResult, options: RenderOptions, *, width: int, links: bool) -> Table:
    table = Table(box=None, padding=(0, 1, 1, 0), pad_edge=False, header_style="dim", expand=True)
    table.add_column("#", justify="right", style="dim", no_wrap=True)
    table.add_column("score", justify="right", style="bold", no_wrap=True)
    table.add_column("arm rank score", no_wrap=True)
    table.add_column("hit", ratio=1)
    highlighter = Highlighter(result.query)
    base = os.getcwd()  # noqa: PTH109
    for hit in result.hits:
        cells = max(20, width - FIXED_WIDTH)
        parts: list[RenderableType] = [
            _location(hit, options, highlighter, base=base, cells=cells, links=links),
            *_name(hit),
            *(_snippet_line(line) for line in _lines(hit, options, highlighter)),
        ]
        if options.explain:
            parts.append(
                Padding(Group(*(Text(one_line(text), style="dim") for text in explanation(hit))), (0, 0, 0, 2))
            )
        table.add_row(str(hit.rank), f"{hit.score:.3f}", _arms(hit), Group(*parts))
    return table


def _arms(hit: Hit) -> Text:
    rows = []
    for name, arm in hit.arms.items():
        if arm is None:
            rows.append(Text(f"{name:<8} {'–':>4}", style="dim"))
        else:
            rows.append(Text(f"{name:<8} {arm.rank:>4} {arm.score:>7.3g}"))
    return Text("\n").join(rows)


def _location(
    hit: Hit, options: RenderOptions, highlighter: Highlighter, *, base: str, cells: int, links: bool
) -> Text:
    line = highlighter.best(hit.text, hit.start_line).number
    path = one_line(display_path(hit.path, absolute=options.absolute, base=base))
    text = Text(shorten_path(path, cells - len(f":{line}")), style="cyan", no_wrap=True, overflow="ignore")
    text.append(f":{line}", style="green")
    if links:
        text.stylize(f"link file://{quote(hit.path.encode('utf-8', 'surrogateescape'))}")
    return text


def _name(hit: Hit) -> list[Text]:
    name = hit.symbol or " › ".join(hit.heading) or hit.title
    return [Text(one_line(name), style="bold", overflow="ellipsis", no_wrap=True)] if name else []


def _lines(hit: Hit, options: RenderOptions, highlighter: Highlighter) -> tuple[Line, ...]:
    if options.full or options.max_lines:
        return shown_lines(hit, options, highlighter)
    return highlighter.window(hit.text, hit.start_line, DEFAULT_LINES)


def _snippet_line(line: Line) -> Text:
    """Return a line with its matched words marked; `printable` keeps every sign in its place."""
    raw = line.text.replace("\t", " ")
    lead = len(raw) - len(raw.lstrip())
    cut = max(0, lead - 8)
    text = Text(printable(raw[cut:]), overflow="ellipsis", no_wrap=True)
    for start, end in line.spans:
        text.stylize("bold yellow", max(0, start - cut), max(0, end - cut))
    first = min((start for start, _ in line.spans), default=0)
    if first > 160:
        text = Text("…") + text[first - 40 :]
    return text


def shorten_path(path: str, cells: int) -> str:
    """Return `path` in at most `cells` columns if leaving out folders from the middle can do it.

    The file name is never cut: it is what people look for.
    """
    if cell_len(path) <= cells or "/" not in path:
        return path
    folders, _, name = path.rpartition("/")
    parts = folders.split("/")
    for left in range(len(parts) - 1, 0, -1):
        keep = parts[: (left + 1) // 2], parts[len(parts) - left // 2 :]
        short = "/".join([*keep[0], "…", *keep[1], name])
        if cell_len(short) <= cells:
            return short
    return f"…/{name}"
