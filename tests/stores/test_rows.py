"""An approval survives its way into a row and back, whatever is in it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from assent.engine.facts import Facts, Place
from assent.engine.verdict import Piece, Verdict
from assent.errors import InputError
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from assent.stores.batch import Add, Move, written
from assent.stores.questions import Questions
from assent.stores.rows import ASKED, MOVED, asked, asked_row, moved_row, question_of
from assent.wire.decision import decision_to_json
from tests.gate.samples import DECISION, NOW, an_approval, in_state
from tests.stores.database import transaction
from tests.stores.promises.given import MANY, ChangeResult

STRANGE = "\0 \ud800 \u202e ' \" \\ 日本 🙂"


def there_and_back(path: Path, approval: Approval) -> Approval:
    """What another process would read."""
    fresh = replace(approval, state=State.PENDING, answer=None, answered_at=None, closed_at=None, note="")
    pieces = [
        Add(approval.id, lambda _: fresh, MANY),
        Move(approval.id, lambda _, __: ChangeResult(approval)),
    ]
    with transaction(path) as connection:
        done = written(connection, Questions(), lambda: NOW, pieces)
        assert [error for error in done.outcomes if isinstance(error, Exception)] == []
    with transaction(path) as connection:
        return Questions().found(connection, [approval.id])[approval.id]


@pytest.mark.parametrize("state", State)
def test_an_approval_in_any_state_comes_back_whole(tmp_path: Path, state: State) -> None:
    approval = in_state(state, note=STRANGE, lineage=("a", "b"), expires_at=NOW, later_at=NOW)

    assert there_and_back(tmp_path / "a.db", approval) == approval


def test_what_is_said_of_each_piece_comes_back(tmp_path: Path) -> None:
    pieces = (Piece(0, Verdict.RUN, "it only reads"), Piece(7, Verdict.ASK, "nothing covers this", "sh(x)"))
    approval = an_approval(decision=DECISION._replace(pieces=pieces))

    assert there_and_back(tmp_path / "a.db", approval).decision.pieces == pieces


def test_a_row_that_says_the_pieces_within_the_decision_is_read_as_well() -> None:
    pieces = (Piece(0, Verdict.RUN, "it only reads"), Piece(7, Verdict.ASK, "nothing covers this"))
    row = asked_row(an_approval())
    said = json.loads(str(row["question"]))
    said["decision"] = decision_to_json(DECISION._replace(pieces=pieces))
    row["question"] = json.dumps(said)

    assert asked([row[column.name] for column in ASKED]).approval.decision.pieces == pieces


@pytest.mark.parametrize("args", [None, {}, {"key": ""}])
def test_an_answer_without_arguments_is_another_than_one_with_none_in_it(
    tmp_path: Path, args: dict[str, object] | None
) -> None:
    answer = Answer(say=Say.ONCE, by="ana", uses=0, args=args)
    approval = in_state(State.APPROVED, answer=answer)

    assert there_and_back(tmp_path / "a.db", approval).answer == answer


@pytest.mark.parametrize("cwd", ["/project", "/project/elsewhere", ""])
def test_the_directory_of_a_call_comes_back_even_where_it_is_not_that_of_the_facts(
    tmp_path: Path, cwd: str
) -> None:
    approval = an_approval(cwd=cwd)

    assert there_and_back(tmp_path / "a.db", approval) == approval


@pytest.mark.proves("R-18")
def test_names_of_files_that_are_not_unicode_are_kept(tmp_path: Path) -> None:
    facts = Facts(place=Place(roots=("/\udcff",), cwd="/\udcff"), real={"/\udcff": ("/\udcfe",)})
    approval = an_approval(
        facts=facts, cwd="/\udcff", call_digest="d", preview={"said": [STRANGE.replace("\ud800", "")]}
    )

    assert there_and_back(tmp_path / "a.db", approval) == approval


@pytest.mark.proves("T-35")
def test_arguments_that_are_no_json_are_refused() -> None:
    approval = replace(an_approval(), call=replace(an_approval().call, args={"n": float("nan")}))

    with pytest.raises(InputError, match="NaN"):
        asked_row(approval)


def test_a_row_has_exactly_the_columns_of_its_statements() -> None:
    names = {column.name for column in (*ASKED, *MOVED)} | {"size", "root_agent", "excerpt"}

    assert set(asked_row(an_approval())) == names
    assert set(moved_row(an_approval())) == {column.name for column in MOVED} - {"scrubbed_at"}


def test_a_step_leaves_the_question_alone() -> None:
    assert question_of(in_state(State.DONE)) == question_of(in_state(State.PENDING))


@pytest.mark.proves("R-15")
def test_a_row_takes_little_more_than_its_arguments() -> None:
    row = asked_row(an_approval(args={"command": "x" * 1000}))

    assert sum(len(str(value)) for value in row.values()) < 2_048
