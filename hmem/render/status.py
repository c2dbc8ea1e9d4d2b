"""`hmem status` as lines and as a table."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from hmem.render.plain import printable
from hmem.render.report import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from hmem.status import CollectionStatus, Status

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
    return item.last_scan or "never scanned"


def _skipped(item: CollectionStatus) -> str:
    reasons = Counter(left.reason for left in item.skipped).most_common()
    return ", ".join(f"{count:,} {reason}" for reason, count in reasons)


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
        yield f"{name}\t{counts}\t{_state(item)}{unembedded}{skipped}"
        if verbose:
            for left in item.skipped:
                detail = f" ({left.detail})" if left.detail else ""
                yield printable(f"  {left.path}: {left.reason}{detail}")


def status_table(status: Status, *, verbose: bool) -> RenderableType:
    """Return the collections as a table under a line about the store."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("collection", style="cyan", overflow="fold")
    table.add_column("documents", justify="right")
    table.add_column("chunks", justify="right")
    table.add_column("last scan (UTC)")
    table.add_column("root", overflow="fold")
    notes: list[Text] = []
    for item in status.collections:
        state = Text(
            _state(item).replace("+00:00", "").replace("T", " "), style="red" if item.collection.missing else ""
        )
        table.add_row(
            Text(printable(item.collection.name)),
            f"{item.documents:,}",
            f"{item.chunks:,}",
            state,
            Text(printable(str(item.collection.root))),
        )
        if item.skipped:
            notes.append(Text(printable(f"{item.collection.name}: skipped {_skipped(item)}"), style="dim"))
        if verbose:
            notes += [Text(printable(f"  {left.path}: {left.reason}"), style="dim") for left in item.skipped]
    head = Text.assemble(
        ("store ", "dim"),
        printable(str(status.store)),
        (f"  generation {status.generation}, {size_text(status.bytes)}", "dim"),
        (f"  watched by process {status.watcher.pid}" if status.watcher else "", "green"),
    )
    return Group(head, Text(), table, *notes)
