"""A database of any released schema is upgraded with all its rows, or left unchanged."""

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from assent.errors import SchemaError, StoreError
from assent.stores import migrations
from assent.stores.admin.audit import verify_audit
from assent.stores.admin.connections import write_any_schema
from assent.stores.admin.maintenance import (
    back_up_database,
    database_status,
    restore_database,
    upgrade_database,
)
from assent.stores.migrations import HEAD
from assent.stores.postgres.database import is_postgres, open_postgres
from assent.stores.sqlite.database import open_sqlite
from tests.gate.samples import NOW, make_question
from tests.stores import killed_upgrade
from tests.stores.fixtures.make import HERE, stored_content
from tests.stores.promises.given import MANY

FIXTURES = sorted(HERE.glob("schema-*.sql"))
FROZEN = {
    "v1_1_first.py": "b8f45445604457a61548f72a5d6211d2e7e3b10a8606ac6ef83746ba405aac0c",
    "v1_2_server.py": "b89a7d775c077336675df35e528affa4b3ba1d8252d6afb5c35ea167100a50f6",
    "v1_3_chat.py": "8cfd87878e3e73732c9fe9966a7ee3f1450f12861494434988813a44c100ca1e",
    "v1_4_roles.py": "33f906f7d13dcd755e5ea1946efe104a94e4f48e3fd07201dc879d1dcd4dc61b",
    "v1_5_denials.py": "97d576edc7b21a1c589ee2fa474320d2cec73d8f1f31314187c2a5925c5ed6bb",
}
"""The digests of released migrations, which must not change: a change belongs in a new migration."""
VERSIONS = Path(migrations.__file__).with_name("versions")
LATER_MIGRATION = '''
"""Schema 1.99, as it might come: more columns, another table, and rows that are rewritten."""

import sqlalchemy as sa
from alembic import op

revision = "1.99"
down_revision = "HEAD"


def upgrade() -> None:
    op.add_column("approvals", sa.Column("urgency", sa.Integer, nullable=False, server_default="0"))
    op.create_table("notes", sa.Column("id", sa.Text, primary_key=True), sa.Column("text", sa.Text))
    op.execute("INSERT INTO notes (id, text) SELECT id, note FROM approvals")
    op.execute("UPDATE approvals SET note = 'moved to notes'")
    op.create_index("notes_text", "notes", ["text"])
'''


def restore_fixture(fixture: Path, path: Path) -> str:
    """Create a database file from a released schema's fixture."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(fixture.read_text("utf-8"))
    path.chmod(0o600)
    return str(path)


def expected_content(fixture: Path) -> dict[str, Any]:
    kept: dict[str, Any] = json.loads(fixture.with_suffix(".json").read_text("utf-8"))
    return kept


def without_new_fields(found: object, kept: object) -> object:
    """The found content without fields that later versions added."""
    if isinstance(found, dict) and isinstance(kept, dict):
        return {name: without_new_fields(value, kept[name]) for name, value in found.items() if name in kept}
    if isinstance(found, list) and isinstance(kept, list) and len(found) == len(kept):
        return [without_new_fields(*pair) for pair in zip(found, kept, strict=True)]
    return found


def content_after_restore(kept: dict[str, Any]) -> dict[str, Any]:
    """The content after a restore: the outcome of approved and running calls is unknown."""
    approvals = [
        {**one, "state": "unknown", "note": "the database was restored from a backup: check what it did"}
        if one["state"] in ("approved", "running")
        else one
        for one in kept["approvals"]
    ]
    return {**kept, "approvals": approvals}


async def read_content(address: str) -> dict[str, object]:
    store = await (open_postgres(address) if is_postgres(address) else open_sqlite(address, upgrade=False))
    try:
        return await stored_content(store)
    finally:
        await store.close()


def test_every_released_schema_has_a_migration() -> None:
    steps = {".".join(path.stem.removeprefix("v").split("_")[:2]) for path in VERSIONS.glob("v*_*.py")}
    released = {fixture.stem.removeprefix("schema-") for fixture in FIXTURES}

    assert "1.1" in released <= steps
    assert HEAD in steps


@pytest.mark.proves("R-38")
def test_a_released_migration_is_never_changed() -> None:
    found = {name: hashlib.sha256((VERSIONS / name).read_bytes()).hexdigest() for name in FROZEN}

    assert found == FROZEN


@pytest.mark.proves("R-14")
@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
async def test_a_file_of_any_released_schema_is_upgraded_and_keeps_every_row(
    fixture: Path, tmp_path: Path
) -> None:
    path = restore_fixture(fixture, tmp_path / "assent.db")

    await upgrade_database(path)

    assert (await database_status(path)).schema == HEAD
    assert without_new_fields(await read_content(path), expected_content(fixture)) == expected_content(
        fixture
    )


async def test_an_old_role_is_upgraded_to_name_its_agent_or_conversation(tmp_path: Path) -> None:
    path = restore_fixture(HERE / "schema-1.2.sql", tmp_path / "assent.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        roles = [("vera", "c1", "viewer", "ada", 0), ("vera", "clerk", "approver", "ada", 0)]
        connection.executemany("INSERT INTO roles VALUES (?, ?, ?, ?, ?)", roles)

    await upgrade_database(path)

    with closing(sqlite3.connect(path)) as connection:
        found = dict(connection.execute("SELECT subject, role FROM roles").fetchall())
    assert found == {"conversation:c1": "viewer", "agent:clerk": "approver"}


@pytest.mark.proves("R-14", "T-40")
@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
async def test_the_audit_of_any_released_schema_is_intact_after_the_upgrade(
    fixture: Path, tmp_path: Path
) -> None:
    path = restore_fixture(fixture, tmp_path / "assent.db")
    await upgrade_database(path)

    found = await verify_audit(path)

    assert (found.chains, found.rows, found.breaks) == (1, len(expected_content(fixture)["audit"]), ())


@pytest.mark.proves("R-14")
@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.stem)
async def test_a_backup_of_any_released_schema_can_be_restored(fixture: Path, tmp_path: Path) -> None:
    old = restore_fixture(fixture, tmp_path / "old.db")
    await back_up_database(old, str(tmp_path / "backup"))

    await restore_database(str(tmp_path / "new.db"), str(tmp_path / "backup"))

    restored = await read_content(str(tmp_path / "new.db"))
    assert isinstance(restored["audit"], list)
    said = restored["audit"].pop()
    assert said["entry"]["decision"] == "database_restored"
    assert without_new_fields(restored, expected_content(fixture)) == content_after_restore(
        expected_content(fixture)
    )


@pytest.mark.proves("R-14")
async def test_an_upgrade_that_is_killed_leaves_the_old_or_the_new_schema(
    address: str, tmp_path: Path
) -> None:
    old = await add_rows(address)
    versions = tmp_path / "versions"
    versions.mkdir()
    (versions / "v1_99_tomorrow.py").write_text(LATER_MIGRATION.replace("HEAD", HEAD))
    step = "3" if is_postgres(address) else "1"

    ran = subprocess.run(
        [sys.executable, killed_upgrade.__file__, address, str(versions), step],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )

    assert ran.returncode == 0, ran.stderr
    lines = [json.loads(line) for line in ran.stdout.splitlines()]
    new = [[id_, "moved to notes"] for id_, _ in old]
    assert [(line["schema"], line["rows"]) for line in lines[:-1]] == [(HEAD, old)] * (len(lines) - 1)
    assert (lines[-1]["killed"], lines[-1]["schema"], lines[-1]["rows"]) == (False, "1.99", new)
    assert len(lines) > 5


@pytest.mark.proves("R-14")
async def test_a_file_is_backed_up_before_an_upgrade_and_no_backup_is_overwritten(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "assent.db")
    await add_rows(path)
    (tmp_path / "assent.db.schema-1.0").write_text("an earlier attempt")
    await write_any_schema(
        path,
        lambda connection: connection.core.exec_driver_sql("UPDATE alembic_version SET version_num = '1.0'"),
    )

    with pytest.raises(StoreError, match=r"1\.0"):
        await upgrade_database(path)

    assert (tmp_path / "assent.db.schema-1.0").read_text() == "an earlier attempt"
    assert (await database_status(str(tmp_path / "assent.db.schema-1.0.1"))).rows["approvals"] == 2
    assert (await database_status(path)).rows["approvals"] == 2


@pytest.mark.proves("R-14")
async def test_a_newer_schema_is_refused_and_not_changed(address: str) -> None:
    await add_rows(address)
    await write_any_schema(
        address,
        lambda connection: connection.core.exec_driver_sql("UPDATE alembic_version SET version_num = '2.1'"),
    )

    with pytest.raises(SchemaError) as raised:
        await upgrade_database(address)
    found = (await database_status(address)).schema
    await write_any_schema(
        address,
        lambda connection: connection.core.exec_driver_sql(
            f"UPDATE alembic_version SET version_num = '{HEAD}'"
        ),
    )

    assert f"has schema 2.1, which is newer than this version's {HEAD}: use a newer Assent" in str(
        raised.value
    )
    assert found == "2.1"


async def add_rows(address: str) -> list[list[str]]:
    """Add two approvals; return their ids and notes from the table."""
    if is_postgres(address):
        store = await open_postgres(address)
    else:
        store = await open_sqlite(address, clock=lambda: NOW)
    await store.add_approval("q1", make_question(), MANY)
    await store.add_approval("q2", make_question("q2"), MANY)
    await store.close()
    return [["q1", ""], ["q2", ""]]
