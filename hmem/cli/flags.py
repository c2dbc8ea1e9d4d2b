"""The flags of `search` and `related`, each defined once as a field of `Given`."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Annotated, Any, get_type_hints

import typer

RANKING, FILTERS, OUTPUT = "Ranking", "Filters", "Output"
Texts = list[str] | None


@dataclass(frozen=True, slots=True)
class Given:
    """The flags as they were typed; None where one was not given."""

    top_k: Annotated[
        int | None, typer.Option("--top-k", "-k", metavar="N", help="How many hits [10].", rich_help_panel=RANKING)
    ] = None
    alpha: Annotated[
        float | None,
        typer.Option(
            "--alpha",
            metavar="X",
            help="Share of the dense arm: 0 words alone, 1 meaning alone.",
            rich_help_panel=RANKING,
        ),
    ] = None
    fusion: Annotated[
        str | None,
        typer.Option("--fusion", metavar="convex|rrf", help="How arms are fused [convex].", rich_help_panel=RANKING),
    ] = None
    rrf_k: Annotated[
        int | None, typer.Option("--rrf-k", min=0, metavar="N", help="Constant of rrf [60].", rich_help_panel=RANKING)
    ] = None
    no_boosts: Annotated[
        bool | None, typer.Option("--no-boosts/--boosts", help="The fused score only.", rich_help_panel=RANKING)
    ] = None
    arms: Annotated[
        Texts,
        typer.Option("--arms", metavar="LIST", help="Arms to run: bm25,document,dense,…", rich_help_panel=RANKING),
    ] = None
    minimum: Annotated[
        Texts,
        typer.Option(
            "--min", metavar="ARM=SCORE", help="Drop an arm's hits below a raw score (repeat).", rich_help_panel=RANKING
        ),
    ] = None
    recency: Annotated[
        float | None,
        typer.Option(
            "--recency", metavar="WEIGHT", help="Weight of newness: 0 none, 1 newest first.", rich_help_panel=RANKING
        ),
    ] = None
    half_life: Annotated[
        float | None,
        typer.Option(
            "--half-life", metavar="DAYS", help="Age at which newness counts half [90].", rich_help_panel=RANKING
        ),
    ] = None
    explain: Annotated[
        bool | None, typer.Option("--explain/--no-explain", help="The reasons for each rank.", rich_help_panel=RANKING)
    ] = None
    where: Annotated[
        Texts,
        typer.Option(
            "--where",
            "-w",
            metavar="EXPR",
            help="Filter such as service=billing (repeat: and); `hmem help filters`.",
            rich_help_panel=FILTERS,
        ),
    ] = None
    no_default_where: Annotated[
        bool, typer.Option("--no-default-where", help="Lift the filters of the configuration.", rich_help_panel=FILTERS)
    ] = False
    inside: Annotated[
        Texts, typer.Option("--in", metavar="PATH", help="Below this path (repeat: or).", rich_help_panel=FILTERS)
    ] = None
    glob: Annotated[
        Texts, typer.Option("--glob", "-g", metavar="GLOB", help="Path matches (repeat).", rich_help_panel=FILTERS)
    ] = None
    lang: Annotated[
        Texts,
        typer.Option("--lang", metavar="LANG", help="Language, such as python (repeat: or).", rich_help_panel=FILTERS),
    ] = None
    kind: Annotated[
        Texts,
        typer.Option("--kind", metavar="KIND", help="note, wiki, code or text (repeat: or).", rich_help_panel=FILTERS),
    ] = None
    collection: Annotated[
        Texts,
        typer.Option(
            "--collection", "-c", metavar="NAME", help="In this collection (repeat: or).", rich_help_panel=FILTERS
        ),
    ] = None
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="DATE", help="Updated on or after: 2025-03-01, 7d.", rich_help_panel=FILTERS),
    ] = None
    until: Annotated[
        str | None, typer.Option("--until", metavar="DATE", help="Updated on or before.", rich_help_panel=FILTERS)
    ] = None
    as_of: Annotated[
        str | None,
        typer.Option("--as-of", metavar="DATE", help="As the memory stood at that date.", rich_help_panel=FILTERS),
    ] = None
    all_states: Annotated[
        bool,
        typer.Option("--all-states", help="Superseded, expired and retracted ones too.", rich_help_panel=FILTERS),
    ] = False
    output: Annotated[
        str | None,
        typer.Option(
            "--format", metavar="FORMAT", help="table, lines, json, jsonl, paths, csv or md.", rich_help_panel=OUTPUT
        ),
    ] = None
    as_json: Annotated[bool, typer.Option("--json", help="Same as --format json.", rich_help_panel=OUTPUT)] = False
    as_paths: Annotated[
        bool, typer.Option("--files-with-matches", "-l", help="Same as --format paths.", rich_help_panel=OUTPUT)
    ] = False
    null: Annotated[bool, typer.Option("--null", "-0", help="NUL after each path.", rich_help_panel=OUTPUT)] = False
    absolute: Annotated[
        bool | None, typer.Option("--absolute/--relative", help="Absolute paths.", rich_help_panel=OUTPUT)
    ] = None
    full: Annotated[bool | None, typer.Option("--full/--no-full", help="Whole chunks.", rich_help_panel=OUTPUT)] = None
    max_lines: Annotated[
        int | None,
        typer.Option(
            "--max-lines", "-n", min=1, metavar="N", help="At most N lines of each chunk.", rich_help_panel=OUTPUT
        ),
    ] = None
    max_tokens: Annotated[
        int | None,
        typer.Option(
            "--max-tokens",
            min=1,
            metavar="N",
            help="Budget of the whole answer, best hits first (a token is 4 bytes).",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    refresh: Annotated[
        bool | None,
        typer.Option(
            "--refresh/--no-refresh",
            help="Look for changes first [if that is quick].",
            show_default=False,
            rich_help_panel=OUTPUT,
        ),
    ] = None


def with_search_flags(command: Callable[..., int]) -> Callable[..., None]:
    """Return a function that takes the parameters of `command` and every flag, and exits with its exit code.

    `command` gets the flags as its argument `given`.
    """

    def run(**values: Any) -> None:
        given = Given(**{flag.name: values.pop(flag.name) for flag in fields(Given)})
        raise typer.Exit(command(**values, given=given))

    hints = get_type_hints(Given, include_extras=True)
    own = [found for name, found in inspect.signature(command, eval_str=True).parameters.items() if name != "given"]
    flags = [
        inspect.Parameter(flag.name, inspect.Parameter.KEYWORD_ONLY, default=flag.default, annotation=hints[flag.name])
        for flag in fields(Given)
    ]
    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    run.__signature__ = inspect.Signature([*parameters, *flags])  # type: ignore[attr-defined]
    run.__doc__ = command.__doc__
    return run
