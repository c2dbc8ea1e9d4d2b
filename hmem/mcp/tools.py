"""The tools that agents call, on one warm store: arguments are checked, the newest generation answers."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from hmem.cli.layers import checked, search_fields
from hmem.errors import HmemError, StoreError, UnknownKeyError, UsageError
from hmem.library import KnowledgeBase
from hmem.mcp import answers
from hmem.mcp.parameters import DEFAULT_TOKENS, flags
from hmem.mcp.schemas import TOOLS

if TYPE_CHECKING:
    from hmem.freshness import Freshness
    from hmem.mcp.answers import Answer
    from hmem.mcp.schemas import Tool
    from hmem.search.query import SearchOptions
    from hmem.search.results import SearchResult
    from hmem.search.session import FollowingSearcher

CHECK_HOLDS: Final = 2.0
"""Seconds for which a comparison with the disk is not repeated: agents call in bursts."""


@dataclass(frozen=True, slots=True)
class _Open:
    memory: KnowledgeBase
    searcher: FollowingSearcher

    def close(self) -> None:
        self.searcher.close()
        self.memory.close()


class Tools:
    """Answers calls, also several at once, over the newest generation; model and indexes stay loaded. Close it."""

    def __init__(self, store: str | None = None) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._open: _Open | None = None
        self._checking = threading.Lock()
        self._checked = float("-inf")
        self._called = time.monotonic()
        self._calls: dict[str, Callable[[Mapping[str, Any]], Answer]] = {
            "search": self._search,
            "get": self._get,
            "related": self._related,
            "remember": self._remember,
            "status": self._status,
        }

    def close(self) -> None:
        """Let go of the store."""
        with self._lock:
            before, self._open = self._open, None
        if before is not None:
            before.close()

    def warm_up(self) -> None:
        """Load what the first call needs; what stands in the way is told by that call."""
        with suppress(HmemError):
            self._opened().memory.encoder()

    def rest(self, idle: float) -> None:
        """Stop keeping old index files on the disk if the last call is `idle` seconds ago."""
        if self._open is not None and time.monotonic() - self._called >= idle:
            self._open.searcher.release()

    def call(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        """Return the answer of the tool `name`. Raises HmemError with what to do next, also for bad arguments."""
        if name not in TOOLS:
            raise UnknownKeyError("tool", name, TOOLS)
        check_arguments(TOOLS[name], arguments)
        self._called = time.monotonic()
        try:
            return self._calls[name](arguments)
        except StoreError:
            self.close()  # repaired or made anew meanwhile, it is opened again by the next call
            raise
        finally:
            self._called = time.monotonic()

    # -- the tools

    def _search(self, given: Mapping[str, Any]) -> Answer:
        return self._found(given, given["query"], lambda searcher, options: searcher.search(options))

    def _related(self, given: Mapping[str, Any]) -> Answer:
        reference = given["reference"]
        return self._found(given, "", lambda searcher, options: searcher.related(reference, options))

    def _found(
        self, given: Mapping[str, Any], query: str, find: Callable[[FollowingSearcher, SearchOptions], SearchResult]
    ) -> Answer:
        store = self._opened()
        settings = store.memory.settings
        typed = flags(given)
        options = checked(query, search_fields(typed, settings), settings)
        age = self._freshen(store.memory, typed.refresh)
        result = replace(find(store.searcher, options), stale=age.stale if age else None)
        return answers.found(
            result,
            tokens=typed.max_tokens or settings["search.max_tokens"] or DEFAULT_TOKENS,
            explain=bool(typed.explain),
            notes=[age.message] if age and age.message else [],
        )

    def _get(self, given: Mapping[str, Any]) -> Answer:
        memory = self._opened().memory
        tokens = given.get("max_tokens") or memory.settings["search.max_tokens"] or DEFAULT_TOKENS
        return answers.read(memory.get(given["reference"]), tokens=tokens)

    def _remember(self, given: Mapping[str, Any]) -> Answer:
        note = self._opened(create=True).memory.remember(
            given["text"],
            title=given.get("title"),
            metadata=given.get("metadata"),
            tags=given.get("tags", ()),
            supersedes=given.get("supersedes", ()),
        )
        return answers.remembered(note)

    def _status(self, given: Mapping[str, Any]) -> Answer:
        del given
        return answers.indexed(self._opened().memory.status())

    # -- the store

    def _opened(self, *, create: bool = False) -> _Open:
        with self._lock:
            if self._open is None:
                memory = KnowledgeBase.open(self._store, create=create)
                self._open = _Open(memory, memory.following())
            return self._open

    def _freshen(self, memory: KnowledgeBase, refresh: bool | None) -> Freshness | None:
        """Bring the store up to date if that is asked for, or cheap and not just done; return what is known of its age.

        None if another call is at it or was a moment ago.
        """
        if not self._checking.acquire(blocking=refresh is not None):
            return None
        try:
            if refresh is None and time.monotonic() - self._checked < CHECK_HOLDS:
                return None
            return memory.freshen(memory.settings["search.refresh"] if refresh is None else refresh)
        finally:
            self._checked = time.monotonic()
            self._checking.release()


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
