"""A statement takes its parameters by name, and is spelled for each database once."""

from pathlib import Path

import pytest
from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql import asyncpg

from assent.stores.sql.statement import Now, Statement, in_json_list, insert_rows, update_rows, upsert_rows
from assent.stores.sql.tables import pins, policy, processes
from tests.stores.database import transaction

ROW = {"boot": "b1", "started_at": 1, "seen_at": 1, "audited": 0, "chain": "open"}
SEEN = Statement(select(processes.c.seen_at).where(in_json_list(processes.c.boot, "boots")))


def test_rows_are_inserted_once_written_over_or_kept(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        insert_rows(processes).run_many(connection, [ROW, {**ROW, "boot": "b2"}])
        upsert_rows(processes, "boot").run_many(connection, [{**ROW, "seen_at": 2}])
        upsert_rows(processes, "boot", keep=True).run_many(connection, [{**ROW, "seen_at": 3}])
        touched = update_rows(processes, "boot", "seen_at").run(connection, boot="b2", seen_at=4)

        assert touched == 1
        assert sorted(row[0] for row in SEEN.fetch(connection, boots='["b1", "b2", "b3"]')) == [2, 4]


@pytest.mark.proves("T-42")
def test_a_value_is_never_part_of_the_text(tmp_path: Path) -> None:
    hostile = "b'); DROP TABLE processes; --"
    with transaction(tmp_path / "a.db") as connection:
        insert_rows(processes).run_many(connection, [{**ROW, "boot": hostile}])
        found = Statement(select(processes.c.boot).where(processes.c.boot == bindparam("boot")))

        assert [tuple(row) for row in found.fetch(connection, boot=hostile)] == [(hostile,)]


def test_a_parameter_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection, pytest.raises(KeyError):
        SEEN.fetch(connection)


def test_nothing_is_done_for_no_rows(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        insert_rows(pins).run_many(connection, [])

        assert Statement(select(pins)).fetch(connection) == []


def test_postgresql_looks_ids_up_as_an_array_and_tells_the_time_itself() -> None:
    dialect = asyncpg.dialect()

    spelled = str(
        select(policy.c.version, Now()).where(in_json_list(policy.c.secret, "ids")).compile(dialect=dialect)
    )

    assert "= ANY (ARRAY(SELECT jsonb_array_elements_text(" in spelled
    assert "clock_timestamp()" in spelled
