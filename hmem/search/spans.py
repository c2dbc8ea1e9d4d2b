"""When passages were written and held, as arrays over the positions of a snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hmem.search.dates import file_moment, parse_moment, seconds
from hmem.search.lifecycle import NEVER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from hmem.search.declarations import Declaration
    from hmem.search.lifecycle import Lifecycle
    from hmem.store.snapshot import Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Moments of all positions, float64 (P,) each, in seconds by the wall clock.

    `written`: when the document was made, by what it says, else by its file · `changed`: its newest date · `start`,
    `end`: since when and until when it held; NaN where it says no date, NEVER where no end is known · `lasting` bool:
    it says how long it held, or that something replaced it; else its date is a moment.
    """

    written: NDArray[np.float64]
    changed: NDArray[np.float64]
    start: NDArray[np.float64]
    end: NDArray[np.float64]
    lasting: NDArray[np.bool_]


def read_spans(snapshot: Snapshot, declared: Mapping[int, Declaration], lifecycle: Lifecycle | None) -> Spans:
    """Return the moments of a snapshot. Raises StoreError if the catalog is damaged."""
    where = {key: at for at, key in enumerate(snapshot.document_keys.tolist())}
    size = len(where)
    written, changed = np.zeros(size), np.zeros(size)
    start, end, lasting = np.full(size, np.nan), np.full(size, NEVER), np.zeros(size, np.bool_)
    for document, created, updated, mtime in snapshot.catalog.rows(
        "SELECT id, created, updated, mtime_ns FROM documents"
    ):
        at = where.get(document)
        if at is None:
            continue
        declaration = declared.get(document)
        valid = declaration.start if declaration else None
        made, revised = _seconds(created), _seconds(updated)
        file = seconds(file_moment(mtime))
        own = [moment for moment in (made, revised, None if valid is None else seconds(valid)) if moment is not None]
        written[at] = file if made is None else made
        changed[at] = max(own, default=file)
        if valid is not None or made is not None:
            start[at] = seconds(valid) if valid is not None else made
        if declaration is not None:
            end[at] = NEVER if declaration.end is None else seconds(declaration.end)
            lasting[at] = valid is not None or declaration.end is not None
    spread = snapshot.document_positions
    ends, lasts = end[spread], lasting[spread]
    if lifecycle is not None:
        ends = np.minimum(ends, lifecycle.since)
        lasts = lasts | (lifecycle.since < NEVER)
    return Spans(written[spread], changed[spread], start[spread], ends, lasts)


def _seconds(text: str | None) -> float | None:
    moment = parse_moment(text) if text else None
    return None if moment is None else seconds(moment)
