"""The summary of an indexing run, as lines of text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hmem.render.plain import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hmem.report import IndexReport


def plural(count: int, noun: str) -> str:
    """Return `1 file`, `2 files`, `1,234 files`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def summary_lines(report: IndexReport) -> Iterator[str]:
    """Yield the totals, what changed, and what was left out; the last only if there is something to say."""
    verb = "would index" if report.dry_run else "indexed"
    names = ", ".join(report.collections) or "nothing"
    speed = ""
    if report.chunks and report.seconds > 0:
        speed = f" ({report.chunks / report.seconds:,.0f} chunks/s)"
    yield printable(f"{verb} {names}: {plural(report.files, 'file')} in {report.seconds:.1f} s{speed}")
    changes = [
        f"+{report.added:,} added",
        f"~{report.updated:,} changed",
        f"-{report.removed:,} removed",
        f"{report.unchanged + report.touched:,} unchanged",
    ]
    if report.kept:
        changes.append(f"{report.kept:,} kept though out of reach")
    yield "  " + ", ".join(changes)
    if report.chunks:
        vectors = f"{report.embedded:,} embedded" + (f", {report.reused:,} reused" if report.reused else "")
        yield f"  {plural(report.chunks, 'chunk')}: {vectors}"
    reasons = report.skipped_by_reason()
    if reasons:
        yield "  skipped: " + ", ".join(f"{count:,} {reason}" for reason, count in reasons.items()) + " (-v lists them)"
    problems = len(report.unreadable) + len(report.warnings)
    if problems:
        yield f"  {plural(problems, 'warning')}, see above"


def skipped_lines(report: IndexReport) -> Iterator[str]:
    """Yield one line for each file or folder that was left out."""
    for collection, item in report.skipped:
        detail = f" ({item.detail})" if item.detail else ""
        yield printable(f"skipped: {collection}/{item.path}: {item.reason}{detail}")
