"""What documents say in their front matter about their own life: states, dates, and what they replace."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from hmem.search.dates import Span, stored_span

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hmem.store.catalog import Catalog


class State(StrEnum):
    """Why a passage is retired; the words at the head of `status` that retire it.

    Any other status stays: a `draft` or a `rejected` proposal is what it says it is, and what is `archived` was put
    away, not contradicted.
    """

    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    DEPRECATED = "deprecated"
    OBSOLETE = "obsolete"
    RETRACTED = "retracted"
    WITHDRAWN = "withdrawn"

    @property
    def was_true(self) -> bool:
        """Whether it held once, so that a question about that time may find it; what was taken back never did."""
        return self not in (State.RETRACTED, State.WITHDRAWN)


UNDECIDED: Final = frozenset({"draft", "proposed", "proposal", "rejected", "declined"})
"""States of a document that is not in force, so that what it says it supersedes still holds."""

KEYS: Final = ("status", "supersedes", "superseded_by", "expires", "valid_from", "valid_until", "retracted")

_WORD = re.compile(r"[^\W\d_]+")


@dataclass(frozen=True, slots=True)
class Declaration:
    """What one document says. `supersedes` and `superseded_by` are names as written; dates are stretches of time.

    `unread` are the keys of dates that are none.
    """

    status: str = ""
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    expires: Span | None = None
    valid_from: Span | None = None
    valid_until: Span | None = None
    retracted: Span | None = None
    unread: tuple[str, ...] = ()

    @property
    def state(self) -> State | None:
        """The state that `status` names, None if it retires nothing."""
        return State(self.status) if self.status in list(State) else None

    @property
    def held(self) -> bool:
        """Whether it was true once: not what was taken back, unless it says itself until when it was valid."""
        if self.state is None or self.state.was_true:
            return self.retracted is None
        return self.retracted is None and self.valid_until is not None

    @property
    def in_force(self) -> bool:
        """Whether what it says about others counts."""
        state = self.state
        return self.status not in UNDECIDED and (state is None or state.was_true)

    @property
    def start(self) -> datetime | None:
        """When it began to hold, if it says so."""
        return self.valid_from.start if self.valid_from else None

    @property
    def end(self) -> datetime | None:
        """When it ceased to hold, if it says so: after the last day that it names."""
        ends = [span.end for span in (self.valid_until, self.expires) if span is not None]
        return min(ends, default=None)


def read_declarations(catalog: Catalog) -> dict[int, Declaration]:
    """Return what documents (by id) declare; those that declare nothing are left out."""
    spelled = {f"meta.{form}": key for key in KEYS for form in (key, key.replace("_", "-"), key.capitalize())}
    found: defaultdict[int, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    sql = "SELECT key, document, text FROM attributes WHERE key IN ({}) ORDER BY key, document, ordinal"
    for key, document, text in catalog.rows_of(sql, spelled):
        if text.strip():
            found[document][spelled[key]].append(text.strip())
    return {document: _declaration(found[document]) for document in sorted(found)}


def _declaration(values: Mapping[str, Sequence[str]]) -> Declaration:
    spans: dict[str, Span | None] = {}
    for key in ("expires", "valid_from", "valid_until", "retracted"):
        spans[key] = next((span for text in values.get(key, ()) if (span := stored_span(text))), None)
    words = [match[0].lower() for text in values.get("status", ()) if (match := _WORD.match(text))]
    return Declaration(
        status=next((word for word in words if word in list(State)), words[0] if words else ""),
        supersedes=tuple(values.get("supersedes", ())),
        superseded_by=tuple(values.get("superseded_by", ())),
        unread=tuple(key for key, span in spans.items() if span is None and values.get(key)),
        **spans,
    )
