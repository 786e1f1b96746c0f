"""A caller of the gate that records each act in its history, before and after the act."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from assent.engine.base.tool import Call
from assent.errors import AssentError, StateError, StoreError
from assent.gate.access import Principal
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval
from assent.gate.calls import Outcome, Refuse, Run, Wait
from assent.gate.gate import Gate
from assent.gate.turn import Turn
from chaos import effects
from chaos.history import Act, HistoryWriter
from chaos.invariants import ASKED, ERROR, MOVED, OK, RUN
from chaos.site import RETRY_SECONDS, Site

Boundary = Callable[[str], None]
"""Called between two acts with the name of the next act; it may kill the process."""


def ignore_boundary(_next: str) -> None:
    """A boundary that does nothing."""


class Caller:
    """Submits and runs calls, or answers questions; records each act."""

    def __init__(
        self, gate: Gate, site: Site, history: HistoryWriter, boundary: Boundary = ignore_boundary
    ) -> None:
        self._gate = gate
        self._site = site
        self._history = history
        self._boundary = boundary

    async def run_to_end(self, turn: Turn, call: Call) -> None:
        """Submit a call, wait for its answer and run it, until it has run or is refused."""
        while True:
            step, outcome = await self.submit(turn, call)
            if isinstance(outcome, Wait):
                step, outcome = await self.wait_and_claim(turn, call, outcome.approval)
            match outcome:
                case Run():
                    return await self.run(outcome, step)
                case StoreError():
                    await asyncio.sleep(RETRY_SECONDS)
                case _:
                    return None

    async def submit(self, turn: Turn, call: Call) -> tuple[str, Outcome | AssentError]:
        """Submit a call; returns the outcome or the error."""
        step = self._history.new_step()
        await self._history.record(Act.SUBMIT, step, call.id, digest=effects.digest_of(call.tool, call.args))
        self._boundary("submit")
        try:
            outcome: Outcome | AssentError = await turn.submit(call)
        except AssentError as error:
            outcome = error
        self._boundary("submitted")
        told = {"outcome": _outcome_word(outcome), "approval": _approval_id(outcome)}
        await self._history.record(Act.SUBMIT, step, call.id, **told)
        return step, outcome

    async def wait_and_claim(
        self, turn: Turn, call: Call, approval: Approval
    ) -> tuple[str, Run | Refuse | AssentError]:
        """Wait for the answer, and claim the call."""
        step = self._history.new_step()
        await self._history.record(Act.TAKE, step, call.id, approval=approval.id)
        self._boundary("take")
        try:
            outcome: Run | Refuse | AssentError = await turn.wait(approval)
        except AssentError as error:
            outcome = error
        self._boundary("taken")
        await self._history.record(
            Act.TAKE, step, call.id, approval=approval.id, outcome=_outcome_word(outcome)
        )
        return step, outcome

    async def run(self, run: Run, step: str) -> None:
        """Run the call, and report it."""
        digest = effects.digest_of(run.call.tool, run.call.args)
        told = {"approval": run.approval, "digest": digest}
        await self._history.record(Act.RUN, step, run.call.id, **told)
        self._boundary("run")
        effect = effects.Effect(run.call.id, run.approval or "none", digest, step)
        await asyncio.to_thread(effects.record_effect, self._site.effects, effect)
        self._boundary("report")
        await self._history.record(Act.RUN, step, run.call.id, outcome=OK, **told)
        with suppress(AssentError):  # The call has run, even if the report fails.
            await self._gate.report(run.approval, run.claim)
        self._boundary("reported")

    async def answer(self, who: Principal, approval: Approval, say: Say) -> str:
        """Answer a question; repeats the answer while the store fails."""
        while (outcome := await self.answer_once(who, approval, say)) == ERROR:
            await asyncio.sleep(RETRY_SECONDS)
        return outcome

    async def answer_once(self, who: Principal, approval: Approval, say: Say) -> str:
        """Answer a question once, with the digest that was shown."""
        step, call = self._history.new_step(), approval.call
        digest = effects.digest_of(call.tool, call.args)
        told = {"approval": approval.id, "digest": digest, "say": say.value, "by": who.id}
        await self._history.record(Act.ANSWER, step, call.id, **told)
        self._boundary("answer")
        try:
            await self._gate.answer(who, approval.id, approval.digest, Answer(say=say))
            outcome = OK
        except StateError as error:
            outcome = f"{MOVED}:{error.state}:{error.by}"
        except AssentError as error:
            outcome = _outcome_word(error)
        self._boundary("answered")
        await self._history.record(Act.ANSWER, step, call.id, outcome=outcome, **told)
        return outcome


def _outcome_word(outcome: object) -> str:
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


def _approval_id(outcome: object) -> str:
    match outcome:
        case Wait():
            return outcome.approval.id
        case Run():
            return outcome.approval
        case _:
            return ""
