"""What is wrong with a database, in a sentence that names it and says what to do."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from assent.errors import AssentError, InputError, StoreError

_SQLITE = {
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
_LOCKED = "55P03"
_POSTGRES = {
    "53100": "the server's disk is full: make room, then try again",
    "53300": "the server has no connection left: raise `max_connections`, or run fewer pods",
    "25006": "the server is read-only: name its primary",
    "28P01": "the password is wrong",
    "28000": "this user may not connect",
    "3D000": "there is no such database: create it first",
    "42501": "this user lacks a right on its tables",
    "42P01": "its tables are missing: run `assent db upgrade`",
    _LOCKED: "a row was locked for too long: try again",
}
_NOT_REACHED = "the server cannot be reached: check that it runs and that the address is right"
_OUR_OWN = "an error in Assent itself: please report it"
_UNDONE = "nothing was changed"
_UNHEARD = "whether it was done is not known: look, or try again"
_ROLLED_BACK = ("SQLITE_BUSY", "SQLITE_FULL", "SQLITE_IOERR_WRITE")
"""How SQLite says that a commit never reached the log; after another error of the disk nobody knows."""
_DRIVERS = ("asyncpg", "sqlalchemy")
_MIGRATING = "alembic"
_CUT = ("08", "57")
"""Classes of states after which a connection is gone, and with it the word on a commit."""
_MAY_PASS = (*_CUT, "25P03", "40", "53")
"""How PostgreSQL's states begin that trying again may help: connection, operator, rollback, resources.

One of a class is among them: a transaction that stood still for too long, as the process did, was undone.
"""
_ONES_OWN = ("22", "23")
"""Classes of states that are about the data: a value that cannot be held, a row that is there already."""


class UnknownOutcomeError(Exception):
    """A commit that failed, so that it may have happened all the same; the cause is the driver's error."""


@contextmanager
def committing() -> Generator[None]:
    """Around a commit: what goes wrong here may have been done."""
    try:
        yield
    except Exception as error:
        raise UnknownOutcomeError from error


def to_store_error(error: BaseException, where: str, *, outcome_unknown: bool = False) -> AssentError:
    """The error as whoever called should see it; `unheard` where an earlier try may have been done."""
    if isinstance(error, AssentError):
        return error
    if isinstance(error, UnknownOutcomeError) and isinstance(error.__cause__, AssentError):
        return error.__cause__
    outcome = _UNHEARD if outcome_unknown or is_outcome_unknown(error) else _UNDONE
    if is_data_error(error) and outcome is _UNDONE:
        told: AssentError = InputError(f"{where} cannot keep this: {_first_line(error)}")
    else:
        told = StoreError(f"cannot use {where}: {_cause(error)}; {outcome}", reason=_reason(error))
    told.__cause__ = error
    return told


def is_outcome_unknown(error: BaseException) -> bool:
    """Whether what was to be written may have been."""
    if not isinstance(error, UnknownOutcomeError):
        return False
    origin, state = _origin(error), _sqlstate(error)
    if isinstance(origin, sqlite3.Error):
        return not _name(origin).startswith(_ROLLED_BACK)
    return not state or state[:2] in _CUT


def is_data_error(error: BaseException) -> bool:
    """Whether one piece of work is at fault, not the database."""
    origin, state = _origin(error), _sqlstate(error)
    if isinstance(origin, sqlite3.Error):
        return isinstance(
            origin,
            sqlite3.IntegrityError | sqlite3.DataError | sqlite3.InterfaceError | sqlite3.ProgrammingError,
        )
    return state[:2] in _ONES_OWN or isinstance(origin, UnicodeError | ValueError | TypeError | OverflowError)


def is_lock_timeout(error: BaseException) -> bool:
    """Whether somebody else held a lock for longer than a write waits."""
    return _sqlstate(error) == _LOCKED


def is_retryable(error: BaseException) -> bool:
    """Whether the server went away or has no room now, so that trying again may help."""
    if is_data_error(error) or isinstance(error, AssentError):
        return False
    state = _sqlstate(error)
    return state.startswith(_MAY_PASS) if state else _is_drivers(_origin(error))


def _reason(error: BaseException) -> str:
    """What is wrong in words of our own, which name no file, no address and nobody; empty if unknown."""
    origin, state = _origin(error), _sqlstate(error)
    if isinstance(origin, sqlite3.Error):
        name = _name(origin)
        return next((text for word, text in _SQLITE.items() if name.startswith(word)), "")
    return _POSTGRES.get(state) or (_NOT_REACHED if is_retryable(error) else "")


def _cause(error: BaseException) -> str:
    origin, state = _origin(error), _sqlstate(error)
    if known := _reason(error):
        return known if known is not _NOT_REACHED else f"{known} ({_first_line(origin)})"
    if isinstance(origin, sqlite3.Error):
        return _first_line(origin)
    # What a bug says may hold what was in a call: its name is enough, and the rest is its cause.
    is_known = state or _is_drivers(origin) or is_data_error(origin) or _library(origin) == _MIGRATING
    return _first_line(origin) if is_known else f"{_OUR_OWN} ({type(origin).__name__})"


def _is_drivers(error: BaseException) -> bool:
    """Whether a driver or the network failed; an error without a state may as well be a bug of ours."""
    return isinstance(error, OSError) or _library(error) in _DRIVERS


def _library(error: BaseException) -> str:
    """Whose error it is."""
    return type(error).__module__.partition(".")[0]


def _origin(error: BaseException) -> BaseException:
    """The driver's own error, where SQLAlchemy or we put another around it."""
    if isinstance(error, UnknownOutcomeError) and error.__cause__ is not None:
        return _origin(error.__cause__)
    origin = error.orig if isinstance(error, DBAPIError) else None
    return error if origin is None else origin


def _name(error: sqlite3.Error) -> str:
    """The word by which SQLite says what happened."""
    return str(getattr(error, "sqlite_errorname", ""))


def _sqlstate(error: BaseException) -> str:
    """The five characters by which PostgreSQL says what happened; a driver's error carries them along."""
    return str(getattr(_origin(error), "sqlstate", None) or "")


def _first_line(error: BaseException) -> str:
    origin = _origin(error)
    return (str(origin) or type(origin).__name__).partition("\n")[0]
