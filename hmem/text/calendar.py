"""The names of months as people write them, and patterns of the parts of a date. Matched without regard to case."""

from __future__ import annotations

from typing import Final

_NAMES: Final = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)

MONTHS: Final = {name: number for number, full in enumerate(_NAMES, 1) for name in (full, full[:3])} | {"sept": 9}
"""The number of a month by its name in lower case, in full or short."""

MONTH: Final = rf"(?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\.?"
YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
