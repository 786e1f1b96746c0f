"""An approval as JSON."""

from dataclasses import replace
from datetime import timedelta

import pytest

from assent.engine.model import as_object
from assent.errors import InputError
from assent.gate.approval import Approval, State
from assent.gate.file_preview import FilePreview, FileState
from assent.gate.preset import Delivery
from assent.wire.approval import approval_from_json, approval_to_json, approval_to_public_json
from tests.gate.samples import DAY, NOW, YES, an_approval, in_state
from tests.wire.spoiling import demanded, through_json, unnoticed

WHOLE = in_state(
    State.FAILED,
    lineage=("boss", "root"),
    delivery=Delivery.PROPOSE,
    expires_at=NOW + DAY,
    usable_for=timedelta(minutes=3, microseconds=1),
    later_at=NOW,
    answer=replace(YES, by="ana", args={"command": "ls"}),
    note="exit 1",
    token_digest="ab" * 32,
    preview={"summary": "x", "details": {}},
    file=FilePreview(
        path="a.txt",
        state=FileState.CHANGED,
        digest="cd" * 32,
        diff="@@ -1,1 +1,1 @@\n-a\n+b",
        added=1,
        removed=2,
        lines=3,
        within="cell 4",
        why="no reason",
        changes=5,
    ),
)
DATA = approval_to_json(WHOLE)


@pytest.mark.parametrize(
    "approval", [WHOLE, *(in_state(state) for state in State)], ids=lambda one: one.state
)
def test_an_approval_comes_back_as_it_was(approval: Approval) -> None:
    assert approval_from_json(through_json(approval_to_json(approval))) == approval


def test_every_field_is_written_under_its_own_name() -> None:
    assert [name for name in DATA if name != "digest"] == list(Approval.__dataclass_fields__)
    assert DATA["digest"] == WHOLE.digest


def test_the_detail_of_a_question_has_the_diff_beside_it() -> None:
    detail = {**approval_to_public_json(WHOLE), "diff": "@@ -1,1 +1,1 @@\n-a\n+b"}

    assert approval_from_json(through_json(detail)).file == WHOLE.file


def test_what_is_shown_of_a_file_in_a_list_has_no_diff_and_binds_as_before() -> None:
    shown = approval_to_public_json(WHOLE)

    assert "diff" not in as_object(shown["file"])  # type: ignore[operator]
    assert approval_from_json(through_json(shown)).digest == WHOLE.digest


def test_a_wrong_type_is_an_error_that_names_the_field() -> None:
    assert unnoticed(approval_to_json(an_approval()), "approval", approval_from_json) == []


def test_what_says_nothing_of_its_state_is_no_approval() -> None:
    optional = {
        "lineage", "expires_at", "boot", "later_at", "answer", "answered_at", "claim", "closed_at", "note",
        "token_digest", "preview", "call_digest", "file", "claim_nonce",
    }  # fmt: skip

    assert demanded(DATA, "approval", approval_from_json) == DATA.keys() - optional


@pytest.mark.parametrize("name", ["call", "tool", "decision", "facts", "answer"])
def test_an_error_inside_names_the_whole_way(name: str) -> None:
    with pytest.raises(InputError, match=rf"field `approval\.{name}\.[a-z]+` is missing"):
        approval_from_json({**DATA, name: {}})


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), 1e300])
def test_a_length_of_time_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(InputError, match=r"`approval\.usable_for` must be a number of seconds"):
        approval_from_json({**DATA, "usable_for": seconds})
