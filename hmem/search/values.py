"""How a stored value compares with what a user wrote. Pure.

The stored value decides the type: numbers compare as numbers, dates as dates (a text that holds an ISO date is one),
truth values with `true`/`false`, anything else as text, exactly as written (NFC). A text that reads as a number is
ordered as one, but equal only to its own digits. A list matches if any element does.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from hmem.search.dates import Span, parse_moment, parse_span
from hmem.search.globs import value_glob
from hmem.search.grammar import Op

if TYPE_CHECKING:
    from hmem.search.columns import Scalar, Value

_NUMBER = re.compile(r"[+-]?(\d{1,300}(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?", re.ASCII | re.IGNORECASE)
_TRUTH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


@dataclass(frozen=True, slots=True)
class Literal:
    """A value as written, with every reading that it allows."""

    text: str
    number: int | float | None = None
    truth: bool | None = None
    span: Span | None = None

    @classmethod
    def read(cls, text: str, now: datetime) -> Literal:
        """Return `text` with its readings; relative dates count from `now`."""
        text = unicodedata.normalize("NFC", text)
        return cls(text, read_number(text), _TRUTH.get(text.lower()), parse_span(text, now))

    @property
    def plain(self) -> bool:
        """Whether it can only be text."""
        return self.number is None and self.span is None


def read_number(text: str) -> int | float | None:
    """Return the decimal number that all of `text` is, or None; whole numbers are exact."""
    if not _NUMBER.fullmatch(text):
        return None
    return float(text) if any(character in text for character in ".eE") else int(text)


def matches(value: Value, op: Op, literals: tuple[Literal, ...]) -> bool:
    """Tell whether `value` satisfies `op` for any of `literals`; `!=` is the complement of `=`."""
    if op is Op.NE:
        return not matches(value, Op.EQ, literals)
    elements = value if isinstance(value, list) else [value]
    return any(_satisfies(element, op, literal) for element in elements for literal in literals)


def comparable(value: Value, literal: Literal) -> bool:
    """Tell whether any element of `value` has an order with `literal`."""
    elements = value if isinstance(value, list) else [value]
    return any(_order(element, literal) is not None for element in elements)


def text_of(value: Scalar) -> str:
    """Return a value as text in NFC, as globs see it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds")
    return unicodedata.normalize("NFC", str(value))


def _satisfies(value: Scalar, op: Op, literal: Literal) -> bool:
    if op is Op.EQ:
        return _equal(value, literal)
    if op is Op.GLOB:
        return value_glob(literal.text)(text_of(value))
    order = _order(value, literal)
    if order is None:
        return False
    return {Op.LT: order < 0, Op.LE: order <= 0, Op.GT: order > 0, Op.GE: order >= 0}[op]


def _equal(value: Scalar, literal: Literal) -> bool:
    if isinstance(value, bool):
        return value is literal.truth
    if isinstance(value, int | float):
        return literal.number is not None and value == literal.number
    if not isinstance(value, datetime) and text_of(value) == literal.text:
        return True
    return literal.span is not None and _moment_order(value, literal.span) == 0


def _order(value: Scalar, literal: Literal) -> int | None:
    """Return -1, 0 or 1 for less, equal, more, or None if the two have no order."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return None if literal.number is None else _sign(value, literal.number)
    if literal.span is not None and (order := _moment_order(value, literal.span)) is not None:
        return order
    if isinstance(value, datetime):
        return None
    text = text_of(value)
    number = read_number(text)
    if number is not None:
        return None if literal.number is None else _sign(number, literal.number)
    if not literal.plain or parse_moment(text):
        return None
    return (text > literal.text) - (text < literal.text)


def _moment_order(value: str | datetime, span: Span) -> int | None:
    moment = value if isinstance(value, datetime) else parse_moment(value)
    return None if moment is None else span.compare(moment)


def _sign(value: int | float, other: int | float) -> int:
    return (value > other) - (value < other)
