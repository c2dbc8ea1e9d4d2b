"""`hmem search`: ranked hits for a query."""

from __future__ import annotations

from typing import Annotated

import typer

from hmem.cli import options as shared
from hmem.cli.alias import AliasCommand

EPILOG = "Example: hmem search 'retry after timeout' -w service=billing --explain"
Texts = list[str] | None
RANKING, FILTERS, OUTPUT = "Ranking", "Filters", "Output"


def register(app: typer.Typer) -> None:
    """Add the command to the application."""
    app.command("search", epilog=EPILOG, cls=AliasCommand)(search)


def search(
    query: Annotated[list[str] | None, typer.Argument(metavar="QUERY…", show_default=False)] = None,
    store: shared.Store = None,
    top_k: Annotated[int | None, typer.Option("--top-k", "-k", metavar="N", help="How many hits [10].")] = None,
    alpha: Annotated[
        float | None,
        typer.Option("--alpha", metavar="X", help="Share of the dense arm: 0 words alone, 1 meaning alone."),
    ] = None,
    fusion: Annotated[
        str | None, typer.Option("--fusion", metavar="convex|rrf", help="How the arms are fused [convex].")
    ] = None,
    rrf_k: Annotated[int | None, typer.Option("--rrf-k", metavar="N", help="Constant of rrf [60].")] = None,
    no_boosts: Annotated[bool | None, typer.Option("--no-boosts/--boosts", help="The fused score only.")] = None,
    arms: Annotated[
        str | None, typer.Option("--arms", metavar="LIST", help="Arms to run: bm25,document,dense,…")
    ] = None,
    minimum: Annotated[
        Texts, typer.Option("--min", metavar="ARM=SCORE", help="Drop an arm's hits below a raw score (repeat).")
    ] = None,
    where: Annotated[
        Texts, typer.Option("--where", "-w", metavar="EXPR", help="Filter such as service=billing (repeat: and).")
    ] = None,
    no_default_where: Annotated[
        bool, typer.Option("--no-default-where", help="Lift the filters of the configuration.")
    ] = False,
    inside: Annotated[Texts, typer.Option("--in", metavar="PATH", help="Below this path (repeat: or).")] = None,
    glob: Annotated[Texts, typer.Option("--glob", "-g", metavar="GLOB", help="Path matches (repeat).")] = None,
    lang: Annotated[
        Texts, typer.Option("--lang", metavar="LANG", help="Language, such as python (repeat: or).")
    ] = None,
    kind: Annotated[
        Texts, typer.Option("--kind", metavar="KIND", help="note, wiki, code or text (repeat: or).")
    ] = None,
    collection: Annotated[Texts, typer.Option("--collection", "-c", metavar="NAME", help="(repeat: or)")] = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="DATE", help="Updated on or after: 2025-03-01, 7d.")
    ] = None,
    until: Annotated[str | None, typer.Option("--until", metavar="DATE", help="Updated on or before.")] = None,
    explain: Annotated[bool, typer.Option("--explain", help="The reasons for each rank.")] = False,
    output: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help="table lines json jsonl paths csv md")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json.")] = False,
    as_paths: Annotated[bool, typer.Option("--files-with-matches", "-l", help="Same as --format paths.")] = False,
    null: Annotated[bool, typer.Option("--null", "-0", help="NUL after each path.")] = False,
    absolute: Annotated[bool | None, typer.Option("--absolute", help="Absolute paths.")] = None,
    full: Annotated[bool, typer.Option("--full", help="Whole chunks.")] = False,
    max_lines: Annotated[int | None, typer.Option("--max-lines", "-n", min=1, metavar="N")] = None,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, metavar="N", help="Budget of the whole answer.")
    ] = None,
    refresh: Annotated[
        bool | None,
        typer.Option("--refresh/--no-refresh", help="Look for changes first [if that is quick].", show_default=False),
    ] = None,
    request: Annotated[
        str | None, typer.Option("--request", metavar="FILE|-", help="A search as one JSON object.")
    ] = None,
    batch: Annotated[str | None, typer.Option("--batch", metavar="FILE|-", help="One query or request a line.")] = None,
) -> None:
    """Rank chunks for QUERY; several words are one query, "quoted words" must occur as written."""
    from hmem.cli.searching import Given, run

    given = Given(
        query=query or [],
        top_k=top_k,
        alpha=alpha,
        fusion=fusion,
        rrf_k=rrf_k,
        no_boosts=no_boosts,
        arms=arms,
        minimum=minimum,
        where=where or [],
        no_default_where=no_default_where,
        inside=inside or [],
        glob=glob or [],
        lang=lang or [],
        kind=kind or [],
        collection=collection or [],
        since=since,
        until=until,
        explain=explain,
        output=output,
        as_json=as_json,
        as_paths=as_paths,
        null=null,
        absolute=absolute,
        full=full,
        max_lines=max_lines,
        max_tokens=max_tokens,
        refresh=refresh,
        request=request,
        batch=batch,
    )
    raise typer.Exit(run(given, store))
