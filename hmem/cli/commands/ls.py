"""`hmem ls`: collections, or the documents of some."""

from __future__ import annotations

import json
import os
from typing import Annotated

import typer

from hmem.cli import options as shared
from hmem.cli.console import write

EPILOG = "Example: hmem ls notes -0 | xargs -0 wc -l"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("ls", epilog=EPILOG)(ls)


def ls(
    collections: Annotated[
        list[str] | None, typer.Argument(metavar="[COLLECTION]…", show_default=False, help="Whose documents.")
    ] = None,
    store: shared.Store = None,
    every: Annotated[bool, typer.Option("--all", "-a", help="The documents of all collections.")] = False,
    absolute: Annotated[bool, typer.Option("--absolute", help="Absolute paths.")] = False,
    null: Annotated[bool, typer.Option("--null", "-0", help="NUL instead of a line feed after each.")] = False,
    as_json: shared.AsJson = False,
) -> None:
    """List the collections; with COLLECTION, the paths of its documents."""
    from hmem.library import KnowledgeBase

    with KnowledgeBase.open(store) as memory:
        if collections or every:
            _list_documents(memory, collections or [], absolute=absolute, null=null, as_json=as_json)
            return
        known = memory.status().collections
    if as_json:
        write(json.dumps([item.to_json() for item in known], ensure_ascii=False))
        return
    for item in known:
        end = "\0" if null else "\n"
        write(item.collection.name if null else f"{item.collection.name}\t{item.collection.root}", end=end)


def _list_documents(memory: object, names: list[str], *, absolute: bool, null: bool, as_json: bool) -> None:
    from hmem.library import KnowledgeBase
    from hmem.paths import absolute_path
    from hmem.render.plain import display_path, printable

    assert isinstance(memory, KnowledgeBase)
    rows = memory.documents(names)
    if as_json:
        for owner, row in rows:
            record = {
                "path": absolute_path(owner.root, row.path),
                "collection": owner.name,
                "source": row.path,
                "kind": row.kind,
                "lang": row.lang,
                "title": row.title,
                "size": row.size,
                "metadata": row.metadata,
            }
            write(json.dumps(record, ensure_ascii=False))
        return
    base = os.getcwd()  # noqa: PTH109
    for owner, row in rows:
        path = display_path(absolute_path(owner.root, row.path), absolute=absolute, base=base)
        write(path if null else printable(path), end="\0" if null else "\n")
