"""A yes to a task of a pack approves the files that define the task, as the question showed them."""

import pytest

from assent.engine.base.tool import Call
from assent.engine.policy.rule import RuleList
from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.calls import Run, Wait
from assent.gate.policy import StoredRule
from tests.gate.samples import ADA, ANA
from tests.gate.scene import GateHarness, ask_person, open_harness


def make(id_: str) -> Call:
    return Call(tool="sh", args={"command": "make test"}, id=id_)


async def prepare_changed_tasks(harness: GateHarness) -> None:
    harness.workspace.changed_tasks = {"/project/Makefile": "1", "/project/pipe": ""}
    await harness.add_rule(RuleList.ALLOW, "sh(@make)")


async def test_a_yes_of_an_administrator_approves_the_shown_content_once() -> None:
    async with open_harness() as harness:
        await prepare_changed_tasks(harness)
        turn = await harness.turn(principal=ADA)
        asked = await ask_person(turn, make("1"))
        harness.workspace.changed_tasks = {"/project/Makefile": "2"}
        await harness.answer(asked, Answer(say=Say.ONCE), ADA)

        assert "`pipe` cannot be read completely" in asked.decision.because
        assert harness.workspace.approved_tasks == {"/project/Makefile": "1"}
        again = await ask_person(turn, make("2"))
        assert "the present content of `Makefile`" in again.decision.because
        await harness.answer(again, Answer(say=Say.ONCE), ADA)
        assert isinstance(await turn.submit(make("3")), Run)


@pytest.mark.parametrize(
    ("principal", "answer"),
    [
        (ANA, Answer(say=Say.ONCE)),
        (ADA, Answer(say=Say.DENY)),
        (ADA, Answer(say=Say.ONCE, args={"command": "make lint"})),
    ],
)
async def test_other_answers_approve_no_file(principal: Principal, answer: Answer) -> None:
    async with open_harness() as harness:
        await prepare_changed_tasks(harness)
        turn = await harness.turn()
        asked = await ask_person(turn, make("1"))
        await harness.answer(asked, answer, principal)

        assert harness.workspace.approved_tasks == {}
        assert isinstance(await turn.submit(make("2")), Wait)


async def test_a_preview_shows_what_a_pack_would_have_avoided() -> None:
    async with open_harness() as harness:
        harness.workspace.changed_tasks = {"/project/Makefile": "1"}
        turn = await harness.turn(principal=ADA)
        asked = await ask_person(turn, make("1"))
        rule = StoredRule(id="", list=RuleList.ALLOW, text="sh(@make)", by="")

        found = await harness.gate.policy.preview_rules(ADA, [rule])

        assert [one.id for one in found.covered] == [asked.id]
