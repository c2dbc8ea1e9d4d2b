"""The terminal that stdout is: as wide as it says it is, a dumb one too, which Rich takes for 80 columns."""

from __future__ import annotations

import shutil

from rich.console import Console


def terminal(*, least: int = 1) -> Console:
    """Return a console for stdout that prints text as it is; at least `least` columns wide."""
    size = shutil.get_terminal_size()
    return Console(width=max(least, size.columns), height=size.lines, highlight=False, markup=False, emoji=False)
