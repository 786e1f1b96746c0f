"""A fault is told in a sentence that names the database and says what to do."""

import sqlite3

import asyncpg
import pytest
from sqlalchemy.exc import DBAPIError

from assent.errors import InputError, NotFoundError, StoreError
from assent.stores.sql.errors import (
    UnknownOutcomeError,
    is_data_error,
    is_retryable,
    mark_unknown_outcome,
    to_store_error,
)


def _sqlite(name: str, kind: type[sqlite3.Error] = sqlite3.OperationalError) -> sqlite3.Error:
    error = kind("as SQLite says it")
    error.sqlite_errorname = name
    return error


class _Postgres(Exception):
    """A substitute for the driver's errors, with their SQL state."""

    def __init__(self, sqlstate: str) -> None:
        super().__init__("as PostgreSQL says it\nand more")
        self.sqlstate = sqlstate


@pytest.mark.proves("R-10", "R-26")
@pytest.mark.parametrize(
    ("error", "words"),
    [
        (_sqlite("SQLITE_BUSY"), "another process has held it for too long"),
        (_sqlite("SQLITE_BUSY_SNAPSHOT"), "another process has held it for too long"),
        (_sqlite("SQLITE_FULL"), "the disk is full: make room"),
        (_sqlite("SQLITE_READONLY_DBMOVED"), "it is read-only"),
        (_sqlite("SQLITE_IOERR_WRITE"), "the disk reports an error"),
        (_sqlite("SQLITE_CORRUPT", sqlite3.DatabaseError), "it is damaged: restore a backup"),
        (_sqlite("SQLITE_SOMETHING"), "as SQLite says it"),
        (_Postgres("53100"), "the server's disk is full"),
        (_Postgres("42P01"), "its tables are missing: run `assent db upgrade`"),
        (_Postgres("42703"), "as PostgreSQL says it"),
        (_Postgres("57P01"), "the server cannot be reached"),
        (ConnectionRefusedError("refused"), "the server cannot be reached"),
        (TimeoutError(), "(TimeoutError)"),
    ],
)
def test_a_fault_names_the_database_and_says_what_to_do(error: Exception, words: str) -> None:
    told = to_store_error(error, "here.db")

    assert isinstance(told, StoreError)
    assert str(told).startswith("cannot use here.db: ")
    assert words in str(told)
    assert str(told).endswith("; nothing was changed")


@pytest.mark.parametrize(
    "error",
    [
        sqlite3.IntegrityError("no"),
        sqlite3.InterfaceError("no"),
        UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"),
        OverflowError("Python int too large"),
        _Postgres("22021"),
        _Postgres("23505"),
        DBAPIError("statement", {}, _Postgres("22P02")),
    ],
)
def test_what_cannot_be_kept_is_one_callers_affair(error: Exception) -> None:
    assert is_data_error(error)
    assert not is_retryable(error)
    assert isinstance(to_store_error(error, "here.db"), InputError)


def test_our_own_errors_are_told_as_they_are() -> None:
    error = NotFoundError("approval", "q1")

    assert to_store_error(error, "here.db") is error
    assert not is_retryable(error)


@pytest.mark.proves("R-3")
@pytest.mark.parametrize("state", ["08006", "57P01", "57P03", "25P03", "40001", "40P01", "53300"])
def test_what_may_pass_is_tried_again(state: str) -> None:
    assert is_retryable(DBAPIError("statement", {}, _Postgres(state)))


def test_what_will_not_pass_is_not() -> None:
    assert not is_retryable(_Postgres("42P01"))
    assert not is_retryable(_Postgres("25006"))


@pytest.mark.parametrize("error", [KeyError("approval"), AttributeError("no such thing"), RuntimeError("hm")])
def test_a_bug_of_ours_is_not_blamed_on_the_database(error: Exception) -> None:
    told = to_store_error(error, "here.db")

    assert str(told) == (
        "cannot use here.db: an error in Assent itself: please report it"
        f" ({type(error).__name__}); nothing was changed"
    )
    assert told.__cause__ is error
    assert not is_retryable(error)


@pytest.mark.proves("R-3")
@pytest.mark.parametrize(
    "error", [asyncpg.InterfaceError("connection is closed"), ConnectionResetError("reset")]
)
def test_a_driver_that_lost_its_connection_is_tried_again(error: Exception) -> None:
    assert is_retryable(error)


def _committed(error: Exception) -> Exception:
    with pytest.raises(UnknownOutcomeError) as raised, mark_unknown_outcome():
        raise error
    return raised.value


@pytest.mark.proves("R-12")
@pytest.mark.parametrize(
    "error",
    [_sqlite("SQLITE_IOERR_FSYNC"), ConnectionResetError("reset"), TimeoutError(), _Postgres("57P01")],
)
def test_nobody_says_that_nothing_was_changed_when_a_commit_was_not_heard(error: Exception) -> None:
    told = to_store_error(_committed(error), "here.db")

    assert isinstance(told, StoreError)
    assert str(told).endswith("; whether it was done is unknown: check, or try again")
    assert _same_cause(told, to_store_error(error, "here.db"))


def _same_cause(one: Exception, other: Exception) -> bool:
    return str(one).rpartition("; ")[0] == str(other).rpartition("; ")[0]


@pytest.mark.parametrize(
    "error",
    [_sqlite("SQLITE_BUSY"), _sqlite("SQLITE_FULL"), _sqlite("SQLITE_IOERR_WRITE"), _Postgres("53100")],
)
def test_a_commit_that_was_refused_changed_nothing(error: Exception) -> None:
    assert str(to_store_error(_committed(error), "here.db")).endswith("; nothing was changed")


def test_a_later_try_that_was_not_heard_of_does_not_undo_an_earlier_one() -> None:
    told = to_store_error(ConnectionRefusedError("refused"), "here.db", outcome_unknown=True)

    assert str(told).endswith("; whether it was done is unknown: check, or try again")
