"""A decision as JSON, in short and whole."""

import pytest

from assent.engine.irreversible.act import Irreversible
from assent.engine.lines.input_names import FedInput, InputSource
from assent.engine.programs.program import Loss
from assent.engine.verdict import Decision, Stage, Step, Verdict
from assent.errors import InputError
from assent.wire.decision import decision_from_json, decision_to_json, decision_to_short_json
from tests.gate.samples import DECISION
from tests.wire.spoiling import demanded, through_json, unnoticed

WHOLE = Decision(
    verdict=Verdict.DENY,
    stage=Stage.DENY_RULE,
    because="a rule denies it",
    steps=(
        Step(Stage.DENY_RULE, Verdict.DENY, "a rule denies it", rule="t(x)", part="x"),
        Step(Stage.MODE, Verdict.RUN, "auto mode runs it"),
    ),
    rule="t(x)",
    part="x",
    always_offered=True,
    irreversible=(Irreversible(Loss.DELETES, "namespace", "prod"),),
    inputs=(
        FedInput(
            source=InputSource.FILE,
            commands=("psql",),
            path="a.sql",
            digest="1" * 64,
            can_be_named=True,
        ),
        FedInput(source=InputSource.TEXT, commands=("bash",), argument="stdin", start=2, end=9),
        FedInput(source=InputSource.TEXT, commands=("a", "b"), text="x\n", must_be_named=False),
        FedInput(source=InputSource.PIPE, commands=("psql",)),
    ),
    batch_key="sh execute npm test",
)
DATA = decision_to_json(WHOLE)


@pytest.mark.parametrize("decision", [WHOLE, DECISION])
def test_a_decision_comes_back_as_it_was(decision: Decision) -> None:
    assert decision_from_json(through_json(decision_to_json(decision))) == decision


@pytest.mark.parametrize("verdict", Verdict)
@pytest.mark.parametrize("stage", Stage)
def test_every_verdict_and_stage_has_its_word(verdict: Verdict, stage: Stage) -> None:
    decision = Decision(verdict=verdict, stage=stage, because="x", steps=(Step(stage, verdict, "x"),))

    assert decision_from_json(through_json(decision_to_json(decision))) == decision


def test_in_short_it_leaves_out_what_it_has_not_and_what_each_step_spoke_about() -> None:
    assert decision_to_short_json(DECISION) == {
        "verdict": "ask",
        "stage": "mode",
        "because": "default mode asks before running commands",
        "always_offered": True,
        "steps": [{"stage": "mode", "verdict": "ask", "reason": "default mode asks before running commands"}],
    }
    assert decision_to_short_json(WHOLE)["rule"] == "t(x)"


def test_a_wrong_type_is_an_error_that_names_the_field() -> None:
    assert unnoticed({**DATA, "rule": None, "part": None}, "decision", decision_from_json) == []


def test_a_decision_needs_its_verdict_and_its_reasons() -> None:
    assert demanded(DATA, "decision", decision_from_json) == {"verdict", "stage", "because", "steps"}


@pytest.mark.parametrize(
    ("step", "field"),
    [
        ({"stage": "mode", "verdict": "yes", "reason": "x"}, "decision.steps[1].verdict"),
        ({"stage": "luck", "verdict": "run", "reason": "x"}, "decision.steps[1].stage"),
        ({"stage": "mode", "verdict": "run"}, "decision.steps[1].reason"),
        ("mode", "decision.steps[1]"),
    ],
)
def test_a_wrong_step_is_named_by_its_place(step: object, field: str) -> None:
    good = {"stage": "mode", "verdict": "run", "reason": "x"}

    with pytest.raises(InputError) as caught:
        decision_from_json({**DATA, "steps": [good, step]})

    assert f"`{field}`" in str(caught.value)


def test_what_is_fed_is_said_in_plain_fields_and_without_those_that_say_nothing() -> None:
    assert DATA["inputs"] == [
        {
            "source": "file",
            "commands": ["psql"],
            "path": "a.sql",
            "digest": "1" * 64,
            "can_be_named": True,
            "must_be_named": True,
        },
        {
            "source": "text",
            "commands": ["bash"],
            "argument": "stdin",
            "start": 2,
            "end": 9,
            "can_be_named": False,
            "must_be_named": True,
        },
        {
            "source": "text",
            "commands": ["a", "b"],
            "text": "x\n",
            "can_be_named": False,
            "must_be_named": False,
        },
        {"source": "pipe", "commands": ["psql"], "can_be_named": False, "must_be_named": True},
    ]


@pytest.mark.parametrize("at", range(4))
def test_a_wrong_input_is_named_by_its_place(at: int) -> None:
    inputs = DATA["inputs"]
    assert isinstance(inputs, list)

    def read(data: object) -> Decision:
        return decision_from_json({**DATA, "inputs": [*inputs[:at], data, *inputs[at + 1 :]]})

    assert unnoticed(inputs[at], f"decision.inputs[{at}]", read) == []


@pytest.mark.proves("T-49")
def test_what_cannot_be_undone_is_a_code_and_its_values() -> None:
    act = {"code": "deletes", "values": {"kind": "namespace", "name": "prod"}}

    assert decision_to_short_json(WHOLE)["irreversible"] == decision_to_json(WHOLE)["irreversible"] == [act]
    with pytest.raises(InputError, match=r"decision\.irreversible"):
        decision_from_json({**DATA, "irreversible": [{**act, "code": "luck"}]})
