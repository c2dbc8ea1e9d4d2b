"""`hmem remove`: forget a collection. The files themselves are never touched."""

from __future__ import annotations

from typing import Annotated

import typer

from hmem.cli import options as shared

EPILOG = "Example: hmem remove old-wiki"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("remove", short_help="Forget a collection; files stay as they are.", epilog=EPILOG)(remove)


def remove(
    collections: Annotated[list[str], typer.Argument(metavar="COLLECTION…", show_default=False)],
    store: shared.Store = None,
    lock_timeout: shared.LockTimeout = None,
    quiet: shared.Quiet = False,
) -> None:
    """Forget collections and all that is indexed of them; your files stay as they are."""
    from hmem.library import KnowledgeBase
    from hmem.render.report import plural

    with KnowledgeBase.open(store) as memory:
        removed = memory.remove(collections, lock_timeout=lock_timeout)
    if not quiet:
        for name, documents in removed.items():
            typer.echo(f"forgot {name}: {plural(documents, 'document')}", err=True)
