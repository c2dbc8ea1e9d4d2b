"""What time has to say in a search: which eligible passages stand, and how near each is to the time asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from threading import RLock
from typing import TYPE_CHECKING, Final

import numpy as np

from hmem.errors import QueryError
from hmem.search import closeness
from hmem.search.dates import FORMS, Span, parse_span, seconds
from hmem.search.declarations import Declaration, read_declarations
from hmem.search.fuse import Fused
from hmem.search.lifecycle import Lifecycle, Visible, read_lifecycle
from hmem.search.query import Arm, boosting
from hmem.search.results import LATER
from hmem.search.spans import Spans, read_spans
from hmem.search.temporal import Temporal, read_temporal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hmem.search.query import SearchOptions
    from hmem.search.recipe import Recipe
    from hmem.store.snapshot import Snapshot
    from hmem.types import Json

RECENCY: Final = "recency"
"""The name of the boost that `--recency` asks for; what the words of a query ask for has the name of the arm."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The time that a search is made at, seconds by the wall clock, and what its query says about time.

    `past`: it is the moment of `--as-of`. `skipped`: why the words of time have no say, None if they have one.
    """

    now: float
    past: bool = False
    temporal: Temporal | None = None
    recency: float = 0.0
    half_life: float = closeness.DAY
    skipped: str | None = None

    @classmethod
    def of(cls, options: SearchOptions, text: str, now: datetime) -> Moment:
        """Return the moment of a search for `text`. Raises QueryError for an `--as-of` that is no date."""
        past = options.as_of is not None
        if options.as_of is not None:
            span = parse_span(options.as_of, now)
            if span is None:
                raise QueryError(
                    f"`--as-of` needs a date: `{options.as_of}`", text=options.as_of, position=0, hint=f"write {FORMS}"
                )
            now = min(now, _last_moment(span))
        timed = _timed(options)
        temporal = read_temporal(text, now) if timed else None
        skipped = None
        if temporal is None and not options.recency:
            skipped = "the query names no time" if timed else "boosts are switched off"
        return cls(seconds(now), past, temporal, options.recency, options.half_life * closeness.DAY, skipped)

    @property
    def window(self) -> tuple[float, float] | None:
        """The stretch of time that the query names."""
        if self.temporal is None or self.temporal.window is None:
            return None
        return seconds(self.temporal.window.start), seconds(self.temporal.window.end)

    def to_json(self) -> dict[str, Json]:
        """Return what the time arm made of the query, for the report of the arm."""
        found: dict[str, Json] = {}
        if self.temporal is not None:
            found |= {"expression": self.temporal.expression, "intent": str(self.temporal.intent)}
            if span := self.temporal.window:
                found["window"] = [span.start.isoformat(), span.end.isoformat()]
        if self.recency:
            found["recency"] = self.recency
        return found

    def notes(self) -> dict[str, str]:
        """Return why the boosts of time are there, by their names."""
        found = {}
        if self.temporal is not None:
            found[str(Arm.TIME)] = self.temporal.meaning
        if self.recency:
            found[RECENCY] = f"half at {self.half_life / closeness.DAY:g} days"
        return found


class Standing:
    """States and dates of one snapshot, read when a search first asks. Safe to share between threads."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._lock = RLock()
        self._declared: Mapping[int, Declaration] | None = None
        self._lifecycle: Lifecycle | None = None
        self._spans: Spans | None = None

    def visible(self, eligible: NDArray[np.bool_], options: SearchOptions, moment: Moment) -> Visible:
        """Return what is left of the `eligible` (P,) for a search, and what it hides.

        A query about a stretch of the past may find what was superseded or expired since that began.
        """
        hidden: dict[str, int] = {}
        if moment.past:
            spans = self.spans()
            later = eligible & ((spans.written > moment.now) | (spans.start > moment.now))
            eligible = eligible & ~later
            hidden = {LATER: int(np.count_nonzero(later))} if later.any() else {}
        lifecycle = self._states()
        if lifecycle is None or options.all_states:
            return Visible(eligible, hidden)
        retired = lifecycle.retired(moment.now, past=moment.past)
        if moment.window is not None:
            retired &= ~lifecycle.held_after(moment.window[0])
        found = lifecycle.visible(eligible, retired)
        return replace(found, hidden={**found.hidden, **hidden})

    def states(self, positions: NDArray[np.int64], moment: Moment) -> list[str | None]:
        """Return the state of each of `positions` (n,) at a moment, None for what is not retired."""
        lifecycle = self._states()
        if lifecycle is None:
            return [None] * len(positions)
        retired = lifecycle.retired(moment.now, past=moment.past)
        return lifecycle.names(positions, retired)

    def boost(self, fused: Fused, moment: Moment, best: float, recipe: Recipe) -> Fused:
        """Return `fused` with what time adds: `time` up to a share of the score, `recency` as weight between the two.

        `best` is the best score that fusion can give.
        """
        boosts, at = dict(fused.boosts), fused.positions
        if moment.temporal is not None and recipe.time:
            boosts[str(Arm.TIME)] = recipe.time * fused.scores * self._closeness(fused, moment)
        if moment.recency:
            score = Fused(at, fused.contributions, boosts).scores
            fresh = best * closeness.recency(self.spans().changed[at], moment.now, moment.half_life)
            boosts[RECENCY] = moment.recency * (fresh - score)
        return replace(fused, boosts=boosts)

    def _closeness(self, fused: Fused, moment: Moment) -> NDArray[np.float64]:
        spans, at = self.spans(), fused.positions
        if moment.window is None:
            return closeness.newest_first(spans.changed[at], ~np.isnan(spans.start[at]), fused.scores)
        return closeness.to_window(spans.start[at], spans.end[at], spans.lasting[at], *moment.window)

    def newest(self, scored: NDArray[np.bool_], depth: int) -> NDArray[np.int64]:
        """Return the positions of the `depth` newest of the `scored` (P,): candidates where recency weighs."""
        positions = np.flatnonzero(scored)
        if len(positions) <= depth:
            return positions
        changed = self.spans().changed[positions]
        cut = np.partition(changed, len(changed) - depth)[len(changed) - depth]
        kept: NDArray[np.int64] = positions[changed >= cut]
        return kept

    def spans(self) -> Spans:
        """Return the dates of all positions."""
        with self._lock:
            if self._spans is None:
                lifecycle = self._states()
                self._spans = read_spans(self._snapshot, self._declared or {}, lifecycle)
            return self._spans

    def _states(self) -> Lifecycle | None:
        with self._lock:
            if self._declared is None:
                declared = read_declarations(self._snapshot.catalog)
                self._lifecycle = read_lifecycle(self._snapshot, declared)
                self._declared = declared
            return self._lifecycle


def _timed(options: SearchOptions) -> bool:
    """Tell whether words of time have a say; those of an example (`without`) are no question."""
    return not options.without and boosting(options, Arm.TIME)


def _last_moment(span: Span) -> datetime:
    return max(span.start, span.end - datetime.resolution)
