"""All tables follow a few conventions, so that one schema fits both databases."""

import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import BigInteger, Boolean, Integer, Text

from assent.stores.sql.tables import approvals, audit, metadata, tiers
from tests.stores.database import transaction


def test_every_column_has_a_type_that_both_databases_store_alike() -> None:
    kinds = {type(column.type) for table in metadata.sorted_tables for column in table.columns}

    assert kinds <= {Text, BigInteger, Boolean, Integer}


def test_a_time_column_is_a_number_and_its_name_ends_with_at() -> None:
    times = [
        column for table in metadata.sorted_tables for column in table.columns if column.name.endswith("_at")
    ]

    assert {type(column.type) for column in times} == {BigInteger}


@pytest.mark.proves("R004-35")
def test_the_audit_has_no_column_for_arguments() -> None:
    assert {"user_id", "agent_id", "tool_name", "decision", "with_override", "reason", "written_at"} <= set(
        audit.c.keys()
    )
    assert "args" not in audit.c


def test_an_agent_and_a_tool_have_one_tier() -> None:
    assert {"agent_id", "tool_name", "provider_key", "status", "source"} <= set(tiers.c.keys())
    assert [
        {column.name for column in one.columns}
        for one in tiers.constraints
        if one.name == "tiers_one_per_tool"
    ] == [{"agent_id", "tool_name"}]


def test_no_table_has_foreign_keys_so_that_audit_rows_outlive_their_objects() -> None:
    assert [table.name for table in metadata.sorted_tables if table.foreign_keys] == []
    assert approvals.c.args.nullable is False


def test_each_partial_index_has_the_states_that_its_table_defines(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        rows = connection.core.exec_driver_sql(
            "SELECT name, sql FROM sqlite_master WHERE type = 'index'"
        ).all()
    made = {name: str(sql).partition(" WHERE ")[2] for name, sql in rows}

    assert {index.name: made[index.name] for index in approvals.indexes} == {
        index.name: index.info.get("where", "") for index in approvals.indexes
    }


@pytest.mark.proves("R-1")
def test_opening_a_file_does_not_load_modules_for_postgresql() -> None:
    told = subprocess.run(
        [sys.executable, "-c", "import assent.stores.sqlite.database, sys; print(*sys.modules)"],
        check=True,
        capture_output=True,
        text=True,
    )

    assert "assent.stores.sqlite.database" in told.stdout.split()
    assert not [name for name in told.stdout.split() if name.startswith("sqlalchemy.dialects.postgresql")]
