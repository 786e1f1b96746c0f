"""The database computes the same statistics as the store in memory, for any number of rows."""

import random
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from assent.gate.audit import BucketSize, Link, QuestionEnd, RuleHits, Tally, current_version
from assent.gate.store import ALL_ENTRIES, AuditFilter, ToolUse
from assent.stores.admin.connections import read_any_schema, write_any_schema
from assent.stores.audit import outbox
from assent.stores.audit import queries as tallies
from assent.stores.audit.ledger import Ledger
from assent.stores.audit.outbox import move_to_audit
from assent.stores.audit.queries import audit_page, read_tool_uses
from assent.stores.memory import queries as memory_tally
from assent.stores.memory.queries import find_tool_uses
from assent.stores.sql.statement import CoreConnection
from tests.gate.samples import NOW
from tests.stores.audited import record_entries
from tests.stores.database import transaction
from tests.stores.promises.given import sample_entry

MINUTE = timedelta(minutes=1)
CALLS = 6000
"""More calls than one page contains."""


@pytest.fixture(scope="module")
def database_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with thousands of calls in two days; some were asked twice, some answered late or by another person."""
    database_path = tmp_path_factory.mktemp("tallies") / "a.db"
    chance = random.Random(11)
    book = Ledger("w")
    with transaction(database_path) as connection:
        for minute in range(0, 2880, 10):
            for _ in range(CALLS // 288):
                _record_random_call(book, chance)
            book.write(connection, NOW + minute * MINUTE)
            move_to_audit(connection)
            book.mark_committed()
    return database_path


def _record_random_call(book: Ledger, chance: random.Random) -> None:
    call = f"call-{chance.randrange(CALLS // 2)}"
    about = {"call": call, "conversation": f"c{call_hash(call) % 7}", "tool": f"t{call_hash(call) % 11}"}
    if chance.random() < 0.3:
        # A question has only one end, so repeated rows have the same end.
        word = ("approved", "denied", "expired", "released", "withdrawn")[call_hash(call) % 5]
        book.add(sample_entry(0, **about, user="ben", verdict="", decision=word))
        return
    rule = f"r{chance.randrange(5)}" if chance.random() < 0.5 else ""
    verdict = chance.choice(("run", "ask", "deny", "absent"))
    book.add(sample_entry(0, **about, verdict=verdict, stage="ask-rule" if rule else "mode", rule=rule))


def call_hash(call: str) -> int:
    return int(call.removeprefix("call-"))


@pytest.mark.parametrize("span", list(BucketSize))
@pytest.mark.parametrize(
    "audit_filter",
    [
        ALL_ENTRIES,
        AuditFilter(since=NOW + 700 * MINUTE),
        AuditFilter(until=NOW + 900 * MINUTE),
        AuditFilter(since=NOW + 700 * MINUTE, until=NOW + 900 * MINUTE, tool="t3"),
        AuditFilter(conversation="c2", user="ana"),
        AuditFilter(agent="nobody"),
    ],
)
def test_the_database_computes_the_same_statistics_as_memory(
    database_path: Path, audit_filter: AuditFilter, span: BucketSize
) -> None:
    with transaction(database_path) as connection:
        links, _ = audit_page(connection, ALL_ENTRIES, 10 * CALLS, "")
        found = tallies.read_tally(connection, audit_filter, span)
        hits = tallies.read_rule_hits(connection, audit_filter)

    assert _with_rounded_medians(found) == _with_rounded_medians(
        memory_tally.count_tally(links, audit_filter, span)
    )
    assert hits == memory_tally.count_rule_hits(links, audit_filter)


@pytest.mark.parametrize("waiting", ["none", "some", "all", "in both"])
@pytest.mark.parametrize("audit_filter", [ALL_ENTRIES, AuditFilter(until=NOW + 20 * MINUTE, tool="t3")])
async def test_a_row_in_the_outbox_is_counted_once(
    address: str, audit_filter: AuditFilter, waiting: str
) -> None:
    def record_and_move(connection: CoreConnection) -> None:
        chance, book = random.Random(12), Ledger("w")
        for minute in range(0, 30, 10):
            for _ in range(60):
                _record_random_call(book, chance)
            book.write(connection, NOW + minute * MINUTE)
            book.mark_committed()
            if waiting == "none" or (waiting == "some" and minute == 0):
                move_to_audit(connection)
        if waiting == "in both":
            # This is the state after a move that was interrupted between its two steps.
            outbox._MOVE_TO_AUDIT[connection.dialect.name].run(
                connection, most=100, version=current_version()
            )

    def summarize_audit(connection: CoreConnection) -> AuditSummary:
        return AuditSummary(
            connection.core.exec_driver_sql("SELECT count(*) FROM audit_outbox").scalar_one(),
            audit_page(connection, ALL_ENTRIES, 1000, "")[0],
            tallies.read_tally(connection, audit_filter, BucketSize.HOUR),
            tallies.read_rule_hits(connection, audit_filter),
            read_tool_uses(connection, None),
        )

    await record_entries(address, [])
    await write_any_schema(address, record_and_move)
    outbox_rows, links, tally, hits, callers = await read_any_schema(address, summarize_audit)

    assert outbox_rows == {"none": 0, "some": 120}.get(waiting, 180)
    assert _with_rounded_medians(tally) == _with_rounded_medians(
        memory_tally.count_tally(links, audit_filter, BucketSize.HOUR)
    )
    assert hits == memory_tally.count_rule_hits(links, audit_filter)
    assert callers == find_tool_uses(links, (), None)


class AuditSummary(NamedTuple):
    """The audit of a database: its outbox, links and tally."""

    outbox_rows: int
    links: Sequence[Link]
    tally: Tally
    hits: tuple[int, Sequence[RuleHits]]
    callers: frozenset[ToolUse]


def test_every_row_is_counted(database_path: Path) -> None:
    with transaction(database_path) as connection:
        links, after = audit_page(connection, ALL_ENTRIES, 10 * CALLS, "")
        found = tallies.read_tally(connection, ALL_ENTRIES, BucketSize.HOUR)
        decisions, hits = tallies.read_rule_hits(connection, ALL_ENTRIES)
    calls = {(one.entry.conversation, one.entry.call) for one in links if one.entry.verdict == "ask"}

    assert (after, len(links) > 5000) == ("", True)
    assert sum(found.decisions.values()) == decisions == sum(bool(one.entry.verdict) for one in links)
    assert sum(found.total.questions.values()) == len(calls)
    assert sum(hit.hits for hit in hits) == sum(bool(one.entry.rule) for one in links)
    assert all(found.total.questions[end] > 0 for end in QuestionEnd)


def _with_rounded_medians(tally: Tally) -> object:
    """A tally with rounded medians, for comparison."""
    loads = [("", tally.total), *tally.tools, *tally.causes]
    return (
        tally.decisions,
        tally.buckets,
        [(name, load.questions) for name, load in loads],
        [None if load.median is None else round(load.median, 6) for _, load in loads],
    )
