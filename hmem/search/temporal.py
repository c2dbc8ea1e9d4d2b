"""Words of time in a query: whether it asks for what holds now, or about a stretch of the past. Pure.

Own code beside `dates.py`, since what is wanted is a stretch of time (`spring 2025`, `between May and July 2024`,
`early 2024`) and the words that named it, where general date parsers give moments.

A bare year, month or season counts only after a preposition (`in 2024`, `since May`), as it may be a number or a verb.
Seasons are those of the northern hemisphere; a winter begins in December of its year.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from hmem.search.dates import Span, months_after, parse_span
from hmem.text.calendar import MONTH, MONTHS, YEAR

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


_Form: TypeAlias = "tuple[re.Pattern[str], Callable[[re.Match[str], datetime], Span | None], bool]"


class Intent(StrEnum):
    """What a query asks of time."""

    NOW = "now"
    HISTORY = "history"


@dataclass(frozen=True, slots=True)
class Temporal:
    """The words of a query that name a time, and the stretch that they name; `now` has none."""

    expression: str
    intent: Intent
    window: Span | None = None

    @property
    def meaning(self) -> str:
        """How it was understood, in words."""
        if self.window is None:
            return f"`{self.expression}`: the newest first"
        last = self.window.end - timedelta(microseconds=1)
        return f"`{self.expression}`: near {self.window.start:%Y-%m-%d} to {last:%Y-%m-%d}"


@dataclass(frozen=True, slots=True)
class _Named:
    """A stretch of time in a text, from `begin` to `end`. `bare`: it counts only after a preposition."""

    begin: int
    end: int
    span: Span
    bare: bool = False
    month: int | None = None


_SEASONS: Final = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_NUMBERS: Final = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_PARTS: Final = {"early": 0, "beginning of": 0, "start of": 0, "mid": 1, "middle of": 1, "late": 2, "end of": 2}
_UNIT_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}

_SEASON = rf"(?P<season>{'|'.join(_SEASONS)})"
_DAY = r"(?P<day>[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?"
_PART = rf"(?:(?P<part>{'|'.join(part.replace(' ', '[ ]') for part in _PARTS)})[ -](?:the )?)?"
_COUNT = rf"(?P<count>\d{{1,3}}|{'|'.join(_NUMBERS)})"
_UNIT = r"(?P<unit>day|week|month|quarter|year)"

_TRIGGER = re.compile(
    r"(?:19|20)\d\d|\b(?:now|current|today|tonight|nowaday|these days|moment|present|latest|newest|recent|date|ago"
    rf"|last|past|previous|this|yesterday|{'|'.join(_SEASONS)}|{'|'.join(MONTHS)})",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"(?<![\w.:$@/-])(?:(?:right )?now|current(?:ly)?|today(?:'s)?|tonight|nowadays|these days|at the moment|at present"
    r"|presently|latest|newest|most recent(?:ly)?|recent(?:ly)?|up[ -]to[ -]date|as of today)(?![\w(:/-])",
    re.IGNORECASE,
)
_DIRECTION = re.compile(
    r"\b(?P<word>since|after|before|prior to|until|till|up to|between|from|in|during|on|at|of|by|throughout|around|for"
    r"|last|this)(?: the)? $",
    re.IGNORECASE,
)
_JOINED = re.compile(r" ?(?:and|to|until|till|through|[-–—]) ?", re.IGNORECASE)
_BEFORE: Final = frozenset({"before", "prior to", "until", "till", "up to"})

MARGIN: Final = timedelta(days=365)
"""How far back the window of `before …` reaches: what held before a date is what held last before it."""


def read_temporal(query: str, now: datetime) -> Temporal | None:
    """Return what `query` says about time as seen from `now` (naive, local), None if it says nothing.

    A named stretch wins over a word for the present; of several stretches the first counts.
    """
    if not _TRIGGER.search(query):
        return None
    text = re.sub(r"\s", " ", query)
    named = _distinct(_stretches(text, now))
    for at, one in enumerate(named):
        following = named[at + 1] if at + 1 < len(named) else None
        if found := _window(text, one, following, now):
            return found
    match = _NOW.search(text)
    return Temporal(match[0], Intent.NOW) if match else None


def _window(text: str, one: _Named, following: _Named | None, now: datetime) -> Temporal | None:
    match = _DIRECTION.search(text, 0, one.begin)
    word = match["word"].lower() if match else ""
    begin = match.start() if match else one.begin
    if one.bare and not word:
        return None
    span, end = one.span, one.end
    if following and word in ("between", "from", "") and _JOINED.fullmatch(text, one.end, following.begin):
        if one.month and not following.bare:  # `between March and May 2025`
            span = _from_month(following.span.start.year, one.month)
        span, end = Span(min(span.start, following.span.start), max(span.end, following.span.end)), following.end
    elif word == "since" or (word == "from" and span.start <= now):
        span = Span(span.start, max(now, span.end))
    elif word == "after":
        span = Span(span.end, max(now, span.end + timedelta(days=1)))
    elif word in _BEFORE:
        span = Span(span.start - MARGIN, span.start)
    elif word == "last" and span.end > now and (earlier := _shifted(span, -12)):
        span = earlier
    return Temporal(text[begin:end], Intent.HISTORY, span)


def _distinct(found: Iterator[_Named]) -> list[_Named]:
    """Return what does not overlap, in order; of two at one place the longer."""
    kept: list[_Named] = []
    for one in sorted(found, key=lambda one: (one.begin, -one.end)):
        if not kept or one.begin >= kept[-1].end:
            kept.append(one)
    return kept


def _stretches(text: str, now: datetime) -> Iterator[_Named]:
    for pattern, read, bare in _forms():
        for match in pattern.finditer(text):
            try:
                span = read(match, now)
            except (ValueError, OverflowError):
                continue
            if span is not None:
                groups = match.groupdict()
                month = MONTHS[groups["month"].lower()] if bare and groups.get("month") else None
                yield _Named(match.start(), match.end(), span, bare, month)


def _iso(match: re.Match[str], now: datetime) -> Span | None:
    return parse_span(match[0].replace("/", "-"), now)


def _day(match: re.Match[str], now: datetime) -> Span:
    start = datetime(int(match["year"]), MONTHS[match["month"].lower()], int(match["day"]))
    return Span(start, start + timedelta(days=1))


def _month_of_year(match: re.Match[str], now: datetime) -> Span:
    return _part_of(_from_month(int(match["year"]), MONTHS[match["month"].lower()]), match["part"])


def _season_of_year(match: re.Match[str], now: datetime) -> Span:
    return _part_of(_from_month(int(match["year"]), _SEASONS[match["season"].lower()], 3), match["part"])


def _quarter(match: re.Match[str], now: datetime) -> Span:
    return _from_month(int(match["year"]), 3 * int(match["quarter"]) - 2, 3)


def _year(match: re.Match[str], now: datetime) -> Span:
    return _part_of(_from_month(int(match["year"]), 1, 12), match["part"])


def _bare_month(match: re.Match[str], now: datetime) -> Span:
    return _latest(MONTHS[match["month"].lower()], 1, now)


def _bare_season(match: re.Match[str], now: datetime) -> Span:
    return _latest(_SEASONS[match["season"].lower()], 3, now)


def _latest(month: int, length: int, now: datetime) -> Span:
    """Return the last stretch from that month on that has begun."""
    span = _from_month(now.year, month, length)
    return span if span.start <= now else _from_month(now.year - 1, month, length)


def _ago(match: re.Match[str], now: datetime) -> Span | None:
    unit = match["unit"]
    count = _count(match["count"]) * (3 if unit.lower() == "quarter" else 1)
    return parse_span(f"{count} {'month' if unit.lower() == 'quarter' else unit} ago", now)


def _past(match: re.Match[str], now: datetime) -> Span | None:
    """Return `the last two weeks` or `the past month`: from then until now."""
    unit, count = match["unit"].lower(), _count(match["count"] or "1")
    if unit in _UNIT_MONTHS:
        return Span(months_after(now, -count * _UNIT_MONTHS[unit]), now)
    return Span(now - count * timedelta(days=7 if unit == "week" else 1), now)


def _calendar(match: re.Match[str], now: datetime) -> Span:
    """Return `last month` or `this year` by the calendar; a week begins on Monday."""
    unit, back = match["unit"].lower(), match["which"].lower() != "this"
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit in ("day", "week"):
        days = 7 if unit == "week" else 1
        start = today - timedelta(days=today.weekday() if unit == "week" else 0) - timedelta(days=days * back)
        return Span(start, start + timedelta(days=days))
    months = _UNIT_MONTHS[unit]
    first = months * ((today.month - 1) // months) + 1
    return _from_month(today.year, first - months * back, months)


def _yesterday(match: re.Match[str], now: datetime) -> Span | None:
    return parse_span("yesterday", now)


def _count(text: str) -> int:
    return _NUMBERS.get(text.lower()) or int(text)


def _from_month(year: int, month: int, length: int = 1) -> Span:
    start = months_after(datetime(year, 1, 1), month - 1)
    return Span(start, months_after(start, length))


def _shifted(span: Span, months: int) -> Span:
    return Span(months_after(span.start, months), months_after(span.end, months))


def _part_of(span: Span, part: str | None) -> Span:
    """Return the first, second or last third of a stretch."""
    if not part:
        return span
    third = (span.end - span.start) / 3
    start = span.start + _PARTS[part.lower()] * third
    return Span(start, start + third)


def _form(text: str, read: Callable[[re.Match[str], datetime], Span | None], *, bare: bool = False) -> _Form:
    return re.compile(rf"(?<![\w./-]){text}(?![\w/-]|\.\w)", re.IGNORECASE), read, bare


@cache
def _forms() -> Sequence[_Form]:
    """Return every form of a stretch, made when a query first has a word of time: they take longer than a search."""
    return (
        _form(r"(?:19|20)\d\d([-/])(?:0[1-9]|1[0-2])(?:\1(?:0[1-9]|[12]\d|3[01]))?", _iso),
        _form(rf"{_DAY}(?: of)? {MONTH},? {YEAR}", _day),
        _form(rf"{MONTH} {_DAY},? {YEAR}", _day),
        _form(rf"{_PART}{MONTH},? (?:of )?{YEAR}", _month_of_year),
        _form(rf"{_PART}{_SEASON},? (?:of )?{YEAR}(?:[/-]\d\d(?:\d\d)?)?", _season_of_year),
        _form(rf"q(?P<quarter>[1-4]) (?:of )?{YEAR}", _quarter),
        _form(rf"{_PART[:-1]}{YEAR}", _year),
        _form(rf"(?P<part>){YEAR}", _year, bare=True),
        _form(MONTH, _bare_month, bare=True),
        _form(_SEASON, _bare_season, bare=True),
        _form(rf"{_COUNT} {_UNIT}s? ago", _ago),
        _form(rf"(?:last|past) (?:{_COUNT} {_UNIT}s)", _past),
        _form(rf"past (?P<count>){_UNIT}", _past),
        _form(rf"(?P<which>last|previous|this) {_UNIT}", _calendar),
        _form(r"yesterday", _yesterday),
    )
