"""Converts errors of database drivers to messages that name the database and the remedy."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from assent.errors import AssentError, InputError, StoreError

_SQLITE_REASONS = {
    "SQLITE_BUSY": "another process has held it for too long: try again, or end that process",
    "SQLITE_LOCKED": "another process has held it for too long: try again, or end that process",
    "SQLITE_FULL": "the disk is full: make room, then try again",
    "SQLITE_READONLY": "it is read-only: check its permissions and those of its directory",
    "SQLITE_CANTOPEN": "it cannot be opened: check its directory and permissions",
    "SQLITE_IOERR": "the disk reports an error: check the disk and its free space",
    "SQLITE_CORRUPT": "it is damaged: restore a backup with `assent db restore`",
    "SQLITE_NOTADB": "it is not an SQLite database: name another file, or restore a backup",
    "SQLITE_PERM": "this user may not use it: check its permissions",
}
_LOCK_TIMEOUT = "55P03"
_POSTGRES_REASONS = {
    "53100": "the server's disk is full: make room, then try again",
    "53300": "the server has no connection left: raise `max_connections`, or run fewer pods",
    "25006": "the server is read-only: name its primary",
    "28P01": "the password is wrong",
    "28000": "this user may not connect",
    "3D000": "there is no such database: create it first",
    "42501": "this user lacks a right on its tables",
    "42P01": "its tables are missing: run `assent db upgrade`",
    _LOCK_TIMEOUT: "a row was locked for too long: try again",
}
_UNREACHABLE_REASON = "the server cannot be reached: check that it runs and that the address is right"
_OWN_BUG_REASON = "an error in Assent itself: please report it"
_NOTHING_CHANGED = "nothing was changed"
_OUTCOME_UNKNOWN = "whether it was done is unknown: check, or try again"
_ROLLED_BACK_ERRORS = ("SQLITE_BUSY", "SQLITE_FULL", "SQLITE_IOERR_WRITE")
"""Errors of SQLite after which a commit certainly did not happen; after other disk errors it may have."""
_DRIVER_PACKAGES = ("asyncpg", "sqlalchemy")
_MIGRATION_LIBRARY = "alembic"
_CONNECTION_LOST_SQLSTATES = ("08", "57")
"""SQLSTATE classes after which the connection is lost, and with it the result of a commit."""
_TEMPORARY_SQLSTATES = (*_CONNECTION_LOST_SQLSTATES, "25P03", "40", "53")
"""SQLSTATE prefixes of errors that a retry may solve: connection, operator, rollback, resources.

25P03 is one of them: the server rolled back a transaction that was idle for too long.
"""
_DATA_SQLSTATES = ("22", "23")
"""SQLSTATE classes of data errors: a value that cannot be stored, a row that exists already."""


class UnknownOutcomeError(Exception):
    """A commit failed, but it may have happened; the cause is the driver's error."""


@contextmanager
def mark_unknown_outcome() -> Generator[None]:
    """Run a commit, and raise `UnknownOutcomeError` if it fails."""
    try:
        yield
    except Exception as error:
        raise UnknownOutcomeError from error


def to_store_error(error: BaseException, where: str, *, outcome_unknown: bool = False) -> AssentError:
    """Convert a driver's error to the error for the caller.

    `outcome_unknown` is true if an earlier attempt may have been committed.
    """
    if isinstance(error, AssentError):
        return error
    if isinstance(error, UnknownOutcomeError) and isinstance(error.__cause__, AssentError):
        return error.__cause__
    outcome = _OUTCOME_UNKNOWN if outcome_unknown or is_outcome_unknown(error) else _NOTHING_CHANGED
    if is_data_error(error) and outcome is _NOTHING_CHANGED:
        result: AssentError = InputError(f"{where} cannot keep this: {_first_line(error)}")
    else:
        result = StoreError(
            f"cannot use {where}: {_describe_cause(error)}; {outcome}", reason=_describe_known_reason(error)
        )
    result.__cause__ = error
    return result


def is_outcome_unknown(error: BaseException) -> bool:
    """Whether the write may have been committed despite the error."""
    if not isinstance(error, UnknownOutcomeError):
        return False
    origin, state = _driver_error(error), _sqlstate(error)
    if isinstance(origin, sqlite3.Error):
        return not _sqlite_name(origin).startswith(_ROLLED_BACK_ERRORS)
    return not state or state[:2] in _CONNECTION_LOST_SQLSTATES


def is_data_error(error: BaseException) -> bool:
    """Whether the data of one request caused the error, not the database."""
    origin, state = _driver_error(error), _sqlstate(error)
    if isinstance(origin, sqlite3.Error):
        return isinstance(
            origin,
            sqlite3.IntegrityError | sqlite3.DataError | sqlite3.InterfaceError | sqlite3.ProgrammingError,
        )
    return state[:2] in _DATA_SQLSTATES or isinstance(
        origin, UnicodeError | ValueError | TypeError | OverflowError
    )


def is_lock_timeout(error: BaseException) -> bool:
    """Whether another transaction held a lock for longer than a write waits."""
    return _sqlstate(error) == _LOCK_TIMEOUT


def is_retryable(error: BaseException) -> bool:
    """Whether the server is unreachable or overloaded now, so that a retry may help."""
    if is_data_error(error) or isinstance(error, AssentError):
        return False
    state = _sqlstate(error)
    return state.startswith(_TEMPORARY_SQLSTATES) if state else _is_driver_error(_driver_error(error))


def _describe_known_reason(error: BaseException) -> str:
    """The reason without file names, addresses and people; empty if unknown."""
    origin, state = _driver_error(error), _sqlstate(error)
    if isinstance(origin, sqlite3.Error):
        name = _sqlite_name(origin)
        return next((text for word, text in _SQLITE_REASONS.items() if name.startswith(word)), "")
    return _POSTGRES_REASONS.get(state) or (_UNREACHABLE_REASON if is_retryable(error) else "")


def _describe_cause(error: BaseException) -> str:
    origin, state = _driver_error(error), _sqlstate(error)
    if known := _describe_known_reason(error):
        return known if known is not _UNREACHABLE_REASON else f"{known} ({_first_line(origin)})"
    if isinstance(origin, sqlite3.Error):
        return _first_line(origin)
    # The message of a bug may contain arguments of a call, so only its type is shown.
    is_known = (
        state
        or _is_driver_error(origin)
        or is_data_error(origin)
        or _package_name(origin) == _MIGRATION_LIBRARY
    )
    return _first_line(origin) if is_known else f"{_OWN_BUG_REASON} ({type(origin).__name__})"


def _is_driver_error(error: BaseException) -> bool:
    """Whether the driver or the network failed; an error without a SQLSTATE may also be our own bug."""
    return isinstance(error, OSError) or _package_name(error) in _DRIVER_PACKAGES


def _package_name(error: BaseException) -> str:
    """The name of the package that defines the class of the error."""
    return type(error).__module__.partition(".")[0]


def _driver_error(error: BaseException) -> BaseException:
    """The driver's error that caused this error of SQLAlchemy or of this module."""
    if isinstance(error, UnknownOutcomeError) and error.__cause__ is not None:
        return _driver_error(error.__cause__)
    origin = error.orig if isinstance(error, DBAPIError) else None
    return error if origin is None else origin


def _sqlite_name(error: sqlite3.Error) -> str:
    """SQLite's name of the error."""
    return str(getattr(error, "sqlite_errorname", ""))


def _sqlstate(error: BaseException) -> str:
    """PostgreSQL's five-character code of the error."""
    return str(getattr(_driver_error(error), "sqlstate", None) or "")


def _first_line(error: BaseException) -> str:
    origin = _driver_error(error)
    return (str(origin) or type(origin).__name__).partition("\n")[0]
