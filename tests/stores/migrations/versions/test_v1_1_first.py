"""The migrations create exactly the tables that the stores use, and protect the audit."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import insert, text
from sqlalchemy.exc import IntegrityError

from assent.gate.audit import CHAIN_START_HASH, link_entry
from assent.stores.audit.outbox import LINK_COLUMNS, link_to_row
from assent.stores.sql.tables import audit, audit_segments, metadata
from tests.gate.samples import NOW
from tests.stores.database import transaction
from tests.stores.promises.given import sample_entry

_LINK_NAMES = [column.name for column in LINK_COLUMNS]
SEGMENT = {
    "writer": "w", "first_place": 1, "last_place": 1, "previous_hash": CHAIN_START_HASH, "last_hash": "h", "archive": "a.jsonl",
    "closed_at": 1, "closed_by": "ana",
}  # fmt: skip


def link_rows(*entries: object) -> list[dict[str, object]]:
    links = [
        link_entry(entry, writer="w", number=number, at=NOW, previous=CHAIN_START_HASH)  # type: ignore[arg-type]
        for number, entry in enumerate(entries, 1)
    ]
    return [dict(zip(_LINK_NAMES, link_to_row(link), strict=True)) for link in links]


@pytest.mark.proves("R-14")
def test_migrated_tables_equal_the_tables_in_the_source(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        context = MigrationContext.configure(connection.core, opts={"compare_type": True})

        assert compare_metadata(context, metadata) == []


def test_each_database_has_its_own_secret(tmp_path: Path) -> None:
    secrets = set()
    for name in ("a.db", "b.db"):
        with transaction(tmp_path / name) as connection:
            secrets.add(connection.core.execute(text("SELECT secret FROM policy")).scalar())

    assert {len(bytes.fromhex(secret)) for secret in secrets} == {32}
    assert len(secrets) == 2


@pytest.mark.proves("T-40", "R004-34")
def test_only_rows_of_an_archived_segment_can_be_deleted(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        connection.core.execute(insert(audit), link_rows(sample_entry(1), sample_entry(2)))
        connection.core.execute(insert(audit_segments), [SEGMENT])
    for statement in ("UPDATE audit SET reason = ''", "DELETE FROM audit", "DELETE FROM audit_segments",
                      "UPDATE audit_segments SET last_place = 9"):  # fmt: skip
        with pytest.raises(IntegrityError, match="append-only"), transaction(tmp_path / "a.db") as connection:
            connection.core.execute(text(statement))

    with transaction(tmp_path / "a.db") as connection:
        connection.core.execute(text("DELETE FROM audit WHERE place = 1"))
        assert connection.core.execute(text("SELECT place FROM audit")).scalars().all() == [2]


@pytest.mark.proves("R004-31", "R004-35")
def test_a_view_shows_the_answers_of_people(tmp_path: Path) -> None:
    entries = [
        sample_entry(1, verdict="ask", decision=""),
        sample_entry(2, verdict="", decision="approved", with_override=True),
        sample_entry(3, verdict="", decision="denied_with_reason", reason="not today"),
        sample_entry(4, verdict="", decision="executed"),
    ]
    with transaction(tmp_path / "a.db") as connection:
        connection.core.execute(insert(audit), link_rows(*entries))
    with closing(sqlite3.connect(tmp_path / "a.db")) as plain:
        found = plain.execute("SELECT * FROM agent_tool_approval_audit ORDER BY id")
        names = [column[0] for column in found.description]

        assert names == [
            "id", "tool_call_id", "user_id", "agent_id", "chat_id", "tool_name", "decision", "with_override",
            "reason", "created_at",
        ]  # fmt: skip
        assert [(row[0], row[6], row[7], row[8], row[9]) for row in found] == [
            ("e2", "approved", 1, None, "2026-03-01T12:00:00.123Z"),
            ("e3", "denied_with_reason", 0, "not today", "2026-03-01T12:00:00.123Z"),
        ]
