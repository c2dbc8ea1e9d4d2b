"""`hmem search --batch`: many searches of one process, one JSON object a line."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from hmem.cli.boundary import EXIT_ERROR
from hmem.cli.console import input_lines, write
from hmem.cli.layers import checked, named_format, render_options, search_fields
from hmem.cli.notices import freshen, tell_degraded
from hmem.errors import HmemError, UsageError
from hmem.library import KnowledgeBase
from hmem.render.budget import fit_budget
from hmem.render.json_text import to_text
from hmem.search.query import SearchOptions
from hmem.search.request import from_request

if TYPE_CHECKING:
    from hmem.cli.given import Given
    from hmem.config import Settings
    from hmem.search.results import SearchResult

CHECK_HOLDS = 1.0
"""Seconds for which a comparison with the disk vouches for the answers of a batch."""


def run_batch(given: Given, settings: Settings, store: str | None, source: str) -> int:
    """Answer one query or request a line with one JSON object a line, and return the exit code.

    Every answer tells the `line` it is for, counted from 1; blank lines count and have none. A bad line is an object
    with its error. Later lines see what was committed meanwhile.
    """
    if named_format(given) not in (None, "json", "jsonl") or given.null:
        raise UsageError("`--batch` answers in JSON, one object a line")
    fields = search_fields(given, settings)
    shape = replace(render_options(given, settings, "json"), format="json")
    checked("", fields, settings)  # contradictory flags are an error of the command, not of every line
    bad = False
    with KnowledgeBase.open(store, settings=settings) as memory:
        age = _Age(freshen(memory, given))
        with memory.following() as searcher:
            for number, line in enumerate(input_lines(source), 1):
                if not line.strip():
                    continue
                try:
                    result = age.told(searcher.search(_options(line.strip(), fields)))
                except HmemError as error:
                    bad = True
                    write(to_text({"line": number, "error": {"message": error.message, "hint": error.hint}}))
                else:
                    bad |= result.broken
                    tell_degraded(result)
                    answer = fit_budget(result, shape).to_json()
                    write(to_text({"schema": answer["schema"], "line": number, **answer}))
                sys.stdout.flush()
    return EXIT_ERROR if bad else 0


class _Age:
    """What is known of the store's age while a batch runs; `stale` is what was known at its beginning."""

    def __init__(self, stale: bool | None) -> None:
        self._stale = stale
        self._checked = time.monotonic()
        self._generation: int | None = None

    def told(self, result: SearchResult) -> SearchResult:
        """Return `result` with its age: a check does not vouch for long, and what was behind may have caught up."""
        if self._generation is None:
            self._generation = result.generation
        has_moved = result.generation != self._generation
        holds = not has_moved if self._stale else time.monotonic() - self._checked < CHECK_HOLDS
        return replace(result, stale=self._stale if holds else None)


def _options(line: str, fields: dict[str, Any]) -> SearchOptions:
    """Return the options of one line: a request if it is a JSON object, else a query."""
    if line.startswith("{"):
        try:
            request = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"not a JSON object: {error}") from None
        return from_request(request, fields)
    return SearchOptions(line, **fields)
