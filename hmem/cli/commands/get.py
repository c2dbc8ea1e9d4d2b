"""`hmem get`: the text of a chunk or a document, as indexed."""

from __future__ import annotations

import sys

import typer

from hmem.cli import options as shared
from hmem.cli.console import write
from hmem.render.json_text import to_text

EPILOG = "Example: hmem get wiki/pool.md:12"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("get", short_help="Print a passage or a document, as indexed.", epilog=EPILOG)(get)


def get(reference: shared.Reference, store: shared.Store = None, as_json: shared.AsJson = False) -> None:
    """Print the chunk with an ID or at PATH:LINE, or the whole document at PATH, as indexed."""
    from hmem.library import KnowledgeBase
    from hmem.render.plain import printable

    with KnowledgeBase.open(store) as memory:
        passage = memory.get(reference)
    if as_json:
        write(to_text(passage.to_json()))
        return
    text = printable(passage.text) if sys.stdout.isatty() else passage.text
    write(text, end="" if text.endswith("\n") or not text else "\n")
