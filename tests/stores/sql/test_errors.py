"""Errors of database drivers become messages that name the database and the remedy."""

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


def _sqlite_error(name: str, kind: type[sqlite3.Error] = sqlite3.OperationalError) -> sqlite3.Error:
    error = kind("as SQLite says it")
    error.sqlite_errorname = name
    return error


class _PostgresError(Exception):
    """A substitute for the driver's errors, with their SQL state."""

    def __init__(self, sqlstate: str) -> None:
        super().__init__("as PostgreSQL says it\nand more")
        self.sqlstate = sqlstate


@pytest.mark.proves("R-10", "R-26")
@pytest.mark.parametrize(
    ("error", "words"),
    [
        (_sqlite_error("SQLITE_BUSY"), "another process has held it for too long"),
        (_sqlite_error("SQLITE_BUSY_SNAPSHOT"), "another process has held it for too long"),
        (_sqlite_error("SQLITE_FULL"), "the disk is full: make room"),
        (_sqlite_error("SQLITE_READONLY_DBMOVED"), "it is read-only"),
        (_sqlite_error("SQLITE_IOERR_WRITE"), "the disk reports an error"),
        (_sqlite_error("SQLITE_CORRUPT", sqlite3.DatabaseError), "it is damaged: restore a backup"),
        (_sqlite_error("SQLITE_SOMETHING"), "as SQLite says it"),
        (_PostgresError("53100"), "the server's disk is full"),
        (_PostgresError("42P01"), "its tables are missing: run `assent db upgrade`"),
        (_PostgresError("42703"), "as PostgreSQL says it"),
        (_PostgresError("57P01"), "the server cannot be reached"),
        (ConnectionRefusedError("refused"), "the server cannot be reached"),
        (TimeoutError(), "(TimeoutError)"),
    ],
)
def test_an_error_names_the_database_and_the_remedy(error: Exception, words: str) -> None:
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
        _PostgresError("22021"),
        _PostgresError("23505"),
        DBAPIError("statement", {}, _PostgresError("22P02")),
    ],
)
def test_a_data_error_concerns_only_one_request(error: Exception) -> None:
    assert is_data_error(error)
    assert not is_retryable(error)
    assert isinstance(to_store_error(error, "here.db"), InputError)


def test_errors_of_assent_are_passed_on_unchanged() -> None:
    error = NotFoundError("approval", "q1")

    assert to_store_error(error, "here.db") is error
    assert not is_retryable(error)


@pytest.mark.proves("R-3")
@pytest.mark.parametrize("state", ["08006", "57P01", "57P03", "25P03", "40001", "40P01", "53300"])
def test_a_temporary_error_is_retried(state: str) -> None:
    assert is_retryable(DBAPIError("statement", {}, _PostgresError(state)))


def test_a_permanent_error_is_not_retried() -> None:
    assert not is_retryable(_PostgresError("42P01"))
    assert not is_retryable(_PostgresError("25006"))


@pytest.mark.parametrize("error", [KeyError("approval"), AttributeError("no such thing"), RuntimeError("hm")])
def test_a_bug_in_assent_is_not_reported_as_a_database_error(error: Exception) -> None:
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
def test_a_lost_connection_is_retried(error: Exception) -> None:
    assert is_retryable(error)


def _error_of_commit(error: Exception) -> Exception:
    with pytest.raises(UnknownOutcomeError) as raised, mark_unknown_outcome():
        raise error
    return raised.value


@pytest.mark.proves("R-12")
@pytest.mark.parametrize(
    "error",
    [
        _sqlite_error("SQLITE_IOERR_FSYNC"),
        ConnectionResetError("reset"),
        TimeoutError(),
        _PostgresError("57P01"),
    ],
)
def test_after_a_failed_commit_the_outcome_is_unknown(error: Exception) -> None:
    told = to_store_error(_error_of_commit(error), "here.db")

    assert isinstance(told, StoreError)
    assert str(told).endswith("; whether it was done is unknown: check, or try again")
    assert _has_same_cause(told, to_store_error(error, "here.db"))


def _has_same_cause(one: Exception, other: Exception) -> bool:
    return str(one).rpartition("; ")[0] == str(other).rpartition("; ")[0]


@pytest.mark.parametrize(
    "error",
    [
        _sqlite_error("SQLITE_BUSY"),
        _sqlite_error("SQLITE_FULL"),
        _sqlite_error("SQLITE_IOERR_WRITE"),
        _PostgresError("53100"),
    ],
)
def test_a_refused_commit_changed_nothing(error: Exception) -> None:
    assert str(to_store_error(_error_of_commit(error), "here.db")).endswith("; nothing was changed")


def test_the_outcome_stays_unknown_after_a_later_failed_attempt() -> None:
    told = to_store_error(ConnectionRefusedError("refused"), "here.db", outcome_unknown=True)

    assert str(told).endswith("; whether it was done is unknown: check, or try again")
