"""The six presets: what runs without approval after each answer, and what the store then contains."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from assent.engine.base.tool import Call
from assent.engine.policy.snapshot import Tier
from assent.errors import ConflictError
from assent.gate.answer import Answer
from assent.gate.approval import State
from assent.gate.calls import Refuse, Run
from assent.gate.preset import Lifetime, Scope
from tests.gate.samples import ADA, ANA, BEN
from tests.gate.scene import (
    ALWAYS,
    DENY,
    FOR_CHAT,
    ONCE,
    PUBLISH,
    PUT,
    SEND,
    GateHarness,
    ask_person,
    does_call_run,
    open_harness,
    open_test_store,
)

OTHER_CALL = replace(PUBLISH, args={"command": "make clean"})
"""Another call of the same tool."""

TargetFields = Mapping[str, object]
SAME_CONVERSATION: TargetFields = {}
OTHER_CONVERSATION: TargetFields = {"conversation": "c2"}
OTHER_AGENT: TargetFields = {"agent": "cook"}
OTHER_AGENT_AND_CONVERSATION: TargetFields = {"agent": "cook", "conversation": "c2"}
OTHER_PERSON: TargetFields = {"conversation": "c9", "principal": BEN}


@dataclass(frozen=True)
class PresetCase:
    """What runs without approval after an answer under a preset, and what the store then contains."""

    preset: str
    answer: Answer
    runs: tuple[tuple[Call, TargetFields], ...] = ()
    asks: tuple[tuple[Call, TargetFields], ...] = ()
    grants: int = 0
    rules: int = 0
    after_restart: bool = False
    """Whether the same call still runs in a new process on the same database."""
    tiers: Mapping[str, Tier] = field(default_factory=dict)


ALL_TARGETS = tuple(
    (call, target)
    for call in (PUBLISH, OTHER_CALL)
    for target in (SAME_CONVERSATION, OTHER_CONVERSATION, OTHER_AGENT, OTHER_PERSON)
)
TOOLS_THAT_ASK = {"sh": Tier.NEEDS_APPROVAL, "mail.send": Tier.NEEDS_APPROVAL}

CASES = {
    "assent, once": PresetCase("assent", ONCE, asks=ALL_TARGETS),
    "assent, for this conversation": PresetCase(
        "assent",
        FOR_CHAT,
        runs=((PUBLISH, SAME_CONVERSATION), (PUBLISH, OTHER_AGENT)),
        asks=(
            (OTHER_CALL, SAME_CONVERSATION),
            (PUBLISH, OTHER_CONVERSATION),
            (PUBLISH, OTHER_PERSON),
            (SEND, SAME_CONVERSATION),
        ),
        grants=1,
        after_restart=True,
    ),
    "assent, always": PresetCase(
        "assent",
        ALWAYS,
        runs=((PUBLISH, SAME_CONVERSATION), (PUBLISH, OTHER_CONVERSATION)),
        asks=(
            (OTHER_CALL, SAME_CONVERSATION),
            (PUBLISH, OTHER_AGENT),
            (PUBLISH, OTHER_PERSON),
            (SEND, SAME_CONVERSATION),
        ),
        rules=1,
        after_restart=True,
    ),
    "assent, always a wider rule for all my agents": PresetCase(
        "assent",
        replace(ALWAYS, rules=("sh(make *)",), scope=Scope.USER),
        runs=((PUBLISH, SAME_CONVERSATION), (OTHER_CALL, OTHER_CONVERSATION), (OTHER_CALL, OTHER_AGENT)),
        asks=(
            (PUBLISH, OTHER_PERSON),
            (SEND, SAME_CONVERSATION),
            (replace(PUBLISH, args={"command": "npm publish"}), SAME_CONVERSATION),
        ),
        rules=1,
        after_restart=True,
    ),
    "assent, always until the restart": PresetCase(
        "assent",
        replace(ALWAYS, lifetime=Lifetime.RESTART),
        runs=((PUBLISH, SAME_CONVERSATION), (PUBLISH, OTHER_CONVERSATION)),
        asks=((OTHER_CALL, SAME_CONVERSATION), (PUBLISH, OTHER_AGENT)),
    ),
    "chat, once": PresetCase("chat", ONCE, asks=ALL_TARGETS),
    "chat, for this conversation": PresetCase(
        "chat",
        FOR_CHAT,
        runs=((PUBLISH, SAME_CONVERSATION), (OTHER_CALL, SAME_CONVERSATION), (OTHER_CALL, OTHER_AGENT)),
        asks=((PUBLISH, OTHER_CONVERSATION), (PUBLISH, OTHER_PERSON), (SEND, SAME_CONVERSATION)),
    ),
    "chat, always": PresetCase(
        "chat",
        ALWAYS,
        runs=((PUBLISH, SAME_CONVERSATION), (OTHER_CALL, SAME_CONVERSATION), (OTHER_CALL, OTHER_AGENT)),
        asks=((PUBLISH, OTHER_CONVERSATION), (PUBLISH, OTHER_PERSON), (SEND, SAME_CONVERSATION)),
    ),
    "fleet, once": PresetCase("fleet", ONCE, asks=ALL_TARGETS),
    "fleet, always": PresetCase(
        "fleet",
        ALWAYS,
        runs=((PUBLISH, SAME_CONVERSATION), (PUBLISH, OTHER_CONVERSATION)),
        asks=(
            (OTHER_CALL, SAME_CONVERSATION),
            (PUBLISH, OTHER_AGENT),
            (PUBLISH, OTHER_PERSON),
            (SEND, SAME_CONVERSATION),
        ),
    ),
    "fleet, always the whole tool": PresetCase(
        "fleet",
        replace(ALWAYS, rules=("sh",)),
        runs=(
            (PUBLISH, SAME_CONVERSATION),
            (OTHER_CALL, SAME_CONVERSATION),
            (OTHER_CALL, OTHER_CONVERSATION),
        ),
        asks=((PUBLISH, OTHER_AGENT), (PUBLISH, OTHER_PERSON), (SEND, SAME_CONVERSATION)),
    ),
    "workbench, once": PresetCase("workbench", ONCE, asks=ALL_TARGETS),
    "workbench, always": PresetCase(
        "workbench",
        ALWAYS,
        runs=((PUBLISH, SAME_CONVERSATION), (PUBLISH, OTHER_CONVERSATION), (PUBLISH, OTHER_AGENT)),
        asks=((OTHER_CALL, SAME_CONVERSATION), (PUBLISH, OTHER_PERSON), (SEND, SAME_CONVERSATION)),
        rules=1,
        after_restart=True,
    ),
    "tiers, once": PresetCase(
        "tiers",
        ONCE,
        asks=((PUBLISH, SAME_CONVERSATION), (OTHER_CALL, SAME_CONVERSATION)),
        tiers=TOOLS_THAT_ASK,
    ),
    "tiers, always": PresetCase(
        "tiers",
        ALWAYS,
        runs=(
            (PUBLISH, SAME_CONVERSATION),
            (OTHER_CALL, SAME_CONVERSATION),
            (OTHER_CALL, OTHER_CONVERSATION),
        ),
        asks=((PUBLISH, OTHER_PERSON), (PUBLISH, OTHER_AGENT_AND_CONVERSATION), (SEND, SAME_CONVERSATION)),
        grants=1,
        after_restart=True,
        tiers=TOOLS_THAT_ASK,
    ),
    "no": PresetCase("assent", DENY, asks=ALL_TARGETS),
}


@pytest.mark.proves(
    "R000-19", "R000-20", "R000-25", "R000-26", "R002-18", "R002-20", "R002-21", "R002-23",
    "R004-10", "R004-11", "T-9",
)  # fmt: skip
@pytest.mark.parametrize("name", CASES)
async def test_an_answer_adds_what_its_preset_defines(name: str, tmp_path: Path) -> None:
    row = CASES[name]
    async with open_harness("sqlite", tmp_path) as harness:
        await _set_tiers(harness, row)
        turn = await harness.turn(row.preset)
        question = await ask_person(turn, PUBLISH)
        await harness.answer(question, row.answer)
        outcome = await turn.resume(question.id)
        assert type(outcome) is (Run if row.answer.yes else Refuse)

        for call, target in row.runs:
            assert await does_call_run(await _begin_turn(harness, row, target), call), (call, target)
        for call, target in row.asks:
            assert not await does_call_run(await _begin_turn(harness, row, target), call), (call, target)
        kept = (len(await harness.store.grants()), len(await harness.store.rules()))
        assert kept == (row.grants, row.rules)
    async with open_harness("sqlite", tmp_path) as restarted:
        assert (
            await does_call_run(await _begin_turn(restarted, row, SAME_CONVERSATION), PUBLISH)
            is row.after_restart
        )


async def _begin_turn(harness: GateHarness, row: PresetCase, target: TargetFields) -> object:
    return await harness.turn(row.preset, **target)  # type: ignore[arg-type]


async def _set_tiers(harness: GateHarness, row: PresetCase) -> None:
    for agent in ("clerk", "cook"):
        if row.tiers:
            await harness.gate.policy.set_tiers(ADA, agent, row.tiers)


EXPECTED_EXPIRY = {
    "assent": 86_400,
    "chat": None,
    "propose": 600,
    "fleet": None,
    "workbench": 300,
    "tiers": None,
}


@pytest.mark.supports("R000-46", "R001-16", "R004-50")
@pytest.mark.parametrize("preset", [name for name in EXPECTED_EXPIRY if name != "propose"])
async def test_an_approval_expires_after_the_time_of_its_preset(
    memory_harness: GateHarness, preset: str
) -> None:
    await memory_harness.gate.policy.set_tiers(ADA, "clerk", TOOLS_THAT_ASK)
    question = await ask_person(await memory_harness.turn(preset), PUBLISH)

    seconds = EXPECTED_EXPIRY[preset]
    expected = None if seconds is None else memory_harness.clock.now + timedelta(seconds=seconds)
    assert question.expires_at == expected


@pytest.mark.proves("R000-25", "R002-23")
@pytest.mark.parametrize("preset", ["chat", "fleet"])
async def test_a_grant_until_restart_is_not_stored_but_its_answer_is(preset: str, tmp_path: Path) -> None:
    async with open_harness("sqlite", tmp_path) as harness:
        turn = await harness.turn(preset)
        question = await ask_person(turn, PUBLISH)
        version = (await harness.store.moment()).version
        await harness.answer(question, ALWAYS)
        assert isinstance(await turn.resume(question.id), Run)

        assert await does_call_run(turn, PUBLISH)
        assert await harness.store.grants() == await harness.store.rules() == ()
        assert (await harness.store.moment()).version == version
        (held,) = await harness.gate.policy.grants(ANA)
        await harness.gate.policy.revoke(ANA, held.id)
        assert not await does_call_run(turn, PUBLISH)


@pytest.mark.proves("R000-25")
async def test_a_grant_until_restart_does_not_apply_to_another_gate_in_the_process(
    memory_harness: GateHarness,
) -> None:
    turn = await memory_harness.turn("chat")
    question = await ask_person(turn, PUBLISH)
    await memory_harness.answer(question, ALWAYS)
    assert isinstance(await turn.resume(question.id), Run)

    another = GateHarness(memory_harness.store, memory_harness.clock)

    assert await does_call_run(turn, PUBLISH)
    assert not await does_call_run(await another.turn("chat"), PUBLISH)


async def test_an_answer_from_another_process_takes_effect_where_the_agent_runs(tmp_path: Path) -> None:
    async with open_harness("sqlite", tmp_path) as harness:
        turn = await harness.turn("chat")
        question, waiting = (
            await ask_person(turn, PUBLISH),
            await ask_person(turn, replace(OTHER_CALL, id="other")),
        )
        store = await open_test_store("sqlite", harness.clock, tmp_path)
        elsewhere = GateHarness(store, harness.clock)
        await elsewhere.answer(question, FOR_CHAT)
        await store.close()
        assert (await harness.store.approval(waiting.id)).state is State.PENDING

        outcome = await turn.wait(question)

        assert isinstance(outcome, Run)
        assert await does_call_run(turn, OTHER_CALL)
        assert (await harness.store.approval(waiting.id)).state is State.APPROVED


@pytest.mark.proves("R000-27")
async def test_plan_mode_denies_a_tool_despite_a_grant(memory_harness: GateHarness) -> None:
    turn = await memory_harness.turn("chat")
    question = await ask_person(turn, PUT)
    await memory_harness.answer(question, FOR_CHAT)
    assert isinstance(await turn.resume(question.id), Run)

    outcome = await (await memory_harness.turn("chat", mode="plan")).submit(replace(PUT, id=""))

    assert isinstance(outcome, Refuse)
    assert outcome.code == "blocked_in_plan_mode"


@pytest.mark.proves("R002-20")
@pytest.mark.parametrize("preset", ["assent", "chat", "fleet", "workbench", "tiers"])
async def test_always_never_covers_a_locked_call(memory_harness: GateHarness, preset: str) -> None:
    remove = Call(tool="sh", args={"command": "rm -rf ~"}, id="remove")
    await memory_harness.gate.policy.set_tiers(ADA, "clerk", {"sh": Tier.NEEDS_APPROVAL})
    turn = await memory_harness.turn(preset)
    rules = () if preset in ("chat", "tiers") else ("sh",)
    question = await ask_person(turn, PUBLISH)
    await memory_harness.answer(question, replace(ALWAYS, rules=rules))
    await turn.resume(question.id)
    assert await does_call_run(await memory_harness.turn(preset), OTHER_CALL)

    locked = await ask_person(await memory_harness.turn(preset), remove)

    assert not locked.decision.always_offered
    for answer in (ALWAYS, FOR_CHAT):
        with pytest.raises(ConflictError, match="asks every time"):
            await memory_harness.answer(locked, answer)
