"""Pauses: what waits only because every agent was stopped, and how it goes on."""

import asyncio
from contextlib import suppress
from datetime import timedelta
from typing import Any

from assent.engine.verdict import Verdict
from assent.errors import ConflictError, MovedOnError
from assent.gate import approval as moves
from assent.gate.approval import Answer, Approval, Say, State
from assent.gate.judge import Judge, Judged, Seat
from assent.gate.outcome import Refuse, Run, Wait, ending
from assent.gate.ports import Changed, Store
from assent.gate.questions import PolicyMoved, Questions
from assent.gate.record import verdict_entry
from assent.gate.taking import AFTER_PAUSE

POLL = 2.0
"""Seconds after which whoever waits for the end of a pause looks, notice or not."""
_MOST_TRIES = 16
"""How often policy may change while a call is being taken before we give up."""


class Pauses:
    """Lets calls go on after a pause; however many wait for that in a process, one of them looks."""

    def __init__(self, store: Store, judge: Judge, questions: Questions) -> None:
        self._store = store
        self._judge = judge
        self._questions = questions
        self._look: asyncio.Task[None] | None = None

    async def over(self) -> None:
        """Come back when nothing is paused."""
        if self._look is None or self._look.done():
            self._look = asyncio.create_task(self._looking(), name="assent pause")
        # Whoever gives up waiting does not stop the others from waiting.
        await asyncio.shield(self._look)

    async def over_or_ended(self, approval: Approval) -> Approval:
        """Come back when nothing is paused, or when a yes that is kept has come to nothing meanwhile."""
        while approval.state is State.APPROVED:
            try:
                async with asyncio.timeout(POLL):
                    await self.over()
                break
            except TimeoutError:
                approval = await self._store.approval(approval.id)
        return approval

    async def over_or_answered(self, approval: Approval) -> Approval:
        """Come back when nothing is paused, or a person has answered meanwhile."""
        waits: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(self.over()),
            asyncio.ensure_future(self._questions.answered(approval)),
        ]
        try:
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
        for one in done:
            one.result()
        return await self._store.approval(approval.id)

    async def is_over_for(self, seat: Seat, approval: Approval) -> bool:
        """Whether only a pause held a call that would go on by itself now: there is nobody to wait for."""
        if approval.state is not State.PENDING or not approval.decision.is_only_paused:
            return False
        return (await self._judge.judge(seat, approval.call)).decision.verdict is not Verdict.ASK

    async def go_on(self, seat: Seat, approval: Approval) -> Run | Refuse | Wait:
        """Decide again about a call that only a pause held: it runs, or a person is asked after all."""
        for _ in range(_MOST_TRIES):
            judged = await self._judge.judge(seat, approval.call)
            try:
                if judged.call_digest != approval.call_digest or judged.decision.verdict > Verdict.ASK:
                    return await self._questions.stop(approval.id, judged.decision.because, judged)
                if judged.decision.verdict is Verdict.ASK:
                    return await self._ask_on(seat, approval, judged)
                if not judged.counted or await self._judge.use(judged.counted):
                    run = await self._questions.claim(
                        approval.id, judged, moves.taken_automatically, nonce=seat.nonce
                    )
                    self._store.record(verdict_entry(seat, judged))
                    return run
            except PolicyMoved:
                continue
            except MovedOnError:
                return await self._come_to(seat, await self._questions.ended(approval.id))
        raise ConflictError(f"policy kept changing while approval `{approval.id}` was being taken; try again")

    async def release(self, approval: Approval, by: str) -> None:
        """Let a call that only a pause held be taken by whoever comes for it."""
        answer = Answer(say=Say.ONCE, by=by, released_by=AFTER_PAUSE)
        with suppress(MovedOnError):
            await self._store.change(
                approval.id, lambda one, moment: Changed(moves.released(one, answer, at=moment.at))
            )

    async def _ask_on(self, seat: Seat, approval: Approval, judged: Judged) -> Wait:
        """Wait for a person from now on, or still for the end of the pause."""
        seconds = seat.ground.preset.expires_after
        if judged.decision.is_only_paused or seconds is None:
            return Wait(approval=approval)
        left = timedelta(seconds=seconds)
        asked = await self._store.change(
            approval.id, lambda one, moment: Changed(moves.asked_on(one, moment.at + left, at=moment.at))
        )
        return Wait(approval=asked)

    async def _come_to(self, seat: Seat, now: Approval) -> Run | Refuse | Wait:
        """What there is for a question that moved on while its call was decided again."""
        if moves.can_take(now, seat.nonce):
            return await self._questions.take(seat, now, seat.ground.preset)
        return Wait(approval=now) if now.state is State.PENDING else ending(now)

    async def _looking(self) -> None:
        while True:
            stirs = self._store.stirs
            if not (await self._store.moment()).paused:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(POLL):
                    await self._store.stirred(stirs)
