"""`hmem ls`: collections, the documents of some, or the metadata keys of all."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from hmem.cli import options as shared
from hmem.cli.console import hint, write, write_lines
from hmem.errors import UsageError
from hmem.render.json_text import to_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hmem.library import KnowledgeBase

EPILOG = "Example: hmem ls notes -0 | xargs -0 wc -l"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("ls", short_help="List collections, documents or metadata keys.", epilog=EPILOG)(ls)


def ls(
    collections: Annotated[
        list[str] | None, typer.Argument(metavar="[COLLECTION]…", show_default=False, help="Whose documents.")
    ] = None,
    store: shared.Store = None,
    every: Annotated[bool, typer.Option("--all", "-a", help="The documents of all collections.")] = False,
    keys: Annotated[bool, typer.Option("--keys", help="Metadata keys with types, counts and examples.")] = False,
    absolute: Annotated[bool, typer.Option("--absolute", help="Absolute paths.")] = False,
    null: Annotated[bool, typer.Option("--null", "-0", help="NUL instead of a line feed after each.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON list on stdout.")] = False,
) -> None:
    """List the collections; with COLLECTION, the paths of its documents."""
    from hmem.library import KnowledgeBase

    if keys and (collections or every or null):
        raise UsageError("`--keys` lists keys, not documents", hint="write `hmem ls --keys` alone, or with `--json`")
    if null and as_json:
        raise UsageError("`-0` and `--json` exclude each other")
    with KnowledgeBase.open(store) as memory:
        if keys:
            _list_keys(memory, as_json=as_json)
        elif collections or every:
            _list_documents(memory, collections or [], absolute=absolute, null=null, as_json=as_json)
        else:
            _list_collections(memory, null=null, as_json=as_json)


def _list_collections(memory: KnowledgeBase, *, null: bool, as_json: bool) -> None:
    known = memory.status().collections
    if not known:
        hint("no collection yet; `hmem index PATH` adds one")
    if as_json:
        write(to_text([item.to_json() for item in known]))
    elif null:
        write_lines((item.collection.name for item in known), end="\0")
    else:
        _write_rows([(item.collection.name, str(item.collection.root)) for item in known])


def _list_keys(memory: KnowledgeBase, *, as_json: bool) -> None:
    from hmem.render.report import plural

    found = memory.keys()
    if not found:
        hint("no document has metadata of its own; `hmem help filters` tells the built-in keys")
    if as_json:
        write(to_text([summary.to_json() for summary in found]))
        return
    rows = []
    for summary in found:
        kind = "/".join(summary.types) + (" list" if summary.is_list else "")
        more = ", …" if summary.values > len(summary.examples) else ""
        examples = ", ".join(summary.examples) + more
        rows.append((summary.key, kind, plural(summary.documents, "document"), examples))
    _write_rows(rows)


def _write_rows(rows: Sequence[Sequence[str]]) -> None:
    from hmem.render.columns import aligned, tabbed

    write_lines(aligned(rows) if sys.stdout.isatty() else tabbed(rows))


def _list_documents(memory: KnowledgeBase, names: list[str], *, absolute: bool, null: bool, as_json: bool) -> None:
    from hmem.paths import absolute_path
    from hmem.render.plain import display_path, printable

    rows = memory.documents(names)
    if as_json:
        records = [
            {
                "path": absolute_path(owner.root, row.path),
                "collection": owner.name,
                "source": row.path,
                "kind": row.kind,
                "lang": row.lang,
                "title": row.title,
                "size": row.size,
                "metadata": row.metadata,
            }
            for owner, row in rows
        ]
        write(to_text(records))
        return
    base = os.getcwd()  # noqa: PTH109
    for owner, row in rows:
        path = display_path(absolute_path(owner.root, row.path), absolute=absolute, base=base)
        if not null:
            path = printable(path) if sys.stdout.isatty() else path.replace("\n", "\u240a")
        write(path, end="\0" if null else "\n")
