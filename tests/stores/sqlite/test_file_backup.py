"""A file is copied before an upgrade, once for each content, and only its owner can read the copy."""

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from assent.errors import StoreError
from assent.stores import migrations as schema
from assent.stores.admin.connections import open_file
from assent.stores.sqlite.file import copy_file, upgrade_file
from tests.stores.database import transaction
from tests.stores.fixtures.make import HERE
from tests.stores.migrations.test_migrate import restore_fixture


@pytest.fixture
def database_path(tmp_path: Path) -> str:
    return restore_fixture(HERE / "schema-1.5.sql", tmp_path / "a.db")


def upgrade_to_newest(database_path: str, *, fails: bool = False) -> str:
    with open_file(database_path, writing=True) as connection:
        backup = upgrade_file(connection, database_path)
        if fails:
            raise StoreError("it fails after the upgrade")
    return backup


@pytest.mark.proves("R-38")
def test_a_private_copy_is_made_before_an_upgrade(database_path: str) -> None:
    backup = upgrade_to_newest(database_path)

    assert backup == f"{database_path}.schema-1.5"
    assert stat.S_IMODE(Path(backup).stat().st_mode) == 0o600
    with closing(sqlite3.connect(backup)) as copy:
        assert copy.execute("SELECT version_num FROM alembic_version").fetchall() == [("1.5",)]


@pytest.mark.proves("R-38")
def test_a_copy_is_made_once_for_each_content(database_path: str, tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(StoreError, match="it fails"):
            upgrade_to_newest(database_path, fails=True)
    with closing(sqlite3.connect(database_path)) as connection, connection:
        connection.execute("UPDATE policy SET version = version + 1")

    assert upgrade_to_newest(database_path) == f"{database_path}.schema-1.5.1"
    assert len(list(tmp_path.glob("a.db.schema-*"))) == 2


def test_a_file_that_needs_no_upgrade_is_not_copied(tmp_path: Path) -> None:
    with transaction(tmp_path / "new.db"):
        pass

    assert upgrade_to_newest(str(tmp_path / "new.db")) == ""
    with open_file(str(tmp_path / "new.db"), writing=False) as connection:
        assert schema.read_version(connection).is_usable


def test_a_missing_file_is_not_copied(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no such file"):
        copy_file(str(tmp_path / "nowhere.db"), str(tmp_path / "copy.db"))
