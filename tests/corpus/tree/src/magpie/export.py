"""Nightly copy of the standby into Parquet, without anything that names a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# Oskar shows this to every auditor.
EXCLUDED_COLUMNS = frozenset({"recipient_name", "recipient_phone", "note", "reason"})
SKIPPED_TABLES = frozenset({"account", "refresh_token", "refresh_family", "sent_log"})

CURSOR_ROWS = 20_000
LATE_AFTER = "07:00"


class ColumnsChanged(Exception):
    """A table no longer has the columns the reports rely on; raised in the owner's build, not at night."""


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    columns: tuple[str, ...]


def exported_tables(tables: Sequence[Table]) -> Iterator[Table]:
    """Leave out whole tables and, in the others, the columns with personal data."""
    for table in tables:
        if table.name in SKIPPED_TABLES:
            continue
        yield Table(table.name, tuple(column for column in table.columns if column not in EXCLUDED_COLUMNS))


def select_statement(table: Table) -> str:
    """Build the query for a server-side cursor. Sorted by key, so that two exports of one state are identical."""
    columns = ", ".join(f'"{column}"' for column in table.columns)
    return f'DECLARE nightly CURSOR FOR SELECT {columns} FROM "{table.name}" ORDER BY 1'


def check_contract(table: Table, needed: frozenset[str]) -> None:
    """Complain when a report needs a column that is gone (`compartment_size`, November 2024)."""
    gone = needed - set(table.columns)
    if gone:
        raise ColumnsChanged(f"{table.name} lost {', '.join(sorted(gone))}")
