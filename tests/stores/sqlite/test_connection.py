"""A process that waits longer for a locked file is preferred over later ones."""

import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from assent.stores.sqlite import connection as sqlite_connection
from assent.stores.sqlite.connection import BusyRetry

HOLD_SECONDS = 0.005
"""Seconds for which another process holds the file."""


def connect(database_path: Path) -> sqlite3.Connection:
    return sqlite3.connect(database_path, isolation_level=None, timeout=0, check_same_thread=False)


@pytest.fixture
def database_path(tmp_path: Path) -> Path:
    found = tmp_path / "a.db"
    with closing(connect(found)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE notes (text TEXT)")
    return found


def write(connection: sqlite3.Connection, patient: BusyRetry) -> None:
    patient.run(connection.execute, "BEGIN IMMEDIATE")
    connection.execute("INSERT INTO notes VALUES ('a')")
    time.sleep(HOLD_SECONDS)
    connection.execute("COMMIT")


@pytest.mark.proves("R-1", "R-26")
def test_a_rare_writer_does_not_wait_long_for_a_constant_writer(database_path: Path) -> None:
    turns, ending = [0], threading.Event()

    def write_continuously() -> None:
        patient = BusyRetry()
        with closing(connect(database_path)) as connection:
            while not ending.is_set():
                write(connection, patient)
                turns[0] += 1

    busy = threading.Thread(target=write_continuously)
    busy.start()
    try:
        passed: list[int] = []
        patient = BusyRetry()
        with closing(connect(database_path)) as connection:
            for _ in range(15):
                before = turns[0]
                write(connection, patient)
                passed.append(turns[0] - before)
                time.sleep(2 * HOLD_SECONDS)
    finally:
        ending.set()
        busy.join()

    # By chance alone, the rare writer would wait for thirty other writes or more, with a median of fifteen.
    assert sorted(passed)[len(passed) // 2] < 12


@pytest.mark.proves("R-26")
def test_a_file_that_is_locked_too_long_is_an_error(
    database_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_connection, "BUSY_TIMEOUT", 0.05)
    with closing(connect(database_path)) as holder, closing(connect(database_path)) as waiting:
        holder.execute("BEGIN IMMEDIATE")

        with pytest.raises(sqlite3.OperationalError) as raised:
            write(waiting, BusyRetry())
        holder.execute("ROLLBACK")
        write(waiting, BusyRetry())

    assert raised.value.sqlite_errorname == "SQLITE_BUSY"


def test_any_other_error_is_raised_immediately(database_path: Path) -> None:
    with (
        closing(connect(database_path)) as connection,
        pytest.raises(sqlite3.OperationalError, match="no such table"),
    ):
        BusyRetry().run(connection.execute, "DELETE FROM nowhere")
