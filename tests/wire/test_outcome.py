"""What a host far away gets for a call."""

import json

import pytest

from assent.engine.lines.input_names import FedInput, InputSource
from assent.engine.model import Call
from assent.engine.verdict import Decision, Stage, Step, Verdict
from assent.gate.always import rule_suggestions
from assent.gate.approval import State
from assent.gate.outcome import Applied, Code, Outcome, Refuse, Run, Wait
from assent.gate.ports import Issue
from assent.wire.approval import (
    approval_to_json,
    approval_to_public_json,
    outcome_to_json,
    suggestion_to_json,
)
from assent.wire.call import call_to_json
from assent.wire.decision import decision_to_json
from tests.gate.samples import CALL, DAY, DECISION, NOW, an_approval, in_state
from tests.gate.scene import a_scene, asked

ASKED = an_approval(expires_at=NOW + DAY)


@pytest.mark.parametrize(
    ("outcome", "told"),
    [
        (
            Run(call=CALL, decision=DECISION, approval="q1", claim="c"),
            {
                "outcome": "run",
                "call": call_to_json(CALL),
                "decision": decision_to_json(DECISION),
                "approval": "q1",
                "claim": "c",
            },
        ),
        (
            Wait(approval=ASKED, token="t"),
            {
                "outcome": "wait",
                "approval": "q1",
                "decision": decision_to_json(DECISION),
                "expires_at": "2026-03-02T12:00:00.123456+00:00",
                "token": "t",
            },
        ),
        (
            Refuse(
                code=Code.INVALID,
                message="no",
                reason="r",
                issues=(Issue("key", "is required"),),
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
            Applied(approval=ASKED, result={"kept": [1, None]}),
            {"outcome": "applied", "approval": "q1", "result": {"kept": [1, None]}},
        ),
        (
            Applied(approval=ASKED, result=object()),
            {"outcome": "applied", "approval": "q1", "result": {"not_json": "object"}},
        ),
        (
            Applied(approval=ASKED, result=float("nan")),
            {"outcome": "applied", "approval": "q1", "result": {"not_json": "float"}},
        ),
    ],
)
def test_an_outcome_is_told_by_its_word(outcome: Outcome, told: dict[str, object]) -> None:
    found = outcome_to_json(outcome, "turn-1")

    assert found == {**told, "turn": "turn-1"}
    assert json.loads(json.dumps(found)) == found


def test_what_is_shown_of_a_question_is_all_but_what_is_ours() -> None:
    running = in_state(State.RUNNING, token_digest="d", boot="b")
    whole, shown = approval_to_json(running), approval_to_public_json(running)

    assert whole.keys() - shown.keys() == {"boot", "claim", "claim_nonce", "token_digest"}
    assert shown.keys() - whole.keys() == {"clipped", "locked", "size"}
    assert shown["locked"] is False


def test_a_question_that_nothing_spares_is_locked() -> None:
    step = Step(Stage.BREAKER, Verdict.ASK, "it removes a root")
    decision = Decision(verdict=Verdict.ASK, stage=Stage.BREAKER, because=step.reason, steps=(step,))
    locked = an_approval(decision=decision)

    assert approval_to_public_json(locked)["locked"] is True


async def test_a_suggestion_is_its_width_and_its_rules() -> None:
    async with a_scene() as scene:
        question = await asked(await scene.turn(), Call(tool="sh", args={"command": "make publish"}, id="p"))

    assert suggestion_to_json(rule_suggestions(question)[0]) == {
        "width": "exact",
        "rules": ["sh(make publish)"],
        "as_grant": False,
        "irreversible": [],
    }


def test_a_caller_is_not_told_the_digest_of_a_file_that_it_feeds() -> None:
    fed = FedInput(source=InputSource.FILE, commands=("psql",), path="a.sql", digest="1" * 64)
    told = outcome_to_json(Wait(approval=an_approval(decision=DECISION._replace(inputs=(fed,)))), "t")

    assert told["decision"] == decision_to_json(DECISION)
