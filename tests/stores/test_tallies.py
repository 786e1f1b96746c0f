"""The database counts as the memory does, and however many rows there are."""

import random
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from sqlalchemy import Connection

from assent.gate.audit import Link, Sought
from assent.gate.ports import ALL, Called
from assent.gate.tally import End, Hit, Span, Tally
from assent.stores import memory_tally, outbox, tallies
from assent.stores.audit_pages import page_of
from assent.stores.callers import callers_of
from assent.stores.connections import read, write
from assent.stores.ledger import Ledger
from assent.stores.memory_listing import callers_in
from assent.stores.outbox import move
from tests.gate.samples import NOW
from tests.stores.audited import audited
from tests.stores.database import transaction
from tests.stores.promises.given import an_entry

MINUTE = timedelta(minutes=1)
CALLS = 6000
"""More than any page looks at."""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thousands of calls in two days, some asked about twice, some answered late or by somebody else."""
    path = tmp_path_factory.mktemp("tallies") / "a.db"
    chance = random.Random(11)
    book = Ledger("w")
    with transaction(path) as connection:
        for minute in range(0, 2880, 10):
            for _ in range(CALLS // 288):
                _happens(book, chance)
            book.write(connection, NOW + minute * MINUTE)
            move(connection)
            book.written()
    return path


def _happens(book: Ledger, chance: random.Random) -> None:
    call = f"call-{chance.randrange(CALLS // 2)}"
    about = {"call": call, "conversation": f"c{hash_of(call) % 7}", "tool": f"t{hash_of(call) % 11}"}
    if chance.random() < 0.3:
        # The same end whenever it is told: a question has one.
        word = ("approved", "denied", "expired", "released", "withdrawn")[hash_of(call) % 5]
        book.add(an_entry(0, **about, user="ben", verdict="", decision=word))
        return
    rule = f"r{chance.randrange(5)}" if chance.random() < 0.5 else ""
    verdict = chance.choice(("run", "ask", "deny", "absent"))
    book.add(an_entry(0, **about, verdict=verdict, stage="ask-rule" if rule else "mode", rule=rule))


def hash_of(call: str) -> int:
    return int(call.removeprefix("call-"))


@pytest.mark.parametrize("span", list(Span))
@pytest.mark.parametrize(
    "sought",
    [
        ALL,
        Sought(since=NOW + 700 * MINUTE),
        Sought(until=NOW + 900 * MINUTE),
        Sought(since=NOW + 700 * MINUTE, until=NOW + 900 * MINUTE, tool="t3"),
        Sought(conversation="c2", user="ana"),
        Sought(agent="nobody"),
    ],
)
def test_the_database_counts_as_the_memory_does(path: Path, sought: Sought, span: Span) -> None:
    with transaction(path) as connection:
        links, _ = page_of(connection, ALL, 10 * CALLS, "")
        found = tallies.tally_of(connection, sought, span)
        hits = tallies.hits_of(connection, sought)

    assert _whole(found) == _whole(memory_tally.tally_of(links, sought, span))
    assert hits == memory_tally.hits_of(links, sought)


@pytest.mark.parametrize("waiting", ["none", "some", "all", "in both"])
@pytest.mark.parametrize("sought", [ALL, Sought(until=NOW + 20 * MINUTE, tool="t3")])
async def test_what_waits_to_be_moved_to_the_audit_is_counted_once(
    address: str, sought: Sought, waiting: str
) -> None:
    def lived_through(connection: Connection) -> None:
        chance, book = random.Random(12), Ledger("w")
        for minute in range(0, 30, 10):
            for _ in range(60):
                _happens(book, chance)
            book.write(connection, NOW + minute * MINUTE)
            book.written()
            if waiting == "none" or (waiting == "some" and minute == 0):
                move(connection)
        if waiting == "in both":
            # As a move that was cut off between its two steps would leave it.
            outbox._MOVE[connection.dialect.name].run(connection, most=100)

    def counted(connection: Connection) -> Counted:
        return Counted(
            connection.exec_driver_sql("SELECT count(*) FROM audit_outbox").scalar_one(),
            page_of(connection, ALL, 1000, "")[0],
            tallies.tally_of(connection, sought, Span.HOUR),
            tallies.hits_of(connection, sought),
            callers_of(connection, None),
        )

    await audited(address, [])
    await write(address, lived_through)
    waits, links, tally, hits, callers = await read(address, counted)

    assert waits == {"none": 0, "some": 120}.get(waiting, 180)
    assert _whole(tally) == _whole(memory_tally.tally_of(links, sought, Span.HOUR))
    assert hits == memory_tally.hits_of(links, sought)
    assert callers == callers_in(links, (), None)


class Counted(NamedTuple):
    """What a database says of its audit."""

    waits: int
    links: Sequence[Link]
    tally: Tally
    hits: tuple[int, Sequence[Hit]]
    callers: frozenset[Called]


def test_every_row_is_counted(path: Path) -> None:
    with transaction(path) as connection:
        links, after = page_of(connection, ALL, 10 * CALLS, "")
        found = tallies.tally_of(connection, ALL, Span.HOUR)
        decisions, hits = tallies.hits_of(connection, ALL)
    calls = {(one.entry.conversation, one.entry.call) for one in links if one.entry.verdict == "ask"}

    assert (after, len(links) > 5000) == ("", True)
    assert sum(found.decisions.values()) == decisions == sum(bool(one.entry.verdict) for one in links)
    assert sum(found.every.questions.values()) == len(calls)
    assert sum(hit.hits for hit in hits) == sum(bool(one.entry.rule) for one in links)
    assert all(found.every.questions[end] > 0 for end in End)


def _whole(tally: Tally) -> object:
    """With medians as far as a float can say them."""
    loads = [("", tally.every), *tally.tools, *tally.causes]
    return (
        tally.decisions,
        tally.buckets,
        [(name, load.questions) for name, load in loads],
        [None if load.median is None else round(load.median, 6) for _, load in loads],
    )
