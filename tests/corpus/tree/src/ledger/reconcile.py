"""Compare the header of an invoice with its lines before it leaves the house."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

VAT_PERCENT = 25


class LedgerError(Exception):
    """Base of everything ledger refuses; `code` is what support reads out on the phone."""

    code = "E4100"


class InvoiceMismatch(LedgerError):
    """Header and lines disagree, by however little."""

    code = "E4127"

    def __init__(self, number: str, header_cents: int, lines_cents: int) -> None:
        self.number = number
        self.difference = header_cents - lines_cents
        super().__init__(f"{self.code}: {number} header {header_cents} lines {lines_cents}")


class NumberTaken(LedgerError):
    """Somebody else has been given this invoice number already."""

    code = "E4130"


@dataclass(frozen=True, slots=True)
class Line:
    """One charge: a parcel that lay too long, a redelivery, a monthly base price."""

    text: str
    net_cents: int
    vat_percent: int = VAT_PERCENT


@dataclass(frozen=True, slots=True)
class Invoice:
    number: str
    courier: str
    gross_cents: int
    lines: tuple[Line, ...]


def round_half_even(amount: Fraction) -> int:
    """Round once, at the end. 0.5 goes to the even neighbour, so that errors do not gather."""
    return round(amount)


def gross_of(lines: Iterable[Line]) -> int:
    """Sum in exact fractions, tax included, rounded a single time."""
    total = sum((Fraction(line.net_cents * (100 + line.vat_percent), 100) for line in lines), Fraction(0))
    return round_half_even(total)


def reconcile_invoice(invoice: Invoice) -> None:
    """Raise InvoiceMismatch unless header and lines agree to the cent.

    There is deliberately no tolerance: the auditor reads this function every October.
    """
    lines_cents = gross_of(invoice.lines)
    if lines_cents != invoice.gross_cents:
        raise InvoiceMismatch(invoice.number, invoice.gross_cents, lines_cents)


def reconcile_batch(invoices: Iterable[Invoice]) -> tuple[list[Invoice], list[InvoiceMismatch]]:
    """Split a month into what may be sent and what has to be looked at (QBX-1413)."""
    good: list[Invoice] = []
    bad: list[InvoiceMismatch] = []
    for invoice in invoices:
        try:
            reconcile_invoice(invoice)
        except InvoiceMismatch as mismatch:
            bad.append(mismatch)
        else:
            good.append(invoice)
    return good, bad
