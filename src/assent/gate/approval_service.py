"""Approvals in a store: each is asked once and answered once, and its call is claimed once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from assent.engine.base.tool import Call
from assent.engine.edits import paths_to_make
from assent.engine.policy.task_files import changed_tasks
from assent.engine.policy.verdict import Verdict
from assent.errors import ConflictError, InputError, NotFoundError, StateError
from assent.gate import approval as transitions
from assent.gate.access import Principal, Resource, check_can_answer, check_scope
from assent.gate.always import PolicyAdditions, affected_approval_filter, can_release, policy_additions
from assent.gate.answer import (
    Answer,
    Say,
    check_no_limits,
    check_until_not_past,
    narrow_scope,
    narrowest_scope,
)
from assent.gate.approval import Approval, State
from assent.gate.calls import (
    NO_OBSERVER,
    Code,
    DecidedCall,
    Observer,
    Refuse,
    Run,
    TurnContext,
    Wait,
    approval_refusal,
    policy_refusal,
    remembered_rules,
)
from assent.gate.decider import CHANGED_TOO_OFTEN, Decider, ask_again_change, stop_reason
from assent.gate.file_preview import MAX_FILE_CHANGES, FilePreview
from assent.gate.ids import canonical_json, new_id
from assent.gate.policy import Moment
from assent.gate.preset import Lifetime, Preset
from assent.gate.question import (
    Limits,
    Proposal,
    limits_for_turn,
    new_question,
    question_id,
    with_store_times,
)
from assent.gate.store import ApprovalChange, ApprovalFilter, ChangeResult, Store

MAX_CLAIM_TRIES = 16
"""How often a claim is tried again because policy changed."""
_CLOCK_TOLERANCE = 0.25
"""Seconds by which the store's clock may be behind the host's clock."""


class _ClaimStep(Protocol):
    """A function that changes an approval into a claimed one."""

    def __call__(
        self, approval: Approval, claim: str, boot: str, *, at: datetime, nonce: str
    ) -> Approval: ...


class PolicyChangedError(ConflictError):
    """Policy changed between the second decision and the claim."""


class ApprovalService:
    """Asks, answers, claims and ends approvals."""

    def __init__(
        self, store: Store, decider: Decider, limits: Limits, observer: Observer = NO_OBSERVER
    ) -> None:
        self.observer = observer
        self._store = store
        self._decider = decider
        self._limits = limits

    def approval_id(self, context: TurnContext, call: Call) -> str:
        """The id of the approval for a call."""
        owner = context.conversation.owner
        resource = Resource(owner=owner, conversation=call.conversation, agent=call.agent)
        return question_id(self._store.secret, resource, call.id)

    async def ask(
        self, context: TurnContext, decided: DecidedCall, proposal: Proposal | None = None
    ) -> Approval:
        """Ask a person about a call; the same call has the same approval, which this process takes over."""
        # A proposal shows the result of its dry run instead of a file.
        file, store = await self._decider.file_preview(decided) if proposal is None else None, self._store
        id_ = self.approval_id(context, decided.call) if proposal is None else proposal.id
        question = new_question(id_, context, decided, boot=store.boot, file=file)
        if proposal is not None:
            question = replace(question, token_digest=proposal.token_digest, preview=proposal.preview)
        asked = await store.add_approval(
            question.id,
            lambda moment: with_store_times(question, context, moment),
            limits_for_turn(self._limits, context),
        )
        self.observer.on_question(asked)
        return asked if asked.boot == store.boot else await store.change_approval(asked.id, self._attach)

    async def find_approval(self, context: TurnContext, decided: DecidedCall) -> Approval | None:
        """The existing approval of this call, or None; `ConflictError` if its id has another call."""
        try:
            approval = await self._store.approval(self.approval_id(context, decided.call))
        except NotFoundError:
            return None
        if approval.call_digest != decided.call_digest:
            raise ConflictError(f"call `{decided.call.id}` is not the call that was asked with this id")
        return approval

    async def settle(self, id: str) -> Approval:
        """Load an approval; if its time is over, end it in the store first."""
        return await self._apply_end_change(id, _settle_change)

    async def settle_if_due(self, approval: Approval, at: datetime) -> Approval:
        """The approval; if its time is over, end it in the store first."""
        if transitions.end_if_due(approval, at=at, alive=True) is approval:
            return approval
        return await self.settle(approval.id)

    async def wait_for_answer(self, approval: Approval) -> Approval:
        """Wait until an approval is no longer pending."""
        if approval.boot != self._store.boot:
            approval = await self._store.change_approval(approval.id, self._attach)
        while approval.state is State.PENDING:
            approval = await self._wait_until_expiry(approval)
        return approval

    async def answer(
        self, principal: Principal, asked: Approval, digest: str, answer: Answer, preset: Preset
    ) -> Approval:
        """Answer an approval, write its grants or rules, and release other approvals that they cover."""
        check_can_answer(principal, asked.resource)
        answer = narrow_scope(replace(answer, by=principal.id, released_by=""), preset.always, principal)
        _check_answer(answer, asked)
        found = policy_additions(asked, answer, preset, self._store.secret)
        scope = narrowest_scope(answer, preset.always)
        # The owner may use the preset's own scope; any other scope or person requires the right to it.
        if found and (scope is not preset.always.scope or principal.user != asked.owner):
            check_scope(principal, asked.resource, scope)

        def change_state(approval: Approval, moment: Moment) -> ChangeResult:
            has_changed = transitions.answer(approval, answer, principal, digest, at=moment.at)
            if has_changed is approval:
                # The same answer again changes nothing, so it must not write grants or rules again.
                return ChangeResult(has_changed)
            check_until_not_past(answer, at=moment.at)
            return ChangeResult(has_changed, *found.stored_additions)

        approval, has_changed = await self._apply_change(asked.id, change_state)
        if has_changed:
            self.observer.on_answer(approval)
            await self._approve_tasks(principal, approval)
        if found.stored_additions:
            await self._release_covered(approval, found.stored_additions.without_counted_grants)
        return approval

    async def _approve_tasks(self, principal: Principal, approval: Approval) -> None:
        """After an administrator's yes, approve the task files of packs as the question showed them.

        The yes of another person is for this call only, because approved files count for everybody.
        """
        if approval.state is State.APPROVED and principal.administrator and not approval.is_edited:
            changed = changed_tasks(approval.facts.findings).items()
            await self._decider.workspace.approve_tasks({path: digest for path, digest in changed if digest})

    async def decide_and_claim(
        self, context: TurnContext, approval: Approval, preset: Preset
    ) -> Run | Refuse | Wait:
        """Decide an approved call again on the current policy and facts, and claim it if it may still run.

        While all agents are paused the call waits. A caller that lost the reply gets the same claim again.
        """
        await self._keep_process_grants(approval, preset)
        for tried in range(MAX_CLAIM_TRIES):
            move = transitions.reclaim if approval.state is State.RUNNING else transitions.claim
            # First with the cached policy: the claim itself checks that its version is current.
            decided = await self._decider.decide(context, approval.approved_call, use_cached_policy=not tried)
            stopped = stop_reason(approval, decided)
            file = await self._decider.changed_file_preview(approval, decided)
            if (stopped is not None or decided.decision.is_paused or file is not None) and not tried:
                continue
            try:
                if move is transitions.reclaim and (stopped is not None or file is not None):
                    return await self._withhold_claim(approval, stopped or transitions.FILE_CHANGED)
                if stopped is not None:
                    return await self.refuse_call(approval.id, stopped, decided)
                if decided.decision.is_paused:
                    return Wait(approval=approval)
                if file is not None:
                    return await self._ask_again(approval, file, preset)
                return await self.claim(
                    approval.id, decided, move, shown=approval.digest, nonce=context.nonce
                )
            except PolicyChangedError:
                continue
            except StateError:
                # Another request came first, possibly an earlier one of this caller whose reply was lost.
                now = await self.settle(approval.id)
                if transitions.can_claim(now, context.nonce):
                    approval = now
                    continue
                return Wait(approval=now) if now.state is State.PENDING else approval_refusal(now)
        raise ConflictError(f"policy kept changing while approval `{approval.id}` was claimed; try again")

    async def _ask_again(self, approval: Approval, file: FilePreview, preset: Preset) -> Wait | Refuse:
        """Ask again because the file changed; after several changes the call is refused."""
        if file.changes >= MAX_FILE_CHANGES:
            return approval_refusal(await self.refuse(approval.id, CHANGED_TOO_OFTEN))
        asked, _ = await self._apply_change(approval.id, ask_again_change(approval, file, preset))
        self.observer.on_question(asked)
        return Wait(approval=asked)

    async def _withhold_claim(self, approval: Approval, why: str) -> Refuse:
        """Refuse to return a claim a second time, because the call may no longer run."""
        await self._apply_end_change(approval.id, lambda one, _: ChangeResult(transitions.withhold(one, why)))
        return Refuse(code=Code.DENIED, message=f"{why}; do not retry the same call")

    async def withdraw(self, id: str, why: str) -> Approval:
        """Withdraw an approval; a call that has not started never runs."""
        return await self._apply_end_change(
            id, lambda one, moment: ChangeResult(transitions.withdraw(one, why, at=moment.at))
        )

    async def withdraw_all(self, which: ApprovalFilter, why: str, *, live_only: bool = False) -> None:
        """Withdraw all approvals of a filter that are still open, or only those with a caller that waits."""
        open_ones = replace(which, states=frozenset({State.PENDING, State.APPROVED}))
        found = [
            one.id
            async for one in self.iterate_approvals(open_ones)
            if one.delivery.needs_live_caller or not live_only
        ]
        for id in found:
            await self.withdraw(id, why)

    async def report(self, id: str, claim: str | None, *, failed: bool, note: str) -> Approval:
        """Record the result of a claimed call; without a claim, for any process of the agent that has it."""

        def change_state(approval: Approval, moment: Moment) -> ChangeResult:
            held = approval.claim if claim is None else claim
            return ChangeResult(transitions.report(approval, held, failed=failed, note=note, at=moment.at))

        return await self._apply_end_change(id, change_state)

    async def postpone(self, principal: Principal, id: str) -> Approval:
        """Mark an approval for later."""
        return await self._store.change_approval(
            id, lambda one, moment: ChangeResult(transitions.postpone(one, principal, at=moment.at))
        )

    async def renew_lease(self, id: str) -> Approval:
        """Renew the lease of a caller that waits, or end an approval whose time is over."""

        def change_state(approval: Approval, moment: Moment) -> ChangeResult:
            return ChangeResult(transitions.renew_lease(approval, at=moment.at, paused=moment.paused))

        approval, has_changed = await self._apply_change(id, change_state)
        if has_changed and not approval.state.is_open:
            self.observer.on_end(approval)
        return approval

    async def refuse(self, id: str, why: str) -> Approval:
        """Refuse a call that policy no longer allows."""
        return await self._apply_end_change(
            id, lambda one, moment: ChangeResult(transitions.refuse(one, why, at=moment.at))
        )

    async def refuse_call(self, id: str, why: str, decided: DecidedCall) -> Refuse:
        """Refuse a call and return the refusal; a removed tool gives the same message as an unknown tool."""
        refused = await self.refuse(id, why)
        absent = decided.decision.verdict is Verdict.ABSENT
        return policy_refusal(decided.decision) if absent else approval_refusal(refused)

    async def _apply_end_change(self, id: str, change: ApprovalChange) -> Approval:
        """Apply a change that ends an approval, and notify the observer."""
        approval, has_changed = await self._apply_change(id, change)
        if has_changed:
            self.observer.on_end(approval)
        return approval

    async def _apply_change(self, id: str, change: ApprovalChange) -> tuple[Approval, bool]:
        """Apply a change to an approval; the second value is true if the change had an effect."""
        has_changed = False

        def change_and_record(approval: Approval, moment: Moment) -> ChangeResult:
            nonlocal has_changed
            changed = change(approval, moment)
            # A store that lost the reply of its commit retries, and finds the change done: it still counts.
            has_changed = has_changed or changed.approval is not approval
            return changed

        return await self._store.change_approval(id, change_and_record), has_changed

    def _attach(self, approval: Approval, moment: Moment) -> ChangeResult:
        boot = self._store.boot
        return ChangeResult(transitions.attach_to_process(approval, boot, at=moment.at, paused=moment.paused))

    async def _wait_until_expiry(self, approval: Approval) -> Approval:
        """Wait until the approval is answered or expires."""
        timeout = None
        if approval.expires_at is not None:
            moment = await self._store.moment()
            timeout = max((approval.expires_at - moment.at).total_seconds(), 0) + _CLOCK_TOLERANCE
        try:
            async with asyncio.timeout(timeout):
                return await self._store.wait_for_answer(approval.id)
        except TimeoutError:
            return await self.settle(approval.id)

    async def _keep_process_grants(self, approval: Approval, preset: Preset) -> None:
        """Keep the until-restart grants of an answer in this process, where the agent runs."""
        if approval.answer is None or not approval.answer.is_lasting:
            return
        try:
            found = policy_additions(approval, approval.answer, preset, self._store.secret)
        except (ConflictError, InputError):
            return  # The preset changed after the answer, which then counts for its own call only.
        grants = tuple(one for one in found.grants if one.lifetime is Lifetime.RESTART)
        known = {held.id for held in self._decider.process_grants}
        self._decider.keep_grants(grants)
        new = tuple(one for one in self._decider.process_grants if one.id not in known)
        await self._release_covered(approval, PolicyAdditions(new).without_counted_grants)

    async def _release_covered(self, approval: Approval, found: PolicyAdditions) -> None:
        """Approve the other pending approvals that new grants or rules cover."""
        if not found:
            return
        answer = Answer(
            say=Say.ONCE, by=approval.answer.by if approval.answer else "", released_by=approval.id
        )
        key, others = self._store.secret, self.iterate_approvals(affected_approval_filter(found))
        # Only the ids are collected, because the approvals may be large.
        for other in [one.id async for one in others if can_release(found, one, key)]:
            if other == approval.id:
                continue
            with suppress(StateError):
                await self._store.change_approval(
                    other, lambda one, moment: ChangeResult(transitions.release(one, answer, at=moment.at))
                )

    async def iterate_approvals(self, which: ApprovalFilter) -> AsyncIterator[Approval]:
        """Iterate over the approvals of a filter, page by page."""
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
        decided: DecidedCall,
        move: _ClaimStep = transitions.claim,
        *,
        shown: str | None = None,
        nonce: str = "",
    ) -> Run:
        """Claim an approved call if policy is unchanged; with `shown`, also only if its digest is this."""
        mark = new_id()

        def change_state(approval: Approval, moment: Moment) -> ChangeResult:
            if moment.version != decided.policy.version:
                raise PolicyChangedError("policy changed")
            # INVARIANT: the call that was decided again is the call that was approved.
            if approval.approved_call != decided.call:
                raise ConflictError(f"approval `{id}` is for a different call")
            if shown not in (None, approval.digest):
                raise StateError(id, approval.state, "run")
            return ChangeResult(move(approval, mark, self._store.boot, at=moment.at, nonce=nonce))

        taken = await self._store.change_approval(id, change_state)
        if not decided.where.remote:
            made = paths_to_make(decided.tool, decided.call, decided.facts)
            self._decider.workspace.record_made_paths(decided.call, made)
        rules = remembered_rules(id, (*decided.policy.rules, *self._decider.active_grants(decided.policy)))
        return Run(
            call=decided.call, decision=decided.decision, approval=id, claim=taken.claim, remembered=rules
        )


def _check_answer(answer: Answer, asked: Approval) -> None:
    """Raise an error for an answer that cannot be stored, or that approves a proposal."""
    check_no_limits(answer)
    if answer.args is not None:
        canonical_json(dict(answer.args))
    if answer.yes and asked.delivery.is_run_by_gate:
        raise ConflictError(f"approval `{asked.id}` is a proposal: apply it, or deny it")


def _settle_change(approval: Approval, moment: Moment) -> ChangeResult:
    return ChangeResult(transitions.end_if_due(approval, at=moment.at, alive=True, paused=moment.paused))
