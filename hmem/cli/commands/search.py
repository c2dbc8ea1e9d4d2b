"""`hmem search`: ranked hits for a query."""

from typing import Annotated

import typer

from hmem.cli import options as shared
from hmem.cli.flags import with_search_flags
from hmem.cli.given import Given
from hmem.cli.grammar import SearchCommand

EPILOG = "Example: hmem search 'retry after timeout' -w service=billing --explain"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("search", short_help="Find the passages that answer a query.", epilog=EPILOG, cls=SearchCommand)(
        with_search_flags(search)
    )


def search(
    given: Given,
    query: Annotated[list[str] | None, typer.Argument(metavar="QUERY…", show_default=False)] = None,
    request: Annotated[
        str | None, typer.Option("--request", metavar="FILE|-", help="A search as one JSON object.")
    ] = None,
    batch: Annotated[
        str | None,
        typer.Option("--batch", metavar="FILE|-", help="One query or request a line; answers as JSON lines."),
    ] = None,
    store: shared.Store = None,
) -> int:
    """Rank chunks for QUERY; several words are one query, "quoted words" must occur as written."""
    from hmem.cli.searching import run_search

    return run_search(given, query or [], store, request=request, batch=batch)
