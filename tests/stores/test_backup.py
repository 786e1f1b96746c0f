"""A store is exported to JSON lines and imported again, completely or not at all."""

import io
import json
from pathlib import Path

import pytest
from sqlalchemy import insert, inspect, select

from assent.errors import SchemaError, StoreError
from assent.stores.backup import BACKUP_TABLES, export_rows, import_rows
from assent.stores.migrations import HEAD
from assent.stores.sql.tables import pins, policy
from tests.stores.database import transaction

PINS = [
    {
        "origin": "mcp",
        "tool_name": f"t{n}",
        "digest": "d",
        "accepted_by": "ana",
        "accepted_at": n,
        "definition": None,
    }
    for n in range(1200)
]


def exported_lines(path: Path) -> list[str]:
    with transaction(path) as connection:
        connection.core.execute(insert(pins), PINS)
        lines = io.StringIO()
        assert export_rows(connection, lines) == len(PINS) + 1
    return lines.getvalue().splitlines(keepends=True)


def test_every_row_is_restored(tmp_path: Path) -> None:
    lines = exported_lines(tmp_path / "a.db")

    with transaction(tmp_path / "b.db") as connection:
        assert import_rows(connection, lines, "a.jsonl") == len(PINS) + 1
        assert [
            dict(row) for row in connection.core.execute(select(pins).order_by(pins.c.accepted_at)).mappings()
        ] == PINS
        secret = connection.core.execute(select(policy.c.secret)).scalar()
    assert any(f'"secret":"{secret}"' in line for line in lines)


def test_the_lines_contain_the_schema_and_an_end_mark(tmp_path: Path) -> None:
    lines = exported_lines(tmp_path / "a.db")

    assert all(line.isascii() for line in lines)
    assert json.loads(lines[0]) == {"assent": HEAD}
    assert json.loads(lines[-1]) == {"rows": len(PINS) + 1}


def test_an_unknown_column_of_a_later_schema_is_skipped(tmp_path: Path) -> None:
    row = {"table": "pins", "row": {**PINS[0], "colour": "red"}}
    policy_row = {"table": "policy", "row": {"id": 1, "version": 7, "secret": "00" * 32}}
    lines = [json.dumps(line) for line in ({"assent": "1.9"}, policy_row, row, {"rows": 2})]

    with transaction(tmp_path / "a.db") as connection:
        assert import_rows(connection, lines, "a.jsonl") == 2


@pytest.mark.proves("R-14")
@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda lines: lines[:-1], StoreError),
        (lambda lines: lines[:5] + lines[6:], StoreError),
        (lambda lines: ["{", *lines], StoreError),
        (lambda lines: ['{"assent":"2.1"}', *lines[1:]], SchemaError),
        (lambda lines: [*lines[:1], '{"table":"sqlite_master","row":{}}', *lines[1:]], StoreError),
    ],
)
def test_an_incomplete_backup_restores_nothing(
    tmp_path: Path, change: object, error: type[Exception]
) -> None:
    lines = change(exported_lines(tmp_path / "a.db"))  # type: ignore[operator]

    with pytest.raises(error), transaction(tmp_path / "b.db") as connection:
        import_rows(connection, lines, "a.jsonl")


def test_a_store_with_data_is_not_overwritten(tmp_path: Path) -> None:
    lines = exported_lines(tmp_path / "a.db")

    with pytest.raises(StoreError, match="is not empty"), transaction(tmp_path / "a.db") as connection:
        import_rows(connection, lines, "a.jsonl")


def test_every_table_except_the_events_is_exported(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        made = set(inspect(connection.core).get_table_names())

    assert {table.name for table in BACKUP_TABLES} == made - {"alembic_version", "events"}


@pytest.mark.proves("R-14")
def test_a_backup_of_an_earlier_schema_is_restored_with_default_values(tmp_path: Path) -> None:
    row = {"id": 1, "version": 7, "secret": "00" * 32}
    lines = [json.dumps(line) for line in ({"assent": "1.1"}, {"table": "policy", "row": row}, {"rows": 1})]

    with transaction(tmp_path / "a.db") as connection:
        assert import_rows(connection, lines, "a.jsonl") == 1
        found = connection.core.execute(select(policy.c.version, policy.c.declared, policy.c.paused_at)).one()
    assert tuple(found) == (7, 0, None)


def test_a_restored_database_does_not_accept_old_cursors(tmp_path: Path) -> None:
    lines = exported_lines(tmp_path / "a.db")

    with transaction(tmp_path / "b.db") as connection:
        import_rows(connection, lines, "a.jsonl")
        restored = connection.core.execute(select(policy.c.life)).scalar()

    assert restored not in ("", "0")
