"""Only administrators change workspaces; each change is checked, complete and audited."""

import pytest

from assent.engine.base.tool import Call
from assent.errors import ConflictError, ForbiddenError, InputError, NotFoundError
from assent.gate.access import Kind, Principal
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.gate.calls import Run, Wait
from assent.gate.workspaces import MAX_WORKSPACES, RootProof, WantedRoot
from tests.gate.samples import ADA, ANA
from tests.gate.scene import GateHarness

PROOF = RootProof("file", "text")
AGENT = Principal(id="clerk", kind=Kind.AGENT, on_behalf="ana", administrator=True)
SERVICE = Principal(id="robot", kind=Kind.SERVICE, on_behalf="ada", administrator=True)


@pytest.mark.parametrize("principal", [ANA, AGENT, SERVICE])
async def test_nobody_else_than_an_administrator_in_person_changes_workspaces(
    memory_harness: GateHarness, principal: Principal
) -> None:
    admin = memory_harness.gate.workspaces
    await admin.add(ADA, "clerk", WantedRoot("/srv/a"))

    for change in (
        admin.list(principal),
        admin.add(principal, "clerk", WantedRoot("/srv/b")),
        admin.remove(principal, "clerk", "/srv/a"),
        admin.replace(principal, "clerk", []),
    ):
        with pytest.raises(ForbiddenError):
            await change

    assert [one.root for one in await admin.list(ADA)] == ["/srv/a"]


async def test_a_local_workspace_stays_local_if_another_one_is_added(memory_harness: GateHarness) -> None:
    admin = memory_harness.gate.workspaces
    local = await admin.add(ADA, "clerk", WantedRoot("/srv/a", PROOF))

    await admin.add(ADA, "clerk", WantedRoot("/srv/b"))

    assert await admin.list(ADA, "clerk") == [local, *(await admin.list(ADA, "clerk"))[1:]]
    assert [one.remote for one in await admin.list(ADA, "clerk")] == [False, True]


async def test_one_refused_root_changes_nothing(memory_harness: GateHarness) -> None:
    admin = memory_harness.gate.workspaces
    held = await admin.add(ADA, "clerk", WantedRoot("/srv/a"))

    with pytest.raises(InputError):
        await admin.replace(ADA, "clerk", [WantedRoot("/srv/b"), WantedRoot("/")])

    assert await admin.list(ADA) == [held]


async def test_a_root_that_is_listed_twice_is_refused(memory_harness: GateHarness) -> None:
    with pytest.raises(InputError, match="twice"):
        await memory_harness.gate.workspaces.replace(ADA, "", [WantedRoot("/a"), WantedRoot("/a/")])


async def test_a_list_is_replaced_only_if_it_is_the_known_one(memory_harness: GateHarness) -> None:
    admin = memory_harness.gate.workspaces
    held = await admin.add(ADA, "clerk", WantedRoot("/srv/a"))

    with pytest.raises(ConflictError):
        await admin.replace(ADA, "clerk", [], frozenset())
    assert await admin.replace(ADA, "clerk", [], frozenset({held.id})) == []


async def test_a_workspace_that_is_not_registered_cannot_be_removed(memory_harness: GateHarness) -> None:
    await memory_harness.gate.workspaces.add(ADA, "clerk", WantedRoot("/srv/a"))

    with pytest.raises(NotFoundError):
        await memory_harness.gate.workspaces.remove(ADA, "", "/srv/a")


async def test_a_call_that_waits_is_decided_again_in_the_workspace_of_now(
    memory_harness: GateHarness,
) -> None:
    cat = Call(tool="sh", args={"command": "cat notes"}, cwd="/srv/a")
    turn = await memory_harness.turn()
    before = await turn.submit(cat)
    await memory_harness.gate.workspaces.add(ADA, "clerk", WantedRoot("/srv/a"))

    assert (type(before), type(await turn.submit(cat))) == (Wait, Run)


async def test_a_question_whose_project_cannot_be_registered_any_more_ends_as_failed(
    memory_harness: GateHarness,
) -> None:
    gate = memory_harness.gate
    principal = Principal(id="clerk", kind=Kind.AGENT, on_behalf="ana")
    call = await gate.workspace_questions.question_call(principal, "/srv/shop/src")
    assert call is not None
    turn = await gate.begin(principal, conversation="workspaces", agent="clerk")
    asked = await turn.submit(call, confirm="why")
    assert isinstance(asked, Wait)
    await gate.workspaces.replace(ADA, "clerk", [WantedRoot(f"/srv/{one}") for one in range(MAX_WORKSPACES)])

    answered = await gate.answer(ADA, asked.approval.id, asked.approval.digest, Answer(say=Say.ONCE))

    assert (answered.state, answered.note) == (
        State.FAILED,
        f"an agent has at most {MAX_WORKSPACES} workspaces",
    )
    assert await gate.workspace_questions.question_call(ADA, "/srv/shop") is None
