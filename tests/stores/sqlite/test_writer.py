"""One writer commits whatever has queued; what queues while it commits shares the next commit."""

import asyncio
from pathlib import Path

import pytest

from assent.errors import ConflictError
from assent.gate.approval import Approval
from assent.gate.store import Moment
from assent.stores.sql.batch import Add, Edit
from assent.stores.sql.policy_edits import EditResult
from assent.stores.sql.statement import Connection
from assent.stores.sql.times import HostClock
from assent.stores.sqlite.connection import SqliteReaders
from assent.stores.sqlite.file import FileIdentity
from assent.stores.sqlite.writer import SqliteWriter
from assent.stores.store import new_shared_state
from tests.gate.samples import asking
from tests.stores.database import transaction
from tests.stores.promises.given import MANY, an_entry


class Writing:
    """A writer, and the moments at which its transactions began."""

    def __init__(self, path: Path) -> None:
        with transaction(path):
            pass
        file = FileIdentity(str(path))
        self.readers = SqliteReaders(file)
        self.shared = new_shared_state(str(path), f"{path}.jsonl")
        self.writer = SqliteWriter(file, self.readers, HostClock(), self.shared)

    async def close(self) -> None:
        await self.writer.close()
        self.readers.close()


def begun(moments: set[object]) -> Edit:
    def edit(connection: Connection, moment: Moment) -> EditResult:
        moments.add(moment.at)
        return EditResult()

    return Edit(edit)


async def test_what_queues_while_it_commits_shares_the_next_commit(tmp_path: Path) -> None:
    given, moments = Writing(tmp_path / "a.db"), set[object]()

    await asyncio.gather(*(given.writer.put(begun(moments)) for _ in range(500)))

    assert len(moments) < 50
    await given.close()


async def test_what_is_put_in_one_turn_of_the_loop_goes_together(tmp_path: Path) -> None:
    given, moments = Writing(tmp_path / "a.db"), set[object]()

    for _ in range(20):
        queued = [given.writer.put(begun(moments)) for _ in range(5)]
        await asyncio.gather(*queued)

    assert len(moments) == 20
    await given.close()


async def test_a_piece_that_no_database_can_hold_is_refused_alone(tmp_path: Path) -> None:
    given = Writing(tmp_path / "a.db")
    pieces = [
        Add(f"q{number}", asking(f"q{number}", turn="\ud800" if number == 1 else "t"), MANY)
        for number in range(3)
    ]

    results = await asyncio.gather(*map(given.writer.put, pieces), return_exceptions=True)

    assert [type(result).__name__ for result in results] == ["Approval", "InputError", "Approval"]
    await given.close()


async def test_what_is_queued_is_finished_before_the_end_and_nothing_after(tmp_path: Path) -> None:
    given = Writing(tmp_path / "a.db")
    queued = [given.writer.put(Add(f"q{number}", asking(f"q{number}"), MANY)) for number in range(20)]
    given.writer.record(an_entry())

    await given.close()

    assert {type(one) for one in await asyncio.gather(*queued)} == {Approval}
    with pytest.raises(Exception, match="is closed in this process"):
        await given.writer.put(begun(set()))
    assert len(given.shared.ledger) == 0


async def test_whoever_stops_waiting_disturbs_nobody(tmp_path: Path) -> None:
    given = Writing(tmp_path / "a.db")
    gone = asyncio.ensure_future(given.writer.put(Add("q1", asking("q1"), MANY)))
    gone.cancel()

    kept = await given.writer.put(Add("q2", asking("q2"), MANY))

    assert isinstance(kept, Approval)
    await given.close()


async def test_an_edit_that_is_refused_reaches_its_own_caller(tmp_path: Path) -> None:
    def refuse(connection: Connection, moment: Moment) -> EditResult:
        raise ConflictError("no")

    given = Writing(tmp_path / "a.db")

    with pytest.raises(ConflictError):
        await given.writer.put(Edit(refuse))
    await given.close()
