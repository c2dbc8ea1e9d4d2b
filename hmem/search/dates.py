"""Dates as filters use them. Pure.

What a user writes names a stretch of time: `2025` a year, `2025-03-31` a day, `2025-03-31 10:15` a minute, `7d` the day
seven days ago. What a document holds is a moment, its start. All moments are naive local time; an offset in the text
is converted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

_STORED = re.compile(r"\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?)?", re.ASCII)
_WRITTEN = re.compile(
    r"""(?P<year>\d{4}) (?:[-/](?P<month>\d{1,2}) (?:[-/](?P<day>\d{1,2})
        (?:[T\ ](?P<hour>\d{1,2}):(?P<minute>\d{2}) (?::(?P<second>\d{2})(?:\.\d{1,6})?)?
           \s?(?P<zone>Z|[+-]\d{2}:?\d{2})?)?)?)?""",
    re.ASCII | re.IGNORECASE | re.VERBOSE,
)
_AGO = re.compile(r"(?P<number>\d{1,6}|an?|one)\s*(?P<unit>[a-z]+)(?P<ago>\s+ago)?", re.ASCII | re.IGNORECASE)
_NAMED = {"today": 0, "yesterday": 1, "tomorrow": -1}
_UNITS = {
    name: unit
    for unit, names in {
        "minute": "min mins minute minutes",
        "hour": "h hr hrs hour hours",
        "day": "d day days",
        "week": "w wk wks week weeks",
        "month": "mo mon month months",
        "year": "y yr yrs year years",
    }.items()
    for name in names.split()
}
_EPOCH = datetime(1970, 1, 1)
_DAY = timedelta(days=1)
_INSTANT = timedelta(microseconds=1)

FORMS = "`2025-03-31`, `2025-03`, `2025-03-31 10:15`, `7d`, `2 weeks ago`, `yesterday`"
"""The forms that `parse_span` reads, for messages."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time, `start` included, `end` not."""

    start: datetime
    end: datetime

    def compare(self, moment: datetime) -> int:
        """Return -1, 0 or 1 for a `moment` before, inside or after the span."""
        return -1 if moment < self.start else int(moment >= self.end)


def parse_span(text: str, now: datetime) -> Span | None:
    """Return what `text` names seen from `now` (naive, local), or None if it is not a date."""
    text = text.strip()
    try:
        return _named(text.lower(), now) or _written(text) or _ago(text, now)
    except (ValueError, OverflowError):
        return None


def parse_moment(text: str) -> datetime | None:
    """Return the moment that a stored text holds if it is an ISO date, with or without a time, else None."""
    if not _STORED.fullmatch(text):
        return None
    try:
        return _local(datetime.fromisoformat(text if len(text) > 7 else f"{text}-01"))
    except (ValueError, OverflowError):
        return None


def stored_span(text: str) -> Span | None:
    """Return the day, month, year or minute that a stored text names, else None. Nothing in it is relative."""
    try:
        return _written(text.strip())
    except (ValueError, OverflowError):
        return None


def seconds(moment: datetime) -> float:
    """Return a local moment as a number that can be compared: seconds since 1970 by the wall clock."""
    return (moment - _EPOCH).total_seconds()


def file_moment(mtime_ns: int | str) -> datetime:
    """Return the local moment of a file's time in nanoseconds, a text where it is past 64 bits.

    Values outside the calendar become its first or last moment.
    """
    seconds = int(mtime_ns) / 1e9
    try:
        return datetime.fromtimestamp(seconds)
    except (ValueError, OverflowError, OSError):
        return datetime.min if seconds < 0 else datetime.max


def _local(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        return moment
    try:
        return moment.astimezone().replace(tzinfo=None)
    except OverflowError:  # the first and the last day of the calendar
        return moment.astimezone(UTC).replace(tzinfo=None) if 1 < moment.year < 9999 else moment.replace(tzinfo=None)


def _after(start: datetime, step: timedelta) -> Span:
    return Span(start, start + step if start < datetime.max - step else datetime.max)


def _day(moment: datetime) -> Span:
    return _after(moment.replace(hour=0, minute=0, second=0, microsecond=0), _DAY)


def _named(text: str, now: datetime) -> Span | None:
    if text == "now":
        return _after(now, _INSTANT)
    days = _NAMED.get(text)
    return None if days is None else _day(now - days * _DAY)


def _written(text: str) -> Span | None:
    match = _WRITTEN.fullmatch(text)
    if not match:
        return None
    year, month, day = int(match["year"]), int(match["month"] or 1), int(match["day"] or 1)
    start = datetime(year, month, day)
    if match["hour"]:
        return _written_time(start, match)
    if match["day"]:
        return _day(start)
    end = months_after(start, 1 if match["month"] else 12)
    return Span(start, end)


def _written_time(day: datetime, match: re.Match[str]) -> Span:
    seconds = match["second"]
    moment = day.replace(hour=int(match["hour"]), minute=int(match["minute"]), second=int(seconds or 0))
    if zone := match["zone"]:
        moment = _local(datetime.fromisoformat(moment.isoformat() + zone.upper()))
    return _after(moment, timedelta(seconds=1) if seconds else timedelta(minutes=1))


def _ago(text: str, now: datetime) -> Span | None:
    """Whole days for units of a day or more: a note dated on that day is part of it, whatever the hour is now."""
    match = _AGO.fullmatch(text)
    unit = _UNITS.get(match["unit"].lower()) if match else None
    if match is None or unit is None:
        return None
    number = int(match["number"]) if match["number"].isdigit() else 1
    if unit in {"minute", "hour"}:
        return _after(now - timedelta(**{f"{unit}s": number}), _INSTANT)
    if unit in {"day", "week"}:
        return _day(now - number * (7 if unit == "week" else 1) * _DAY)
    return _day(months_after(now, -number * (12 if unit == "year" else 1)))


def months_after(moment: datetime, months: int) -> datetime:
    """Return the same day of another month, or its last day if it is shorter; clamped to the calendar."""
    index = moment.year * 12 + moment.month - 1 + months
    year, month = divmod(index, 12)
    if not datetime.min.year <= year <= datetime.max.year:
        return datetime.min if year < datetime.min.year else datetime.max
    for day in range(moment.day, 27, -1):
        try:
            return moment.replace(year=year, month=month + 1, day=day)
        except ValueError:
            continue
    return moment.replace(year=year, month=month + 1)
