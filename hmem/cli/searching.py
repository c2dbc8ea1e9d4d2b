"""From the flags of a search to options, and from the answer to stdout, stderr and the exit code."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hmem.cli.batch import run_batch
from hmem.cli.boundary import EXIT_ERROR, EXIT_NO_HIT
from hmem.cli.console import hint, read_text, write
from hmem.cli.layers import checked, render_options, search_fields
from hmem.cli.notices import freshen, tell_degraded, tell_hidden
from hmem.config import load
from hmem.errors import UnknownKeyError, UsageError
from hmem.library import KnowledgeBase
from hmem.render import render
from hmem.render.budget import fit_budget
from hmem.search.mix import SWITCHED_OFF
from hmem.search.request import from_request
from hmem.text import parse_query

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hmem.cli.given import Given
    from hmem.render import RenderOptions
    from hmem.search.query import SearchOptions
    from hmem.search.results import SearchResult


def run_search(given: Given, query: Sequence[str], store: str | None, *, request: str | None, batch: str | None) -> int:
    """Search, print, and return the exit code."""
    sources = [name for name, value in (("QUERY", query), ("--request", request), ("--batch", batch)) if value]
    if len(sources) > 1:
        raise UsageError(f"{' and '.join(f'`{name}`' for name in sources)} exclude each other")
    if not sources:
        raise UsageError("nothing to search for", hint="write `hmem search QUERY`")
    settings = load()
    if batch:
        return run_batch(given, settings, store, batch)
    shape = render_options(given, settings, "json" if request else None)
    fields = search_fields(given, settings)
    options = _requested(request, given, fields) if request else checked(" ".join(query), fields, settings)
    with KnowledgeBase.open(store, settings=settings) as memory:
        stale = freshen(memory, given)
        return _answer(lambda: replace(memory.search(options), stale=stale), shape)


def run_related(given: Given, reference: str, store: str | None) -> int:
    """Search for what is near `reference`, print, and return the exit code."""
    settings = load()
    shape = render_options(given, settings)
    options = checked("", search_fields(given, settings), settings)
    with KnowledgeBase.open(store, settings=settings) as memory:
        stale = freshen(memory, given)
        return _answer(lambda: replace(memory.related(reference, options), stale=stale), shape)


def _answer(search: Callable[[], SearchResult], shape: RenderOptions) -> int:
    """Run one search, print its answer and what the user must know about it, and return the exit code."""
    found = _explained(search)
    result = fit_budget(found, shape)
    tell_degraded(result)
    for record in render(result, shape):
        write(record, end="")
    if result.broken:
        return EXIT_ERROR
    if shape.format not in ("json", "table") or not result.hits:
        tell_hidden(result)
    if not result.hits:
        hint(why_nothing(result))
        return EXIT_NO_HIT
    if result.truncated:
        part = ", the last one in part" if result.hits[-1].truncated else ""
        hint(f"`--max-tokens {shape.max_tokens}` leaves {len(result.hits):,} of {len(found.hits):,} hits{part}")
    return 0


def _explained(search: Callable[[], SearchResult]) -> SearchResult:
    """Run `search`; an unknown metadata key without a near one gets a hint where to find the known ones."""
    try:
        return search()
    except UnknownKeyError as error:
        if error.hint is None and error.message.startswith("unknown key"):
            error.hint = "`hmem ls --keys` lists the keys"
        raise


def why_nothing(result: SearchResult) -> str:
    """Return why there is no hit: an empty store, filters, quoted words, a query of no words, or no match."""
    phrases = " and ".join(f'`"{phrase}"`' for phrase in parse_query(result.query).phrases)
    if not result.eligible_chunks:
        if result.hidden:
            return "all that could be found is retired or of a later date"
        if result.filters:
            kept = f" with {phrases}" if phrases else ""
            return f"the filters leave no chunk{kept}: {', '.join(result.filters)}"
        return f"no chunk has {phrases} as written" if phrases else "the store is empty; `hmem index PATH` fills it"
    if result.strategy == "none":
        reasons = (report.reason for report in result.arms.values())
        why = next((reason for reason in reasons if reason not in (None, SWITCHED_OFF)), "the query is empty")
        return f"no arm had anything to look for: {why}"
    return f"no hit among {result.eligible_chunks:,} chunks"


_SET_BY_REQUEST = ("alpha", "fusion", "rrf_k", "arms", "no_boosts")


def _requested(source: str, given: Given, fields: dict[str, Any]) -> SearchOptions:
    """Return the options of the JSON object in `source`, over those of the flags."""
    try:
        request = json.loads(read_text(source))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not a JSON object: `{source}`: {error}") from None
    options = from_request(request, fields)
    contradicted = [name for name in _SET_BY_REQUEST if options.request and getattr(given, name) is not None]
    if contradicted:
        flag = f"--{contradicted[0].replace('_', '-')}"
        raise UsageError(f"`{flag}` contradicts the `hybrid_params` of the request", hint="give one of them")
    if given.top_k not in (None, options.top_k):
        raise UsageError(f"`--top-k {given.top_k}` contradicts the request: `{options.top_k}`", hint="give one of them")
    return options
