"""A turn: one run of an agent in a conversation, and what it does with a call."""

import asyncio
from dataclasses import replace

from assent.engine.model import Call, Tool
from assent.engine.verdict import Verdict
from assent.errors import LimitError, NotFoundError
from assent.gate.approval import Approval, State
from assent.gate.binding import check_call
from assent.gate.judge import Judge, Judged, Seat
from assent.gate.mark import fresh
from assent.gate.outcome import Applied, Code, Outcome, Refuse, Run, Wait, ending, refusal
from assent.gate.ports import Store, Which
from assent.gate.preset import Delivery
from assent.gate.propose import Proposals
from assent.gate.questions import Questions
from assent.gate.record import verdict_entry


class Turn:
    """One run of an agent: the mode and the preset are those it began with."""

    def __init__(
        self, seat: Seat, store: Store, judge: Judge, questions: Questions, proposals: Proposals
    ) -> None:
        self.seat = seat
        self._store = store
        self._judge = judge
        self._questions = questions
        self._proposals = proposals

    @property
    def id(self) -> str:
        """The turn's own id."""
        return self.seat.turn

    async def visible_tools(self) -> tuple[Tool, ...]:
        """The tools that the model may see."""
        return await self._judge.visible(self.seat)

    async def submit(self, call: Call) -> Outcome:
        """Decide a call. Never waits for a person; the same call again is the same question."""
        call = self._own(call)
        check_call(call)
        judged = await self._judged(call)
        self._store.record(verdict_entry(self.seat, judged))
        proposing = self.seat.delivery is Delivery.PROPOSE
        match judged.decision.verdict:
            case Verdict.RUN if proposing and self._proposals.concern(judged):
                return await self._proposals.run(self.seat, judged)
            case Verdict.RUN:
                return Run(call=judged.call, decision=judged.decision)
            case Verdict.ASK if proposing:
                return await self._proposals.propose(self.seat, judged)
            case Verdict.ASK:
                return await self._ask(judged)
            case Verdict.DENY | Verdict.ABSENT:
                return refusal(judged.decision)

    async def check(self, call: Call) -> Run | Refuse | Applied:
        """Submit, wait for the answer, and take the call: for callers that can block."""
        outcome = await self.submit(call)
        return await self.wait(outcome.approval) if isinstance(outcome, Wait) else outcome

    async def wait(self, approval: Approval) -> Run | Refuse:
        """Wait for the answer to a question of this turn, and take the call."""
        try:
            return await self._take(await self._questions.answered(approval.id))
        except asyncio.CancelledError:
            # The caller is gone: a yes that comes later must not run anything.
            await asyncio.shield(self._questions.withdraw(approval.id, "its caller is gone"))
            raise

    async def resume(self, id: str) -> Run | Refuse | Wait:
        """Take an answered call once, after deciding again on what is true now."""
        approval = await self._store.approval(id)
        if (approval.call.conversation, approval.call.agent) != (self.seat.conversation.id, self.seat.agent):
            raise NotFoundError("approval", id)
        return Wait(approval=approval) if approval.state is State.PENDING else await self._take(approval)

    async def end(self, why: str = "the turn ended") -> None:
        """Take back what this turn still waits for; a suspended or proposed call outlives it."""
        if self.seat.delivery is Delivery.WAIT:
            await self._questions.withdraw_all(Which(turn=self.id), why)

    def _own(self, call: Call) -> Call:
        """Who calls is what the turn says, whatever the call says."""
        return replace(
            call,
            id=call.id or fresh(),
            agent=self.seat.agent,
            conversation=self.seat.conversation.id,
            user=self.seat.principal.user,
        )

    async def _judged(self, call: Call) -> Judged:
        """Decide, and use up the counted grants that the verdict needs; when one is gone, decide anew."""
        while True:
            judged = await self._judge.judge(self.seat, call)
            if not judged.counted or await self._store.use(judged.counted):
                return judged

    async def _ask(self, judged: Judged) -> Wait | Run | Refuse:
        try:
            approval = await self._questions.ask(self.seat, judged)
        except LimitError as error:
            return Refuse(code=Code.LIMIT, message=str(error))
        return Wait(approval=approval) if approval.state is State.PENDING else await self._take(approval)

    async def _take(self, approval: Approval) -> Run | Refuse:
        if approval.state is not State.APPROVED:
            return ending(approval)
        return await self._questions.take(self.seat, approval, self.seat.ground.preset)
