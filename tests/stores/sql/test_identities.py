"""Replies to requests are kept for a day, separately for each principal."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from assent.gate.people import REPLY_RETENTION, StoredReply
from assent.gate.policy import Moment
from assent.stores.sql import identities as replies
from tests.stores.database import transaction

NOW = Moment(datetime(2026, 3, 1, 12, tzinfo=UTC), 0)


def test_a_reply_older_than_a_day_is_deleted(tmp_path: Path) -> None:
    much_later = Moment(NOW.at + REPLY_RETENTION + timedelta(seconds=1), 0)
    with transaction(tmp_path / "a.db") as connection:
        for key in ("k1", "k2"):
            replies.begin_request(connection, NOW, "ana", key, "d")
            replies.save_reply_edit(connection, NOW, "ana", key, StoredReply(200, "{}"))
        replies.begin_request(connection, NOW, "ben", "k1", "d")
        replies.begin_request(connection, much_later, "ana", "k3", "d")
        rows = connection.core.exec_driver_sql(
            "SELECT principal_id, key, status FROM replies ORDER BY 1, 2"
        ).all()

    assert [tuple(row) for row in rows] == [("ana", "k3", None), ("ben", "k1", None)]


def test_a_stored_reply_is_returned_unchanged(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        first = replies.begin_request(connection, NOW, "ana", "k1", "d").result
        replies.save_reply_edit(connection, NOW, "ana", "k1", StoredReply(201, '{"ñ": 1}'))

        assert (first, replies.begin_request(connection, NOW, "ana", "k1", "d").result) == (
            None,
            StoredReply(201, '{"ñ": 1}'),
        )
