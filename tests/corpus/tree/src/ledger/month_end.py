"""The run on the first working day: close the period, build, check, send."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, time

log = logging.getLogger("ledger.month_end")

RATES_READY = time(6, 15)
BANK_CUTOFF = time(11, 0)
CALL_FIRST_RATIO = 0.20  # Gannet: ring accounts if the total moves by more than a fifth


class RatesMissing(Exception):
    """Exchange rates for the day are not complete; starting now would price islands at last month's rate."""


@dataclass(slots=True)
class RunReport:
    sent: list[str] = field(default_factory=list)
    skipped: dict[str, str] = field(default_factory=dict)
    to_call: list[str] = field(default_factory=list)


def ensure_rates(now: datetime, have: set[str], need: set[str]) -> None:
    """Refuse to begin before 06:15 or with a currency missing."""
    missing = need - have
    if now.time() < RATES_READY or missing:
        raise RatesMissing(f"started {now:%H:%M}, missing {sorted(missing)}")


def close_period(period: str, closed: set[str]) -> bool:
    """Mark a month as closed. Calling it again is harmless and returns False."""
    if period in closed:
        return False
    closed.add(period)
    return True


def open_period(period: str, counters: dict[str, int]) -> None:
    """Start numbering for a period. NOT repeatable: a second call would create a second row of counters."""
    if period in counters:
        raise RuntimeError(f"{period} is open already")
    counters[period] = 0


def moved_too_much(previous_cents: int, current_cents: int) -> bool:
    if previous_cents == 0:
        return current_cents > 0
    return abs(current_cents - previous_cents) / previous_cents > CALL_FIRST_RATIO


def run(
    numbers: Iterable[str], check: Callable[[str], None], send: Callable[[str], None], errors: Sequence[type[Exception]]
) -> RunReport:
    """Send what passes the check and remember why the rest was left out; one bad invoice never stops the batch."""
    report = RunReport()
    for number in numbers:
        try:
            check(number)
        except tuple(errors) as problem:
            report.skipped[number] = getattr(problem, "code", type(problem).__name__)
            log.warning("left out %s: %s", number, problem)
            continue
        send(number)
        report.sent.append(number)
    return report
