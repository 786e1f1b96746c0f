"""Whoever waits for a file gets it before those who came later, and not before it is free."""

import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from assent.stores.sqlite import connection as sqlite_connection
from assent.stores.sqlite.connection import BusyRetry

HOLD = 0.005
"""Seconds for which somebody has the file."""


def connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, isolation_level=None, timeout=0, check_same_thread=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "a.db"
    with closing(connect(found)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("CREATE TABLE notes (text TEXT)")
    return found


def write(connection: sqlite3.Connection, patient: BusyRetry) -> None:
    patient.run(connection.execute, "BEGIN IMMEDIATE")
    connection.execute("INSERT INTO notes VALUES ('a')")
    time.sleep(HOLD)
    connection.execute("COMMIT")


@pytest.mark.proves("R-1", "R-26")
def test_whoever_comes_seldom_is_not_passed_by_for_long_by_one_who_always_writes(path: Path) -> None:
    turns, ending = [0], threading.Event()

    def always() -> None:
        patient = BusyRetry()
        with closing(connect(path)) as connection:
            while not ending.is_set():
                write(connection, patient)
                turns[0] += 1

    busy = threading.Thread(target=always)
    busy.start()
    try:
        passed: list[int] = []
        patient = BusyRetry()
        with closing(connect(path)) as connection:
            for _ in range(15):
                before = turns[0]
                write(connection, patient)
                passed.append(turns[0] - before)
                time.sleep(2 * HOLD)
    finally:
        ending.set()
        busy.join()

    # By chance alone it would be passed by thirty times or more, in the middle of fifteen.
    assert sorted(passed)[len(passed) // 2] < 12


@pytest.mark.proves("R-26")
def test_a_file_that_is_held_too_long_is_an_error(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_connection, "BUSY_TIMEOUT", 0.05)
    with closing(connect(path)) as holder, closing(connect(path)) as waiting:
        holder.execute("BEGIN IMMEDIATE")

        with pytest.raises(sqlite3.OperationalError) as raised:
            write(waiting, BusyRetry())
        holder.execute("ROLLBACK")
        write(waiting, BusyRetry())

    assert raised.value.sqlite_errorname == "SQLITE_BUSY"


def test_any_other_fault_is_told_at_once(path: Path) -> None:
    with (
        closing(connect(path)) as connection,
        pytest.raises(sqlite3.OperationalError, match="no such table"),
    ):
        BusyRetry().run(connection.execute, "DELETE FROM nowhere")
