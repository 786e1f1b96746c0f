"""The judge: each call on the policy, the rights and the facts of its moment, for whoever sits in the turn."""

from dataclasses import replace

import pytest

from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.lines.specifier import InputSource
from assent.engine.policy.verdict import Stage, Verdict
from assent.errors import StoreError
from assent.gate.access import Principal
from assent.gate.calls import Refuse, Run, Wait
from assent.gate.catalog import Catalog, DeclaredTool, Trust
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
    ImaginedWorkspace,
    Scene,
    ask_person,
    would_run,
)

FEED = Call(tool="sh", args={"command": "psql shop < seed.sql"})


class Rights:
    """An authorizer with a fixed set of missing rights."""

    def __init__(self, *lacking: str) -> None:
        self.lacking = set(lacking)
        self.asked: list[tuple[str, str]] = []
        self.broken = False

    async def missing(self, principal: Principal, tool: Tool) -> str | None:
        self.asked.append((principal.user, tool.name))
        if self.broken:
            raise ConnectionError("the directory does not answer")
        return f"use {tool.name}" if tool.name in self.lacking else None


def a_decider(scene: Scene) -> Decider:
    catalog = Catalog()
    for tool in TOOLS:
        catalog.add(DeclaredTool(tool=tool))
    return Decider(scene.store, catalog, ImaginedWorkspace(), None)


def with_identity(turn: Turn, call: Call) -> Call:
    seat = turn.context
    return replace(call, agent=seat.agent, conversation=seat.conversation.id, user=seat.principal.user)


async def test_a_judgement_holds_all_that_it_was_made_on(in_memory: Scene) -> None:
    turn = await in_memory.turn()
    call = with_identity(turn, PUBLISH)

    judged = await a_decider(in_memory).decide(turn.context, call)

    assert (judged.call, judged.decision.verdict, judged.decision.stage) == (call, Verdict.ASK, Stage.MODE)
    assert judged.facts.place.cwd == "/project"
    assert judged.call_digest == digest_of_call(call, "/project", TOOLS[-1])
    assert judged.policy.version == (await in_memory.store.moment()).version
    assert (judged.counted_grants, judged.rule_origin) == ((), "")


@pytest.mark.proves("T-3")
async def test_the_digest_is_of_the_tool_the_arguments_the_place_and_whose_call_it_is(
    in_memory: Scene,
) -> None:
    turn = await in_memory.turn()
    call = with_identity(turn, PUBLISH)
    judge = a_decider(in_memory)
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
async def test_a_tool_beyond_the_persons_rights_is_absent(in_memory: Scene) -> None:
    rights = Rights("mail.send")
    scene = Scene(in_memory.store, in_memory.clock, authorizer=rights)
    turn = await scene.turn(mode="auto", principal=CLERK)

    assert isinstance(await turn.submit(SEND), Refuse)
    assert "mail.send" not in {tool.name for tool in await turn.visible_tools()}
    assert {who for who, _ in rights.asked} == {"ana"}


async def test_rights_that_cannot_be_looked_up_run_nothing(in_memory: Scene) -> None:
    rights = Rights()
    scene = Scene(in_memory.store, in_memory.clock, authorizer=rights)
    turn = await scene.turn(mode="auto")
    rights.broken = True

    with pytest.raises(ConnectionError):
        await turn.submit(PUT)
    with pytest.raises(ConnectionError):
        await turn.visible_tools()


@pytest.mark.proves("T-14")
async def test_a_right_lost_while_a_question_waits_stops_the_call(in_memory: Scene) -> None:
    rights = Rights()
    scene = Scene(in_memory.store, in_memory.clock, authorizer=rights)
    turn = await scene.turn()
    question = await ask_person(turn, PUT)
    await scene.gate.answer(ANA, question.id, question.digest, ONCE)
    rights.lacking.add("note.put")

    assert isinstance(await turn.resume(question.id), Refuse)


@pytest.mark.proves("T-31")
async def test_what_the_person_above_may_not_use_is_absent_below(in_memory: Scene) -> None:
    scene = Scene(in_memory.store, in_memory.clock, authorizer=Rights("note.put"))
    above = await scene.turn(mode="auto", agent="lead")
    below = await scene.turn(mode="auto", agent="worker", parent=above)

    assert isinstance(await below.submit(PUT), Refuse)


# ---- grants of this process -----------------------------------------------------------------


async def test_what_is_held_counts_here_and_for_whom_it_names_until_it_is_let_go(in_memory: Scene) -> None:
    judge = a_decider(in_memory)
    turn, cook = await in_memory.turn(), await in_memory.turn(agent="cook")
    judge.keep_grants(
        [StoredGrant(id="g1", pattern="note.put", lifetime=Lifetime.RESTART, by="ana", agent="clerk")]
    )

    async def verdicts() -> list[Verdict]:
        judged = [await judge.decide(one.context, with_identity(one, PUT)) for one in (turn, cook)]
        return [one.decision.verdict for one in judged]

    held = await verdicts()
    assert [judge.drop_grant("g1"), judge.drop_grant("g1")] == [True, False]
    assert (held, await verdicts()) == ([Verdict.RUN, Verdict.ASK], [Verdict.ASK, Verdict.ASK])


async def test_a_grant_of_another_process_does_not_count_even_where_a_store_kept_it(scene: Scene) -> None:
    await scene.store.add_policy(
        [StoredGrant(id="g1", pattern="note.put", lifetime=Lifetime.RESTART, boot="another", by="ana")]
    )

    assert not await would_run(await scene.turn(), PUT)


async def test_only_the_counted_grants_that_are_needed_are_named(in_memory: Scene) -> None:
    await in_memory.store.add_policy(
        [
            StoredGrant(id="put", pattern="note.put", lifetime=Lifetime.USES, uses=1, by="ana"),
            StoredGrant(id="put-too", pattern="note.put", lifetime=Lifetime.USES, uses=1, by="ana"),
            StoredGrant(id="send", pattern="mail.send", lifetime=Lifetime.USES, uses=1, by="ana"),
        ]
    )
    turn = await in_memory.turn()
    judge = a_decider(in_memory)

    named = [
        (await judge.decide(turn.context, with_identity(turn, call))).counted_grants
        for call in (PUT, SEND, READ, PUBLISH)
    ]

    assert [len(one) for one in named] == [1, 1, 0, 0]
    assert named[1] == ("send",)


# ---- whose tools ----------------------------------------------------------------------------


@pytest.mark.proves("T-31")
async def test_a_sub_agents_own_tool_is_not_unknown_because_its_parent_has_none(in_memory: Scene) -> None:
    in_memory.gate.offer(DeclaredTool(tool=Tool(name="dig", effect=Effect.WRITE), agent="worker"))
    above = await in_memory.turn(mode="auto", agent="lead")
    below = await in_memory.turn(mode="auto", agent="worker", parent=above)

    assert isinstance(await below.submit(Call(tool="dig", args={})), Run)
    assert isinstance(await above.submit(Call(tool="dig", args={})), Refuse)


async def test_what_policy_says_of_a_tool_is_not_lowered_by_a_declaration(in_memory: Scene) -> None:
    in_memory.gate.offer(DeclaredTool(tool=Tool(name="terminal.exec", effect=Effect.READ)))
    await in_memory.gate.declare(
        DeclaredTool(tool=Tool(name="Bash", effect=Effect.READ, origin="page"), trust=Trust.CLIENT)
    )
    turn = await in_memory.turn()

    outcomes = [
        await turn.submit(Call(tool=name, args={"command": "x"})) for name in ("terminal.exec", "Bash")
    ]

    assert [type(one) for one in outcomes] == [Wait, Wait]


async def test_a_call_that_names_no_path_is_decided_without_the_file_system(in_memory: Scene) -> None:
    turn = await in_memory.turn()

    async def broken(*given: object) -> None:
        raise StoreError("the share is not mounted")

    in_memory.workspace.facts = broken  # type: ignore[method-assign,assignment]

    assert isinstance(await turn.submit(SEND), Wait)


async def test_facts_that_cannot_be_gathered_run_nothing(in_memory: Scene) -> None:
    turn = await in_memory.turn(mode="auto")

    async def broken(*given: object) -> None:
        raise StoreError("the share is not mounted")

    in_memory.workspace.facts = broken  # type: ignore[method-assign,assignment]

    with pytest.raises(StoreError):
        await turn.submit(PUBLISH)


async def test_a_person_is_shown_what_a_command_is_fed(in_memory: Scene) -> None:
    turn = await in_memory.turn()

    judged = await a_decider(in_memory).decide(turn.context, with_identity(turn, FEED))

    (fed,) = judged.decision_with_pieces.inputs
    assert (fed.source, fed.commands, fed.path) == (InputSource.FILE, ("psql shop",), "seed.sql")
    assert judged.decision.inputs == ()
