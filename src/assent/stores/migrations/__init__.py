"""The schema version of a database, whether this version of Assent can use it, and how it is upgraded."""

import importlib
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import text

from assent.errors import SchemaError
from assent.stores.sql.statement import Connection, CoreConnection, Statement

HEAD = "1.9"
"""The schema of this version; migrations within the same first number only add."""


_LOCK_NUMBER = 2_026_111_500
"""The number of the advisory lock for upgrades; nothing else in the database may use it."""


class SchemaVersion(NamedTuple):
    """The schema version of a database, compared with ours."""

    found: str
    """The schema version in the database; empty if there are no tables yet."""

    @property
    def is_empty(self) -> bool:
        """Whether there are no tables yet."""
        return not self.found

    @property
    def is_usable(self) -> bool:
        """Whether this version can use the schema; a later compatible schema only has more."""
        return (
            bool(self.found)
            and _version_numbers(self.found)[0] == _version_numbers(HEAD)[0]
            and _version_numbers(self.found) >= _version_numbers(HEAD)
        )

    @property
    def is_earlier_step(self) -> bool:
        """Whether the schema is compatible but older, so that an upgrade only adds to it."""
        return _version_numbers(self.found)[0] == _version_numbers(HEAD)[0] and _version_numbers(
            self.found
        ) < _version_numbers(HEAD)

    @property
    def is_newer(self) -> bool:
        """Whether the schema was made by a newer, incompatible version."""
        return bool(self.found) and _version_numbers(self.found)[0] > _version_numbers(HEAD)[0]


def read_version(connection: Connection) -> SchemaVersion:
    """Read the schema version in plain SQL, because the migration tool is slow to load."""
    if not _HAS_VERSION[connection.dialect.name].fetch(connection)[0][0]:
        return SchemaVersion("")
    rows = _VERSION.fetch(connection)
    return SchemaVersion(rows[0][0] if rows else "")


def check_version(found: SchemaVersion, where: str, *, backup: bool = False) -> None:
    """Raise `SchemaError` for a schema that this version cannot use; `backup` adds the backup command."""
    if found.is_newer:
        raise SchemaError(
            f"{where} has schema {found.found}, which is newer than this version's {HEAD}:"
            " use a newer Assent, or restore an older backup"
        )
    if not found.is_usable:
        has = f"has schema {found.found}" if found.found else "has no tables yet"
        first = f"back it up with `assent db backup FILE --database {where}`, then "
        what = f"{first if backup and found.found else ''}run `assent db upgrade`"
        raise SchemaError(f"{where} {has}, and this version needs {HEAD}: {what}")


def upgrade(connection: CoreConnection) -> None:
    """Run the missing migrations in the open transaction; concurrent processes run them only once."""
    if connection.dialect.name == "postgresql":
        connection.core.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK_NUMBER})
    if not read_version(connection).is_usable:
        # Imported only if there is something to migrate, because the import is slow.
        importlib.import_module("alembic.command").upgrade(config(connection), "head")


def config(connection: CoreConnection) -> Any:
    """The configuration of the migration tool Alembic, without a file."""
    made = importlib.import_module("alembic.config").Config()
    made.set_main_option("script_location", str(Path(__file__).parent))
    made.attributes["connection"] = connection.core
    return made


def _version_numbers(version: str) -> tuple[int, int]:
    generation, _, step = version.partition(".")
    return (int(generation), int(step)) if generation.isdigit() and step.isdigit() else (0, 0)


_HAS_VERSION = {
    "sqlite": Statement(text("SELECT count(*) FROM sqlite_master WHERE name = 'alembic_version'")),
    "postgresql": Statement(text("SELECT to_regclass('alembic_version') IS NOT NULL")),
}
_VERSION = Statement(text("SELECT version_num FROM alembic_version"))
