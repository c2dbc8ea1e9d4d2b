"""The progress bar of `hmem index`: on stderr, and only on a terminal."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hmem.indexer import Progress


@contextmanager
def shown_progress(*, hidden: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Yield a callback that draws what it is told, or None where a bar would only be noise."""
    if hidden or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}", markup=False),
        TimeRemainingColumn(),
    )
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("scanning", total=None, rate="")

        def show(progress: Progress) -> None:
            bars.update(
                bar,
                description=progress.collection,
                total=progress.total,
                completed=progress.done,
                rate=f"{progress.chunks_per_second:,.0f} chunks/s" if progress.chunks_per_second else "",
            )

        yield show
