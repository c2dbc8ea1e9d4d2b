"""The three cents of May 2025, and friends."""

from __future__ import annotations

import pytest
from ledger.reconcile import Invoice, InvoiceMismatch, Line, gross_of, reconcile_batch, reconcile_invoice


def invoice_with(lines: tuple[Line, ...], off_by: int = 0) -> Invoice:
    return Invoice("NB-2025-000001", "gannet", gross_of(lines) + off_by, lines)


def test_one_cent_is_enough_to_refuse() -> None:
    wrong = invoice_with((Line("storage", 1999),), off_by=1)
    with pytest.raises(InvoiceMismatch) as caught:
        reconcile_invoice(wrong)
    assert caught.value.code == "E4127"
    assert caught.value.difference == 1


def test_eleven_hundred_odd_lines_round_once() -> None:
    """NB-2025-004817: rounding each line gave 18 204.39, the true sum is 18 204.36."""
    lines = tuple(Line(f"parcel {n}", 1323 + n % 3) for n in range(1100))
    reconcile_invoice(invoice_with(lines))


def test_a_bad_invoice_does_not_hold_up_the_good_ones() -> None:
    lines = (Line("base price", 49900),)
    good, bad = reconcile_batch([invoice_with(lines, off_by=3), invoice_with(lines)])
    assert len(good) == 1
    assert [mismatch.difference for mismatch in bad] == [3]
