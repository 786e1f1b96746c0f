"""An approval can be stored as a row and read back unchanged, with any content."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assent.engine.base.facts import CallDirectories, Facts
from assent.engine.base.reason import text_reason
from assent.engine.policy.verdict import Piece, Verdict
from assent.errors import InputError
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from assent.stores.sql.approval_rows import (
    QUESTION_COLUMNS,
    STATE_COLUMNS,
    UPDATE_STATES,
    approval_to_row,
    question_fields,
    question_from_row,
)
from assent.stores.sql.approvals import ApprovalReader
from assent.stores.sql.batch import AddApproval, ChangeApproval, run_batch
from assent.wire.call import decision_to_json
from tests.gate.samples import DECISION, NOW, approval_in_state, sample_approval
from tests.stores.database import transaction
from tests.stores.promises.given import MANY, ChangeResult

STRANGE = "\0 \ud800 \u202e ' \" \\ 日本 🙂"


def write_and_read(path: Path, approval: Approval) -> Approval:
    """Write an approval and read it like another process."""
    fresh = replace(approval, state=State.PENDING, answer=None, answered_at=None, closed_at=None, note="")
    pieces = [
        AddApproval(approval.id, lambda _: fresh, MANY),
        ChangeApproval(approval.id, lambda _, __: ChangeResult(approval)),
    ]
    with transaction(path) as connection:
        done = run_batch(connection, ApprovalReader(), lambda: NOW, pieces)
        assert [error for error in done.outcomes if isinstance(error, Exception)] == []
    with transaction(path) as connection:
        return ApprovalReader().read_approvals(connection, [approval.id])[approval.id]


@pytest.mark.parametrize("state", State)
def test_an_approval_in_any_state_is_read_back_unchanged(tmp_path: Path, state: State) -> None:
    approval = approval_in_state(state, note=STRANGE, lineage=("a", "b"), expires_at=NOW, later_at=NOW)

    assert write_and_read(tmp_path / "a.db", approval) == approval


def test_the_pieces_of_a_decision_are_read_back_unchanged(tmp_path: Path) -> None:
    pieces = (
        Piece(0, Verdict.RUN, text_reason("it only reads")),
        Piece(7, Verdict.ASK, text_reason("nothing covers this"), "sh(x)"),
    )
    approval = sample_approval(decision=DECISION._replace(pieces=pieces))

    assert write_and_read(tmp_path / "a.db", approval).decision.pieces == pieces


def test_a_row_with_the_pieces_inside_the_decision_is_understood() -> None:
    pieces = (
        Piece(0, Verdict.RUN, text_reason("it only reads")),
        Piece(7, Verdict.ASK, text_reason("nothing covers this")),
    )
    row = approval_to_row(sample_approval())
    said = json.loads(str(row["question"]))
    said["decision"] = decision_to_json(DECISION._replace(pieces=pieces))
    row["question"] = json.dumps(said)

    assert (
        question_from_row([row[column.name] for column in QUESTION_COLUMNS]).approval.decision.pieces
        == pieces
    )


@pytest.mark.parametrize("args", [None, {}, {"key": ""}])
def test_an_answer_without_arguments_differs_from_one_with_empty_arguments(
    tmp_path: Path, args: dict[str, object] | None
) -> None:
    answer = Answer(say=Say.ONCE, by="ana", uses=0, args=args)
    approval = approval_in_state(State.APPROVED, answer=answer)

    assert write_and_read(tmp_path / "a.db", approval).answer == answer


@pytest.mark.parametrize("cwd", ["/project", "/project/elsewhere", ""])
def test_the_directory_of_a_call_is_read_back_even_if_it_differs_from_the_facts(
    tmp_path: Path, cwd: str
) -> None:
    approval = sample_approval(cwd=cwd)

    assert write_and_read(tmp_path / "a.db", approval) == approval


@pytest.mark.proves("R-18")
def test_file_names_that_are_not_unicode_are_kept(tmp_path: Path) -> None:
    facts = Facts(
        directories=CallDirectories(roots=("/\udcff",), cwd="/\udcff"), real={"/\udcff": ("/\udcfe",)}
    )
    approval = sample_approval(
        facts=facts, cwd="/\udcff", call_digest="d", preview={"said": [STRANGE.replace("\ud800", "")]}
    )

    assert write_and_read(tmp_path / "a.db", approval) == approval


@pytest.mark.proves("T-35")
def test_arguments_that_are_not_json_are_refused() -> None:
    approval = replace(sample_approval(), call=replace(sample_approval().call, args={"n": float("nan")}))

    with pytest.raises(InputError, match="NaN"):
        approval_to_row(approval)


def test_a_row_has_exactly_the_columns_of_its_statements() -> None:
    names = {column.name for column in (*QUESTION_COLUMNS, *STATE_COLUMNS)} | {
        "size",
        "root_agent",
        "excerpt",
    }

    assert set(approval_to_row(sample_approval())) | {"scrubbed_at"} == names
    assert set(UPDATE_STATES.columns) == {column.name for column in STATE_COLUMNS} - {"scrubbed_at"}


def test_a_change_of_state_does_not_change_the_question() -> None:
    assert question_fields(approval_in_state(State.DONE)) == question_fields(approval_in_state(State.PENDING))


@pytest.mark.proves("R-15")
def test_a_row_is_only_a_little_larger_than_its_arguments() -> None:
    row = approval_to_row(sample_approval(args={"command": "x" * 1000}))

    assert sum(len(str(value)) for value in row.values()) < 2_048
