"""`hmem status` as lines and as a table."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hmem.render.fit import shorten_path
from hmem.render.plain import printable
from hmem.render.report import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from hmem.status import CollectionStatus, Status
    from hmem.types import Skipped

_HEADINGS = ("collection", "documents", "chunks", "last scan (UTC)", "root")
COLUMN_GAP = 2
LEAST_ROOT = 16
"""Columns that are worth a column of roots."""

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")


def size_text(size: int) -> str:
    """Return bytes as a person reads them, `3.4 MiB`."""
    amount = float(size)
    for unit in _UNITS[:-1]:
        if amount < 1024:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} {_UNITS[-1]}"


def _state(item: CollectionStatus) -> str:
    if item.collection.missing:
        return "root missing"
    if not item.collection.is_whole:
        return "indexed in part"
    return item.last_scan or "never scanned"


def _skipped(item: CollectionStatus) -> str:
    reasons = Counter(left.reason for left in item.skipped).most_common()
    return ", ".join(f"{count:,} {reason}" for reason, count in reasons)


def _skipped_line(left: Skipped) -> str:
    detail = f" ({left.detail})" if left.detail else ""
    return printable(f"{left.path}: {left.reason}{detail}")


def _warning_lines(item: CollectionStatus) -> list[str]:
    return [printable(f"{path}: {text}") for path, text in item.warnings]


def status_lines(status: Status, *, verbose: bool) -> Iterator[str]:
    """Yield one line for the store and one per collection, fields apart by tabs."""
    yield printable(f"store\t{status.store}\tgeneration {status.generation}\t{size_text(status.bytes)}")
    if status.watcher:
        yield f"watched\tby process {status.watcher.pid} since {status.watcher.since}"
    for item in status.collections:
        counts = f"{plural(item.documents, 'document')}\t{plural(item.chunks, 'chunk')}"
        name = printable(f"{item.collection.name}\t{item.collection.root}").replace("\n", " ")
        unembedded = f"\t{item.unembedded:,} unembedded" if item.unembedded else ""
        skipped = f"\tskipped {_skipped(item)}" if item.skipped else ""
        warnings = f"\t{plural(len(item.warnings), 'warning')}" if item.warnings else ""
        yield f"{name}\t{counts}\t{_state(item)}{unembedded}{skipped}{warnings}"
        if verbose:
            yield from (f"  {line}" for line in (*map(_skipped_line, item.skipped), *_warning_lines(item)))


def status_table(status: Status, *, verbose: bool, width: int) -> RenderableType:
    """Return what there is of each collection under a line about the store, for a terminal of `width` columns."""
    from rich.console import Group
    from rich.text import Text

    head = Text.assemble(
        ("store ", "dim"),
        printable(str(status.store)),
        (f"  generation {status.generation}, {size_text(status.bytes)}", "dim"),
        (f"  watched by process {status.watcher.pid}" if status.watcher else "", "green"),
    )
    if not status.collections:
        return Group(head, Text("no collection; `hmem index PATH` adds one"))
    return Group(head, Text(), _collections(status.collections, width), *_left_out(status.collections, verbose=verbose))


def _collections(items: Sequence[CollectionStatus], width: int) -> RenderableType:
    """Return a table whose roots lose their middles where they must; one block a collection where that is too wide."""
    from rich.console import Group

    from hmem.render.columns import widths

    rows = [
        (printable(item.collection.name), f"{item.documents:,}", f"{item.chunks:,}", _when(item), _root(item))
        for item in items
    ]
    taken = sum(size + COLUMN_GAP for size in widths([_HEADINGS, *rows])[:-1])
    if width - taken >= LEAST_ROOT:
        return _table(items, rows, width - taken)
    return Group(*(part for item, row in zip(items, rows, strict=True) for part in _block(item, row)))


def _table(items: Sequence[CollectionStatus], rows: Sequence[Sequence[str]], room: int) -> RenderableType:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, padding=(0, COLUMN_GAP, 0, 0), header_style="dim")
    for heading in _HEADINGS:
        table.add_column(heading, justify="right" if heading in ("documents", "chunks") else "left", overflow="fold")
    for item, (name, documents, chunks, when, root) in zip(items, rows, strict=True):
        place = Text(shorten_path(root, room))
        table.add_row(Text(name, style="cyan"), documents, chunks, Text(when, style=_alarm(item)), place)
    return table


def _block(item: CollectionStatus, row: Sequence[str]) -> Iterator[RenderableType]:
    from rich.text import Text

    name, _, _, when, root = row
    yield Text(name, style="cyan")
    yield Text(f"  {root}", overflow="fold")
    yield Text(f"  {plural(item.documents, 'document')}, {plural(item.chunks, 'chunk')}")
    known = item.collection.is_whole and not item.collection.missing
    yield Text(f"  last scan {when} UTC" if known else f"  {when}", style=_alarm(item))


def _alarm(item: CollectionStatus) -> str:
    return "red" if item.collection.missing else "" if item.collection.is_whole else "yellow"


def _when(item: CollectionStatus) -> str:
    return _state(item).replace("+00:00", "").replace("T", " ")


def _root(item: CollectionStatus) -> str:
    return printable(str(item.collection.root))


def _left_out(items: Sequence[CollectionStatus], *, verbose: bool) -> Iterator[RenderableType]:
    """Yield what the user should know of the collections: chunks without a vector, files left out, warnings."""
    from rich.text import Text

    for item in items:
        name = printable(item.collection.name)
        if item.unembedded:
            yield Text(f"{name}: {plural(item.unembedded, 'chunk')} without a vector, found by words alone", "yellow")
        if item.skipped:
            yield Text(f"{name}: skipped {_skipped(item)}" + ("" if verbose else " (-v lists them)"), style="dim")
        if verbose:
            yield from (Text(f"  {line}", style="dim") for line in map(_skipped_line, item.skipped))
        if item.warnings:
            more = "" if verbose else " (-v lists them)"
            yield Text(f"{name}: {plural(len(item.warnings), 'warning')}{more}", style="yellow")
        if verbose:
            yield from (Text(f"  {line}", style="yellow") for line in _warning_lines(item))
