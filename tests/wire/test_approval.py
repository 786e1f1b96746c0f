"""Tests of approvals, answers, file previews and outcomes as JSON."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from assent.engine.base.reason import text_reason
from assent.engine.base.tool import Call, as_object
from assent.engine.lines.specifier import DisclosedInput, InputSource
from assent.engine.policy.verdict import Decision, Stage, Step, Verdict
from assent.errors import InputError
from assent.gate.access import SubAgent
from assent.gate.always import rule_suggestions
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from assent.gate.calls import Applied, Code, Outcome, Refuse, RememberedRule, Run, Wait
from assent.gate.file_preview import FilePreview, FileState
from assent.gate.lease import Lease
from assent.gate.ports import ArgumentIssue
from assent.gate.preset import Delivery, Lifetime, Scope
from assent.wire.approval import (
    answer_from_json,
    answer_to_json,
    approval_from_json,
    approval_to_json,
    approval_to_public_json,
    file_from_json,
    file_to_json,
    file_to_public_json,
    outcome_to_json,
    remembered_from_json,
    suggestion_to_json,
)
from assent.wire.call import call_to_json, decision_to_json
from tests.gate.samples import ALWAYS, CALL, DAY, DECISION, NO, NOW, YES, approval_in_state, sample_approval
from tests.gate.scene import ask_person, open_harness
from tests.wire.broken_json import required_fields, to_and_from_json, unchecked_fields

WHOLE_APPROVAL = approval_in_state(
    State.FAILED,
    lineage=("boss", "root"),
    sub_agents=(SubAgent("a1b2", "Explore"), SubAgent("c3")),
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
    lease=Lease(timedelta(seconds=30), NOW),
)
APPROVAL_JSON = approval_to_json(WHOLE_APPROVAL)
REMEMBERED = RememberedRule("sh(make *)", Scope.AGENT, Lifetime.USES, uses=3)


@pytest.mark.parametrize(
    "approval", [WHOLE_APPROVAL, *(approval_in_state(state) for state in State)], ids=lambda one: one.state
)
def test_an_approval_is_parsed_to_the_original(approval: Approval) -> None:
    assert approval_from_json(to_and_from_json(approval_to_json(approval))) == approval


def test_every_field_of_an_approval_is_written_under_its_own_name() -> None:
    assert [name for name in APPROVAL_JSON if name != "digest"] == list(Approval.__dataclass_fields__)
    assert APPROVAL_JSON["digest"] == WHOLE_APPROVAL.digest


def test_the_detail_view_of_an_approval_has_the_diff_in_a_separate_field() -> None:
    detail = {**approval_to_public_json(WHOLE_APPROVAL), "diff": "@@ -1,1 +1,1 @@\n-a\n+b"}

    assert approval_from_json(to_and_from_json(detail)).file == WHOLE_APPROVAL.file


def test_the_public_json_of_a_file_has_no_diff_and_keeps_the_digest() -> None:
    shown = approval_to_public_json(WHOLE_APPROVAL)

    assert "diff" not in as_object(shown["file"])  # type: ignore[operator]
    assert approval_from_json(to_and_from_json(shown)).digest == WHOLE_APPROVAL.digest


def test_a_wrong_type_in_an_approval_is_an_error_that_names_the_field() -> None:
    assert unchecked_fields(approval_to_json(sample_approval()), "approval", approval_from_json) == []


def test_an_approval_without_a_state_is_refused() -> None:
    optional = {
        "lineage", "expires_at", "boot", "later_at", "answer", "answered_at", "claim", "closed_at", "note",
        "token_digest", "preview", "call_digest", "file", "claim_nonce", "lease",
        "sub_agents",
    }  # fmt: skip

    assert required_fields(APPROVAL_JSON, "approval", approval_from_json) == APPROVAL_JSON.keys() - optional


@pytest.mark.parametrize("name", ["call", "tool", "decision", "facts", "answer"])
def test_an_error_in_a_nested_field_names_the_whole_path(name: str) -> None:
    with pytest.raises(InputError, match=rf"field `approval\.{name}\.[a-z]+` is missing"):
        approval_from_json({**APPROVAL_JSON, name: {}})


@pytest.mark.parametrize("seconds", [float("nan"), float("inf"), 1e300])
def test_an_invalid_duration_is_refused(seconds: float) -> None:
    with pytest.raises(InputError, match=r"`approval\.usable_for` must be a number of seconds"):
        approval_from_json({**APPROVAL_JSON, "usable_for": seconds})


WHOLE_ANSWER = Answer(
    say=Say.ALWAYS,
    by="ana",
    reason="as agreed",
    rules=("t(x)", "t(y)"),
    scope=Scope.USER_AGENT,
    lifetime=Lifetime.UNTIL,
    until=NOW,
    uses=3,
    args={"a": [1]},
    released_by="q7",
)
ANSWER_JSON = answer_to_json(WHOLE_ANSWER)


@pytest.mark.parametrize("answer", [WHOLE_ANSWER, YES, NO, ALWAYS, *(Answer(say=say) for say in Say)])
def test_an_answer_is_parsed_to_the_original(answer: Answer) -> None:
    assert answer_from_json(to_and_from_json(answer_to_json(answer))) == answer


def test_every_field_of_an_answer_is_written_under_its_own_name() -> None:
    assert list(ANSWER_JSON) == list(Answer.__dataclass_fields__)


def test_a_wrong_type_in_an_answer_is_an_error_that_names_the_field() -> None:
    empty = answer_to_json(YES)

    assert unchecked_fields(empty, "answer", answer_from_json) == []
    assert required_fields(empty, "answer", answer_from_json) == {"say"}


@pytest.mark.parametrize("say", ["yes", "", "ONCE", "allow", True, None, 1])
def test_an_unknown_answer_word_is_refused(say: object) -> None:
    with pytest.raises(InputError, match=r"`answer\.say`"):
        answer_from_json({"say": say})


def test_unknown_fields_of_a_newer_version_are_ignored() -> None:
    assert answer_from_json({"say": "once", "mood": "good"}) == YES


def test_a_stored_answer_with_the_word_choice_has_no_limits() -> None:
    assert answer_from_json({"say": "always", "scope": "choice", "lifetime": "choice"}) == Answer(
        say=Say.ALWAYS
    )


FILE = FilePreview(
    path="a.txt", state=FileState.CHANGED, digest="cd" * 32, diff="-a", added=1, removed=2, lines=3, changes=1
)
FILE_JSON = file_to_json(FILE)


def test_a_file_preview_is_parsed_to_the_original() -> None:
    assert file_from_json(to_and_from_json(FILE_JSON)) == FILE


def test_the_public_json_of_a_file_has_every_field_except_the_diff() -> None:
    assert {**file_to_public_json(FILE), "diff": "-a"} == FILE_JSON


def test_a_wrong_type_in_a_file_is_an_error_that_names_the_field() -> None:
    assert unchecked_fields(FILE_JSON, "file", file_from_json) == []


def test_a_file_preview_without_required_fields_is_refused() -> None:
    assert required_fields(FILE_JSON, "file", file_from_json) == {"path", "state", "digest"}


PENDING_APPROVAL = sample_approval(expires_at=NOW + DAY)


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (
            Run(call=CALL, decision=DECISION, approval="q1", claim="c", remembered=(REMEMBERED,)),
            {
                "outcome": "run",
                "call": call_to_json(CALL),
                "decision": decision_to_json(DECISION),
                "approval": "q1",
                "claim": "c",
                "remembered": [
                    {
                        "rule": "sh(make *)",
                        "scope": "agent",
                        "lifetime": "uses",
                        "until": None,
                        "uses": 3,
                    }
                ],
            },
        ),
        (
            Wait(approval=PENDING_APPROVAL, token="t"),
            {
                "outcome": "wait",
                "approval": "q1",
                "decision": decision_to_json(DECISION),
                "expires_at": "2026-03-02T12:00:00.123456+00:00",
                "token": "t",
                "leased_until": None,
            },
        ),
        (
            Refuse(
                code=Code.INVALID,
                message="no",
                reason="r",
                issues=(ArgumentIssue("key", "is required"),),
                retry_after=2.5,
            ),
            {
                "outcome": "refuse",
                "code": "invalid_arguments",
                "message": "no",
                "reason": "r",
                "retry_after": 2.5,
                "issues": [{"path": "key", "message": "is required"}],
            },
        ),
        (
            Applied(approval=PENDING_APPROVAL, result={"kept": [1, None]}),
            {"outcome": "applied", "approval": "q1", "result": {"kept": [1, None]}},
        ),
        (
            Applied(approval=PENDING_APPROVAL, result=object()),
            {"outcome": "applied", "approval": "q1", "result": {"not_json": "object"}},
        ),
        (
            Applied(approval=PENDING_APPROVAL, result=float("nan")),
            {"outcome": "applied", "approval": "q1", "result": {"not_json": "float"}},
        ),
    ],
)
def test_an_outcome_contains_its_kind(outcome: Outcome, told: dict[str, object]) -> None:
    found = outcome_to_json(outcome, "turn-1")

    assert found == {**told, "turn": "turn-1"}
    assert json.loads(json.dumps(found)) == found


def test_a_remembered_rule_is_parsed_to_the_original() -> None:
    outcome = Run(call=CALL, decision=DECISION, remembered=(REMEMBERED, REMEMBERED._replace(until=NOW)))
    said = to_and_from_json(outcome_to_json(outcome, "t1"))

    parsed = tuple(map(remembered_from_json, said["remembered"]))
    assert parsed == outcome.remembered


def test_the_public_json_of_an_approval_has_no_private_fields() -> None:
    running = approval_in_state(State.RUNNING, token_digest="d", boot="b")
    whole, shown = approval_to_json(running), approval_to_public_json(running)

    assert whole.keys() - shown.keys() == {"boot", "claim", "claim_nonce", "lease", "token_digest"}
    assert shown.keys() - whole.keys() == {"clipped", "locked", "size"}
    assert shown["locked"] is False


def test_an_approval_that_is_always_asked_is_locked() -> None:
    step = Step(Stage.BREAKER, Verdict.ASK, text_reason("it removes a root"))
    decision = Decision(verdict=Verdict.ASK, stage=Stage.BREAKER, reason=step.reason, steps=(step,))
    locked = sample_approval(decision=decision)

    assert approval_to_public_json(locked)["locked"] is True


async def test_a_suggestion_contains_its_width_and_rules() -> None:
    async with open_harness() as scene:
        question = await ask_person(
            await scene.turn(), Call(tool="sh", args={"command": "make publish"}, id="p")
        )

    assert suggestion_to_json(rule_suggestions(question)[0]) == {
        "width": "exact",
        "rules": ["sh(make publish)"],
        "as_grant": False,
        "irreversible": [],
    }


def test_an_outcome_does_not_contain_the_digest_of_an_input_file() -> None:
    fed = DisclosedInput(source=InputSource.FILE, commands=("psql",), path="a.sql", digest="1" * 64)
    told = outcome_to_json(Wait(approval=sample_approval(decision=DECISION._replace(inputs=(fed,)))), "t")

    assert told["decision"] == decision_to_json(DECISION)
