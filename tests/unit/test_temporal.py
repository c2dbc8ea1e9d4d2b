"""Words of time in queries: what they mean, and what only looks like one."""

from __future__ import annotations

from datetime import datetime

import pytest
from hmem.search.temporal import Intent, read_temporal

NOW = datetime(2026, 6, 15, 10)  # a Monday

NOTHING = [
    "", "pool size", "before the migration", "error 2024", "datetime.now() usage", "image:latest", "nb-2025-004817",
    "current_user", "may I deploy", "fall back to the cache", "last exception", "the march of progress", "v2025.03",
    "port 2049", "nowhere", "/2024/05/report", "12025-03-14", "2025-13-01", "lastly",
]  # fmt: skip

PRESENT = [
    "who holds the key now", "currently on call", "the latest price", "newest release", "docker latest tag", "NOW",
    "up-to-date", "price at the moment", "most recent backup", "these days", "today's limit",
    "nowadays", "current owner?",
]  # fmt: skip

WINDOWS = [
    ("pool size in March 2025", "in March 2025", "2025-03-01", "2025-04-01"),
    ("in 2023", "in 2023", "2023-01-01", "2024-01-01"),
    ("during autumn 2024", "during autumn 2024", "2024-09-01", "2024-12-01"),
    ("spring of 2025", "spring of 2025", "2025-03-01", "2025-06-01"),
    ("winter 2024/25", "winter 2024/25", "2024-12-01", "2025-03-01"),
    ("early 2024", "early 2024", "2024-01-01", "2024-05-02"),
    ("late June 2025", "late June 2025", "2025-06-21", "2025-07-01"),
    ("on 20 August 2025", "on 20 August 2025", "2025-08-20", "2025-08-21"),
    ("March 14th, 2025", "March 14th, 2025", "2025-03-14", "2025-03-15"),
    ("2025-03-14", "2025-03-14", "2025-03-14", "2025-03-15"),
    ("on 2025-03", "on 2025-03", "2025-03-01", "2025-04-01"),
    ("Q3 2025", "Q3 2025", "2025-07-01", "2025-10-01"),
    ("between March and May 2025", "between March and May 2025", "2025-03-01", "2025-06-01"),
    ("between 2023 and 2024", "between 2023 and 2024", "2023-01-01", "2025-01-01"),
    ("from 2025-01-03 to 2025-02-01", "from 2025-01-03 to 2025-02-01", "2025-01-03", "2025-02-02"),
    ("since 2024", "since 2024", "2024-01-01", "2026-06-15"),
    ("after 2025-03", "after 2025-03", "2025-04-01", "2026-06-15"),
    ("before the September 2025 upgrade", "before the September 2025", "2024-09-01", "2025-09-01"),
    ("last month", "last month", "2026-05-01", "2026-06-01"),
    ("last week", "last week", "2026-06-08", "2026-06-15"),
    ("this year", "this year", "2026-01-01", "2027-01-01"),
    ("last summer", "last summer", "2025-06-01", "2025-09-01"),
    ("in may", "in may", "2026-05-01", "2026-06-01"),
    ("in november", "in november", "2025-11-01", "2025-12-01"),
    ("in the last two weeks", "in the last two weeks", "2026-06-01", "2026-06-15"),
    ("yesterday", "yesterday", "2026-06-14", "2026-06-15"),
    ("three months ago", "three months ago", "2026-03-15", "2026-03-16"),
    ("what changed since march 2025 until now", "since march 2025", "2025-03-01", "2026-06-15"),
]


@pytest.mark.parametrize("query", NOTHING)
def test_no_time(query):
    assert read_temporal(query, NOW) is None


@pytest.mark.parametrize("query", PRESENT)
def test_now(query):
    found = read_temporal(query, NOW)
    assert found is not None
    assert (found.intent, found.window) == (Intent.NOW, None)
    assert found.expression in query


@pytest.mark.parametrize(("query", "expression", "start", "end"), WINDOWS)
def test_windows(query, expression, start, end):
    found = read_temporal(query, NOW)
    assert found is not None
    assert found.window is not None
    days = (found.window.start.date().isoformat(), found.window.end.date().isoformat())
    assert (found.intent, found.expression, *days) == (Intent.HISTORY, expression, start, end)
