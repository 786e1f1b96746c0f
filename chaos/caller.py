"""Acts and their histories: each is written down before it begins and after it ended."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from assent.engine.model import Call
from assent.errors import AssentError, StateError, StoreError
from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval
from assent.gate.gate import Gate
from assent.gate.outcome import Outcome, Refuse, Run, Wait
from assent.gate.turn import Turn
from chaos import effects
from chaos.history import Act, Diary
from chaos.invariants import ASKED, ERROR, MOVED, OK, RUN
from chaos.site import PAUSE, Site

Boundary = Callable[[str], None]
"""Called between two acts, with the name of what comes next; it may not come back."""


def nothing(_next: str) -> None:
    """Go on."""


class Caller:
    """Somebody who makes calls, sees them through and runs them, or answers those of others."""

    def __init__(self, gate: Gate, site: Site, diary: Diary, boundary: Boundary = nothing) -> None:
        self._gate = gate
        self._site = site
        self._diary = diary
        self._boundary = boundary

    async def see_through(self, turn: Turn, call: Call) -> None:
        """Ask, wait, run: until the call has run or will not."""
        while True:
            step, outcome = await self.submit(turn, call)
            if isinstance(outcome, Wait):
                step, outcome = await self.take(turn, call, outcome.approval)
            match outcome:
                case Run():
                    return await self.run(outcome, step)
                case StoreError():
                    await asyncio.sleep(PAUSE)
                case _:
                    return None

    async def submit(self, turn: Turn, call: Call) -> tuple[str, Outcome | AssentError]:
        """Submit a call; what comes of it, or the error."""
        step = self._diary.step()
        await self._diary.tell(Act.SUBMIT, step, call.id, digest=effects.digest_of(call.tool, call.args))
        self._boundary("submit")
        try:
            outcome: Outcome | AssentError = await turn.submit(call)
        except AssentError as error:
            outcome = error
        self._boundary("submitted")
        told = {"outcome": _word(outcome), "approval": _approval(outcome)}
        await self._diary.tell(Act.SUBMIT, step, call.id, **told)
        return step, outcome

    async def take(
        self, turn: Turn, call: Call, approval: Approval
    ) -> tuple[str, Run | Refuse | AssentError]:
        """Wait for the answer, and take the call."""
        step = self._diary.step()
        await self._diary.tell(Act.TAKE, step, call.id, approval=approval.id)
        self._boundary("take")
        try:
            outcome: Run | Refuse | AssentError = await turn.wait(approval)
        except AssentError as error:
            outcome = error
        self._boundary("taken")
        await self._diary.tell(Act.TAKE, step, call.id, approval=approval.id, outcome=_word(outcome))
        return step, outcome

    async def run(self, run: Run, step: str) -> None:
        """Do what the call does, and report it."""
        digest = effects.digest_of(run.call.tool, run.call.args)
        told = {"approval": run.approval, "digest": digest}
        await self._diary.tell(Act.RUN, step, run.call.id, **told)
        self._boundary("run")
        effect = effects.Effect(run.call.id, run.approval or "none", digest, step)
        await asyncio.to_thread(effects.leave, self._site.effects, effect)
        self._boundary("report")
        await self._diary.tell(Act.RUN, step, run.call.id, outcome=OK, **told)
        with suppress(AssentError):  # It has run, whether or not this can be written down.
            await self._gate.report(run.approval, run.claim)
        self._boundary("reported")

    async def answer(self, who: Principal, approval: Approval, say: Say) -> str:
        """Answer a question as it is shown, again where the store fails."""
        while (outcome := await self.answer_once(who, approval, say)) == ERROR:
            await asyncio.sleep(PAUSE)
        return outcome

    async def answer_once(self, who: Principal, approval: Approval, say: Say) -> str:
        """Answer a question as it is shown."""
        step, call = self._diary.step(), approval.call
        digest = effects.digest_of(call.tool, call.args)
        told = {"approval": approval.id, "digest": digest, "say": say.value, "by": who.id}
        await self._diary.tell(Act.ANSWER, step, call.id, **told)
        self._boundary("answer")
        try:
            await self._gate.answer(who, approval.id, approval.digest, Answer(say=say))
            outcome = OK
        except StateError as error:
            outcome = f"{MOVED}:{error.state}:{error.by}"
        except AssentError as error:
            outcome = _word(error)
        self._boundary("answered")
        await self._diary.tell(Act.ANSWER, step, call.id, outcome=outcome, **told)
        return outcome


def _word(outcome: object) -> str:
    match outcome:
        case Wait():
            return ASKED
        case Run():
            return RUN
        case Refuse():
            return outcome.code.value
        case StoreError():
            return ERROR
        case _:
            return type(outcome).__name__


def _approval(outcome: object) -> str:
    match outcome:
        case Wait():
            return outcome.approval.id
        case Run():
            return outcome.approval
        case _:
            return ""
