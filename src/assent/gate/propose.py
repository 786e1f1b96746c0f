"""Proposals: a call that a person applies later, when whoever made it is gone."""

import asyncio
import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping

from assent.engine.model import Call
from assent.engine.verdict import Stage
from assent.errors import ConflictError, ForbiddenError, InputError, LimitError, MovedOnError
from assent.gate import approval as moves
from assent.gate.access import Kind, Principal, check_answer
from assent.gate.approval import Answer, Approval, Say, State
from assent.gate.judge import Judge, Judged, Seat
from assent.gate.mark import fresh, keyed
from assent.gate.outcome import Applied, Code, Refuse, Wait, ending, over_limit
from assent.gate.ports import Changed, Issue, Moment, Preview, Runner, Store
from assent.gate.questions import Proposal, Questions
from assent.gate.taking import stopped_by

_TOKEN = re.compile(r"propose:([0-9a-f]{32})\.([A-Za-z0-9_-]{43})")


class Proposals:
    """Calls that the gate itself runs, by the runners that hosts registered."""

    def __init__(self, store: Store, judge: Judge, questions: Questions) -> None:
        self._store = store
        self._judge = judge
        self._questions = questions
        self._runners: dict[str, Runner] = {}

    def register(self, tool: str, runner: Runner) -> None:
        """Let the gate run a tool."""
        self._runners[tool] = runner

    def concern(self, judged: Judged) -> bool:
        """Whether a call that may run is to go this way: whatever changes something does."""
        return not any(step.stage is Stage.READ for step in judged.decision.steps)

    async def propose(self, seat: Seat, judged: Judged) -> Wait | Refuse:
        """Check, try without effect, keep, and hand out the token that applies it."""
        prepared = await self._prepared(seat, judged.call)
        if isinstance(prepared, Refuse):
            return prepared
        nonce = secrets.token_urlsafe(32)
        try:
            approval = await self._keep(seat, judged, prepared, nonce)
        except LimitError as error:
            return over_limit(error)
        if approval.token_digest != _digest(nonce):
            return Refuse(
                code=Code.ALREADY_PROPOSED,
                message=f"this very call was proposed already: it is {approval.state}",
            )
        return Wait(approval=approval, token=f"propose:{approval.id}.{nonce}")

    async def run(self, seat: Seat, judged: Judged) -> Applied | Refuse:
        """Propose and apply at once: faster than a person, never weaker."""
        proposed = await self.propose(seat, judged)
        if isinstance(proposed, Refuse):
            return proposed
        mark = fresh()

        def change(approval: Approval, moment: Moment) -> Changed:
            if moment.version != judged.current.version:
                raise ConflictError("policy changed while the call was being applied; try again")
            return Changed(moves.taken_automatically(approval, mark, self._store.boot, at=moment.at))

        try:
            taken = await self._store.change(proposed.approval.id, change)
        except ConflictError:
            # Nobody was given its token: left alone it would be a card that cannot be applied.
            await self._questions.withdraw(proposed.approval.id, "policy changed while it was being applied")
            raise
        return await self._execute(seat.principal, taken, mark)

    async def apply(self, seat: Seat, principal: Principal, token: str) -> Applied | Refuse:
        """Run what was proposed: the stored call, once, if it may still run and nothing changed under it."""
        approval = await self.proposed(token)
        check_answer(principal, approval.subject)
        approval = await self._questions.settled(approval, seat.began_with.at)
        if approval.state is not State.PENDING:
            return ending(approval)
        judged = await self._judge.judge(seat, approval.call)
        mark = fresh()
        answer = Answer(say=Say.ONCE, by=principal.id)

        def change(one: Approval, moment: Moment) -> Changed:
            if moment.version != judged.current.version:
                raise ConflictError("policy changed while the call was being applied; try again")
            yes = moves.answered(one, answer, principal, one.digest, at=moment.at)
            return Changed(moves.claimed(yes, mark, self._store.boot, at=moment.at))

        try:
            if judged.decision.is_paused:
                who = judged.snapshot.paused_by
                return Refuse(code=Code.PAUSED, message=f"{who} paused every agent: apply it later")
            refused = await self._unfit(seat, approval, judged)
            if refused is not None:
                return refused
            taken = await self._store.change(approval.id, change)
        except MovedOnError:
            return ending(await self._questions.ended(approval.id))
        return await self._execute(seat.principal, taken, mark)

    async def proposed(self, token: str) -> Approval:
        """The approval that a token is for; a wrong one does not say which part was wrong."""
        shaped = _TOKEN.fullmatch(token)
        if shaped is None:
            raise InputError("invalid token")
        approval = await self._store.approval(shaped[1])
        if not approval.token_digest or not hmac.compare_digest(approval.token_digest, _digest(shaped[2])):
            raise InputError("invalid token")
        return approval

    async def _prepared(self, seat: Seat, call: Call) -> Preview | Refuse:
        """The preview of a call that could be applied."""
        if seat.principal.kind is Kind.SERVICE:
            raise ForbiddenError(seat.principal.id, "a service cannot drive tools")
        runner = self._runners.get(call.tool)
        if runner is None:
            return Refuse(code=Code.NOT_PROPOSABLE, message=f"`{call.tool}` cannot be proposed")
        issues = tuple(await runner.validate(call))
        if issues:
            return _invalid(issues)
        return await runner.dry_run(seat.principal, call)

    async def _keep(self, seat: Seat, judged: Judged, preview: Preview, nonce: str) -> Approval:
        # One card for one call of a turn, however often the model makes it.
        id = keyed(self._store.secret, "proposal", seat.conversation.owner, seat.turn, judged.call_digest)
        shown: Mapping[str, object] = {
            "summary": preview.summary,
            "details": dict(preview.details),
            "fingerprint": preview.fingerprint,
        }
        return await self._questions.ask(seat, judged, Proposal(id, _digest(nonce), shown))

    async def _unfit(self, seat: Seat, approval: Approval, judged: Judged) -> Refuse | None:
        """Why a proposal cannot be applied any more."""
        if (missing := await self._judge.missing(seat, approval.tool)) is not None:
            why = f"{approval.owner} lacks the right `{missing}`"
            await self._questions.refuse(approval.id, why)
            return Refuse(code=Code.FORBIDDEN, message=why)
        if (stopped := stopped_by(approval, judged)) is not None:
            return await self._questions.stop(approval.id, stopped, judged)
        prepared = await self._prepared(seat, approval.call)
        if isinstance(prepared, Refuse):
            return prepared
        shown = (approval.preview or {}).get("fingerprint", "")
        if prepared.fingerprint != shown:
            return ending(
                await self._questions.refuse(approval.id, "what it would change has changed meanwhile")
            )
        return None

    async def _execute(self, principal: Principal, approval: Approval, mark: str) -> Applied | Refuse:
        """Run a taken call; whatever goes wrong is written down, and it is not run again."""
        runner = self._runners[approval.call.tool]
        try:
            result = await runner.run(principal, approval.approved_call)
        except BaseException as error:
            note = type(error).__name__
            await asyncio.shield(self._questions.report(approval.id, mark, failed=True, note=note))
            raise
        done = await self._questions.report(approval.id, mark, failed=False, note="")
        return Applied(approval=done, result=result)


def _invalid(issues: tuple[Issue, ...]) -> Refuse:
    said = "; ".join(f"{issue.path}: {issue.message}" for issue in issues)
    return Refuse(code=Code.INVALID, message=f"the arguments are not valid: {said}", issues=issues)


def _digest(nonce: str) -> str:
    return hashlib.sha256(nonce.encode()).hexdigest()
