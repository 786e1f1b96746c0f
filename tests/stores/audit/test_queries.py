"""The audit can be searched by user, tool and time, oldest or newest first."""

from datetime import timedelta
from pathlib import Path

import pytest

from assent.gate.store import ALL_ENTRIES, AuditFilter, ToolUse
from assent.stores.audit.ledger import Ledger
from assent.stores.audit.outbox import move_to_audit
from assent.stores.audit.queries import audit_page, read_tool_uses
from tests.gate.samples import NOW
from tests.stores.database import transaction
from tests.stores.promises.given import sample_entry

MINUTE = timedelta(minutes=1)


@pytest.fixture
def database_path(tmp_path: Path) -> Path:
    database_path = tmp_path / "a.db"
    book = Ledger("w")
    for number in range(1, 6):
        book.add(sample_entry(number, verdict="ask" if number % 2 else "deny", conversation=f"c{number % 2}"))
        with transaction(database_path) as connection:
            book.write(connection, NOW + number * MINUTE)
        book.mark_committed()
    return database_path


@pytest.mark.parametrize(
    ("audit_filter", "expected"),
    [
        (ALL_ENTRIES, ["e1", "e2", "e3", "e4", "e5"]),
        (AuditFilter(verdict="deny"), ["e2", "e4"]),
        (AuditFilter(conversation="c1"), ["e1", "e3", "e5"]),
        (AuditFilter(since=NOW + 2 * MINUTE, until=NOW + 4 * MINUTE), ["e2", "e3"]),
        (AuditFilter(conversation="c1", until=NOW + 4 * MINUTE), ["e1", "e3"]),
        (AuditFilter(user="nobody"), []),
    ],
)
def test_each_given_field_narrows_the_result_in_both_orders(
    database_path: Path, audit_filter: AuditFilter, expected: list[str]
) -> None:
    with transaction(database_path) as connection:
        oldest, _ = audit_page(connection, audit_filter, 10, "")
        newest, _ = audit_page(connection, audit_filter, 10, "", newest_first=True)

    assert [link.entry.id for link in oldest] == expected
    assert [link.entry.id for link in newest] == expected[::-1]


def test_pages_continue_each_other_with_the_newest_first(database_path: Path) -> None:
    with transaction(database_path) as connection:
        first, after = audit_page(connection, ALL_ENTRIES, 3, "", newest_first=True)
        rest, end = audit_page(connection, ALL_ENTRIES, 3, after, newest_first=True)

    assert [link.entry.id for link in (*first, *rest)] == ["e5", "e4", "e3", "e2", "e1"]
    assert end == ""


def test_a_name_with_unusual_characters_is_found(tmp_path: Path) -> None:
    book = Ledger("w")
    book.add(sample_entry(1, agent="half a pair \ud800", tool="\x00", user="o'hara"))
    with transaction(tmp_path / "a.db") as connection:
        book.write(connection, NOW)
        move_to_audit(connection)
        found = read_tool_uses(connection, "o'hara")
        others = read_tool_uses(connection, "ana")

    assert (found, others) == ({ToolUse("half a pair \ud800", "\x00")}, frozenset())
