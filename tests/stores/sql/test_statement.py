"""Tests of statements, which are compiled once per database, of clocks and of stored times."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis.strategies import datetimes, timedeltas
from sqlalchemy import bindparam, select
from sqlalchemy.dialects.postgresql import asyncpg

from assent.stores.sql.statement import (
    MAX_SKEW,
    HostClock,
    ServerTime,
    Statement,
    from_micros,
    from_micros_or_none,
    in_json_list,
    insert_rows,
    span_from_micros,
    span_to_micros,
    to_micros,
    to_micros_or_none,
    update_rows,
    upsert_rows,
)
from assent.stores.sql.tables import pins, policy, processes
from tests.stores.database import transaction

ROW = {"boot": "b1", "started_at": 1, "seen_at": 1, "audited": 0, "chain": "open"}
SEEN_TIMES = Statement(select(processes.c.seen_at).where(in_json_list(processes.c.boot, "boots")))


def test_rows_are_inserted_overwritten_or_kept(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        insert_rows(processes).run_many(connection, [ROW, {**ROW, "boot": "b2"}])
        upsert_rows(processes, "boot").run_many(connection, [{**ROW, "seen_at": 2}])
        upsert_rows(processes, "boot", keep=True).run_many(connection, [{**ROW, "seen_at": 3}])
        touched = update_rows(processes, "boot", "seen_at").run(connection, boot="b2", seen_at=4)

        assert touched == 1
        assert sorted(row[0] for row in SEEN_TIMES.fetch(connection, boots='["b1", "b2", "b3"]')) == [2, 4]


@pytest.mark.proves("T-42")
def test_a_value_is_never_part_of_the_sql_text(tmp_path: Path) -> None:
    hostile = "b'); DROP TABLE processes; --"
    with transaction(tmp_path / "a.db") as connection:
        insert_rows(processes).run_many(connection, [{**ROW, "boot": hostile}])
        found = Statement(select(processes.c.boot).where(processes.c.boot == bindparam("boot")))

        assert [tuple(row) for row in found.fetch(connection, boot=hostile)] == [(hostile,)]


def test_a_missing_parameter_is_an_error(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection, pytest.raises(KeyError):
        SEEN_TIMES.fetch(connection)


def test_without_rows_nothing_is_executed(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        insert_rows(pins).run_many(connection, [])

        assert Statement(select(pins)).fetch(connection) == []


def test_postgresql_gets_ids_as_an_array_and_uses_its_own_time() -> None:
    dialect = asyncpg.dialect()

    spelled = str(
        select(policy.c.version, ServerTime())
        .where(in_json_list(policy.c.secret, "ids"))
        .compile(dialect=dialect)
    )

    assert "= ANY (ARRAY(SELECT jsonb_array_elements_text(" in spelled
    assert "clock_timestamp()" in spelled


TOLERANCE = timedelta(seconds=30)


def test_a_host_clock_starts_at_the_hosts_time() -> None:
    assert abs(HostClock()() - datetime.now(UTC)) < TOLERANCE


@pytest.mark.proves("T-43", "R-9")
def test_a_host_clock_starts_no_earlier_than_the_newest_timestamp() -> None:
    newest = datetime.now(UTC) + timedelta(days=1)

    assert timedelta(0) <= HostClock(newest)() - newest < TOLERANCE


def test_an_old_timestamp_does_not_delay_the_clock() -> None:
    assert abs(HostClock(datetime(2020, 1, 1, tzinfo=UTC))() - datetime.now(UTC)) < TOLERANCE


@pytest.mark.proves("T-43")
def test_a_timestamp_far_in_the_future_is_ignored() -> None:
    absurd = datetime.now(UTC) + MAX_SKEW + timedelta(days=1)

    assert abs(HostClock(absurd)() - datetime.now(UTC)) < TOLERANCE


def test_a_monotonic_clock_never_goes_back() -> None:
    clock = HostClock()
    read = [clock() for _ in range(100)]

    assert read == sorted(read)


@given(datetimes(timezones=None))
def test_a_time_is_converted_to_microseconds_and_back(naive: datetime) -> None:
    at = naive.replace(tzinfo=UTC)

    assert from_micros(to_micros(at)) == at


@given(timedeltas())
def test_a_duration_is_converted_to_microseconds_and_back(length: timedelta) -> None:
    assert span_from_micros(span_to_micros(length)) == length


def test_stored_times_sort_like_times() -> None:
    early, late = datetime(1969, 12, 31, tzinfo=UTC), datetime(2026, 3, 1, 0, 0, 0, 1, tzinfo=UTC)

    assert to_micros(early) < 0 < to_micros(late)


def test_none_is_converted_to_none() -> None:
    assert (to_micros_or_none(None), from_micros_or_none(None)) == (None, None)
