"""The six ways to run, each from the question to what its answer leaves behind."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path

import pytest

from assent.engine.base.tool import Call
from assent.engine.policy.tiers import Tier
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
    Scene,
    a_scene,
    a_store,
    ask_person,
    would_run,
)

OTHER = replace(PUBLISH, args={"command": "make clean"})
"""The same tool, another call."""

Place = Mapping[str, object]
HERE: Place = {}
THERE: Place = {"conversation": "c2"}
COOK: Place = {"agent": "cook"}
COOK_THERE: Place = {"agent": "cook", "conversation": "c2"}
BENS: Place = {"conversation": "c9", "principal": BEN}


@dataclass(frozen=True)
class Row:
    """What runs without approval after an answer under a preset, and what the store then contains."""

    preset: str
    answer: Answer
    runs: tuple[tuple[Call, Place], ...] = ()
    asks: tuple[tuple[Call, Place], ...] = ()
    grants: int = 0
    rules: int = 0
    after_restart: bool = False
    """Whether the same call still runs in a new process on the same database."""
    tiers: Mapping[str, Tier] = field(default_factory=dict)


EVERYWHERE = tuple((call, place) for call in (PUBLISH, OTHER) for place in (HERE, THERE, COOK, BENS))
NEEDS = {"sh": Tier.NEEDS_APPROVAL, "mail.send": Tier.NEEDS_APPROVAL}

ROWS = {
    "assent, once": Row("assent", ONCE, asks=EVERYWHERE),
    "assent, for this conversation": Row(
        "assent",
        FOR_CHAT,
        runs=((PUBLISH, HERE), (PUBLISH, COOK)),
        asks=((OTHER, HERE), (PUBLISH, THERE), (PUBLISH, BENS), (SEND, HERE)),
        grants=1,
        after_restart=True,
    ),
    "assent, always": Row(
        "assent",
        ALWAYS,
        runs=((PUBLISH, HERE), (PUBLISH, THERE)),
        asks=((OTHER, HERE), (PUBLISH, COOK), (PUBLISH, BENS), (SEND, HERE)),
        rules=1,
        after_restart=True,
    ),
    "assent, always a wider rule for all my agents": Row(
        "assent",
        replace(ALWAYS, rules=("sh(make *)",), scope=Scope.USER),
        runs=((PUBLISH, HERE), (OTHER, THERE), (OTHER, COOK)),
        asks=((PUBLISH, BENS), (SEND, HERE), (replace(PUBLISH, args={"command": "npm publish"}), HERE)),
        rules=1,
        after_restart=True,
    ),
    "assent, always until the restart": Row(
        "assent",
        replace(ALWAYS, lifetime=Lifetime.RESTART),
        runs=((PUBLISH, HERE), (PUBLISH, THERE)),
        asks=((OTHER, HERE), (PUBLISH, COOK)),
    ),
    "chat, once": Row("chat", ONCE, asks=EVERYWHERE),
    "chat, for this conversation": Row(
        "chat",
        FOR_CHAT,
        runs=((PUBLISH, HERE), (OTHER, HERE), (OTHER, COOK)),
        asks=((PUBLISH, THERE), (PUBLISH, BENS), (SEND, HERE)),
    ),
    "chat, always": Row(
        "chat",
        ALWAYS,
        runs=((PUBLISH, HERE), (OTHER, HERE), (OTHER, COOK)),
        asks=((PUBLISH, THERE), (PUBLISH, BENS), (SEND, HERE)),
    ),
    "fleet, once": Row("fleet", ONCE, asks=EVERYWHERE),
    "fleet, always": Row(
        "fleet",
        ALWAYS,
        runs=((PUBLISH, HERE), (PUBLISH, THERE)),
        asks=((OTHER, HERE), (PUBLISH, COOK), (PUBLISH, BENS), (SEND, HERE)),
    ),
    "fleet, always the whole tool": Row(
        "fleet",
        replace(ALWAYS, rules=("sh",)),
        runs=((PUBLISH, HERE), (OTHER, HERE), (OTHER, THERE)),
        asks=((PUBLISH, COOK), (PUBLISH, BENS), (SEND, HERE)),
    ),
    "workbench, once": Row("workbench", ONCE, asks=EVERYWHERE),
    "workbench, always": Row(
        "workbench",
        ALWAYS,
        runs=((PUBLISH, HERE), (PUBLISH, THERE), (PUBLISH, COOK)),
        asks=((OTHER, HERE), (PUBLISH, BENS), (SEND, HERE)),
        rules=1,
        after_restart=True,
    ),
    "tiers, once": Row("tiers", ONCE, asks=((PUBLISH, HERE), (OTHER, HERE)), tiers=NEEDS),
    "tiers, always": Row(
        "tiers",
        ALWAYS,
        runs=((PUBLISH, HERE), (OTHER, HERE), (OTHER, THERE)),
        asks=((PUBLISH, BENS), (PUBLISH, COOK_THERE), (SEND, HERE)),
        grants=1,
        after_restart=True,
        tiers=NEEDS,
    ),
    "no": Row("assent", DENY, asks=EVERYWHERE),
}


@pytest.mark.proves(
    "R000-19", "R000-20", "R000-25", "R000-26", "R002-18", "R002-20", "R002-21", "R002-23",
    "R004-10", "R004-11", "T-9",
)  # fmt: skip
@pytest.mark.parametrize("name", ROWS)
async def test_an_answer_leaves_behind_what_its_preset_says(name: str, tmp_path: Path) -> None:
    row = ROWS[name]
    async with a_scene("sqlite", tmp_path) as scene:
        await _with_tiers(scene, row)
        turn = await scene.turn(row.preset)
        question = await ask_person(turn, PUBLISH)
        await scene.answer(question, row.answer)
        outcome = await turn.resume(question.id)
        assert type(outcome) is (Run if row.answer.yes else Refuse)

        for call, place in row.runs:
            assert await would_run(await _turn(scene, row, place), call), (call, place)
        for call, place in row.asks:
            assert not await would_run(await _turn(scene, row, place), call), (call, place)
        kept = (len(await scene.store.grants()), len(await scene.store.rules()))
        assert kept == (row.grants, row.rules)
    async with a_scene("sqlite", tmp_path) as restarted:
        assert await would_run(await _turn(restarted, row, HERE), PUBLISH) is row.after_restart


async def _turn(scene: Scene, row: Row, place: Place) -> object:
    return await scene.turn(row.preset, **place)  # type: ignore[arg-type]


async def _with_tiers(scene: Scene, row: Row) -> None:
    for agent in ("clerk", "cook"):
        if row.tiers:
            await scene.gate.policy.set_tiers(ADA, agent, row.tiers)


EXPIRES = {"assent": 86_400, "chat": None, "propose": 600, "fleet": None, "workbench": 300, "tiers": None}


@pytest.mark.proves("R004-50")
@pytest.mark.supports("R000-46", "R001-16")
@pytest.mark.parametrize("preset", [name for name in EXPIRES if name != "propose"])
async def test_a_question_waits_as_long_as_its_preset_says(in_memory: Scene, preset: str) -> None:
    await in_memory.gate.policy.set_tiers(ADA, "clerk", NEEDS)
    question = await ask_person(await in_memory.turn(preset), PUBLISH)

    seconds = EXPIRES[preset]
    expected = None if seconds is None else in_memory.clock.now + timedelta(seconds=seconds)
    assert question.expires_at == expected


@pytest.mark.proves("R000-25", "R002-23")
@pytest.mark.parametrize("preset", ["chat", "fleet"])
async def test_of_a_grant_until_the_restart_the_store_knows_the_answer_and_nothing_else(
    preset: str, tmp_path: Path
) -> None:
    async with a_scene("sqlite", tmp_path) as scene:
        turn = await scene.turn(preset)
        question = await ask_person(turn, PUBLISH)
        version = (await scene.store.moment()).version
        await scene.answer(question, ALWAYS)
        assert isinstance(await turn.resume(question.id), Run)

        assert await would_run(turn, PUBLISH)
        assert await scene.store.grants() == await scene.store.rules() == ()
        assert (await scene.store.moment()).version == version
        (held,) = await scene.gate.policy.grants(ANA)
        await scene.gate.policy.revoke(ANA, held.id)
        assert not await would_run(turn, PUBLISH)


@pytest.mark.proves("R000-25")
async def test_another_gate_in_the_same_process_does_not_know_it_either(in_memory: Scene) -> None:
    turn = await in_memory.turn("chat")
    question = await ask_person(turn, PUBLISH)
    await in_memory.answer(question, ALWAYS)
    assert isinstance(await turn.resume(question.id), Run)

    another = Scene(in_memory.store, in_memory.clock)

    assert await would_run(turn, PUBLISH)
    assert not await would_run(await another.turn("chat"), PUBLISH)


async def test_an_answer_given_in_another_process_counts_where_the_agent_runs(tmp_path: Path) -> None:
    async with a_scene("sqlite", tmp_path) as scene:
        turn = await scene.turn("chat")
        question, waiting = (
            await ask_person(turn, PUBLISH),
            await ask_person(turn, replace(OTHER, id="other")),
        )
        store = await a_store("sqlite", scene.clock, tmp_path)
        elsewhere = Scene(store, scene.clock)
        await elsewhere.answer(question, FOR_CHAT)
        await store.close()
        assert (await scene.store.approval(waiting.id)).state is State.PENDING

        outcome = await turn.wait(question)

        assert isinstance(outcome, Run)
        assert await would_run(turn, OTHER)
        assert (await scene.store.approval(waiting.id)).state is State.APPROVED


@pytest.mark.proves("R000-27")
async def test_a_granted_tool_is_still_blocked_in_plan(in_memory: Scene) -> None:
    turn = await in_memory.turn("chat")
    question = await ask_person(turn, PUT)
    await in_memory.answer(question, FOR_CHAT)
    assert isinstance(await turn.resume(question.id), Run)

    outcome = await (await in_memory.turn("chat", mode="plan")).submit(replace(PUT, id=""))

    assert isinstance(outcome, Refuse)
    assert outcome.code == "blocked_in_plan_mode"


@pytest.mark.proves("R002-20")
@pytest.mark.parametrize("preset", ["assent", "chat", "fleet", "workbench", "tiers"])
async def test_no_always_covers_what_is_asked_each_time(in_memory: Scene, preset: str) -> None:
    remove = Call(tool="sh", args={"command": "rm -rf ~"}, id="remove")
    await in_memory.gate.policy.set_tiers(ADA, "clerk", {"sh": Tier.NEEDS_APPROVAL})
    turn = await in_memory.turn(preset)
    rules = () if preset in ("chat", "tiers") else ("sh",)
    question = await ask_person(turn, PUBLISH)
    await in_memory.answer(question, replace(ALWAYS, rules=rules))
    await turn.resume(question.id)
    assert await would_run(await in_memory.turn(preset), OTHER)

    locked = await ask_person(await in_memory.turn(preset), remove)

    assert not locked.decision.always_offered
    for answer in (ALWAYS, FOR_CHAT):
        with pytest.raises(ConflictError, match="asks every time"):
            await in_memory.answer(locked, answer)
