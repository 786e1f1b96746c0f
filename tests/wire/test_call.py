"""Tests of calls, decisions, declarations, facts and tools as JSON."""

import pytest

from assent.engine.base.facts import CallDirectories, Facts
from assent.engine.base.reason import ReasonCode, make_reason, text_reason
from assent.engine.base.tool import Call, Dialect, Effect, PathKind, Tool
from assent.engine.irreversible.act import IrreversibleAct
from assent.engine.lines.specifier import DisclosedInput, InputSource
from assent.engine.policy.verdict import Decision, Stage, Step, Verdict
from assent.engine.programs.losses import Loss
from assent.errors import InputError
from assent.gate.catalog import DeclaredTool, TrustLevel
from assent.wire.call import (
    call_from_json,
    call_to_json,
    decision_from_json,
    decision_to_json,
    decision_to_short_json,
    declaration_from_json,
    declaration_to_json,
    facts_from_json,
    facts_to_json,
    tool_from_json,
    tool_to_json,
)
from tests.gate.samples import CALL, DECISION, FACTS, TOOL
from tests.wire.broken_json import Json, error_text, required_fields, to_and_from_json, unchecked_fields

CALL_JSON = call_to_json(CALL)


@pytest.mark.parametrize(
    "call",
    [CALL, Call(tool="t", args={}, cwd="/tmp/x"), Call(tool="t", args={"a": [1, {"b": None}], "\0": "ñ\0"})],
)
def test_a_call_is_parsed_to_the_original(call: Call) -> None:
    assert call_from_json(to_and_from_json(call_to_json(call))) == call


def test_every_field_of_a_call_is_written_under_its_own_name() -> None:
    assert list(CALL_JSON) == list(Call.__dataclass_fields__)


def test_a_wrong_type_in_a_call_is_an_error_that_names_the_field() -> None:
    assert unchecked_fields(CALL_JSON, "call", call_from_json) == []


def test_a_call_requires_a_tool_and_arguments() -> None:
    assert required_fields(CALL_JSON, "call", call_from_json) == {"tool", "args"}


WHOLE_DECISION = Decision(
    verdict=Verdict.DENY,
    stage=Stage.DENY_RULE,
    reason=text_reason("a rule denies it"),
    steps=(
        Step(Stage.DENY_RULE, Verdict.DENY, text_reason("a rule denies it"), rule="t(x)", part="x"),
        Step(Stage.MODE, Verdict.RUN, text_reason("auto mode runs it")),
        Step(Stage.GRANT, Verdict.RUN, make_reason(ReasonCode.GRANT, rule="t(y)"), rule="t(y)"),
    ),
    rule="t(x)",
    part="x",
    always_offered=True,
    irreversible=(IrreversibleAct(Loss.DELETES, "namespace", "prod"),),
    inputs=(
        DisclosedInput(
            source=InputSource.FILE,
            commands=("psql",),
            path="a.sql",
            digest="1" * 64,
            can_be_named=True,
        ),
        DisclosedInput(source=InputSource.TEXT, commands=("bash",), argument="stdin", start=2, end=9),
        DisclosedInput(source=InputSource.TEXT, commands=("a", "b"), text="x\n", must_be_named=False),
        DisclosedInput(source=InputSource.PIPE, commands=("psql",)),
    ),
    batch_key="sh execute npm test",
)
DECISION_JSON = decision_to_json(WHOLE_DECISION)


@pytest.mark.parametrize("decision", [WHOLE_DECISION, DECISION])
def test_a_decision_is_parsed_to_the_original(decision: Decision) -> None:
    assert decision_from_json(to_and_from_json(decision_to_json(decision))) == decision


@pytest.mark.parametrize("verdict", Verdict)
@pytest.mark.parametrize("stage", Stage)
def test_every_verdict_and_stage_is_parsed_to_the_original(verdict: Verdict, stage: Stage) -> None:
    decision = Decision(
        verdict=verdict, stage=stage, reason=text_reason("x"), steps=(Step(stage, verdict, text_reason("x")),)
    )

    assert decision_from_json(to_and_from_json(decision_to_json(decision))) == decision


def test_the_short_json_leaves_out_empty_fields_and_the_parts_of_steps() -> None:
    assert decision_to_short_json(DECISION) == {
        "verdict": "ask",
        "stage": "mode",
        "because": "default mode asks before running commands",
        "reason": {"code": "mode-asks", "values": {"mode": "default", "effect": "execute"}},
        "always_offered": True,
        "steps": [{"stage": "mode", "verdict": "ask", "reason": "default mode asks before running commands"}],
    }
    whole = decision_to_short_json(WHOLE_DECISION)
    assert (whole.get("rule"), whole.get("part"), "reason" in whole) == ("t(x)", "x", False)


def test_a_wrong_type_in_a_decision_is_an_error_that_names_the_field() -> None:
    assert (
        unchecked_fields({**DECISION_JSON, "rule": None, "part": None}, "decision", decision_from_json) == []
    )


def test_a_decision_requires_a_verdict_and_steps() -> None:
    assert required_fields(DECISION_JSON, "decision", decision_from_json) == {
        "verdict",
        "stage",
        "because",
        "steps",
    }


@pytest.mark.parametrize(
    ("step", "field"),
    [
        ({"stage": "mode", "verdict": "yes", "reason": "x"}, "decision.steps[1].verdict"),
        ({"stage": "luck", "verdict": "run", "reason": "x"}, "decision.steps[1].stage"),
        ({"stage": "mode", "verdict": "run"}, "decision.steps[1].reason"),
        ("mode", "decision.steps[1]"),
    ],
)
def test_an_error_in_a_step_names_its_index(step: object, field: str) -> None:
    good = {"stage": "mode", "verdict": "run", "reason": "x"}

    with pytest.raises(InputError) as caught:
        decision_from_json({**DECISION_JSON, "steps": [good, step]})

    assert f"`{field}`" in str(caught.value)


def test_an_input_is_written_without_empty_fields() -> None:
    assert DECISION_JSON["inputs"] == [
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
def test_an_error_in_an_input_names_its_index(at: int) -> None:
    inputs = DECISION_JSON["inputs"]
    assert isinstance(inputs, list)

    def decision_from(data: object) -> Decision:
        return decision_from_json({**DECISION_JSON, "inputs": [*inputs[:at], data, *inputs[at + 1 :]]})

    assert unchecked_fields(inputs[at], f"decision.inputs[{at}]", decision_from) == []


@pytest.mark.proves("T-49")
def test_an_irreversible_act_is_a_code_with_values() -> None:
    act = {"code": "deletes", "values": {"kind": "namespace", "name": "prod"}}

    assert (
        decision_to_short_json(WHOLE_DECISION)["irreversible"]
        == decision_to_json(WHOLE_DECISION)["irreversible"]
        == [act]
    )
    with pytest.raises(InputError, match=r"decision\.irreversible"):
        decision_from_json({**DECISION_JSON, "irreversible": [{**act, "code": "luck"}]})


WHOLE_DECLARATION = DeclaredTool(
    tool=Tool(name="shop.buy", effect=Effect.WRITE, origin="shop", parameters={"type": "object"}),
    trust=TrustLevel.TRUSTED,
    provider="mcp",
    agent="clerk",
)


@pytest.mark.parametrize(
    "declared", [WHOLE_DECLARATION, *(DeclaredTool(tool=Tool(name="t"), trust=trust) for trust in TrustLevel)]
)
def test_a_declaration_is_parsed_to_the_original(declared: DeclaredTool) -> None:
    assert declaration_from_json(to_and_from_json(declaration_to_json(declared))) == declared


def test_a_declaration_without_trust_counts_as_a_clients() -> None:
    assert declaration_from_json({"tool": {"name": "t"}}).trust is TrustLevel.CLIENT


def test_a_wrong_type_in_a_declaration_is_an_error_that_names_the_field() -> None:
    data = declaration_to_json(WHOLE_DECLARATION)

    assert unchecked_fields(data, "declared", declaration_from_json) == []
    assert "`declared.trust`" in error_text(declaration_from_json, {**data, "trust": "blind"})
    assert required_fields(data, "declared", declaration_from_json) == {"tool"}


WHOLE_FACTS = Facts(
    directories=CallDirectories(
        roots=("/a", "/b"), cwd="/a/x", home="/home/ana", case_sensitive=False, made=("/tmp/a",)
    ),
    real={"/a/x": ("/b/y", "/b/z"), "/none": (), "/a/\udcff": ("/a/\udcff",)},
    contents={"/a/x": "0" * 64},
    trusted_repository=True,
)
FACTS_JSON = facts_to_json(WHOLE_FACTS)


@pytest.mark.parametrize("facts", [WHOLE_FACTS, FACTS])
def test_facts_are_parsed_to_the_original_even_with_invalid_file_names(facts: Facts) -> None:
    assert facts_from_json(to_and_from_json(facts_to_json(facts))) == facts


def test_a_wrong_type_in_the_facts_is_an_error_that_names_the_field() -> None:
    directories = FACTS_JSON["place"]
    assert isinstance(directories, dict)

    def read_directories(data: object) -> object:
        return facts_from_json({**FACTS_JSON, "place": data})

    assert unchecked_fields(FACTS_JSON, "facts", facts_from_json) == []
    assert unchecked_fields(Json(directories), "facts.place", read_directories) == []
    assert required_fields(Json(directories), "facts.place", read_directories) == {"roots", "cwd"}


def test_facts_require_a_place_and_real_paths() -> None:
    assert required_fields(FACTS_JSON, "facts", facts_from_json) == {"place", "real"}


def test_facts_of_an_earlier_version_have_no_digests() -> None:
    old = {name: value for name, value in FACTS_JSON.items() if name != "contents"}

    assert facts_from_json(old).contents == {}


def test_a_real_path_must_be_a_list_of_paths() -> None:
    with pytest.raises(InputError, match=r"`facts\.real\./x` must be a list of strings"):
        facts_from_json({**FACTS_JSON, "real": {"/x": ["/y", 7]}})


WHOLE_TOOL = Tool(
    name="page.edit",
    effect=Effect.EDIT,
    dialect=Dialect.PATH,
    template="{path}",
    paths=PathKind.ANCHORED,
    description="Edits.",
    parameters={"type": "object"},
    origin="page:1",
    group="pages",
    reads=True,
)
TOOL_JSON = tool_to_json(WHOLE_TOOL)


@pytest.mark.parametrize("tool", [WHOLE_TOOL, TOOL, Tool(name="t")])
def test_a_tool_is_parsed_to_the_original(tool: Tool) -> None:
    assert tool_from_json(to_and_from_json(tool_to_json(tool))) == tool


def test_every_field_of_a_tool_is_written_under_its_own_name() -> None:
    assert list(TOOL_JSON) == list(Tool.__dataclass_fields__)


def test_a_wrong_type_in_a_tool_is_an_error_that_names_the_field() -> None:
    assert unchecked_fields({**TOOL_JSON, "template": None}, "tool", tool_from_json) == []


def test_a_tool_without_an_effect_is_external() -> None:
    assert required_fields(TOOL_JSON, "tool", tool_from_json) == {"name"}
    assert tool_from_json({"name": "t"}).effect is Effect.EXTERNAL
