"""Every row of wiki/storage-fee.org, once."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from ledger.late_fees import late_fee_cents, tariff_on


@pytest.mark.parametrize(
    ("stored", "nights", "cents"),
    [
        (date(2025, 3, 20), 6, 2 * 150),
        (date(2025, 3, 31), 40, 36 * 150),  # straddles April: the day of storing decides
        (date(2025, 4, 1), 2, 0),
        (date(2025, 4, 1), 3, 200),
        (date(2025, 10, 11), 49, 47 * 200),  # the sledge in C-31
        (date(2026, 1, 1), 4, 120),
        (date(2026, 1, 1), 47, 1800),  # the sledge, had it come three months later
    ],
)
def test_fee(stored: date, nights: int, cents: int) -> None:
    assert late_fee_cents("parcel", stored, stored + timedelta(days=nights)) == cents


def test_pharmacies_never_pay() -> None:
    assert late_fee_cents("pharmacy", date(2025, 5, 1), date(2025, 8, 1)) == 0


def test_a_broken_bank_is_not_the_couriers_fault() -> None:
    stored = date(2026, 1, 10)
    dark = frozenset(stored + timedelta(days=n) for n in range(2, 6))
    assert late_fee_cents("parcel", stored, stored + timedelta(days=7), dark) == 0


def test_before_the_first_tariff_there_was_no_fee() -> None:
    with pytest.raises(LookupError):
        tariff_on(date(2022, 5, 31))
