"""`hmem remember`: write a note and index it at once."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from hmem.cli import options as shared
from hmem.cli.console import write
from hmem.errors import UsageError
from hmem.render.json_text import to_text

EPILOG = "Example: hmem remember 'The pool holds 64 connections since June' --tag pool --meta service=billing"
Texts = list[str] | None


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("remember", short_help="Write a note and index it at once.", epilog=EPILOG)(remember)


def remember(
    text: Annotated[list[str], typer.Argument(metavar="TEXT…|-", show_default=False)],
    store: shared.Store = None,
    title: Annotated[
        str | None, typer.Option("--title", metavar="TITLE", help="Title (else the text's first line).")
    ] = None,
    meta: Annotated[Texts, typer.Option("--meta", metavar="KEY=VALUE", help="Metadata (repeat).")] = None,
    tag: Annotated[Texts, typer.Option("--tag", metavar="TAG", help="Tag (repeat).")] = None,
    supersedes: Annotated[
        Texts, typer.Option("--supersedes", metavar="ID|PATH", help="What it replaces (repeat).")
    ] = None,
    lock_timeout: shared.LockTimeout = None,
    as_json: shared.AsJson = False,
) -> None:
    """Write TEXT, or what stdin holds for `-`, as a markdown note; index it and print its id.

    Notes lie in one directory, `notes_directory` in the configuration, and are a collection like any other.
    """
    from hmem.cli.notices import tell_unindexed
    from hmem.library import KnowledgeBase
    from hmem.rules import parse_metadata

    content = _stdin() if text == ["-"] else " ".join(text)
    metadata = parse_metadata(meta or ())
    with KnowledgeBase.open(store, create=True) as memory:
        note = memory.remember(
            content,
            title=title,
            metadata=metadata,
            tags=tag or (),
            supersedes=supersedes or (),
            lock_timeout=lock_timeout,
        )
    write(to_text(note.to_json()) if as_json else note.id)
    tell_unindexed(note, "saved")


def _stdin() -> str:
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"stdin is not UTF-8 at byte {error.start}", hint="convert it, such as with `iconv`") from None
