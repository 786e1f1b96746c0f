"""If any one call of the store fails, before or after its work, nothing runs without approval or twice."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from assent.engine.policy.snapshot import Tier
from assent.errors import AssentError, StoreError
from assent.gate.answer import Answer
from assent.gate.approval import State
from assent.gate.calls import Applied, Outcome, Refuse, Run, Wait
from assent.gate.store import Store
from assent.stores.memory.store import MemoryStore
from tests.gate.samples import ADA, ANA
from tests.gate.scene import ALWAYS, DENY, FOR_CHAT, ONCE, PUBLISH, PUT, GateHarness
from tests.gate.test_proposals import NotesHarness
from tests.stores.promises.given import SetClock

Result = TypeVar("Result")
ASYNC_METHODS = (
    "stored_policy", "moment", "add_approval", "change_approval", "approval", "approvals", "wait_for_answer",
    "set_tiers", "tiers", "add_policy", "revoke", "grants", "rules", "use_grants", "pin_definitions",
    "save_conversation", "conversation",
)  # fmt: skip


class FailingStore:
    """A store whose n-th call fails, before or after it was carried out."""

    def __init__(self, store: Store, nth: int, *, done: bool) -> None:
        self.calls = 0
        self._store = store
        self._nth = nth
        self._done = done

    def __getattr__(self, name: str) -> object:
        found = getattr(self._store, name)
        return self._count_calls(found) if name in ASYNC_METHODS else found

    def _count_calls(self, method: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
        async def call(*args: object, **kwargs: object) -> object:
            self.calls += 1
            if self.calls != self._nth:
                return await method(*args, **kwargs)
            if self._done:
                await method(*args, **kwargs)
            raise StoreError("the database is not there; start it again")

        return call


async def try_call(step: Callable[[], Awaitable[Result]]) -> Result | None:
    """Do a step like a caller: retry after a store error, a limited number of times."""
    for _ in range(3):
        try:
            return await step()
        except StoreError:
            continue
    return None


async def run_call(
    harness: GateHarness, inner: MemoryStore, answer: Answer
) -> tuple[list[str], Outcome | None]:
    """Ask, answer, claim and report; return the executed calls, each with an existing claim."""
    executed: list[str] = []
    turn = await try_call(harness.turn)
    assert turn is not None
    outcome = await try_call(lambda: turn.submit(PUBLISH))
    if isinstance(outcome, Wait):
        question = outcome.approval
        await try_call(lambda: harness.answer(question, answer))
        outcome = await try_call(lambda: turn.resume(question.id))
    if isinstance(outcome, Run):
        run = outcome
        # INVARIANT: a call that runs was approved by a person and claimed before.
        held = await inner.approval(run.approval)
        assert (held.state, held.claim) == (State.RUNNING, run.claim)
        assert held.answer is not None
        assert held.answer.yes
        executed.append(run.call.id)
        await try_call(lambda: harness.gate.report(run.approval, run.claim))
    for again in (lambda: turn.submit(PUBLISH), lambda: turn.resume(id_of_only_approval(inner))):
        try:
            more = await try_call(again)
        except AssentError:
            continue
        if isinstance(more, Run) and more.approval:
            executed.append(more.call.id)
    return executed, outcome


def id_of_only_approval(inner: MemoryStore) -> str:
    return next(iter(inner._approvals), "")


@pytest.mark.proves("R-12", "R000-53", "T-3")
@pytest.mark.parametrize("answer", [ONCE, ALWAYS, FOR_CHAT, DENY], ids=lambda one: one.say)
@pytest.mark.parametrize("done", [False, True], ids=["not done", "done unheard"])
async def test_if_any_store_call_fails_nothing_runs_without_a_claim_or_twice(
    answer: Answer, done: bool
) -> None:
    ran: list[int] = []
    for nth in range(1, 200):
        clock = SetClock()
        inner = MemoryStore(clock=clock)
        store = FailingStore(inner, nth, done=done)
        harness = GateHarness(store, clock)  # type: ignore[arg-type]

        executed, outcome = await run_call(harness, inner, answer)

        assert len(executed) <= (1 if answer.yes else 0)
        assert isinstance(outcome, Run | Refuse | Wait) or outcome is None
        ran.append(len(executed))
        if store.calls < nth:
            break
    else:
        pytest.fail("the cycle never came to its end")
    # Without a fault the call runs; with a fault it also runs, unless the reply to the claim was lost.
    assert ran[-1] == (1 if answer.yes else 0)
    assert sum(ran) >= (len(ran) - 2 if answer.yes else 0)
    assert len(ran) >= 8


@pytest.mark.proves("R-12")
@pytest.mark.parametrize("mode", ["approve", "auto"])
@pytest.mark.parametrize("done", [False, True], ids=["not done", "done unheard"])
async def test_if_any_store_call_fails_a_proposal_is_applied_at_most_once(mode: str, done: bool) -> None:
    for nth in range(1, 200):
        clock = SetClock()
        store = FailingStore(MemoryStore(clock=clock), nth, done=done)
        notes_harness = NotesHarness(store, clock)

        turn = await try_call(lambda notes_harness=notes_harness: notes_harness.turn("propose", mode=mode))
        assert turn is not None
        outcome = await try_call(lambda turn=turn: turn.submit(PUT))
        if isinstance(outcome, Wait):
            token = outcome.token
            outcomes = [
                await try_call(
                    lambda notes_harness=notes_harness, token=token: notes_harness.gate.apply_proposal(
                        ANA, token
                    )
                )
                for _ in range(2)
            ]
            assert sum(isinstance(one, Applied) for one in outcomes) <= 1

        assert len(notes_harness.notes.ran) <= 1
        if store.calls < nth:
            assert notes_harness.notes.ran == [("ana", "note.put")]
            return
    pytest.fail("the cycle never came to its end")


@pytest.mark.proves("R-12", "T-14")
@pytest.mark.parametrize("done", [False, True], ids=["not done", "done unheard"])
async def test_if_any_store_call_fails_a_blocked_call_does_not_run(done: bool) -> None:
    for nth in range(1, 200):
        clock = SetClock()
        inner = MemoryStore(clock=clock)
        healthy = GateHarness(inner, clock)
        turn = await healthy.turn()
        outcome = await turn.submit(PUT)
        assert isinstance(outcome, Wait)
        await healthy.answer(outcome.approval, ONCE)
        await healthy.gate.policy.set_tiers(ADA, "clerk", {"note.put": Tier.BLOCKED})
        store = FailingStore(inner, nth, done=done)
        failing = GateHarness(store, clock)  # type: ignore[arg-type]

        later = await try_call(failing.turn)
        assert later is not None
        id = outcome.approval.id
        taken = await try_call(lambda later=later, id=id: later.resume(id))

        assert isinstance(taken, Refuse)
        if store.calls < nth:
            return
    pytest.fail("the cycle never came to its end")
