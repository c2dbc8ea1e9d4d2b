"""The flags of `search` and `related` for Typer: one option for each field of `Given`."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Annotated, Any, get_type_hints

import typer

from hmem.cli.given import Given

RANKING, FILTERS, OUTPUT = "Ranking", "Filters", "Output"

OPTIONS = {
    "top_k": typer.Option("--top-k", "-k", metavar="N", help="How many hits [10].", rich_help_panel=RANKING),
    "alpha": typer.Option(
        "--alpha",
        metavar="X",
        help="Share of the dense arm: 0 words alone, 1 meaning alone.",
        rich_help_panel=RANKING,
    ),
    "fusion": typer.Option(
        "--fusion", metavar="convex|rrf", help="How arms are fused [convex].", rich_help_panel=RANKING
    ),
    "rrf_k": typer.Option("--rrf-k", min=0, metavar="N", help="Constant of rrf [60].", rich_help_panel=RANKING),
    "no_boosts": typer.Option("--no-boosts/--boosts", help="The fused score only.", rich_help_panel=RANKING),
    "arms": typer.Option("--arms", metavar="LIST", help="Arms to run: bm25,document,dense,…", rich_help_panel=RANKING),
    "minimum": typer.Option(
        "--min", metavar="ARM=SCORE", help="Drop an arm's hits below a raw score (repeat).", rich_help_panel=RANKING
    ),
    "recency": typer.Option(
        "--recency", metavar="WEIGHT", help="Weight of newness: 0 none, 1 newest first.", rich_help_panel=RANKING
    ),
    "half_life": typer.Option(
        "--half-life", metavar="DAYS", help="Age at which newness counts half [90].", rich_help_panel=RANKING
    ),
    "explain": typer.Option("--explain/--no-explain", help="The reasons for each rank.", rich_help_panel=RANKING),
    "where": typer.Option(
        "--where",
        "-w",
        metavar="EXPR",
        help="Filter such as service=billing (repeat: and); `hmem help filters`.",
        rich_help_panel=FILTERS,
    ),
    "no_default_where": typer.Option(
        "--no-default-where", help="Lift the filters of the configuration.", rich_help_panel=FILTERS
    ),
    "inside": typer.Option("--in", metavar="PATH", help="Below this path (repeat: or).", rich_help_panel=FILTERS),
    "glob": typer.Option("--glob", "-g", metavar="GLOB", help="Path matches (repeat).", rich_help_panel=FILTERS),
    "lang": typer.Option(
        "--lang", metavar="LANG", help="Language, such as python (repeat: or).", rich_help_panel=FILTERS
    ),
    "kind": typer.Option(
        "--kind", metavar="KIND", help="note, wiki, code or text (repeat: or).", rich_help_panel=FILTERS
    ),
    "collection": typer.Option(
        "--collection", "-c", metavar="NAME", help="In this collection (repeat: or).", rich_help_panel=FILTERS
    ),
    "since": typer.Option(
        "--since", metavar="DATE", help="Updated on or after: 2025-03-01, 7d.", rich_help_panel=FILTERS
    ),
    "until": typer.Option("--until", metavar="DATE", help="Updated on or before.", rich_help_panel=FILTERS),
    "as_of": typer.Option("--as-of", metavar="DATE", help="As the memory stood at that date.", rich_help_panel=FILTERS),
    "all_states": typer.Option(
        "--all-states", help="Superseded, expired and retracted ones too.", rich_help_panel=FILTERS
    ),
    "output": typer.Option(
        "--format", metavar="FORMAT", help="table, lines, json, jsonl, paths, csv or md.", rich_help_panel=OUTPUT
    ),
    "as_json": typer.Option("--json", help="Same as --format json.", rich_help_panel=OUTPUT),
    "as_paths": typer.Option("--files-with-matches", "-l", help="Same as --format paths.", rich_help_panel=OUTPUT),
    "null": typer.Option("--null", "-0", help="NUL after each path.", rich_help_panel=OUTPUT),
    "absolute": typer.Option("--absolute/--relative", help="Absolute paths.", rich_help_panel=OUTPUT),
    "full": typer.Option("--full/--no-full", help="Whole chunks.", rich_help_panel=OUTPUT),
    "max_lines": typer.Option(
        "--max-lines", "-n", min=1, metavar="N", help="At most N lines of each chunk.", rich_help_panel=OUTPUT
    ),
    "max_tokens": typer.Option(
        "--max-tokens",
        min=1,
        metavar="N",
        help="Budget of the whole answer, best hits first (a token is 4 bytes).",
        rich_help_panel=OUTPUT,
    ),
    "refresh": typer.Option(
        "--refresh/--no-refresh",
        help="Look for changes first [if that is quick].",
        show_default=False,
        rich_help_panel=OUTPUT,
    ),
}
"""Spelling and help of the fields of `Given`."""


def with_search_flags(command: Callable[..., int]) -> Callable[..., None]:
    """Return a function that takes the parameters of `command` and every flag, and exits with its exit code.

    `command` gets the flags as its argument `given`.
    """

    def run(**values: Any) -> None:
        given = Given(**{flag.name: values.pop(flag.name) for flag in fields(Given)})
        raise typer.Exit(command(**values, given=given))

    hints = get_type_hints(Given)
    own = [found for name, found in inspect.signature(command, eval_str=True).parameters.items() if name != "given"]
    flags = [
        inspect.Parameter(
            flag.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=flag.default,
            annotation=Annotated[hints[flag.name], OPTIONS[flag.name]],
        )
        for flag in fields(Given)
    ]
    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    run.__signature__ = inspect.Signature([*parameters, *flags])  # type: ignore[attr-defined]
    run.__doc__ = command.__doc__
    return run
