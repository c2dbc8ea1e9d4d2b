"""`hmem doctor`: every invariant of the store checked, problems with the command that mends each."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from hmem.cli import options as shared
from hmem.cli.boundary import EXIT_NO_HIT
from hmem.cli.console import hint, warn, write, write_lines
from hmem.render.json_text import to_text

if TYPE_CHECKING:
    from hmem.doctor import Checkup

EPILOG = "Example: hmem doctor --repair"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("doctor", short_help="Check the store and mend it.", epilog=EPILOG)(doctor)


def doctor(
    store: shared.Store = None,
    repair: Annotated[bool, typer.Option("--repair", help="Mend what can be mended.")] = False,
    memory: Annotated[
        bool, typer.Option("--memory", help="Also duplicates, contradictions and broken supersession in what is said.")
    ] = False,
    lock_timeout: shared.LockTimeout = None,
    as_json: shared.AsJson = False,
) -> None:
    """Check the store; exit 1 if there are problems. Your files are never touched."""
    from hmem.doctor import check, mend

    found = mend(store, memory=memory, lock_timeout=lock_timeout) if repair else check(store, memory=memory)
    if as_json:
        write(to_text(found.to_json()))
    else:
        _show(found)
    for note in found.notes:
        warn(note)
    if found.problems:
        raise typer.Exit(EXIT_NO_HIT)


def _show(found: Checkup) -> None:
    from hmem.render.columns import aligned, tabbed

    rows = list(found.facts.items())
    write_lines(aligned(rows) if sys.stdout.isatty() else tabbed(rows))
    write_lines(tabbed([("mended", problem.code, problem.message) for problem in found.mended]))
    write_lines(tabbed([("problem", problem.code, problem.message) for problem in found.problems]))
    for command in dict.fromkeys(problem.mends for problem in found.problems if problem.mends):
        hint(f"`{command}`")
    if not found.problems:
        write("no problems")
