"""From the flags of a search to options, and from the answer to stdout, stderr and the exit code."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hmem.cli.boundary import EXIT_ERROR, EXIT_NO_HIT
from hmem.cli.console import hint, input_lines, read_text, warn, write
from hmem.config import load
from hmem.errors import HmemError, UnknownKeyError, UsageError
from hmem.library import KnowledgeBase
from hmem.render import RenderOptions, render
from hmem.render.budget import fit_budget
from hmem.render.json_text import to_text
from hmem.search.query import Fusion, SearchOptions, from_request, parse_minimum
from hmem.settings import FORMATS
from hmem.text import parse_query

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hmem.cli.flags import Given
    from hmem.config import Settings
    from hmem.search.results import SearchResult
    from hmem.types import Json

CHECK_HOLDS = 1.0
"""Seconds for which a comparison with the disk vouches for the answers of a batch."""


def run_search(given: Given, query: Sequence[str], store: str | None, *, request: str | None, batch: str | None) -> int:
    """Search, print, and return the exit code."""
    sources = [name for name, value in (("QUERY", query), ("--request", request), ("--batch", batch)) if value]
    if len(sources) > 1:
        raise UsageError(f"{' and '.join(f'`{name}`' for name in sources)} exclude each other")
    if not sources:
        raise UsageError("nothing to search for", hint="write `hmem search QUERY`")
    settings = load()
    if batch:
        return _run_batch(given, settings, store, batch)
    shape = render_options(given, settings, "json" if request else None)
    fields = search_fields(given, settings)
    options = _requested(request, given, fields) if request else SearchOptions(" ".join(query), **fields)
    with KnowledgeBase.open(store, settings=settings) as memory:
        stale = _freshen(memory, given)
        return _answer(lambda: replace(memory.search(options), stale=stale), shape)


def run_related(given: Given, reference: str, store: str | None) -> int:
    """Search for what is near `reference`, print, and return the exit code."""
    settings = load()
    shape = render_options(given, settings)
    options = SearchOptions("", **search_fields(given, settings))
    with KnowledgeBase.open(store, settings=settings) as memory:
        stale = _freshen(memory, given)
        return _answer(lambda: replace(memory.related(reference, options), stale=stale), shape)


def _freshen(memory: KnowledgeBase, given: Given) -> bool | None:
    """Bring the store up to date if that is asked for or cheap; return what is known of its age."""
    age = memory.freshen(memory.settings["search.refresh"] if given.refresh is None else given.refresh)
    if age.message:
        (warn if age.stale else hint)(age.message)
    return age.stale


def _answer(search: Callable[[], SearchResult], shape: RenderOptions) -> int:
    """Run one search, print its answer and what the user must know about it, and return the exit code."""
    found = _explained(search)
    result = fit_budget(found, shape)
    _tell(result)
    for record in render(result, shape):
        write(record, end="")
    if result.broken:
        return EXIT_ERROR
    if not result.hits:
        hint(_why_nothing(result))
        return EXIT_NO_HIT
    if result.truncated:
        kept = f"{len(result.hits):,} of {len(found.hits):,} hits"
        hint(f"`--max-tokens {shape.max_tokens}` leaves {kept}, the last one perhaps in part")
    return 0


def _explained(search: Callable[[], SearchResult]) -> SearchResult:
    """Run `search`; an unknown metadata key without a near one gets a hint where to find the known ones."""
    try:
        return search()
    except UnknownKeyError as error:
        if error.hint is None and error.message.startswith("unknown key"):
            error.hint = "`hmem ls --keys` lists the keys"
        raise


def search_fields(given: Given, settings: Settings) -> dict[str, Any]:
    """Return the fields of SearchOptions but the query: flags where given, else settings."""

    def either(flag: Any, key: str) -> Any:
        return settings[f"search.{key}"] if flag is None else flag

    fusion = either(given.fusion, "fusion")
    if fusion not in list(Fusion):
        raise UsageError(f"unknown fusion: `{fusion}`", hint="`convex` or `rrf`")
    arms = settings["search.arms"] if given.arms is None else [arm for text in given.arms for arm in text.split(",")]
    is_rrf = fusion == Fusion.RRF
    return {
        "top_k": either(given.top_k, "top_k"),
        "alpha": either(given.alpha, "alpha"),
        "fusion": Fusion(fusion),
        "rrf_k": settings["search.rrf_k"] if is_rrf and given.rrf_k is None else given.rrf_k,
        "boosts": not either(given.no_boosts, "no_boosts"),
        "arms": tuple(arm.strip() for arm in arms) or None,
        "minimums": dict(parse_minimum(text) for text in either(given.minimum, "min")) or None,
        "where": tuple(given.where or ()),
        "default_where": () if given.no_default_where else tuple(settings["search.where"]),
        "within": tuple(given.inside or ()),
        "globs": tuple(given.glob or ()),
        "langs": tuple(given.lang or ()),
        "kinds": tuple(given.kind or ()),
        "collections": tuple(given.collection or ()),
        "since": given.since,
        "until": given.until,
    }


def render_options(given: Given, settings: Settings, forced: str | None = None) -> RenderOptions:
    """Return how to print, after checking that the flags do not contradict each other."""
    chosen = _named_format(given) or forced or ("paths" if given.null else settings["search.format"])
    output = chosen or ("table" if sys.stdout.isatty() else "lines")
    if output not in FORMATS:
        raise UsageError(f"unknown format: `{output}`", hint=f"one of {', '.join(f'`{name}`' for name in FORMATS)}")
    if given.null and output != "paths":
        raise UsageError("`-0` belongs to `--format paths`", hint="use `-l -0`")
    if given.full and given.max_lines:
        raise UsageError("`--full` and `--max-lines` exclude each other")
    return RenderOptions(
        format=output,
        explain=given.explain,
        null=given.null,
        absolute=settings["search.absolute"] if given.absolute is None else given.absolute,
        full=given.full,
        max_lines=None if given.full else given.max_lines or settings["search.max_lines"],
        max_tokens=given.max_tokens or settings["search.max_tokens"],
    )


def _named_format(given: Given) -> str | None:
    named = {given.output, "json" if given.as_json else None, "paths" if given.as_paths else None} - {None}
    if len(named) > 1:
        raise UsageError(f"several formats at once: {', '.join(f'`{name}`' for name in sorted(map(str, named)))}")
    return next(iter(named), None)


def _tell(result: SearchResult) -> None:
    """Warn of arms that could not answer."""
    for text in result.degraded:
        warn(text)


def _why_nothing(result: SearchResult) -> str:
    """Return why there is no hit: an empty store, filters, quoted words, a query of no words, or no match."""
    phrases = " and ".join(f'`"{phrase}"`' for phrase in parse_query(result.query).phrases)
    if not result.eligible_chunks:
        if result.filters:
            kept = f" with {phrases}" if phrases else ""
            return f"the filters leave no chunk{kept}: {', '.join(result.filters)}"
        return f"no chunk has {phrases} as written" if phrases else "the store is empty; `hmem index PATH` fills it"
    if result.strategy == "none":
        reasons = dict.fromkeys(report.reason for report in result.arms.values() if report.reason)
        return f"no arm had anything to look for: {next(iter(reasons), 'the query is empty')}"
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
    return options


def _run_batch(given: Given, settings: Settings, store: str | None, source: str) -> int:
    """Answer one query or request a line with one JSON object a line; a bad line is an object with its error."""
    if _named_format(given) not in (None, "json", "jsonl") or given.null:
        raise UsageError("`--batch` answers in JSON, one object a line")
    fields = search_fields(given, settings)
    shape = replace(render_options(given, settings, "json"), format="json")
    SearchOptions("", **fields)  # contradictory flags are an error of the command, not of every line
    bad = False
    with KnowledgeBase.open(store, settings=settings) as memory:
        stale, checked = _freshen(memory, given), time.monotonic()
        with memory.session() as search:
            for number, line in enumerate(input_lines(source), 1):
                if not line.strip():
                    continue
                try:
                    # Whoever writes lines slowly gets answers of the same generation that are no longer known to be
                    # current.
                    known = stale if stale or time.monotonic() - checked < CHECK_HOLDS else None
                    result = replace(search(_batch_options(line.strip(), fields)), stale=known)
                except HmemError as error:
                    bad = True
                    detail: Json = {"message": error.message, "hint": error.hint}
                    write(to_text({"line": number, "error": detail}))
                else:
                    bad |= result.broken
                    _tell(result)
                    write("".join(render(fit_budget(result, shape), shape)), end="")
                sys.stdout.flush()
    return EXIT_ERROR if bad else 0


def _batch_options(line: str, fields: dict[str, Any]) -> SearchOptions:
    """Return the options of one line: a request if it is a JSON object, else a query."""
    if line.startswith("{"):
        try:
            request = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"not a JSON object: {error}") from None
        return from_request(request, fields)
    return SearchOptions(line, **fields)
