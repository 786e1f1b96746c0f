"""What is wrong with a database, in a sentence that names it and says what to do."""

import sqlite3

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
_POSTGRES = {
    "53100": "the server's disk is full: make room, then try again",
    "53300": "the server has no connection left: raise `max_connections`, or run fewer pods",
    "25006": "the server is read-only: name its primary",
    "28P01": "the password is wrong",
    "28000": "this user may not connect",
    "3D000": "there is no such database: create it first",
    "42501": "this user lacks a right on its tables",
    "42P01": "its tables are missing: run `assent db upgrade`",
    "55P03": "a row was locked for too long: try again",
}
_NOT_REACHED = "the server cannot be reached: check that it runs and that the address is right"
_MAY_PASS = ("08", "57", "40", "53")
"""Classes of PostgreSQL's states that trying again may help: connection, operator, rollback, resources."""
_ONES_OWN = ("22", "23")
"""Classes of states that are about the data: a value that cannot be held, a row that is there already."""


def explained(error: BaseException, where: str) -> AssentError:
    """The error as whoever called should see it."""
    if isinstance(error, AssentError):
        return error
    if is_about_one(error):
        return InputError(f"{where} cannot keep this: {_first_line(error)}")
    return StoreError(f"cannot use {where}: {_cause(error)}; nothing was changed")


def is_about_one(error: BaseException) -> bool:
    """Whether one piece of work is at fault, not the database."""
    origin, state = _origin(error), _sqlstate(error)
    if isinstance(origin, sqlite3.Error):
        return isinstance(
            origin,
            sqlite3.IntegrityError | sqlite3.DataError | sqlite3.InterfaceError | sqlite3.ProgrammingError,
        )
    return state[:2] in _ONES_OWN or isinstance(origin, UnicodeError | ValueError | TypeError | OverflowError)


def is_cut_off(error: BaseException) -> bool:
    """Whether the server went away or has no room now, so that trying again may help."""
    if is_about_one(error) or isinstance(error, AssentError):
        return False
    state = _sqlstate(error)
    return not state or state[:2] in _MAY_PASS


def _cause(error: BaseException) -> str:
    origin, state = _origin(error), _sqlstate(error)
    if isinstance(origin, sqlite3.Error):
        name = getattr(origin, "sqlite_errorname", "")
        known = next((text for word, text in _SQLITE.items() if name.startswith(word)), None)
        return known or _first_line(origin)
    if state in _POSTGRES:
        return _POSTGRES[state]
    return f"{_NOT_REACHED} ({_first_line(origin)})" if is_cut_off(error) else _first_line(origin)


def _origin(error: BaseException) -> BaseException:
    """The driver's own error, where SQLAlchemy put its own around it."""
    origin = error.orig if isinstance(error, DBAPIError) else None
    return error if origin is None else origin


def _sqlstate(error: BaseException) -> str:
    """The five characters by which PostgreSQL says what happened; a driver's error carries them along."""
    return str(getattr(_origin(error), "sqlstate", None) or "")


def _first_line(error: BaseException) -> str:
    return (str(_origin(error)) or type(error).__name__).partition("\n")[0]
