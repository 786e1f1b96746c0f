"""The database counts as the memory does, and however many rows there are."""

import random
from datetime import timedelta
from pathlib import Path

import pytest

from assent.gate.audit import Sought
from assent.gate.history import BucketSize, QuestionEnd, Tally
from assent.gate.store import ALL_ENTRIES
from assent.stores import memory_tally, tallies
from assent.stores.audit_pages import page_of
from assent.stores.ledger import Ledger
from assent.stores.outbox import move
from tests.gate.samples import NOW
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


@pytest.mark.parametrize("span", list(BucketSize))
@pytest.mark.parametrize(
    "sought",
    [
        ALL_ENTRIES,
        Sought(since=NOW + 700 * MINUTE),
        Sought(until=NOW + 900 * MINUTE),
        Sought(since=NOW + 700 * MINUTE, until=NOW + 900 * MINUTE, tool="t3"),
        Sought(conversation="c2", user="ana"),
        Sought(agent="nobody"),
    ],
)
def test_the_database_counts_as_the_memory_does(path: Path, sought: Sought, span: BucketSize) -> None:
    with transaction(path) as connection:
        links, _ = page_of(connection, ALL_ENTRIES, 10 * CALLS, "")
        found = tallies.tally_of(connection, sought, span)
        hits = tallies.hits_of(connection, sought)

    assert _whole(found) == _whole(memory_tally.tally_of(links, sought, span))
    assert hits == memory_tally.hits_of(links, sought)


def test_every_row_is_counted(path: Path) -> None:
    with transaction(path) as connection:
        links, after = page_of(connection, ALL_ENTRIES, 10 * CALLS, "")
        found = tallies.tally_of(connection, ALL_ENTRIES, BucketSize.HOUR)
        decisions, hits = tallies.hits_of(connection, ALL_ENTRIES)
    calls = {(one.entry.conversation, one.entry.call) for one in links if one.entry.verdict == "ask"}

    assert (after, len(links) > 5000) == ("", True)
    assert sum(found.decisions.values()) == decisions == sum(bool(one.entry.verdict) for one in links)
    assert sum(found.total.questions.values()) == len(calls)
    assert sum(hit.hits for hit in hits) == sum(bool(one.entry.rule) for one in links)
    assert all(found.total.questions[end] > 0 for end in QuestionEnd)


def _whole(tally: Tally) -> object:
    """With medians as far as a float can say them."""
    loads = [("", tally.total), *tally.tools, *tally.causes]
    return (
        tally.decisions,
        tally.buckets,
        [(name, load.questions) for name, load in loads],
        [None if load.median is None else round(load.median, 6) for _, load in loads],
    )
