"""What a writer knows is used only for as long as it is what the file holds."""

from datetime import timedelta
from pathlib import Path

import pytest

from assent.errors import LimitError
from assent.gate.approval import Approval, State
from assent.gate.policy import Moment
from assent.gate.question import DEFAULT_PENDING_BYTES, Limits
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.batch import (
    AddApproval,
    BatchResult,
    ChangeApproval,
    EditTables,
    WriteRequest,
    run_batch,
)
from assent.stores.sql.policy_edits import EditResult
from assent.stores.sql.statement import Connection
from assent.stores.sql.writer_state import WriterState
from tests.gate.samples import NO, NOW, make_question
from tests.stores.database import transaction
from tests.stores.promises.given import MANY, answer_change

SMALL = Limits(bytes=DEFAULT_PENDING_BYTES._replace(agent=6_000))


class Writer:
    """Runs batches with one state, and counts the statements that read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.state = WriterState()
        self.reads = 0
        self.now = NOW

    def run(self, *requests: WriteRequest) -> BatchResult:
        with transaction(self._path) as connection:
            fetch = connection.fetch

            def count_and_fetch(words: str, values: object) -> object:
                self.reads += 1
                return fetch(words, values)  # type: ignore[arg-type]

            connection.fetch = count_and_fetch  # type: ignore[method-assign, assignment]
            return run_batch(connection, ApprovalReader(), lambda: self.now, requests, self.state)

    def add(self, id_: str, limits: Limits = MANY, **changes: object) -> object:
        return self.run(AddApproval(id_, make_question(id_, **changes), limits)).outcomes[0]  # type: ignore[arg-type]

    def change(self, id_: str, **changes: object) -> object:
        return self.run(ChangeApproval(id_, answer_change(**changes))).outcomes[0]  # type: ignore[arg-type]


@pytest.fixture
def writer(tmp_path: Path) -> Writer:
    return Writer(tmp_path / "a.db")


def stored_state(path: Path, id_: str) -> State:
    with transaction(path) as connection:
        return ApprovalReader().read_approvals(connection, [id_])[id_].state


def test_an_answer_to_a_question_of_this_writer_reads_nothing(writer: Writer, tmp_path: Path) -> None:
    writer.add("q1")
    writer.reads = 0

    answered = writer.change("q1")

    assert writer.reads == 0
    assert isinstance(answered, Approval)
    assert stored_state(tmp_path / "a.db", "q1") is State.APPROVED


def test_what_another_connection_wrote_is_read(writer: Writer, tmp_path: Path) -> None:
    writer.add("q1")
    Writer(tmp_path / "a.db").change("q1", answer=NO)
    writer.state.forget_unless(7)

    assert "denied" in str(writer.change("q1"))
    assert stored_state(tmp_path / "a.db", "q1") is State.DENIED


def test_arguments_that_a_caller_changed_are_read_again(writer: Writer) -> None:
    asked = writer.add("q1", args={"command": "git push"})
    assert isinstance(asked, Approval)
    asked.call.args["command"] = "git push --force"  # type: ignore[index]

    answered = writer.change("q1")

    assert isinstance(answered, Approval)
    assert answered.call.args == {"command": "git push"}


@pytest.mark.parametrize("value", [{1}, "\ud800", float("nan")])
def test_arguments_that_became_something_else_are_read_again(writer: Writer, value: object) -> None:
    asked = writer.add("q1", args={"command": "git push"})
    assert isinstance(asked, Approval)
    asked.call.args["command"] = value  # type: ignore[index]

    answered = writer.change("q1")

    assert isinstance(answered, Approval)
    assert answered.call.args == {"command": "git push"}


def test_an_edit_of_tables_drops_everything(writer: Writer) -> None:
    def edit(connection: Connection, moment: Moment) -> EditResult:
        connection.run("UPDATE policy SET version = version + 1", ())
        connection.run("UPDATE approvals SET state = 'withdrawn'", ())
        return EditResult(moment.version)

    writer.add("q1")
    before = writer.run(EditTables(edit)).outcomes[0]

    seen: list[int] = []

    def look(approval: Approval, moment: Moment) -> object:
        seen.append(moment.version)
        return answer_change()(approval, moment)

    (refused,) = writer.run(ChangeApproval("q1", look)).outcomes  # type: ignore[arg-type]

    assert seen == [before + 1]  # type: ignore[operator]
    assert "withdrawn" in str(refused)


def test_ended_and_large_questions_are_not_kept(writer: Writer) -> None:
    writer.add("q1")
    writer.change("q1", answer=NO)
    writer.add("q2", args={"command": "x" * 70_000})

    assert writer.state.find(["q1", "q2"]) == {}


def test_the_bytes_of_an_answered_question_are_free_again(writer: Writer) -> None:
    large = {"command": "x" * 4_000}
    for id_ in ("q1", "q2", "q3"):
        assert isinstance(writer.add(id_, SMALL, args=large), Approval)
        assert isinstance(writer.add("too much", SMALL, args={"command": "y" * 4_000}), LimitError)
        writer.change(id_)


def test_the_bytes_are_read_again_after_a_question_of_another_writer_ended(
    writer: Writer, tmp_path: Path
) -> None:
    large = {"command": "x" * 4_000}
    Writer(tmp_path / "a.db").add("q1", SMALL, args=large)
    assert isinstance(writer.add("q2", SMALL, args=large), LimitError)
    writer.change("q1")

    assert isinstance(writer.add("q2", SMALL, args=large), Approval)


def test_denials_count_on_in_a_turn_that_was_read(writer: Writer) -> None:
    limits = MANY._replace(denials=2)
    for id_ in ("q1", "q2"):
        assert isinstance(writer.add(id_, limits), Approval)
        writer.change(id_, answer=NO)

    refused = writer.add("q3", limits)

    assert isinstance(refused, LimitError)


def test_how_many_denials_are_recent_is_read_each_time(writer: Writer) -> None:
    limits = MANY._replace(denials=1, denial_window=timedelta(hours=1))
    assert isinstance(writer.add("q1", limits), Approval)
    writer.change("q1", answer=NO)

    assert isinstance(writer.add("q2", limits, turn="t2"), LimitError)
    writer.now = NOW + timedelta(hours=1)
    assert isinstance(writer.add("q3", limits, turn="t2"), Approval)


def test_at_most_so_many_questions_are_kept(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assent.stores.sql.writer_state._MAX_APPROVALS", 2)
    for id_ in ("q1", "q2", "q3"):
        writer.add(id_)

    assert set(writer.state.find(["q1", "q2", "q3"])) == {"q2", "q3"}
