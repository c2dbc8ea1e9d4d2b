"""`hmem mcp`: search and remember for agents, over the Model Context Protocol."""

from __future__ import annotations

from importlib.util import find_spec

import typer

from hmem.cli import options as shared
from hmem.errors import UsageError

EPILOG = "Example: claude mcp add hmem -- hmem mcp"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("mcp", short_help="Serve agents over the Model Context Protocol.", epilog=EPILOG)(mcp)


def mcp(store: shared.Store = None) -> None:
    """Serve the tools search, get, related, remember and status on stdin and stdout until stdin ends.

    Needs the extra `hmem[mcp]`. No tool can index a path; only `remember` writes, and only notes.
    """
    if find_spec("mcp") is None:
        raise UsageError("`hmem mcp` needs the package `mcp`", hint="`pip install 'hmem[mcp]'`")
    from hmem.mcp.server import serve

    serve(store)
