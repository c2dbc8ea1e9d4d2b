"""`hmem status`: what is indexed and how fresh it is."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from hmem.cli import options as shared
from hmem.cli.console import hint, write, write_lines
from hmem.render.json_text import to_text

if TYPE_CHECKING:
    from hmem.status import Status

EPILOG = "Example: hmem status --json | jq .chunks"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("status", short_help="What is indexed, and how fresh it is.", epilog=EPILOG)(status)


def status(store: shared.Store = None, verbose: shared.Verbose = False, as_json: shared.AsJson = False) -> None:
    """Show the collections, their size and age, and what was left out (`-v` lists it)."""
    from hmem.library import KnowledgeBase

    with KnowledgeBase.open(store) as memory:
        found = memory.status()
    if as_json:
        write(to_text(found.to_json()))
    elif sys.stdout.isatty():
        _show_table(found, verbose=verbose)
    else:
        from hmem.render.status import status_lines

        write_lines(status_lines(found, verbose=verbose))
        if not found.collections:
            hint("no collection yet; `hmem index PATH` adds one")


def _show_table(found: Status, *, verbose: bool) -> None:
    from hmem.render.status import status_table
    from hmem.render.terminal import terminal

    console = terminal()
    console.print(status_table(found, verbose=verbose, width=console.width))
