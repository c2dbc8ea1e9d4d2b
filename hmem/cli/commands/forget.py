"""`hmem forget`: mark a note that hmem wrote as retracted."""

from __future__ import annotations

import typer

from hmem.cli import options as shared
from hmem.cli.console import write
from hmem.render.json_text import to_text

EPILOG = "Example: hmem forget note-3f9a2c41d07b"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("forget", short_help="Mark a note of `hmem remember` as retracted.", epilog=EPILOG)(forget)


def forget(
    reference: shared.Reference,
    store: shared.Store = None,
    lock_timeout: shared.LockTimeout = None,
    quiet: shared.Quiet = False,
    as_json: shared.AsJson = False,
) -> None:
    """Mark a note as retracted: searches leave it out from then on, the file stays.

    Only a note that `hmem remember` wrote, and that nobody changed since, is touched.
    """
    from hmem.cli.notices import tell_unindexed
    from hmem.library import KnowledgeBase

    with KnowledgeBase.open(store) as memory:
        note = memory.forget(reference, lock_timeout=lock_timeout)
    if as_json:
        write(to_text(note.to_json()))
    elif not quiet:
        typer.echo(f"retracted {note.id}: {note.title}", err=True)
    tell_unindexed(note, "marked")
