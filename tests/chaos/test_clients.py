"""Clients may disconnect and return, also to another pod: no question is missing, and none was decided."""

import asyncio
import time

import pytest

from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from assent.gate.calls import Run, Wait
from assent.gate.gate import Gate
from chaos.site import Site, begin_turn, make_call, open_site

ANA = Principal(id="ana")
ONCE = Answer(say=Say.ONCE)
MANY = 100
TIMES = 200


async def submit_calls(gate: Gate, agent: str, *names: str) -> list[Approval]:
    """Submit calls with these names; returns their questions."""
    turn = await begin_turn(gate, agent)
    outcomes = [await turn.submit(make_call(name)) for name in names]
    return [outcome.approval for outcome in outcomes if isinstance(outcome, Wait)]


async def list_questions(gate: Gate) -> list[Approval]:
    """All pending questions, as a client lists them."""
    page = await gate.pending_approvals(ANA)
    found = list(page.approvals)
    while page.after:
        page = await gate.pending_approvals(ANA, after=page.after)
        found += page.approvals
    return found


@pytest.mark.proves("R-7")
async def test_a_client_that_reconnects_repeatedly_finds_every_question_complete(site: Site) -> None:
    async with open_site(site) as gate:
        questions = await submit_calls(gate, "clerk", *(f"call-{number}" for number in range(MANY)))
        for number in range(TIMES):
            watching = [
                asyncio.create_task(list_questions(gate)),
                asyncio.create_task(gate.store.wait_for_answer(questions[number % MANY].id)),
            ]
            for _ in range(number % 7):
                await asyncio.sleep(0)
            for one in watching:
                one.cancel()
            await asyncio.gather(*watching, return_exceptions=True)

        started = time.process_time()
        found = await list_questions(gate)
        took = time.process_time() - started
        await gate.store.flush_audit()
        links, _ = await gate.store.audit(limit=10 * MANY)

    assert found == questions
    assert len(found) == MANY
    assert took < 1
    assert {link.entry.decision for link in links} == {""}


@pytest.mark.proves("R-24", "R-7")
async def test_a_client_that_cannot_reach_one_server_finds_its_questions_at_another(site: Site) -> None:
    async with open_site(site) as here, open_site(site) as elsewhere:
        (question,) = await submit_calls(here, "clerk", "call-1")
        waiting = asyncio.create_task((await begin_turn(here, "clerk")).wait(question))

        found = await list_questions(elsewhere)
        answered = await elsewhere.answer(ANA, found[0].id, found[0].digest, ONCE)
        outcome = await asyncio.wait_for(waiting, 60)

    assert found == [question]
    assert answered.state is State.APPROVED
    assert isinstance(outcome, Run)


@pytest.mark.proves("R-24", "R-8")
async def test_an_agent_that_cannot_reach_its_server_claims_its_call_once_at_another(site: Site) -> None:
    async with open_site(site) as here, open_site(site) as elsewhere:
        (question,) = await submit_calls(here, "clerk", "call-1")
        await here.answer(ANA, question.id, question.digest, ONCE)

        outcomes = await asyncio.gather(
            *[(await begin_turn(gate, "clerk")).resume(question.id) for gate in (elsewhere, here, elsewhere)]
        )

    assert [type(outcome) for outcome in outcomes].count(Run) == 1
