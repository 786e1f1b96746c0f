"""The audit can be searched by user, tool, verdict and time."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assent.gate.audit import Link
from assent.gate.store import AuditFilter
from assent.stores.admin.audit import latest_rows, write_each_row
from assent.stores.admin.connections import read_any_schema
from assent.wire.audit import WriteRow, answer_row_to_json
from tests.stores.audited import record_entries
from tests.stores.promises.given import sample_entry

ANSWER = sample_entry(verdict="", decision="approved", approval="q1")
ENTRIES = (
    sample_entry(1, agent="clerk", tool="Bash", user="ana", verdict="ask"),
    replace(ANSWER, id="e2", agent="clerk", tool="Bash", user="ana", with_override=True),
    sample_entry(3, agent="scout", tool="mail.send", user="ben", verdict="deny"),
    replace(ANSWER, id="e4", agent="scout", tool="mail.send", decision="denied_with_reason", reason="no"),
    replace(ANSWER, id="e5", decision="executed"),
    replace(ANSWER, id="e6", decision="released"),
    replace(ANSWER, id="e7", decision="denied"),
    sample_entry(8, tool="o'hara; DROP TABLE audit", user="\x00\ud800"),
)


def collect_into(handed: list[Link]) -> WriteRow:
    return lambda link, record=None: handed.append(link)


async def matching_ids(address: str, audit_filter: AuditFilter) -> list[str]:
    return [row.link.entry.id for row in await latest_rows(address, audit_filter, 100)]


@pytest.mark.parametrize(
    ("audit_filter", "found"),
    [
        (AuditFilter(), ["e1", "e2", "e3", "e4", "e5", "e6", "e7", "e8"]),
        (AuditFilter(agent="scout"), ["e3", "e4"]),
        (AuditFilter(tool="Bash"), ["e1", "e2"]),
        (AuditFilter(user="ben"), ["e3"]),
        (AuditFilter(decision="denied"), ["e7"]),
        (AuditFilter(decision="deny"), ["e3"]),
        (AuditFilter(agent="scout", decision="denied_with_reason"), ["e4"]),
        (AuditFilter(answers=True), ["e2", "e4", "e7"]),
        (AuditFilter(answers=True, agent="scout"), ["e4"]),
        (AuditFilter(tool="o'hara; DROP TABLE audit"), ["e8"]),
        (AuditFilter(user="\x00\ud800"), ["e8"]),
        (AuditFilter(agent="%"), []),
    ],
)
async def test_each_condition_narrows_the_result(
    address: str, audit_filter: AuditFilter, found: list[str]
) -> None:
    await record_entries(address, ENTRIES)
    handed: list[Link] = []

    await write_each_row(address, audit_filter, collect_into(handed))

    assert await matching_ids(address, audit_filter) == found
    assert [link.entry.id for link in handed] == found


async def test_the_newest_rows_are_listed_oldest_first(address: str) -> None:
    await record_entries(address, ENTRIES)

    assert [row.link.entry.id for row in await latest_rows(address, AuditFilter(), 3)] == ["e6", "e7", "e8"]


async def test_rows_before_the_given_time_are_left_out(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    now = datetime.now(UTC)
    await record_entries(address, ENTRIES[:2], at=now - timedelta(days=2))
    await record_entries(address, ENTRIES[2:3])

    assert await matching_ids(address, AuditFilter(since=now - timedelta(days=1))) == ["e3"]


async def test_every_row_is_passed_to_the_writer_even_over_several_pages(address: str) -> None:
    await record_entries(address, [sample_entry(number) for number in range(10_100)])
    handed: list[Link] = []
    told: list[int] = []

    await write_each_row(address, AuditFilter(), collect_into(handed), told.append)

    assert [link.number for link in handed] == list(range(1, 10_101))
    assert told == [5000, 5000, 100]


@pytest.mark.proves("R004-31", "R004-35")
async def test_the_view_in_the_database_shows_the_same_answers(address: str) -> None:
    await record_entries(address, ENTRIES)
    handed: list[Link] = []
    await write_each_row(address, AuditFilter(answers=True), collect_into(handed))
    view = "SELECT * FROM agent_tool_approval_audit ORDER BY id"
    rows = await read_any_schema(
        address, lambda connection: connection.core.exec_driver_sql(view).mappings().all()
    )

    ours = [answer_row_to_json(link) for link in handed]

    assert [{**row, "created_at": None, "with_override": bool(row["with_override"])} for row in rows] == [
        {**one, "created_at": None} for one in ours if one is not None
    ]
    assert all(row["created_at"] is not None for row in rows)
