"""What a courier owes for a parcel that nobody fetches."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta


@dataclass(frozen=True, slots=True)
class Tariff:
    valid_from: date
    free_days: int
    cents_per_day: int
    cap_cents: int | None = None


# Oldest first. The day of storing decides, see wiki/storage-fee.org.
TARIFFS = (
    Tariff(date(2022, 6, 1), free_days=5, cents_per_day=150),
    Tariff(date(2025, 4, 1), free_days=3, cents_per_day=200),
    Tariff(date(2026, 1, 1), free_days=4, cents_per_day=120, cap_cents=1800),
)

EXEMPT_KINDS = frozenset({"pharmacy", "return_waiting"})


def tariff_on(day: date) -> Tariff:
    """Give the last tariff that had begun on `day`."""
    for tariff in reversed(TARIFFS):
        if tariff.valid_from <= day:
            return tariff
    raise LookupError(f"no tariff before {TARIFFS[0].valid_from}")


def days_stored(stored: date, collected: date, downtime: frozenset[date]) -> int:
    """Count days begun, leaving out those on which the bank was out of order."""
    span = (collected - stored).days + 1
    return sum(1 for offset in range(span) if stored + timedelta(days=offset) not in downtime)


def late_fee_cents(kind: str, stored: date, collected: date, downtime: frozenset[date] = frozenset()) -> int:
    """Compute the fee for one parcel; zero for exempt kinds and within the free days."""
    if kind in EXEMPT_KINDS:
        return 0
    tariff = tariff_on(stored)
    charged = max(0, days_stored(stored, collected, downtime) - tariff.free_days)
    fee = charged * tariff.cents_per_day
    return fee if tariff.cap_cents is None else min(fee, tariff.cap_cents)
