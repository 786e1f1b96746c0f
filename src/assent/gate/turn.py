"""A turn: one run of an agent in a conversation, and the path of its calls."""

import asyncio
import json
import math
from collections.abc import Collection
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from time import perf_counter
from typing import Any

from assent.engine.base.tool import Call, Tool
from assent.engine.policy.verdict import Stage, Verdict
from assent.errors import ConflictError, LimitError, NotFoundError, StateError, StoreError
from assent.gate import approval as transitions
from assent.gate.access import Principal, Resource
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State, can_claim
from assent.gate.approval_service import ApprovalService, PolicyChangedError
from assent.gate.calls import (
    Applied,
    Code,
    DecidedCall,
    Outcome,
    Refuse,
    Run,
    TurnContext,
    Wait,
    approval_refusal,
    limit_refusal,
    policy_refusal,
    with_confirmation,
)
from assent.gate.changes import verdict_entry
from assent.gate.decider import RELEASED_BY_PAUSE_END, Decider
from assent.gate.ids import keyed_id, new_id, validate_call
from assent.gate.lease import Lease
from assent.gate.preset import Budget
from assent.gate.proposals import Proposals
from assent.gate.store import ApprovalFilter, ChangeResult, Store

_MAX_GRANT_TRIES = 16
"""How often a submit is tried again because other calls used up a counted grant."""
PAUSE_POLL_SECONDS = 2.0
"""Seconds between two reads of the store while a caller waits for the end of a pause."""
_MAX_PAUSE_TRIES = 16
"""How often a claim after a pause is tried again because policy changed."""


class PausedCalls:
    """Continues calls after a pause; one task per process polls for the end of the pause."""

    def __init__(self, store: Store, decider: Decider, approvals: ApprovalService) -> None:
        self._store = store
        self._decider = decider
        self._approvals = approvals
        self._poll_task: asyncio.Task[None] | None = None

    async def wait_until_resumed(self) -> None:
        """Wait until the pause of all agents ends."""
        if self._poll_task is None or self._poll_task.done():
            self._poll_task = asyncio.create_task(self._poll_pause(), name="assent pause")
        # Shielded, because a cancelled caller must not cancel the task that others wait for.
        await asyncio.shield(self._poll_task)

    async def wait_until_resumed_or_ended(self, approval: Approval) -> Approval:
        """Wait until the pause ends, or until an approved call has ended."""
        while approval.state is State.APPROVED:
            try:
                async with asyncio.timeout(PAUSE_POLL_SECONDS):
                    await self.wait_until_resumed()
                break
            except TimeoutError:
                approval = await self._store.approval(approval.id)
        return approval

    async def wait_until_resumed_or_answered(self, approval: Approval) -> Approval:
        """Wait until the pause ends, or until a person has answered."""
        waits: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(self.wait_until_resumed()),
            asyncio.ensure_future(self._approvals.wait_for_answer(approval)),
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

    async def can_continue(self, context: TurnContext, approval: Approval) -> bool:
        """Whether a call that only a pause delayed would now continue without a person."""
        if approval.state is not State.PENDING or not approval.decision.is_only_paused:
            return False
        return (await self._decider.decide(context, approval.call)).decision.verdict is not Verdict.ASK

    async def continue_call(self, context: TurnContext, approval: Approval) -> Run | Refuse | Wait:
        """Decide again about a call that only a pause delayed: it runs, or a person is asked."""
        for _ in range(_MAX_PAUSE_TRIES):
            decided = await self._decider.decide(context, approval.call)
            try:
                if decided.call_digest != approval.call_digest or decided.decision.verdict > Verdict.ASK:
                    return await self._approvals.refuse_call(approval.id, decided.decision.because, decided)
                if decided.decision.verdict is Verdict.ASK:
                    return await self._ask_person(context, approval, decided)
                if not decided.counted_grants or await self._decider.use_grants(decided.counted_grants):
                    run = await self._approvals.claim(
                        approval.id, decided, transitions.claim_pending, nonce=context.nonce
                    )
                    self._store.record(verdict_entry(context, decided))
                    return run
            except PolicyChangedError:
                continue
            except StateError:
                return await self._outcome_after_change(context, await self._approvals.settle(approval.id))
        raise ConflictError(f"policy kept changing while approval `{approval.id}` was claimed; try again")

    async def release(self, approval: Approval, by: str) -> None:
        """Approve a call that only a pause delayed, so that its caller can claim it."""
        answer = Answer(say=Say.ONCE, by=by, released_by=RELEASED_BY_PAUSE_END)
        with suppress(StateError):
            await self._store.change_approval(
                approval.id, lambda one, moment: ChangeResult(transitions.release(one, answer, at=moment.at))
            )

    async def _outcome_after_change(self, context: TurnContext, now: Approval) -> Run | Refuse | Wait:
        """The outcome of an approval that changed while its call was decided again."""
        if transitions.can_claim(now, context.nonce):
            return await self._approvals.decide_and_claim(context, now, context.file_policy.preset)
        return Wait(approval=now) if now.state is State.PENDING else approval_refusal(now)

    async def _ask_person(self, context: TurnContext, approval: Approval, decided: DecidedCall) -> Wait:
        """Let a person answer the approval, which then expires as usual, unless the pause still lasts."""
        seconds = context.file_policy.preset.expires_after
        if decided.decision.is_only_paused or seconds is None:
            return Wait(approval=approval)
        left = timedelta(seconds=seconds)
        asked = await self._store.change_approval(
            approval.id,
            lambda one, moment: ChangeResult(transitions.start_expiry(one, moment.at + left, at=moment.at)),
        )
        return Wait(approval=asked)

    async def _poll_pause(self) -> None:
        while True:
            change_count = self._store.change_count
            if not (await self._store.moment()).paused:
                return
            with suppress(TimeoutError):
                async with asyncio.timeout(PAUSE_POLL_SECONDS):
                    await self._store.wait_for_change(change_count)


class Turn:
    """One run of an agent; its mode and preset do not change."""

    def __init__(
        self,
        context: TurnContext,
        store: Store,
        decider: Decider,
        approvals: ApprovalService,
        proposals: Proposals,
        paused: PausedCalls,
    ) -> None:
        self.context = context
        self._store = store
        self._decider = decider
        self._approvals = approvals
        self._proposals = proposals
        self._paused = paused

    @property
    def id(self) -> str:
        """The id of the turn."""
        return self.context.turn_id

    def with_nonce(self, nonce: str, *, token: str = "") -> "Turn":
        """The same turn with a nonce, with which a caller that lost a reply can claim again.

        Only the digest of the nonce is stored, bound to the principal and its token.
        """
        bound = (self.context.principal.kind, self.context.principal.id, token)
        digest = keyed_id(self._store.secret, "claim", *bound, nonce) if nonce else ""
        context = replace(self.context, nonce=digest)
        return Turn(context, self._store, self._decider, self._approvals, self._proposals, self._paused)

    async def visible_tools(self, names: Collection[str] | None = None) -> tuple[Tool, ...]:
        """The tools that the model may see."""
        return await self._decider.visible_tools(self.context, names)

    async def submit(self, call: Call, *, confirm: str = "") -> Outcome:
        """Decide a call; never waits. The same call has the same approval. `confirm` is a reason to ask."""
        owned_call = with_turn_identity(self.context, call)
        return await self._submit(owned_call, has_call_id=bool(call.id), confirm=confirm)

    async def check(self, call: Call) -> Run | Refuse | Applied:
        """Submit a call, wait for the answer, and claim the call; for callers that can block."""
        owned_call = with_turn_identity(self.context, call)
        try:
            outcome = await self._submit(owned_call, has_call_id=bool(call.id))
        except asyncio.CancelledError:
            # The person may already have been asked.
            await self._withdraw_approval(self._approvals.approval_id(self.context, owned_call))
            raise
        return await self.wait(outcome.approval) if isinstance(outcome, Wait) else outcome

    async def wait(self, approval: Approval) -> Run | Refuse:
        """Wait for the answer to an approval of this turn, and claim the call."""
        self._check_belongs(approval)
        renewing = asyncio.create_task(self._renew_repeatedly(approval.id)) if approval.lease else None
        try:
            return await self._wait(approval)
        except asyncio.CancelledError:
            await self._withdraw_approval(approval.id)
            raise
        finally:
            if renewing is not None:
                renewing.cancel()

    async def resume(self, id: str) -> Run | Refuse | Wait:
        """Claim an answered call once, after deciding it again."""
        approval = await self._load_approval(id)
        return await self._outcome_of(approval, (await self._store.moment()).at)

    async def renew_lease(self, id: str) -> Lease | None:
        """Renew the caller's lease of an approval; None if it has none, or if the question is over."""
        approval = await self._load_approval(id)
        if approval.lease is None or not approval.state.is_before_run:
            return None
        approval = await self._approvals.renew_lease(id)
        return approval.lease if approval.state.is_before_run else None

    async def watch(self, id: str, seconds: float) -> bool:
        """Wait up to `seconds` until `resume` would return another outcome; false if the time is over.

        Claims and withdraws nothing.
        """
        approval = await self._load_approval(id)
        paused = (await self._store.moment()).paused
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                if paused and can_claim(approval, self.context.nonce):
                    await self._paused.wait_until_resumed()
                elif paused and approval.decision.is_only_paused:
                    await self._paused.wait_until_resumed_or_answered(approval)
                elif not await self._paused.can_continue(self.context, approval):
                    await self._approvals.wait_for_answer(approval)
                return True
        return False

    async def _load_approval(self, id: str) -> Approval:
        """Load an approval of this turn; while it is pending only an excerpt, to save memory."""
        approval = (await self._store.excerpt(id)).approval
        self._check_belongs(approval)
        is_only_waiting = approval.state is State.PENDING and not approval.decision.is_only_paused
        return approval if is_only_waiting else await self._store.approval(id)

    async def end(self, why: str = "the turn ended") -> None:
        """Withdraw the pending approvals of this turn; suspended and proposed calls stay."""
        if self.context.delivery.needs_live_caller:
            await self._approvals.withdraw_all(ApprovalFilter(turn=self.id), why)

    async def _renew_repeatedly(self, id: str) -> None:
        """Renew the lease of an approval for as long as its caller waits in this process."""
        lease: Lease | None = await self.renew_lease(id)
        while lease is not None:
            await asyncio.sleep(lease.renewal_seconds)
            with suppress(StoreError):
                lease = await self.renew_lease(id)

    async def _wait(self, approval: Approval) -> Run | Refuse:
        """Wait for the answer and for the end of a pause."""
        outcome: Run | Refuse | Wait = Wait(approval=approval)
        if approval.decision.is_only_paused:
            approval = await self._paused.wait_until_resumed_or_answered(approval)
            outcome = await self._outcome_of(approval, (await self._store.moment()).at)
        while isinstance(outcome, Wait):
            approval = await self._paused.wait_until_resumed_or_ended(outcome.approval)
            outcome = await self._claim_call(await self._approvals.wait_for_answer(approval))
        return outcome

    async def _submit(self, call: Call, *, has_call_id: bool, confirm: str = "") -> Outcome:
        start = perf_counter()
        budget = self.context.file_policy.preset.budget
        refused = await check_budget(self._store, self.context.principal, budget)
        if refused is not None:
            return refused
        call = validate_call(call)
        await self._decider.declare_if_unknown(self.context, call)
        decided = with_confirmation(await self._decide(call), confirm)
        self._store.record(verdict_entry(self.context, decided))
        self._approvals.observer.on_decision(self.context, decided, perf_counter() - start)
        proposing = self.context.delivery.is_run_by_gate
        match decided.decision.verdict:
            case Verdict.RUN if proposing and self._proposals.is_proposed(decided):
                return await self._proposals.run(self.context, decided)
            case Verdict.RUN:
                return await self._run_allowed(decided, has_call_id=has_call_id)
            case Verdict.ASK if proposing:
                return await self._proposals.propose(self.context, decided)
            case Verdict.ASK:
                return await self._ask_person(decided)
            case Verdict.DENY | Verdict.ABSENT:
                return policy_refusal(decided.decision)

    async def _withdraw_approval(self, id: str) -> None:
        """Withdraw an approval because its caller is gone: a later answer must not run the call."""
        with suppress(NotFoundError, StoreError):
            await asyncio.shield(self._approvals.withdraw(id, "its caller is gone"))

    async def _decide(self, call: Call) -> DecidedCall:
        """Decide a call and use its counted grants; if one is used up meanwhile, decide again."""
        for _ in range(_MAX_GRANT_TRIES):
            decided = await self._decider.decide(self.context, call)
            if not decided.counted_grants or await self._decider.use_grants(decided.counted_grants):
                return decided
        raise ConflictError("other calls kept using up the grants for this call; try again")

    async def _run_allowed(self, decided: DecidedCall, *, has_call_id: bool) -> Run | Wait | Refuse:
        """Let an allowed call run; a call with an approval runs by its answer, at most once."""
        only_reads = any(step.stage is Stage.READ for step in decided.decision.steps)
        asked = (
            await self._approvals.find_approval(self.context, decided)
            if has_call_id and not only_reads
            else None
        )
        if asked is None:
            return Run(call=decided.call, decision=decided.decision)
        return await self._outcome_of(asked, decided.policy.at)

    async def _ask_person(self, decided: DecidedCall) -> Wait | Run | Refuse:
        try:
            approval = await self._approvals.ask(self.context, decided)
        except LimitError as error:
            return limit_refusal(error)
        if decided.decision.is_paused and approval.state is State.PENDING:
            return Wait(approval=approval)
        return await self._outcome_of(approval, decided.policy.at)

    async def _outcome_of(self, approval: Approval, at: datetime) -> Run | Refuse | Wait:
        """The outcome of an approval that may already be answered or ended."""
        approval = await self._approvals.settle_if_due(approval, at)
        if approval.state is not State.PENDING:
            return await self._claim_call(approval)
        if approval.decision.is_only_paused:
            return await self._paused.continue_call(self.context, approval)
        return Wait(approval=approval)

    async def _claim_call(self, approval: Approval) -> Run | Refuse | Wait:
        self._check_belongs(approval)
        if not can_claim(approval, self.context.nonce):
            return approval_refusal(approval)
        try:
            return await self._approvals.decide_and_claim(
                self.context, approval, self.context.file_policy.preset
            )
        except StoreError:
            if not self.context.nonce:
                raise
        # The store did not confirm the claim; the caller can claim again with its nonce.
        again = await self._store.approval(approval.id)
        return await self._approvals.decide_and_claim(self.context, again, self.context.file_policy.preset)

    def _check_belongs(self, approval: Approval) -> None:
        """Raise `NotFoundError` for approvals of other agents, conversations or people."""
        known = self.context.conversation
        if approval.resource != Resource(owner=known.owner, conversation=known.id, agent=self.context.agent):
            raise NotFoundError("approval", approval.id)


def with_turn_identity(context: TurnContext, call: Call) -> Call:
    """The call with the agent, conversation and user of the turn; its own values are ignored."""
    return replace(
        call,
        id=call.id or new_id(),
        agent=context.agent,
        conversation=context.conversation.id,
        user=context.principal.user,
    )


async def check_budget(store: Store, principal: Principal, budget: Budget | None) -> Refuse | None:
    """Count a call against a budget; returns the refusal if the budget is exceeded."""
    if budget is None:
        return None
    spent = await store.count_call(budget_key(principal), budget.calls, timedelta(seconds=budget.seconds))
    if spent.allowed:
        return None
    rest = max(math.ceil(spent.retry_after), 1)
    message = f"the budget of {budget.calls} calls in {budget.seconds} s is used up: try again in {rest} s"
    return Refuse(code=Code.LIMIT, message=message, retry_after=rest)


def budget_key(principal: Principal) -> str:
    """The key of a principal's budget; two people may have agents with the same name."""
    return json.dumps([principal.kind, principal.on_behalf, principal.id])
