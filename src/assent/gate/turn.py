"""A turn: one run of an agent in a conversation, and what it does with a call."""

import asyncio
import contextlib
from dataclasses import replace
from datetime import datetime
from time import perf_counter

from assent.engine.model import Call, Tool
from assent.engine.verdict import Stage, Verdict
from assent.errors import ConflictError, LimitError, NotFoundError, StoreError
from assent.gate.access import Subject
from assent.gate.approval import Approval, State, can_take
from assent.gate.binding import owned
from assent.gate.budget import over_budget
from assent.gate.judge import Judge, Judged, Seat
from assent.gate.mark import fresh, keyed
from assent.gate.outcome import Applied, Outcome, Refuse, Run, Wait, ending, over_limit, refusal
from assent.gate.pauses import Pauses
from assent.gate.ports import Store, Which
from assent.gate.preset import Delivery
from assent.gate.propose import Proposals
from assent.gate.questions import Questions
from assent.gate.record import verdict_entry

_MOST_TRIES = 16
"""How often others may use up a counted grant before us before we give up."""


class Turn:
    """One run of an agent: the mode and the preset are those it began with."""

    def __init__(
        self,
        seat: Seat,
        store: Store,
        judge: Judge,
        questions: Questions,
        proposals: Proposals,
        pauses: Pauses,
    ) -> None:
        self.seat = seat
        self._store = store
        self._judge = judge
        self._questions = questions
        self._proposals = proposals
        self._pauses = pauses

    @property
    def id(self) -> str:
        """The turn's own id."""
        return self.seat.turn

    def claiming(self, nonce: str, *, token: str = "") -> "Turn":
        """The same turn, for a caller that may lose a reply: with this nonce it gets its claim again.

        A nonce is random, is kept as a digest only, and is bound to whose token it came with.
        """
        bound = (self.seat.principal.kind, self.seat.principal.id, token)
        digest = keyed(self._store.secret, "claim", *bound, nonce) if nonce else ""
        seat = replace(self.seat, nonce=digest)
        return Turn(seat, self._store, self._judge, self._questions, self._proposals, self._pauses)

    async def visible_tools(self) -> tuple[Tool, ...]:
        """The tools that the model may see."""
        return await self._judge.visible(self.seat)

    async def submit(self, call: Call) -> Outcome:
        """Decide a call. Never waits for a person; the same call again is the same question."""
        return await self._submit(own(self.seat, call), known=bool(call.id))

    async def check(self, call: Call) -> Run | Refuse | Applied:
        """Submit, wait for the answer, and take the call: for callers that can block."""
        owned_call = own(self.seat, call)
        try:
            outcome = await self._submit(owned_call, known=bool(call.id))
        except asyncio.CancelledError:
            # The question may have been put by now.
            await self._give_up(self._questions.id(self.seat, owned_call))
            raise
        return await self.wait(outcome.approval) if isinstance(outcome, Wait) else outcome

    async def wait(self, approval: Approval) -> Run | Refuse:
        """Wait for the answer to a question of this turn, and take the call."""
        self._check_own(approval)
        try:
            return await self._waited(approval)
        except asyncio.CancelledError:
            await self._give_up(approval.id)
            raise

    async def resume(self, id: str) -> Run | Refuse | Wait:
        """Take an answered call once, after deciding again on what is true now."""
        approval = await self._waiting_or_whole(id)
        return await self._come_to(approval, (await self._store.moment()).at)

    async def watch(self, id: str, seconds: float) -> None:
        """Wait at most so long for what would change what `resume` says; takes nothing, gives nothing up."""
        approval = await self._waiting_or_whole(id)
        paused = (await self._store.moment()).paused
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                if paused and can_take(approval, self.seat.nonce):
                    await self._pauses.over()
                elif paused and approval.decision.is_only_paused:
                    await self._pauses.over_or_answered(approval)
                elif not await self._pauses.is_over_for(self.seat, approval):
                    await self._questions.answered(approval)

    async def _waiting_or_whole(self, id: str) -> Approval:
        """An approval of this turn; who only waits holds no more of a large question than a list does."""
        approval = (await self._store.excerpt(id)).approval
        self._check_own(approval)
        is_only_waiting = approval.state is State.PENDING and not approval.decision.is_only_paused
        return approval if is_only_waiting else await self._store.approval(id)

    async def end(self, why: str = "the turn ended") -> None:
        """Take back what this turn still waits for; a suspended or proposed call outlives it."""
        if self.seat.delivery is Delivery.WAIT:
            await self._questions.withdraw_all(Which(turn=self.id), why)

    async def _waited(self, approval: Approval) -> Run | Refuse:
        """Wait for the answer and, while every agent is paused, for the end of that."""
        outcome: Run | Refuse | Wait = Wait(approval=approval)
        if approval.decision.is_only_paused:
            approval = await self._pauses.over_or_answered(approval)
            outcome = await self._come_to(approval, (await self._store.moment()).at)
        while isinstance(outcome, Wait):
            approval = await self._pauses.over_or_ended(outcome.approval)
            outcome = await self._take(await self._questions.answered(approval))
        return outcome

    async def _submit(self, call: Call, *, known: bool) -> Outcome:
        start = perf_counter()
        refused = await over_budget(self._store, self.seat.principal, self.seat.ground.preset.budget)
        if refused is not None:
            return refused
        judged = await self._judged(owned(call))
        self._store.record(verdict_entry(self.seat, judged))
        self._questions.observer.decided(self.seat, judged, perf_counter() - start)
        proposing = self.seat.delivery is Delivery.PROPOSE
        match judged.decision.verdict:
            case Verdict.RUN if proposing and self._proposals.concern(judged):
                return await self._proposals.run(self.seat, judged)
            case Verdict.RUN:
                return await self._run(judged, known=known)
            case Verdict.ASK if proposing:
                return await self._proposals.propose(self.seat, judged)
            case Verdict.ASK:
                return await self._ask(judged)
            case Verdict.DENY | Verdict.ABSENT:
                return refusal(judged.decision)

    async def _give_up(self, id: str) -> None:
        """The caller is gone: a yes that comes later must not run anything."""
        with contextlib.suppress(NotFoundError, StoreError):
            await asyncio.shield(self._questions.withdraw(id, "its caller is gone"))

    async def _judged(self, call: Call) -> Judged:
        """Decide, and use up the counted grants that the verdict needs; when one is gone, decide anew."""
        for _ in range(_MOST_TRIES):
            judged = await self._judge.judge(self.seat, call)
            if not judged.counted or await self._judge.use(judged.counted):
                return judged
        raise ConflictError("the grants for this call kept being used up by others; try again")

    async def _run(self, judged: Judged, *, known: bool) -> Run | Wait | Refuse:
        """Let a call run; one that was a question once runs by its answer, and so at most once."""
        only_reads = any(step.stage is Stage.READ for step in judged.decision.steps)
        asked = await self._questions.asked(self.seat, judged) if known and not only_reads else None
        if asked is None:
            return Run(call=judged.call, decision=judged.decision)
        return await self._come_to(asked, judged.current.at)

    async def _ask(self, judged: Judged) -> Wait | Run | Refuse:
        try:
            approval = await self._questions.ask(self.seat, judged)
        except LimitError as error:
            return over_limit(error)
        if judged.decision.is_paused and approval.state is State.PENDING:
            return Wait(approval=approval)
        return await self._come_to(approval, judged.current.at)

    async def _come_to(self, approval: Approval, at: datetime) -> Run | Refuse | Wait:
        """What there is for a question that may have been answered, or may have ended, by now."""
        approval = await self._questions.settled(approval, at)
        if approval.state is not State.PENDING:
            return await self._take(approval)
        if approval.decision.is_only_paused:
            return await self._pauses.go_on(self.seat, approval)
        return Wait(approval=approval)

    async def _take(self, approval: Approval) -> Run | Refuse | Wait:
        self._check_own(approval)
        if not can_take(approval, self.seat.nonce):
            return ending(approval)
        try:
            return await self._questions.take(self.seat, approval, self.seat.ground.preset)
        except StoreError:
            if not self.seat.nonce:
                raise
        # The store could not say whether the call was taken; with a nonce that can be asked.
        again = await self._store.approval(approval.id)
        return await self._questions.take(self.seat, again, self.seat.ground.preset)

    def _check_own(self, approval: Approval) -> None:
        """What this agent did not ask, here and for this person, does not exist for it."""
        known = self.seat.conversation
        if approval.subject != Subject(owner=known.owner, conversation=known.id, agent=self.seat.agent):
            raise NotFoundError("approval", approval.id)


def own(seat: Seat, call: Call) -> Call:
    """Who calls is what the turn says, whatever the call says."""
    return replace(
        call,
        id=call.id or fresh(),
        agent=seat.agent,
        conversation=seat.conversation.id,
        user=seat.principal.user,
    )
