"""`hmem related`: what is nearest to a chunk or a document."""

import typer

from hmem.cli import options as shared
from hmem.cli.flags import with_search_flags
from hmem.cli.given import Given
from hmem.cli.grammar import SearchCommand

EPILOG = "Example: hmem related wiki/pool.md:12 --kind code"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("related", short_help="Find what is nearest to a passage.", epilog=EPILOG, cls=SearchCommand)(
        with_search_flags(related)
    )


def related(given: Given, reference: shared.Reference, store: shared.Store = None) -> int:
    """Rank the chunks nearest to the chunk with an ID or at PATH:LINE, or to the document at PATH."""
    from hmem.cli.searching import run_related

    return run_related(given, reference, store)
