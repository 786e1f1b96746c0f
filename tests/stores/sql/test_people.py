"""Rows of people store who changed them, and changes are atomic."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from assent.errors import ConflictError
from assent.gate.access import Role
from assent.gate.people import Person
from assent.gate.policy import Moment
from assent.stores.sql import people
from tests.stores.database import transaction

NOW = Moment(datetime(2026, 3, 1, 12, tzinfo=UTC), 0)
ANA = Person(id="ana", name="Ana", identity="https://id.example|1", administrator=True)


def test_a_person_is_read_back_unchanged(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        written = people.add_person(connection, NOW, ANA, "root").result

        assert people.read_person(connection, "ana") == written
        assert people.read_person_by_identity(connection, "https://id.example|1") == written
        assert people.read_people(connection) == [written]


def test_the_authors_of_a_disabling_and_of_a_role_are_stored(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        for person in (ANA, Person(id="ben")):
            people.add_person(connection, NOW, person, "root")
        people.set_role(connection, NOW, "ben", "c1", Role.VIEWER, "ana")
        people.disable_person(connection, NOW, "ben", "ana")
        people.disable_person(connection, NOW, "ben", "eve")
        rows = connection.core.exec_driver_sql(
            "SELECT id, added_by, disabled_by FROM people ORDER BY id"
        ).all()
        roles = connection.core.exec_driver_sql("SELECT person_id, subject, role, given_by FROM roles").all()

    assert [tuple(row) for row in rows] == [("ana", "root", None), ("ben", "root", "ana")]
    assert [tuple(row) for row in roles] == [("ben", "c1", "viewer", "ana")]


def test_an_unknown_role_in_a_row_is_an_error(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        connection.core.exec_driver_sql("INSERT INTO roles VALUES ('ana', 'c1', 'king', 'root', 0)")

        with pytest.raises(ValueError, match="king"):
            people.read_roles(connection, "ana")


def test_the_last_administrator_can_neither_be_disabled_nor_lose_the_right(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        people.add_person(connection, NOW, ANA, "root")

        with pytest.raises(ConflictError):
            people.disable_person(connection, NOW, "ana", "ana")
        with pytest.raises(ConflictError):
            people.set_administrator(connection, NOW, "ana", False)
