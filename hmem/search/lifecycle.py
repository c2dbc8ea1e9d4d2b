"""Which passages are retired, and since when. They leave the eligible ones before any arm ranks.

A document is retired by its own front matter: a `status` that begins with a word of `State`, a `superseded_by`, an
`expires` or `valid_until` that is past. Another one retires it, or a chunk of it, by naming it in `supersedes`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

import numpy as np

from hmem.search.dates import file_moment, parse_moment, seconds
from hmem.search.declarations import State
from hmem.search.supersession import Names, claims_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from hmem.search.declarations import Declaration
    from hmem.store.catalog import Catalog
    from hmem.store.snapshot import Snapshot

STATES: Final = tuple(State)
NEVER: Final = float("inf")


@dataclass(frozen=True, slots=True)
class Retirement:
    """A reason to retire a passage, from `since` on (seconds, local), None if that is not known.

    `stated`: it holds now whatever the clock says; not so what has a date that may lie ahead. `held`: the passage was
    true before, not taken back.
    """

    state: State
    since: float | None
    stated: bool = True
    held: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Visible:
    """What may be found: `eligible` (P,), and how many chunks were `hidden` that would have been, by state."""

    eligible: NDArray[np.bool_]
    hidden: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Lifecycle:
    """The states of one snapshot, (P,) each, of what is retired now or will be.

    `state` int8, index into STATES, -1 for none · `since` float64, seconds, NEVER for none · `stated` bool: holds now
    whatever `since` says · `held` bool: was true until then.
    """

    state: NDArray[np.int8]
    since: NDArray[np.float64]
    stated: NDArray[np.bool_]
    held: NDArray[np.bool_]

    def retired(self, moment: float, *, past: bool = False) -> NDArray[np.bool_]:
        """Return what is retired at a `moment` in seconds, (P,): now, or what was retired at a `past` one already."""
        by_then = self.since <= moment
        return by_then if past else self.stated | by_then

    def held_after(self, moment: float) -> NDArray[np.bool_]:
        """Return what is retired but still held at `moment` or later, (P,); not what was taken back."""
        return self.held & (self.since > moment)

    def visible(self, eligible: NDArray[np.bool_], retired: NDArray[np.bool_]) -> Visible:
        """Return what is left of `eligible` (P,) without the `retired` (P,)."""
        return Visible(eligible & ~retired, self.counts(eligible & retired))

    def counts(self, mask: NDArray[np.bool_]) -> dict[str, int]:
        """Return how many positions of `mask` (P,) are in each state that occurs there."""
        found = np.bincount(self.state[mask & (self.state >= 0)], minlength=len(STATES))
        return {str(state): int(count) for state, count in zip(STATES, found, strict=True) if count}

    def names(self, positions: NDArray[np.int64], retired: NDArray[np.bool_]) -> list[str | None]:
        """Return the states of those of `positions` (n,) that are `retired` (P,), None for the others."""
        states = self.state[positions].tolist()
        return [str(STATES[at]) if held else None for at, held in zip(states, retired[positions], strict=True)]


def read_lifecycle(snapshot: Snapshot, declared: Mapping[int, Declaration]) -> Lifecycle | None:
    """Return the states of a snapshot, given what documents declare; None if nothing is ever retired."""
    if not declared:
        return None
    documents, chunks = retirements(snapshot.catalog, declared)
    if not documents and not chunks:
        return None
    state, since = np.full(len(snapshot.document_keys), -1, np.int8), np.full(len(snapshot.document_keys), NEVER)
    stated, held = np.zeros(len(state), np.bool_), np.zeros(len(state), np.bool_)
    where = {key: at for at, key in enumerate(snapshot.document_keys.tolist())}
    for document, found in documents.items():
        if (at := where.get(document)) is not None:
            state[at], since[at], stated[at], held[at] = _numbers(found)
    spread = snapshot.document_positions
    state, since, stated, held = state[spread], since[spread], stated[spread], held[spread]
    for at, found in zip(snapshot.positions_of([*chunks]).tolist(), chunks.values(), strict=True):
        if at >= 0 and state[at] < 0:
            state[at], since[at], stated[at], held[at] = _numbers(found)
    return Lifecycle(state, since, stated, held)


def _numbers(found: Retirement) -> tuple[int, float, bool, bool]:
    return STATES.index(found.state), -NEVER if found.since is None else found.since, found.stated, found.held


def retirements(
    catalog: Catalog, declared: Mapping[int, Declaration]
) -> tuple[dict[int, Retirement], dict[int, Retirement]]:
    """Return why documents (by id) and chunks (by key) are retired, given what documents declare."""
    names = Names(catalog)
    claims = claims_of(declared, names)
    successors = {
        document: [target for name in declaration.superseded_by if (target := names.resolve(name, document).document)]
        for document, declaration in declared.items()
        if declaration.superseded_by
    }
    begins = _starts(catalog, declared, [*(claim.newer for claim in claims), *chain(*successors.values())])
    reasons: dict[int, list[Retirement]] = {}
    chunks: dict[int, Retirement] = {}
    for claim in claims:
        reason = Retirement(State.SUPERSEDED, begins[claim.newer], declared[claim.newer].valid_from is None)
        if claim.chunk is None:
            reasons.setdefault(claim.older, []).append(reason)
        else:
            chunks.setdefault(claim.chunk, reason)
    for document, targets in successors.items():
        since = min((begins[target] for target in targets), default=None)
        reasons.setdefault(document, []).append(Retirement(State.SUPERSEDED, since))
    for document, declaration in declared.items():
        if own := list(_own_reasons(declaration)):
            reasons.setdefault(document, []).extend(own)
    # By the time of the last change, at the latest, an undated reason was written.
    changed = _moments(catalog, "updated", [document for document, found in reasons.items() if _undated(found)])
    return {document: _one(found, changed.get(document)) for document, found in reasons.items()}, chunks


def _starts(catalog: Catalog, declared: Mapping[int, Declaration], documents: Iterable[int]) -> dict[int, float]:
    """Return since when documents hold: what they declare, else when they were made, as far as it is known."""
    found = _moments(catalog, "created", documents)
    for document in found:
        if document in declared and (start := declared[document].start):
            found[document] = seconds(start)
    return found


def _moments(catalog: Catalog, column: str, documents: Iterable[int]) -> dict[int, float]:
    """Return the date of documents, `created` or `updated`, that of the file where they have none that can be read."""
    sql = f"SELECT id, {column}, mtime_ns FROM documents WHERE id IN ({{}})"
    return {
        document: seconds((parse_moment(text) if text else None) or file_moment(mtime))
        for document, text, mtime in catalog.rows_of(sql, dict.fromkeys(documents))
    }


def _own_reasons(declaration: Declaration) -> Iterable[Retirement]:
    """Yield why a document retires itself by its status and its dates."""
    if declaration.state is not None:
        ends = declaration.retracted.start if declaration.retracted else declaration.end
        yield Retirement(declaration.state, None if ends is None else seconds(ends), held=declaration.held)
    elif declaration.retracted is not None:
        yield Retirement(State.RETRACTED, seconds(declaration.retracted.start), held=False)
    if declaration.end is not None:
        yield Retirement(State.EXPIRED, seconds(declaration.end), stated=False)


def _undated(reasons: Iterable[Retirement]) -> bool:
    return all(reason.since is None for reason in reasons)


def _one(reasons: list[Retirement], changed: float | None) -> Retirement:
    """Return the reasons as one: what was taken back counts first, then what is stated; since the earliest moment."""
    order = sorted(reasons, key=lambda reason: (reason.state.was_true, not reason.stated))
    since = min((reason.since for reason in reasons if reason.since is not None), default=changed)
    return Retirement(order[0].state, since, order[0].stated, all(reason.held for reason in reasons))
