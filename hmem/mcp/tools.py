"""The tools that agents call, on one warm store: arguments checked, answers cut to a budget of tokens."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from hmem.cli.flags import Given
from hmem.cli.layers import checked, search_fields
from hmem.errors import StoreError, UnknownKeyError, UsageError
from hmem.library import KnowledgeBase
from hmem.mcp.schemas import DEFAULT_TOKENS, TOOLS
from hmem.render import RenderOptions, render
from hmem.render.budget import BYTES_PER_TOKEN, fit_budget

if TYPE_CHECKING:
    from hmem.mcp.schemas import Tool
    from hmem.search.query import SearchOptions
    from hmem.search.results import SearchResult
    from hmem.types import Json

CHECK_HOLDS: Final = 2.0
"""Seconds for which a comparison with the disk is not repeated: agents call in bursts."""

_FLAGS: Final = ("top_k", "alpha", "fusion", "rrf_k", "arms", "no_boosts")
_FILTERS: Final = {"in": "inside"} | {
    name: name for name in ("where", "glob", "lang", "kind", "collection", "since", "until")
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool says: `text` for the model that reads it, `data` the JSON object of the same command."""

    text: str
    data: dict[str, Json]


class Tools:
    """Answers calls one at a time, over the newest generation; model and indexes stay loaded. Close it."""

    def __init__(self, store: str | None = None) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._held = ExitStack()
        self._memory: KnowledgeBase | None = None
        self._search: Callable[[SearchOptions], SearchResult] | None = None
        self._checked = float("-inf")
        self._calls: dict[str, Callable[[Mapping[str, Any]], Answer]] = {
            "search": self._answer_search,
            "get": self._answer_get,
            "related": self._answer_related,
            "remember": self._answer_remember,
            "status": self._answer_status,
        }

    def close(self) -> None:
        """Let go of the store."""
        with self._lock:
            self._release()

    def call(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        """Return the answer of the tool `name`. Raises HmemError with what to do next, also for bad arguments."""
        if name not in TOOLS:
            raise UnknownKeyError("tool", name, TOOLS)
        check_arguments(TOOLS[name], arguments)
        with self._lock:
            try:
                return self._calls[name](arguments)
            except StoreError:
                self._release()  # repaired or made anew meanwhile, it is opened again by the next call
                raise

    # -- the tools

    def _answer_search(self, given: Mapping[str, Any]) -> Answer:
        memory = self._opened()
        options = checked(given["query"], search_fields(_flags(given), memory.settings), memory.settings)
        stale = self._freshen(memory)
        if self._search is None:
            self._search = self._held.enter_context(memory.session(follow=True))
        return _shown(replace(self._search(options), stale=stale), given)

    def _answer_related(self, given: Mapping[str, Any]) -> Answer:
        memory = self._opened()
        options = checked("", search_fields(_flags(given), memory.settings), memory.settings)
        stale = self._freshen(memory)
        return _shown(replace(memory.related(given["reference"], options), stale=stale), given)

    def _answer_get(self, given: Mapping[str, Any]) -> Answer:
        passage = self._opened().get(given["reference"])
        text, is_cut = _cut(passage.text, _budget(given))
        rest = f"\n(cut to {_budget(given)} tokens; ask for `PATH:LINE` or more `max_tokens`)" if is_cut else ""
        where = f"{passage.path}:{passage.start_line}-{passage.end_line}"
        data = replace(passage, text=text).to_json() | {"truncated": is_cut}
        return Answer(f"{where}\n\n{text}{rest}", data)

    def _answer_remember(self, given: Mapping[str, Any]) -> Answer:
        note = self._opened(create=True).remember(
            given["text"],
            title=given.get("title"),
            metadata=given.get("metadata"),
            tags=given.get("tags", ()),
            supersedes=given.get("supersedes", ()),
        )
        later = f"; not indexed yet: {note.unindexed}" if note.unindexed else ""
        return Answer(f"remembered as {note.id}{later}", note.to_json())

    def _answer_status(self, given: Mapping[str, Any]) -> Answer:
        from hmem.render.status import status_lines

        del given
        status = self._opened().status()
        return Answer("\n".join(status_lines(status, verbose=False)), status.to_json())

    # -- the store

    def _opened(self, *, create: bool = False) -> KnowledgeBase:
        if self._memory is None:
            self._memory = self._held.enter_context(KnowledgeBase.open(self._store, create=create))
        return self._memory

    def _freshen(self, memory: KnowledgeBase) -> bool | None:
        """Bring the store up to date if that is cheap and was not just done; return what is known of its age."""
        now = time.monotonic()
        if now - self._checked < CHECK_HOLDS:
            return None
        age = memory.freshen(memory.settings["search.refresh"])
        self._checked = time.monotonic()
        return age.stale

    def _release(self) -> None:
        self._held.close()
        self._held, self._memory, self._search = ExitStack(), None, None


def check_arguments(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Raise UnknownKeyError for a parameter that `tool` lacks, UsageError for a value that does not fit."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import best_match

    for name in arguments:
        if name not in tool.parameters:
            raise UnknownKeyError(f"parameter of `{tool.name}`", name, tool.parameters)
    error = best_match(Draft202012Validator(tool.schema).iter_errors(dict(arguments)))
    if error is not None:
        place = ".".join(str(part) for part in error.absolute_path)
        raise UsageError(f"bad value for `{place}`: {error.message}" if place else error.message)


def _flags(given: Mapping[str, Any]) -> Given:
    """Return the arguments as the flags of the command line."""
    flags = {name: given[name] for name in _FLAGS if name in given}
    return Given(**flags, **{flag: given[name] for name, flag in _FILTERS.items() if name in given})


def _budget(given: Mapping[str, Any]) -> int:
    return int(given.get("max_tokens", DEFAULT_TOKENS))


def _shown(result: SearchResult, given: Mapping[str, Any]) -> Answer:
    """Return the hits that fit the budget, as a quotable block and as the JSON object of `hmem search --json`."""
    shape = RenderOptions(format="md", absolute=True, max_tokens=_budget(given))
    fitting = fit_budget(result, shape)
    notes = [*result.degraded, *(["the index is behind the files"] if result.stale else [])]
    if not fitting.hits:
        notes.append(f"no hit among {result.eligible_chunks:,} chunks")
    elif fitting.truncated:
        notes.append(f"{len(fitting.hits)} of {len(result.hits)} hits fit the budget")
    text = "".join(render(fitting, shape)) + "".join(f"({note})\n" for note in notes)
    data = fit_budget(result, replace(shape, format="json"))
    return Answer(text, data.to_json())


def _cut(text: str, tokens: int) -> tuple[str, bool]:
    """Return the whole lines of `text` within `tokens`, at least a part of the first, and whether any is missing."""
    data = text.encode("utf-8", "replace")
    most = tokens * BYTES_PER_TOKEN
    if len(data) <= most:
        return text, False
    kept = data[:most].decode("utf-8", "ignore")
    whole = kept.rpartition("\n")[0]
    return (whole or kept), True
