"""The decider decides each call on the current policy, rights and facts of its turn."""

from dataclasses import replace

import pytest

from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.lines.specifier import InputSource
from assent.engine.policy.verdict import Stage, Verdict
from assent.errors import StoreError
from assent.gate.access import Principal
from assent.gate.calls import Refuse, Run, Wait
from assent.gate.catalog import Catalog, DeclaredTool, TrustLevel
from assent.gate.decider import Decider
from assent.gate.ids import digest_of_call
from assent.gate.policy import StoredGrant
from assent.gate.preset import Lifetime
from assent.gate.turn import Turn
from tests.gate.samples import ANA, CLERK
from tests.gate.scene import (
    ONCE,
    PUBLISH,
    PUT,
    READ,
    SEND,
    TOOLS,
    GateHarness,
    ImaginedWorkspace,
    ask_person,
    does_call_run,
)

FEED_CALL = Call(tool="sh", args={"command": "psql shop < seed.sql"})


class MissingRights:
    """An authorizer with a fixed set of missing rights."""

    def __init__(self, *lacking: str) -> None:
        self.lacking = set(lacking)
        self.asked: list[tuple[str, str]] = []
        self.broken = False

    async def missing_right(self, principal: Principal, tool: Tool) -> str | None:
        self.asked.append((principal.user, tool.name))
        if self.broken:
            raise ConnectionError("the directory does not answer")
        return f"use {tool.name}" if tool.name in self.lacking else None


def sample_decider(harness: GateHarness) -> Decider:
    catalog = Catalog()
    for tool in TOOLS:
        catalog.add(DeclaredTool(tool=tool))
    return Decider(harness.store, catalog, ImaginedWorkspace(), None)


def with_identity(turn: Turn, call: Call) -> Call:
    seat = turn.context
    return replace(call, agent=seat.agent, conversation=seat.conversation.id, user=seat.principal.user)


async def test_a_decided_call_contains_the_policy_and_facts_of_its_decision(
    memory_harness: GateHarness,
) -> None:
    turn = await memory_harness.turn()
    call = with_identity(turn, PUBLISH)

    judged = await sample_decider(memory_harness).decide(turn.context, call)

    assert (judged.call, judged.decision.verdict, judged.decision.stage) == (call, Verdict.ASK, Stage.MODE)
    assert judged.facts.directories.cwd == "/project"
    assert judged.call_digest == digest_of_call(call, "/project", TOOLS[-1])
    assert judged.policy.version == (await memory_harness.store.moment()).version
    assert (judged.counted_grants, judged.rule_origin) == ((), "")


@pytest.mark.proves("T-3")
async def test_the_digest_covers_the_tool_the_arguments_the_directory_and_the_caller(
    memory_harness: GateHarness,
) -> None:
    turn = await memory_harness.turn()
    call = with_identity(turn, PUBLISH)
    judge = sample_decider(memory_harness)
    judged = await judge.decide(turn.context, call)

    others = [
        digest_of_call(replace(call, args={"command": "make publish "}), "/project", judged.tool),
        digest_of_call(replace(call, agent="cook"), "/project", judged.tool),
        digest_of_call(replace(call, conversation="c2"), "/project", judged.tool),
        digest_of_call(call, "/project/sub", judged.tool),
        digest_of_call(call, "/project", replace(judged.tool, description="Runs anything.")),
        digest_of_call(replace(call, tool="bash"), "/project", judged.tool),
    ]

    assert len({judged.call_digest, *others}) == 7
    assert digest_of_call(replace(call, id="another"), "/project", judged.tool) == judged.call_digest


# ---- rights ---------------------------------------------------------------------------------


@pytest.mark.proves("R001-20")
async def test_a_tool_without_the_persons_right_is_absent(memory_harness: GateHarness) -> None:
    rights = MissingRights("mail.send")
    harness = GateHarness(memory_harness.store, memory_harness.clock, authorizer=rights)
    turn = await harness.turn(mode="auto", principal=CLERK)

    assert isinstance(await turn.submit(SEND), Refuse)
    assert "mail.send" not in {tool.name for tool in await turn.visible_tools()}
    assert {who for who, _ in rights.asked} == {"ana"}


async def test_if_rights_cannot_be_read_nothing_runs(memory_harness: GateHarness) -> None:
    rights = MissingRights()
    harness = GateHarness(memory_harness.store, memory_harness.clock, authorizer=rights)
    turn = await harness.turn(mode="auto")
    rights.broken = True

    with pytest.raises(ConnectionError):
        await turn.submit(PUT)
    with pytest.raises(ConnectionError):
        await turn.visible_tools()


@pytest.mark.proves("T-14")
async def test_a_right_that_is_lost_while_an_approval_is_pending_stops_the_call(
    memory_harness: GateHarness,
) -> None:
    rights = MissingRights()
    harness = GateHarness(memory_harness.store, memory_harness.clock, authorizer=rights)
    turn = await harness.turn()
    question = await ask_person(turn, PUT)
    await harness.gate.answer(ANA, question.id, question.digest, ONCE)
    rights.lacking.add("note.put")

    assert isinstance(await turn.resume(question.id), Refuse)


@pytest.mark.proves("T-31")
async def test_a_tool_that_is_absent_for_the_parent_is_absent_for_its_sub_agent(
    memory_harness: GateHarness,
) -> None:
    harness = GateHarness(memory_harness.store, memory_harness.clock, authorizer=MissingRights("note.put"))
    above = await harness.turn(mode="auto", agent="lead")
    below = await harness.turn(mode="auto", agent="worker", parent=above)

    assert isinstance(await below.submit(PUT), Refuse)


# ---- grants of this process -----------------------------------------------------------------


async def test_a_process_grant_applies_to_its_scope_until_it_is_dropped(memory_harness: GateHarness) -> None:
    judge = sample_decider(memory_harness)
    turn, cook = await memory_harness.turn(), await memory_harness.turn(agent="cook")
    judge.keep_grants(
        [StoredGrant(id="g1", pattern="note.put", lifetime=Lifetime.RESTART, by="ana", agent="clerk")]
    )

    async def read_verdicts() -> list[Verdict]:
        judged = [await judge.decide(one.context, with_identity(one, PUT)) for one in (turn, cook)]
        return [one.decision.verdict for one in judged]

    held = await read_verdicts()
    assert [judge.drop_grant("g1"), judge.drop_grant("g1")] == [True, False]
    assert (held, await read_verdicts()) == ([Verdict.RUN, Verdict.ASK], [Verdict.ASK, Verdict.ASK])


async def test_a_grant_of_another_process_does_not_count_even_if_it_was_stored(harness: GateHarness) -> None:
    await harness.store.add_policy(
        [StoredGrant(id="g1", pattern="note.put", lifetime=Lifetime.RESTART, boot="another", by="ana")]
    )

    assert not await does_call_run(await harness.turn(), PUT)


async def test_only_the_counted_grants_that_a_call_needs_are_listed(memory_harness: GateHarness) -> None:
    await memory_harness.store.add_policy(
        [
            StoredGrant(id="put", pattern="note.put", lifetime=Lifetime.USES, uses=1, by="ana"),
            StoredGrant(id="put-too", pattern="note.put", lifetime=Lifetime.USES, uses=1, by="ana"),
            StoredGrant(id="send", pattern="mail.send", lifetime=Lifetime.USES, uses=1, by="ana"),
        ]
    )
    turn = await memory_harness.turn()
    judge = sample_decider(memory_harness)

    named = [
        (await judge.decide(turn.context, with_identity(turn, call))).counted_grants
        for call in (PUT, SEND, READ, PUBLISH)
    ]

    assert [len(one) for one in named] == [1, 1, 0, 0]
    assert named[1] == ("send",)


# ---- whose tools ----------------------------------------------------------------------------


@pytest.mark.proves("T-31")
async def test_a_tool_of_a_sub_agent_is_known_although_its_parent_lacks_it(
    memory_harness: GateHarness,
) -> None:
    memory_harness.gate.offer(DeclaredTool(tool=Tool(name="dig", effect=Effect.WRITE), agent="worker"))
    above = await memory_harness.turn(mode="auto", agent="lead")
    below = await memory_harness.turn(mode="auto", agent="worker", parent=above)

    assert isinstance(await below.submit(Call(tool="dig", args={})), Run)
    assert isinstance(await above.submit(Call(tool="dig", args={})), Refuse)


async def test_a_declaration_does_not_lower_the_effect_that_policy_defines(
    memory_harness: GateHarness,
) -> None:
    memory_harness.gate.offer(DeclaredTool(tool=Tool(name="terminal.exec", effect=Effect.READ)))
    await memory_harness.gate.declare(
        DeclaredTool(tool=Tool(name="Bash", effect=Effect.READ, origin="page"), trust=TrustLevel.CLIENT)
    )
    turn = await memory_harness.turn()

    outcomes = [
        await turn.submit(Call(tool=name, args={"command": "x"})) for name in ("terminal.exec", "Bash")
    ]

    assert [type(one) for one in outcomes] == [Wait, Wait]


async def test_a_call_without_a_path_is_decided_without_the_file_system(memory_harness: GateHarness) -> None:
    turn = await memory_harness.turn()

    async def raise_error(*given: object) -> None:
        raise StoreError("the share is not mounted")

    memory_harness.workspace.facts = raise_error  # type: ignore[method-assign,assignment]

    assert isinstance(await turn.submit(SEND), Wait)


async def test_if_facts_cannot_be_read_nothing_runs(memory_harness: GateHarness) -> None:
    turn = await memory_harness.turn(mode="auto")

    async def raise_error(*given: object) -> None:
        raise StoreError("the share is not mounted")

    memory_harness.workspace.facts = raise_error  # type: ignore[method-assign,assignment]

    with pytest.raises(StoreError):
        await turn.submit(PUBLISH)


async def test_a_person_sees_the_inputs_of_commands(memory_harness: GateHarness) -> None:
    turn = await memory_harness.turn()

    judged = await sample_decider(memory_harness).decide(turn.context, with_identity(turn, FEED_CALL))

    (fed,) = judged.decision_with_pieces.inputs
    assert (fed.source, fed.commands, fed.path) == (InputSource.FILE, ("psql shop",), "seed.sql")
    assert judged.decision.inputs == ()
