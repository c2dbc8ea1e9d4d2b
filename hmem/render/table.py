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
from rich.console import Console
from rich.style import Style
from rich.text import Text

from hmem.render.explain import account, explanation, matched, notes
from hmem.render.fit import fit_line, shorten_path
from hmem.render.lines import shown_lines
from hmem.render.plain import display_path, hidden_texts, one_line, printable
from hmem.render.terminal import terminal
from hmem.search.snippet import Highlighter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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

GAP = 2
"""Blanks between columns."""

_PLAIN = Console(file=StringIO(), width=MAX_WIDTH)
"""What Rich wants to have for breaking lines; nothing is written to it."""

LOCATION, MATCH, FAINT = "magenta", "bold red", "dim"


def render_table(result: SearchResult, options: RenderOptions) -> Iterator[str]:
    """Yield the table as terminal text, as wide as the terminal, in a piece for each hit; nothing for no hit."""
    if result.hits:
        console = terminal()
        colour = None if console.no_color else console.color_system
        yield from pieces(result, options, width=console.width, color_system=colour, cut_paths=sys.stdout.isatty())


def pieces(
    result: SearchResult,
    options: RenderOptions,
    *,
    width: int,
    color_system: str | None = None,
    cut_paths: bool = True,
) -> Iterator[str]:
    """Yield the table at a width in columns; without a colour system there are no escape sequences at all.

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
    yield _printed(console, [columns.head()])
    for place, hit in enumerate(result.hits):
        yield _printed(console, [*([Text()] if place else []), *columns.hit(hit)])
    yield _printed(console, [Text(), *_folded(_summary(result), width)])


def _printed(console: Console, lines: Iterable[Text]) -> str:
    """Return what a terminal gets for lines of their final length: without blanks at their ends, never wrapped."""
    console.file = file = StringIO()
    console.print(Text("\n").join(lines), soft_wrap=True)
    return "\n".join(line.rstrip() for line in file.getvalue().split("\n"))


def _folded(text: Text, cells: int) -> Iterable[Text]:
    """Return `text` in lines of at most `cells` columns, broken between words where that can be."""
    return [text] if text.cell_len <= cells else text.wrap(_PLAIN, cells, overflow="fold")


class _Columns:
    """Lays one answer out for one width, line by line: a Rich table measures every cell several times."""

    def __init__(
        self, result: SearchResult, options: RenderOptions, width: int, *, links: bool, cut_paths: bool
    ) -> None:
        self._options = options
        self._links = links
        self._cut_paths = cut_paths
        self._highlighter = Highlighter(result.query)
        self._base = os.getcwd()  # noqa: PTH109
        self._arms = tuple(result.hits[0].arms)
        self._ranks = max(len(str(hit.rank)) for hit in result.hits)
        self._scores = max(len("score"), *(len(f"{hit.score:.3f}") for hit in result.hits))
        fixed = self._ranks + self._scores + 2 * GAP
        # An explanation says of each arm what its column would.
        apart = not options.explain and width - fixed - ARM_WIDTH * len(self._arms) >= MIN_HIT_WIDTH
        self._apart = {arm: _arm_width(arm, result.hits) for arm in self._arms} if apart else {}
        self._left = fixed + sum(size + GAP for size in self._apart.values())
        self._cells = max(16, width - self._left)

    def head(self) -> Text:
        """Return the names of the columns."""
        names = [f"{'#':>{self._ranks}}", f"{'score':>{self._scores}}"]
        names += [f"{arm:<{size}}" for arm, size in self._apart.items()]
        return _styled((" " * GAP).join([*names, "hit"]), FAINT)

    def hit(self, hit: Hit) -> Iterator[Text]:
        """Yield the lines of a hit: its numbers beside the first one."""
        gap = " " * GAP
        left = Text.assemble(
            (f"{hit.rank:>{self._ranks}}", FAINT), gap, (f"{hit.score:>{self._scores}.3f}", "bold"), gap
        )
        for arm, size in self._apart.items():
            cell = _arm_cell(hit.arms.get(arm))
            left.append_text(cell).append(" " * (size - cell.cell_len) + gap)
        for line in self._parts(hit):
            yield left.append_text(line)
            left = Text(" " * self._left)

    def _parts(self, hit: Hit) -> Iterator[Text]:
        location = self._location(hit)
        yield from _folded(location, self._cells) if self._cut_paths else (location,)
        name = hit.symbol or " › ".join(hit.heading) or hit.title
        if name:
            yield _styled(fit_line(one_line(name), (), self._cells)[0], "bold")
        if not self._apart and not self._options.explain:
            yield from _folded(_arm_line(hit, self._arms), self._cells)
        for line in self._snippet(self._lines(hit)):
            yield from _folded(line, self._cells)
        if self._options.explain:
            yield from (Text("  ").append_text(line) for line in self._reasons(hit, self._cells - 2))

    def _reasons(self, hit: Hit, cells: int) -> Iterator[Text]:
        """Yield the account of the score where it fits, else sentences that may be folded."""
        name, *numbers = [list(column) for column in zip(*account(hit), strict=True)]
        texts = [_justified(name, str.ljust), *(_justified(column, str.rjust) for column in numbers)]
        rows = ["  ".join(row) for row in zip(*texts, strict=True)]
        if cell_len(rows[0]) > cells:
            for text in explanation(hit):
                yield from _folded(_styled(one_line(text), FAINT), cells)
            return
        yield from (_styled(row, FAINT) for row in rows[:-1])
        yield Text(rows[-1])
        for text in (*notes(hit), matched(hit)):
            yield from _folded(_styled(one_line(text), FAINT), cells)

    def _location(self, hit: Hit) -> Text:
        line = f":{self._highlighter.best(hit.text, hit.start_line).number}"
        state = f"  {hit.state}" if hit.state else ""
        path = one_line(display_path(hit.path, absolute=self._options.absolute, base=self._base))
        if self._cut_paths:
            path = shorten_path(path, self._cells - len(line) - len(state))
        found = _styled(path + line, Style(color=LOCATION, link=link_to(hit.path) if self._links else None))
        return found.append(state, FAINT)

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


def _arm_width(arm: str, hits: Iterable[Hit]) -> int:
    return max(len(arm), *(_arm_cell(hit.arms.get(arm)).cell_len for hit in hits))


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
    hidden = "".join(f", {text}" for text in hidden_texts(result))
    return _styled(one_line(f"{count}{filtered}{hidden} · {fusion.method}, {how} · {result.took_ms:.0f} ms"), FAINT)
