"""Run in sorrel's and ledger's builds: magpie's reports must find their columns."""

from __future__ import annotations

import pytest
from magpie.export import (
    EXCLUDED_COLUMNS,
    ColumnsChanged,
    Table,
    check_contract,
    exported_tables,
    select_statement,
)

PARCEL = Table("parcel", ("id", "courier", "compartment_size", "recipient_name", "recipient_phone", "note"))


def test_renamed_column_breaks_the_build_of_whoever_renamed_it() -> None:
    renamed = Table("parcel", ("id", "courier", "size"))
    with pytest.raises(ColumnsChanged, match="compartment_size"):
        check_contract(renamed, frozenset({"id", "compartment_size"}))


def test_nothing_that_names_a_person_leaves() -> None:
    for table in exported_tables([PARCEL]):
        assert not EXCLUDED_COLUMNS & set(table.columns)


@pytest.mark.parametrize("name", ["account", "refresh_token", "sent_log"])
def test_whole_tables_stay_at_home(name: str) -> None:
    assert list(exported_tables([Table(name, ("id",))])) == []


def test_two_exports_of_one_state_are_identical() -> None:
    assert select_statement(PARCEL).endswith("ORDER BY 1")
