"""Hits for a person at a terminal: a Rich table with ranks and scores, a linked location and a snippet.

On a wide terminal every arm that ran has a column; on a narrow one the arms share a line of the hit. Indexed text goes
in as `Text`, so that nothing in it is markup. Colours are the terminal's own and mean what they mean in grep, on a
light ground as on a dark one: where it is (magenta), what matched (red); everything reads the same without them.
"""

from __future__ import annotations

import os
import sys
from io import StringIO
from typing import TYPE_CHECKING
from urllib.parse import quote

from rich.cells import cell_len
from rich.console import Console, Group
from rich.padding import Padding
from rich.style import Style
from rich.table import Table
from rich.text import Text

from hmem.render.explain import account, explanation, matched
from hmem.render.fit import fit_line, shorten_path
from hmem.render.lines import shown_lines
from hmem.render.plain import display_path, one_line, printable
from hmem.render.terminal import terminal
from hmem.search.snippet import Highlighter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rich.console import RenderableType

    from hmem.render import RenderOptions
    from hmem.search.results import ArmHit, Hit, SearchResult
    from hmem.search.snippet import Line

DEFAULT_LINES = 3
MIN_HIT_WIDTH = 64
"""Columns that the hits must keep beside columns for the arms."""

ARM_WIDTH = 12
"""Columns that an arm takes at most: `#100 14.21` and the gap."""

MAX_WIDTH = 160
"""Longer lines are hard to read."""

LOCATION, MATCH, FAINT = "magenta", "bold red", "dim"


def render_table(result: SearchResult, options: RenderOptions) -> Iterator[str]:
    """Yield the table as terminal text, as wide as the terminal; nothing for no hit."""
    if result.hits:
        console = terminal()
        colour = None if console.no_color else console.color_system
        yield to_text(result, options, width=console.width, color_system=colour, cut_paths=sys.stdout.isatty())


def to_text(
    result: SearchResult,
    options: RenderOptions,
    *,
    width: int,
    color_system: str | None = None,
    cut_paths: bool = True,
) -> str:
    """Return the table at a width in columns; without a colour system there are no escape sequences at all.

    Unless `cut_paths` is set, a path is written whole, however long.
    """
    width = min(width, MAX_WIDTH)
    console = Console(
        file=StringIO(),
        width=width,
        height=25,  # or a dumb terminal counts as 80 columns wide
        force_terminal=color_system is not None,
        color_system=color_system,  # type: ignore[arg-type]
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        no_color=False,  # whether there is any colour was decided by `color_system`
    )
    columns = _Columns(result, options, width, links=color_system is not None, cut_paths=cut_paths)
    console.print(columns.table())
    console.print()
    console.print(_summary(result))
    assert isinstance(console.file, StringIO)
    return "\n".join(line.rstrip() for line in console.file.getvalue().split("\n"))


class _Columns:
    """Lays one answer out for one width."""

    def __init__(
        self, result: SearchResult, options: RenderOptions, width: int, *, links: bool, cut_paths: bool
    ) -> None:
        self._result = result
        self._options = options
        self._links = links
        self._cut_paths = cut_paths
        self._highlighter = Highlighter(result.query)
        self._base = os.getcwd()  # noqa: PTH109
        self._arms = tuple(result.hits[0].arms)
        fixed = len(str(len(result.hits))) + len("  0.000  ")
        # An explanation says of each arm what its column would.
        self._apart = not options.explain and width - fixed - ARM_WIDTH * len(self._arms) >= MIN_HIT_WIDTH
        taken = fixed + (sum(self._arm_width(arm) + 2 for arm in self._arms) if self._apart else 0)
        self._cells = max(16, width - taken)

    def table(self) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=FAINT, expand=False)
        table.add_column("#", justify="right", no_wrap=True)
        table.add_column("score", justify="right", no_wrap=True)
        for arm in self._arms if self._apart else ():
            table.add_column(arm, no_wrap=True, min_width=self._arm_width(arm))
        table.add_column("hit", overflow="fold", max_width=self._cells if self._cut_paths else None)
        for place, hit in enumerate(self._result.hits):
            if place:
                table.add_row()
            arms = [_arm_cell(hit.arms.get(arm)) for arm in self._arms] if self._apart else []
            rank, score = _styled(str(hit.rank), FAINT), _styled(f"{hit.score:.3f}", "bold")
            table.add_row(rank, score, *arms, Group(*self._parts(hit)))
        return table

    def _arm_width(self, arm: str) -> int:
        cells = (_arm_cell(hit.arms.get(arm)).cell_len for hit in self._result.hits)
        return max(len(arm), *cells)

    def _parts(self, hit: Hit) -> Iterator[RenderableType]:
        yield self._location(hit)
        name = hit.symbol or " › ".join(hit.heading) or hit.title
        if name:
            yield _styled(fit_line(one_line(name), (), self._cells)[0], "bold")
        if not self._apart and not self._options.explain:
            yield _arm_line(hit, self._arms)
        yield from self._snippet(self._lines(hit))
        if self._options.explain:
            yield Padding(Group(*self._reasons(hit)), (0, 0, 0, 2), expand=False)

    def _reasons(self, hit: Hit) -> Iterator[Text]:
        """Yield the account of the score where it fits, else sentences that may be folded."""
        name, *numbers = [list(column) for column in zip(*account(hit), strict=True)]
        texts = [_justified(name, str.ljust), *(_justified(column, str.rjust) for column in numbers)]
        rows = ["  ".join(row) for row in zip(*texts, strict=True)]
        if cell_len(rows[0]) > self._cells - 2:
            yield from (_styled(one_line(text), FAINT) for text in explanation(hit))
            return
        yield from (_styled(row, FAINT) for row in rows[:-1])
        yield Text(rows[-1])
        yield _styled(one_line(matched(hit)), FAINT)

    def _location(self, hit: Hit) -> Text:
        line = f":{self._highlighter.best(hit.text, hit.start_line).number}"
        path = one_line(display_path(hit.path, absolute=self._options.absolute, base=self._base))
        if self._cut_paths:
            path = shorten_path(path, self._cells - len(line))
        return _styled(path + line, Style(color=LOCATION, link=link_to(hit.path) if self._links else None))

    def _lines(self, hit: Hit) -> tuple[Line, ...]:
        if self._options.full or self._options.max_lines:
            return shown_lines(hit, self._options, self._highlighter)
        return self._highlighter.window(hit.text, hit.start_line, DEFAULT_LINES)

    def _snippet(self, lines: tuple[Line, ...]) -> Iterator[Text]:
        """Yield numbered lines without their common indentation, whole with `--full`, else cut around the matches."""
        if not lines:
            return
        texts = [line.text.replace("\t", " ") for line in lines]
        cut = min((len(text) - len(text.lstrip()) for text in texts if text.strip()), default=0)
        digits = len(str(lines[-1].number))
        for line, raw in zip(lines, texts, strict=True):
            spans = tuple((max(0, start - cut), max(0, end - cut)) for start, end in line.spans)
            body = printable(raw[cut:]).rstrip()
            if not self._options.full:
                body, spans = fit_line(body, spans, self._cells - digits - 2)
            text = _styled(f"{line.number:>{digits}}  ", FAINT)
            lead = len(text)
            text.append(body)
            for start, end in spans:
                text.stylize(MATCH, lead + start, lead + end)
            yield text


def _justified(column: list[str], pad: Callable[[str, int], str]) -> list[str]:
    """Return the cells of a column, all as wide as the widest."""
    width = max(map(len, column))
    return [pad(cell, width) for cell in column]


def _styled(text: str, style: str | Style) -> Text:
    """Return `text` in a style that the blanks to its right do not share."""
    styled = Text(text, overflow="fold")
    styled.stylize(style)
    return styled


def link_to(path: str) -> str:
    """Return the address of a file for a terminal's links; it names the host, since the terminal may run elsewhere."""
    return f"file://{os.uname().nodename}{quote(path.encode('utf-8', 'surrogateescape'))}"


def _arm_cell(arm: ArmHit | None) -> Text:
    return _styled("–", FAINT) if arm is None else Text(f"#{arm.rank:<3} {_score(arm.score)}")


def _arm_line(hit: Hit, arms: tuple[str, ...]) -> Text:
    found = ((name, hit.arms.get(name)) for name in arms)
    said = (f"{name} –" if arm is None else f"{name} #{arm.rank} {_score(arm.score)}" for name, arm in found)
    return _styled("   ".join(said), FAINT)


def _score(score: float) -> str:
    return f"{score:.0f}" if abs(score) >= 1000 else f"{score:.1f}" if abs(score) >= 100 else f"{score:.2f}"


def _summary(result: SearchResult) -> Text:
    """Return one line about the whole answer."""
    fusion = result.fusion
    how = f"k {fusion.k:g}" if fusion.k is not None else f"alpha {fusion.alpha:g}"
    if fusion.alpha_by_kind:
        how = "alpha " + ", ".join(f"{alpha:g} for {kind}" for kind, alpha in fusion.alpha_by_kind.items())
    count = f"{len(result.hits):,} of {result.eligible_chunks:,} chunks"
    filtered = f", filtered by {', '.join(result.filters)}" if result.filters else ""
    return _styled(one_line(f"{count}{filtered} · {fusion.method}, {how} · {result.took_ms:.0f} ms"), FAINT)
