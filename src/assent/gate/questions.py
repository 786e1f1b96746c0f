"""Questions: each is asked once, answered once, and its call taken once."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import NamedTuple, Protocol

from assent.engine.model import Call
from assent.engine.verdict import Verdict
from assent.errors import ConflictError, InputError, MovedOnError, NotFoundError
from assent.gate import approval as moves
from assent.gate.access import Kind, Principal, check_answer, check_reach
from assent.gate.approval import Answer, Approval, Say, State
from assent.gate.binding import canonical
from assent.gate.filepreview import MOST_CHANGES, FilePreview
from assent.gate.judge import Judge, Judged, Seat
from assent.gate.lasting import check_once, check_until, scope_of
from assent.gate.mark import fresh, keyed
from assent.gate.observer import NOBODY, Observer
from assent.gate.outcome import Code, Refuse, Run, Wait, ending, refusal
from assent.gate.ports import Change, Changed, Limits, Moment, Store, Which
from assent.gate.preset import Always, Delivery, Lifetime, Preset, Scope
from assent.gate.remember import Remembered, others_of, releases, remembered
from assent.gate.taking import CHANGED, CHANGED_TOO_OFTEN, asking_again, changed_file, stopped_by

DENIED_FOR = timedelta(hours=1)
"""How long a no counts for the later turns of an agent that begins them itself."""
_MOST_TRIES = 16
"""How often policy may change while a call is being taken before we give up."""
_A_MOMENT = 0.25
"""Seconds to wait where the store's clock is a little behind ours."""


class Proposal(NamedTuple):
    """What a proposed call has besides."""

    id: str
    token_digest: str
    preview: Mapping[str, object]


class _Move(Protocol):
    """A way to take a call."""

    def __call__(
        self, approval: Approval, claim: str, boot: str, *, at: datetime, nonce: str
    ) -> Approval: ...


class PolicyMoved(ConflictError):
    """Policy changed between deciding again and taking the call."""


class Questions:
    """The questions of this process, and those of others that are answered here."""

    def __init__(self, store: Store, judge: Judge, limits: Limits, observer: Observer = NOBODY) -> None:
        self.observer = observer
        self._store = store
        self._judge = judge
        self._limits = limits

    def id(self, seat: Seat, call: Call) -> str:
        """The id of the question that a call is, or would be."""
        # Whose it is, too: outside of a conversation two people may have an agent of the same name.
        words = (seat.conversation.owner, call.conversation, call.agent, call.id)
        return keyed(self._store.secret, *words)

    async def ask(self, seat: Seat, judged: Judged, proposal: Proposal | None = None) -> Approval:
        """Put a call to a person; the same call of the same agent is the same question."""
        question = Approval(
            id=self.id(seat, judged.call) if proposal is None else proposal.id,
            call=judged.call,
            tool=judged.tool,
            cwd=judged.facts.place.cwd,
            call_digest=judged.call_digest,
            decision=judged.told_apart,
            facts=judged.facts,
            owner=seat.conversation.owner,
            turn=seat.turn,
            lineage=seat.lineage,
            preset=seat.ground.preset.name,
            mode=seat.mode_word,
            delivery=seat.delivery,
            asked_at=judged.current.at,
            boot=self._store.boot,
            token_digest=proposal.token_digest if proposal is not None else "",
            preview=proposal.preview if proposal is not None else None,
            # A proposal shows what its dry run said, and is bound to that.
            file=await self._judge.file_preview(judged) if proposal is None else None,
        )
        asked = await self._store.add(
            question.id, lambda moment: _stamped(question, seat.ground.preset, moment), self._limits_of(seat)
        )
        self.observer.asked(asked)
        return asked

    def _limits_of(self, seat: Seat) -> Limits:
        """A person begins a turn to have something done; an agent could begin one for each try."""
        if seat.principal.kind is Kind.PERSON:
            return self._limits
        return self._limits._replace(lasting=max(self._limits.lasting, DENIED_FOR))

    async def asked(self, seat: Seat, judged: Judged) -> Approval | None:
        """The question that was once asked about this very call, if there was one."""
        try:
            approval = await self._store.approval(self.id(seat, judged.call))
        except NotFoundError:
            return None
        if approval.call_digest != judged.call_digest:
            raise ConflictError(f"call `{judged.call.id}` was another one when it was asked about")
        return approval

    async def ended(self, id: str) -> Approval:
        """What became of a question that somebody else was faster with, or time."""
        return await self._end(id, _settle)

    async def settled(self, approval: Approval, at: datetime) -> Approval:
        """The approval as time has left it, whether or not anybody swept."""
        if moves.settled(approval, at=at, alive=True) is approval:
            return approval
        return await self.ended(approval.id)

    async def answered(self, approval: Approval) -> Approval:
        """Wait until a question is no longer pending."""
        if approval.boot != self._store.boot:
            approval = await self._store.change(approval.id, self._attach)
        while approval.state is State.PENDING:
            approval = await self._wait(approval)
        return approval

    async def answer(
        self,
        principal: Principal,
        asked: Approval,
        digest: str,
        answer: Answer,
        preset: Preset,
    ) -> Approval:
        """Answer a question, remember what the answer says, and release what that covers."""
        check_answer(principal, asked.subject)
        answer = _within(replace(answer, by=principal.id, released_by=""), preset.always, principal)
        _check_said(answer, asked)
        found = remembered(asked, answer, preset, self._store.secret)
        scope = scope_of(answer, preset.always)
        # What a preset says of its own is for owners to say; whoever else answers is held to their right.
        if found and (scope is not preset.always.scope or principal.user != asked.owner):
            check_reach(principal, asked.subject, scope)

        def change(approval: Approval, moment: Moment) -> Changed:
            moved = moves.answered(approval, answer, principal, digest, at=moment.at)
            if moved is approval:
                # The same answer a second time changes nothing, and so must not remember anything again.
                return Changed(moved)
            check_until(answer, at=moment.at)
            return Changed(moved, *found.durable)

        approval, moved = await self._move(asked.id, change)
        if moved:
            self.observer.answered(approval)
        if found.durable:
            await self._release(approval, found.durable.uncounted)
        return approval

    async def take(self, seat: Seat, approval: Approval, preset: Preset) -> Run | Refuse | Wait:
        """Take an approved call to run it, after deciding again on what is true now.

        While every agent is paused the yes is kept, and the call waits. Whoever took it and lost the reply
        is given the same claim again.
        """
        await self._hold(approval, preset)
        for tried in range(_MOST_TRIES):
            is_taken = approval.state is State.RUNNING
            move = moves.claimed_again if is_taken else moves.claimed
            # First on the policy that is known here: the claim itself sees whether it still holds.
            judged = await self._judge.judge(seat, approval.approved_call, recent=not tried)
            stopped = stopped_by(approval, judged)
            file = await changed_file(self._judge, approval, judged)
            if (stopped is not None or judged.decision.is_paused or file is not None) and not tried:
                continue
            try:
                if is_taken and (stopped is not None or file is not None):
                    return await self._withhold(approval, stopped or CHANGED)
                if stopped is not None:
                    return await self.stop(approval.id, stopped, judged)
                if judged.decision.is_paused:
                    return Wait(approval=approval)
                if file is not None:
                    return await self._ask_again(approval, file, preset)
                return await self.claim(approval.id, judged, move, shown=approval.digest, nonce=seat.nonce)
            except PolicyMoved:
                continue
            except MovedOnError:
                # Another request for the same call was faster; it may be an earlier one of this very caller,
                # who gave up waiting for its reply.
                now = await self.ended(approval.id)
                if moves.can_take(now, seat.nonce):
                    approval = now
                    continue
                return Wait(approval=now) if now.state is State.PENDING else ending(now)
        raise ConflictError(f"policy kept changing while approval `{approval.id}` was being taken; try again")

    async def _ask_again(self, approval: Approval, file: FilePreview, preset: Preset) -> Wait | Refuse:
        """Put a question anew because its file changed; after several times the call is refused."""
        if file.changes >= MOST_CHANGES:
            return ending(await self.refuse(approval.id, CHANGED_TOO_OFTEN))
        asked, _ = await self._move(approval.id, asking_again(approval, file, preset))
        self.observer.asked(asked)
        return Wait(approval=asked)

    async def _withhold(self, approval: Approval, why: str) -> Refuse:
        """Refuse to give a claim again that the call may no longer run by."""
        await self._end(approval.id, lambda one, _: Changed(moves.withheld(one, why)))
        return Refuse(code=Code.DENIED, message=f"{why}; do not retry the same call")

    async def withdraw(self, id: str, why: str) -> Approval:
        """Take a question back; what was not started never runs."""
        return await self._end(id, lambda one, moment: Changed(moves.withdrawn(one, why, at=moment.at)))

    async def withdraw_all(self, which: Which, why: str) -> None:
        """Take back every question that is meant and still open."""
        open_ones = replace(which, states=frozenset({State.PENDING, State.APPROVED}))
        for id in [one.id async for one in self.each(open_ones)]:
            await self.withdraw(id, why)

    async def report(self, id: str, claim: str, *, failed: bool, note: str) -> Approval:
        """Write down what came of a call that was taken."""
        return await self._end(
            id,
            lambda one, moment: Changed(moves.reported(one, claim, failed=failed, note=note, at=moment.at)),
        )

    async def put_off(self, principal: Principal, id: str) -> Approval:
        """Keep a question pending and out of the way."""
        return await self._store.change(
            id, lambda one, moment: Changed(moves.put_off(one, principal, at=moment.at))
        )

    async def refuse(self, id: str, why: str) -> Approval:
        """Stop a call that was decided again and may no longer run."""
        return await self._end(id, lambda one, moment: Changed(moves.refused(one, why, at=moment.at)))

    async def stop(self, id: str, why: str, judged: Judged) -> Refuse:
        """Refuse a call; one whose tool is gone by now is answered as if it had never been there."""
        refused = await self.refuse(id, why)
        absent = judged.decision.verdict is Verdict.ABSENT
        return refusal(judged.decision) if absent else ending(refused)

    async def _end(self, id: str, change: Change) -> Approval:
        """Make a step that ends a question."""
        approval, moved = await self._move(id, change)
        if moved:
            self.observer.ended(approval)
        return approval

    async def _move(self, id: str, change: Change) -> tuple[Approval, bool]:
        """Make a step; whether it was one, for the same step a second time is none."""
        moved = False

        def step(approval: Approval, moment: Moment) -> Changed:
            nonlocal moved
            changed = change(approval, moment)
            # A store that did not hear whether it was done tries again, and finds it done: it was a step.
            moved = moved or changed.approval is not approval
            return changed

        return await self._store.change(id, step), moved

    def _attach(self, approval: Approval, moment: Moment) -> Changed:
        boot = self._store.boot
        return Changed(moves.attached(approval, boot, at=moment.at, paused=moment.paused))

    async def _wait(self, approval: Approval) -> Approval:
        """Wait for an answer or for the end of the time there is for one."""
        patience = None
        if approval.expires_at is not None:
            moment = await self._store.moment()
            patience = max((approval.expires_at - moment.at).total_seconds(), 0) + _A_MOMENT
        try:
            async with asyncio.timeout(patience):
                return await self._store.wait(approval.id)
        except TimeoutError:
            return await self.ended(approval.id)

    async def _hold(self, approval: Approval, preset: Preset) -> None:
        """What the answer granted until the restart lives here, where the agent runs."""
        if approval.answer is None or not approval.answer.yes:
            return
        try:
            found = remembered(approval, approval.answer, preset, self._store.secret)
        except (ConflictError, InputError):
            return  # The preset changed since: the yes still counts for its own call, and for no other.
        grants = tuple(one for one in found.grants if one.lifetime is Lifetime.RESTART)
        known = {held.id for held in self._judge.held}
        self._judge.hold(grants)
        new = Remembered(tuple(one for one in self._judge.held if one.id not in known)).uncounted
        if new:
            await self._release(approval, new)

    async def _release(self, approval: Approval, found: Remembered) -> None:
        """Approve the other questions that a new grant or rule covers; a denial never reaches further."""
        if not found:
            return
        answer = Answer(
            say=Say.ONCE, by=approval.answer.by if approval.answer else "", released_by=approval.id
        )
        key, others = self._store.secret, self.each(others_of(found))
        # Only their ids are held on to: together they may be large.
        for other in [one.id async for one in others if releases(found, one, key)]:
            if other == approval.id:
                continue
            with suppress(MovedOnError):
                await self._store.change(
                    other, lambda one, moment: Changed(moves.released(one, answer, at=moment.at))
                )

    async def each(self, which: Which) -> AsyncIterator[Approval]:
        """Go through the approvals that are meant, page by page."""
        page = await self._store.approvals(which)
        while True:
            for approval in page.approvals:
                yield approval
            if not page.after:
                return
            page = await self._store.approvals(which, after=page.after)

    async def claim(
        self,
        id: str,
        judged: Judged,
        move: _Move = moves.claimed,
        *,
        shown: str | None = None,
        nonce: str = "",
    ) -> Run:
        """Mark an approved call as taken, if policy is still the one it was decided on.

        With `shown`, only while the answer is to the question that had this digest.
        """
        mark = fresh()

        def change(approval: Approval, moment: Moment) -> Changed:
            if moment.version != judged.current.version:
                raise PolicyMoved("policy changed")
            # INVARIANT: what was decided again is what was approved, whoever handed it to us.
            if approval.approved_call != judged.call:
                raise ConflictError(f"approval `{id}` is about another call than this one")
            if shown not in (None, approval.digest):
                raise MovedOnError(id, approval.state, "run")
            return Changed(move(approval, mark, self._store.boot, at=moment.at, nonce=nonce))

        taken = await self._store.change(id, change)
        return Run(call=judged.call, decision=judged.decision, approval=id, claim=taken.claim)


def _within(answer: Answer, always: Always, principal: Principal) -> Answer:
    """Who is no administrator says yes for an agent as it works here, not for all that share its name."""
    is_wide = answer.say is Say.ALWAYS and always.scope is scope_of(answer, always) is Scope.AGENT
    if principal.administrator or not is_wide or not always.widened:
        return answer
    return replace(answer, scope=Scope.USER_AGENT)


def _check_said(answer: Answer, asked: Approval) -> None:
    """Refuse an answer that could not be kept, or that is none to such a question."""
    check_once(answer)
    if answer.args is not None:
        canonical(dict(answer.args))
    if answer.yes and asked.delivery is Delivery.PROPOSE:
        raise ConflictError(f"approval `{asked.id}` is a proposal: apply it, or deny it")


def _stamped(question: Approval, preset: Preset, moment: Moment) -> Approval:
    """A question by the store's own clock."""
    # What a pause holds does not expire before a person is to look at it.
    is_held = question.decision.is_only_paused and question.delivery is not Delivery.PROPOSE
    expires_at = None if is_held else preset.expires_at(moment.at)
    return replace(question, asked_at=moment.at, expires_at=expires_at)


def _settle(approval: Approval, moment: Moment) -> Changed:
    return Changed(moves.settled(approval, at=moment.at, alive=True, paused=moment.paused))
