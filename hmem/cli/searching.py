"""From the flags of a search to options, and from the answer to stdout, stderr and the exit code."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hmem.cli.boundary import EXIT_ERROR, EXIT_NO_HIT
from hmem.cli.console import hint, warn, write
from hmem.errors import HmemError, UsageError
from hmem.library import KnowledgeBase
from hmem.render import RenderOptions, render
from hmem.search.query import Fusion, SearchOptions, from_request, parse_minimum
from hmem.settings import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hmem.config import Settings
    from hmem.search.results import SearchResult


@dataclass(frozen=True, slots=True)
class Given:
    """The flags as they were typed; None where a flag was not given."""

    query: list[str]
    top_k: int | None
    alpha: float | None
    fusion: str | None
    rrf_k: int | None
    no_boosts: bool | None
    arms: str | None
    minimum: list[str] | None
    where: list[str]
    no_default_where: bool
    inside: list[str]
    glob: list[str]
    lang: list[str]
    kind: list[str]
    collection: list[str]
    since: str | None
    until: str | None
    explain: bool
    output: str | None
    as_json: bool
    as_paths: bool
    null: bool
    absolute: bool | None
    full: bool
    max_lines: int | None
    max_tokens: int | None
    refresh: bool | None = None
    request: str | None = None
    batch: str | None = None


def run(given: Given, store: str | None) -> int:
    """Search, print, and return the exit code."""
    sources = [
        name
        for name, value in (("QUERY", given.query), ("--request", given.request), ("--batch", given.batch))
        if value
    ]
    if len(sources) > 1:
        raise UsageError(f"{' and '.join(f'`{name}`' for name in sources)} exclude each other")
    if not sources and given.query is not None and not given.query:
        raise UsageError("nothing to search for", hint="write `hmem search QUERY`")
    with KnowledgeBase.open(store) as memory:
        age = memory.freshen(memory.settings["search.refresh"] if given.refresh is None else given.refresh)
        if age.message:
            (warn if age.stale else hint)(age.message)
        if given.batch:
            return _run_batch(memory, given, age.stale)
        if given.request:
            options = from_request(_read_json(given.request), search_fields(given, memory.settings))
        else:
            options = SearchOptions(" ".join(given.query), **search_fields(given, memory.settings))
        forced = "json" if given.request else None
        search = _aged(memory.search, age.stale)
        return answer(search, options, given, memory.settings, forced=forced)


def _aged(
    search: Callable[[SearchOptions], SearchResult], stale: bool | None
) -> Callable[[SearchOptions], SearchResult]:
    return lambda options: replace(search(options), stale=stale)


def answer(
    search: Callable[[SearchOptions], SearchResult],
    options: SearchOptions,
    given: Given,
    settings: Settings,
    *,
    forced: str | None = None,
) -> int:
    """Run one search, print its answer and what the user must know about it, and return the exit code."""
    shape = render_options(given, settings, forced)
    result = search(options)
    tell(result)
    for record in render(result, shape):
        write(record, end="")
    if result.broken:
        return EXIT_ERROR
    if not result.hits:
        explain_nothing(result)
        return EXIT_NO_HIT
    return 0


def search_fields(given: Given, settings: Settings) -> dict[str, Any]:
    """Return the fields of SearchOptions but the query: flags where given, else settings."""

    def either(flag: Any, key: str) -> Any:
        return settings[f"search.{key}"] if flag is None else flag

    fusion = either(given.fusion, "fusion")
    if fusion not in list(Fusion):
        raise UsageError(f"unknown fusion: `{fusion}`", hint="`convex` or `rrf`")
    arms = either(None if given.arms is None else tuple(given.arms.split(",")), "arms")
    minimums = given.minimum if given.minimum is not None else settings["search.min"]
    is_rrf = fusion == Fusion.RRF
    return {
        "top_k": either(given.top_k, "top_k"),
        "alpha": either(given.alpha, "alpha"),
        "fusion": Fusion(fusion),
        "rrf_k": settings["search.rrf_k"] if is_rrf and given.rrf_k is None else given.rrf_k,
        "boosts": not either(given.no_boosts, "no_boosts"),
        "arms": tuple(arm.strip() for arm in arms) or None,
        "minimums": dict(parse_minimum(text) for text in minimums) or None,
        "where": tuple(given.where),
        "default_where": () if given.no_default_where else tuple(settings["search.where"]),
        "within": tuple(given.inside),
        "globs": tuple(given.glob),
        "langs": tuple(given.lang),
        "kinds": tuple(given.kind),
        "collections": tuple(given.collection),
        "since": given.since,
        "until": given.until,
    }


def render_options(given: Given, settings: Settings, forced: str | None = None) -> RenderOptions:
    """Return how to print, after checking that the flags do not contradict each other."""
    named = {given.output, "json" if given.as_json else None, "paths" if given.as_paths else None} - {None}
    if len(named) > 1:
        raise UsageError(f"several formats at once: {', '.join(f'`{name}`' for name in sorted(map(str, named)))}")
    chosen = next(iter(named), None) or forced or settings["search.format"]
    output = chosen or ("paths" if given.null else "table" if sys.stdout.isatty() else "lines")
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
        max_lines=given.max_lines or settings["search.max_lines"],
        max_tokens=given.max_tokens or settings["search.max_tokens"],
    )


def tell(result: SearchResult) -> None:
    """Warn of arms that could not answer."""
    for text in result.degraded:
        warn(text)


def explain_nothing(result: SearchResult) -> None:
    """Say on stderr why there is no hit."""
    if result.filters and not result.eligible_chunks:
        hint(f"the filters leave no chunk: {', '.join(result.filters)}")
    elif not result.eligible_chunks:
        hint("the store is empty; `hmem index PATH` fills it")
    else:
        hint(f"no hit among {result.eligible_chunks:,} chunks")


def _read_text(source: str) -> str:
    if source == "-":
        return sys.stdin.read()
    return Path(source).read_text("utf-8")


def _read_json(source: str) -> Any:
    try:
        return json.loads(_read_text(source))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not a JSON object: `{source}`: {error}") from None


def _batch_lines(source: str) -> Iterator[str]:
    if source == "-":
        yield from sys.stdin
        return
    with Path(source).open(encoding="utf-8", errors="surrogateescape") as file:
        yield from file


def _run_batch(memory: KnowledgeBase, given: Given, stale: bool | None) -> int:
    """Answer one query or request a line with one JSON object a line; a bad line is an object with its error."""
    if given.output not in (None, "json", "jsonl"):
        raise UsageError("`--batch` answers in JSON, one object a line")
    fields = search_fields(given, memory.settings)
    bad = False
    with memory.session() as search:
        for number, line in enumerate(_batch_lines(given.batch or "-"), 1):
            if not line.strip():
                continue
            try:
                result = _aged(search, stale)(_batch_options(line.strip(), fields))
                tell(result)
                write(json.dumps(result.to_json(), ensure_ascii=False))
            except HmemError as error:
                bad = True
                detail = {"message": error.message, "hint": error.hint}
                write(json.dumps({"line": number, "error": detail}, ensure_ascii=False))
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
    return replace(SearchOptions("", **fields), query=line)
