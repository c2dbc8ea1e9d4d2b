"""`hmem eval`: retrieval quality on the user's own labelled queries."""

from __future__ import annotations

from typing import Annotated

import typer

from hmem.cli import options as shared

EPILOG = "Example: hmem eval --init queries.jsonl; hmem eval queries.jsonl --misses"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("eval", short_help="Measure retrieval on your own labelled queries.", epilog=EPILOG)(evaluate)


def evaluate(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", show_default=False, help="Labelled queries; `-` is stdin.")
    ] = None,
    store: shared.Store = None,
    qrels: Annotated[
        str | None, typer.Option("--qrels", metavar="FILE", help="Labels in the form of TREC; FILE has the queries.")
    ] = None,
    init: Annotated[
        bool, typer.Option("--init", help="Write queries to start from, to a new FILE or to stdout.")
    ] = False,
    tag: Annotated[list[str] | None, typer.Option("--tag", metavar="TAG", help="Queries with it (repeat: or).")] = None,
    misses: Annotated[
        bool, typer.Option("--misses", help="Where each arm ranks the answers that were missed.")
    ] = False,
    compare: Annotated[
        str | None, typer.Option("--compare", metavar="FILE", help="Test against an earlier `--json` result.")
    ] = None,
    split: Annotated[
        int, typer.Option("--split", metavar="SEED", help="How the queries are halved for the sweeps.")
    ] = 0,
    no_sweep: Annotated[bool, typer.Option("--no-sweep", help="Leave out the sweeps of alpha and k.")] = False,
    unit: Annotated[
        str | None,
        typer.Option(
            "--unit", metavar="document|chunk", help="What a rank counts [by the labels].", show_default=False
        ),
    ] = None,
    where: Annotated[
        list[str] | None, typer.Option("--where", "-w", metavar="EXPR", help="Filter every search (repeat: and).")
    ] = None,
    collection: Annotated[
        list[str] | None, typer.Option("--collection", "-c", metavar="NAME", help="Search only there (repeat: or).")
    ] = None,
    quiet: shared.Quiet = False,
    as_json: shared.AsJson = False,
) -> None:
    """Measure the search on your own labelled queries: per arm, in pairs, fused, and over alpha and k.

    FILE has one JSON object a line with a query and what is relevant to it: paths, `path:line`,
    `path:10-20`, chunk ids; optionally `grade`, `tags` and `id`.
    """
    from hmem.cli.evaluating import Wanted, run, write_starter

    if init:
        write_starter(file, store)
        return
    wanted = Wanted(
        file=file,
        qrels=qrels,
        tags=tuple(tag or ()),
        misses=misses,
        compare=compare,
        seed=split,
        sweeps=not no_sweep,
        unit=unit,
        where=tuple(where or ()),
        collections=tuple(collection or ()),
        quiet=quiet,
        as_json=as_json,
    )
    run(wanted, store)
