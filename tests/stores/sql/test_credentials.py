"""Rows of credentials: a digest without a secret, and the deletion of old rows."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from assent.gate.access import Kind
from assent.gate.people import Credential, Person, Purpose
from assent.gate.policy import Moment
from assent.stores.sql import people
from assent.stores.sql import people as credentials
from assent.stores.sql.people import EXPIRED_RETENTION
from tests.stores.database import transaction

NOW = Moment(datetime(2026, 3, 1, 12, tzinfo=UTC), 0)
TOKEN = Credential(id="k1", purpose=Purpose.TOKEN, kind=Kind.PERSON, principal_id="ana", made_by="root")
HOUR = timedelta(hours=1)


def moment_after(span: timedelta) -> Moment:
    return Moment(NOW.at + span, 0)


def test_a_row_contains_a_digest_and_who_created_and_revoked_the_credential(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        people.add_person(connection, NOW, Person(id="ana"), "root")
        credentials.add_credential(connection, NOW, TOKEN, "d" * 64, None)
        credentials.end_credential(connection, NOW, "k1", "ana")
        credentials.end_credential(connection, NOW, "k1", "eve")
        [row] = connection.core.exec_driver_sql("SELECT digest, made_by, ended_by FROM credentials").all()

    assert tuple(row) == ("d" * 64, "root", "ana")


def test_old_links_and_sessions_are_deleted_and_tokens_are_kept(tmp_path: Path) -> None:
    session = replace(TOKEN, id="k2", purpose=Purpose.SESSION)
    link = replace(TOKEN, id="k3", purpose=Purpose.LINK)
    living = replace(TOKEN, id="k4", purpose=Purpose.SESSION)
    with transaction(tmp_path / "a.db") as connection:
        people.add_person(connection, NOW, Person(id="ana"), "root")
        credentials.add_credential(connection, NOW, TOKEN, "1" * 64, HOUR)
        credentials.add_credential(connection, NOW, session, "2" * 64, None)
        credentials.add_credential(connection, NOW, link, "3" * 64, HOUR)
        credentials.add_credential(connection, NOW, living, "4" * 64, timedelta(days=365))
        credentials.end_credential(connection, NOW, "k2", "ana")
        seen = []
        for span in (EXPIRED_RETENTION, EXPIRED_RETENTION + 2 * HOUR):
            new = replace(TOKEN, id=f"new-{span}")
            credentials.add_credential(connection, moment_after(span), new, str(span), None)
            ids = connection.core.exec_driver_sql(
                "SELECT id FROM credentials WHERE id LIKE 'k%' ORDER BY id"
            ).all()
            seen.append([row[0] for row in ids])

    assert seen == [["k1", "k2", "k3", "k4"], ["k1", "k4"]]


def test_only_the_first_use_of_a_link_succeeds(tmp_path: Path) -> None:
    link = replace(TOKEN, purpose=Purpose.LINK)
    with transaction(tmp_path / "a.db") as connection:
        people.add_person(connection, NOW, Person(id="ana"), "root")
        credentials.add_credential(connection, NOW, link, "d" * 64, HOUR)

        taken = [credentials.use_link(connection, NOW, "d" * 64).result for _ in range(2)]

    assert [one is not None for one in taken] == [True, False]


def test_valid_credentials_are_listed_oldest_first(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        people.add_person(connection, NOW, Person(id="ana"), "root")
        for number in (3, 1, 2):
            one = replace(TOKEN, id=f"k{number}")
            credentials.add_credential(
                connection, moment_after(number * HOUR), one, f"{number:064x}", 10 * HOUR
            )

        found = credentials.read_credentials(connection, None, lambda: NOW.at + 11 * HOUR)

    assert [one.id for one in found] == ["k2", "k3"]
