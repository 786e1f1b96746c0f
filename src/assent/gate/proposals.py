"""Proposals: calls that the gate itself runs when a person applies them."""

import asyncio
import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping

from assent.engine.base.tool import Call
from assent.engine.policy.verdict import Stage
from assent.errors import ConflictError, ForbiddenError, InputError, LimitError, StateError
from assent.gate import approval as transitions
from assent.gate.access import Kind, Principal, check_can_answer
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from assent.gate.approval_service import ApprovalService
from assent.gate.calls import (
    Applied,
    Code,
    DecidedCall,
    Refuse,
    TurnContext,
    Wait,
    approval_refusal,
    limit_refusal,
)
from assent.gate.decider import Decider, stop_reason
from assent.gate.ids import keyed_id, new_id
from assent.gate.policy import Moment
from assent.gate.ports import ArgumentIssue, DryRunResult, Runner
from assent.gate.question import Proposal
from assent.gate.store import ChangeResult, Store

_TOKEN_PATTERN = re.compile(r"propose:([0-9a-f]{32})\.([A-Za-z0-9_-]{43})")


class Proposals:
    """Proposes calls and runs them with the runners that hosts registered."""

    def __init__(self, store: Store, decider: Decider, approvals: ApprovalService) -> None:
        self._store = store
        self._decider = decider
        self._approvals = approvals
        self._runners: dict[str, Runner] = {}

    def register(self, tool: str, runner: Runner) -> None:
        """Register the runner of a tool."""
        self._runners[tool] = runner

    def is_proposed(self, decided: DecidedCall) -> bool:
        """Whether the gate runs an allowed call as a proposal: every call except a read."""
        return not any(step.stage is Stage.READ for step in decided.decision.steps)

    async def propose(self, context: TurnContext, decided: DecidedCall) -> Wait | Refuse:
        """Validate a call, make a dry run, store the proposal, and return the token that applies it."""
        prepared = await self._validate_and_dry_run(context, decided.call)
        if isinstance(prepared, Refuse):
            return prepared
        nonce = secrets.token_urlsafe(32)
        try:
            approval = await self._save_proposal(context, decided, prepared, nonce)
        except LimitError as error:
            return limit_refusal(error)
        if approval.token_digest != _token_digest(nonce):
            return Refuse(
                code=Code.ALREADY_PROPOSED,
                message=f"this call was already proposed and is {approval.state}",
            )
        return Wait(approval=approval, token=f"propose:{approval.id}.{nonce}")

    async def run(self, context: TurnContext, decided: DecidedCall) -> Applied | Refuse:
        """Propose and apply a call that needs no approval, with the same checks."""
        proposed = await self.propose(context, decided)
        if isinstance(proposed, Refuse):
            return proposed
        mark = new_id()

        def change_state(approval: Approval, moment: Moment) -> ChangeResult:
            if moment.version != decided.policy.version:
                raise ConflictError("policy changed while the call was applied; try again")
            return ChangeResult(transitions.claim_pending(approval, mark, self._store.boot, at=moment.at))

        try:
            taken = await self._store.change_approval(proposed.approval.id, change_state)
        except ConflictError:
            # No caller has the token, so the proposal could never be applied.
            await self._approvals.withdraw(proposed.approval.id, "policy changed while it was applied")
            raise
        return await self._run_claimed_call(context.principal, taken, mark)

    async def apply(self, context: TurnContext, principal: Principal, token: str) -> Applied | Refuse:
        """Run the stored call once, if policy allows it and its dry run has the same fingerprint."""
        approval = await self.find(token)
        check_can_answer(principal, approval.resource)
        approval = await self._approvals.settle_if_due(approval, context.initial_policy.at)
        if approval.state is not State.PENDING:
            return approval_refusal(approval)
        decided = await self._decider.decide(context, approval.call)
        mark = new_id()
        answer = Answer(say=Say.ONCE, by=principal.id)

        def change_state(one: Approval, moment: Moment) -> ChangeResult:
            if moment.version != decided.policy.version:
                raise ConflictError("policy changed while the call was applied; try again")
            yes = transitions.answer(one, answer, principal, one.digest, at=moment.at)
            return ChangeResult(transitions.claim(yes, mark, self._store.boot, at=moment.at))

        try:
            if decided.decision.is_paused:
                who = decided.snapshot.paused_by
                return Refuse(code=Code.PAUSED, message=f"{who} paused all agents: apply it later")
            refused = await self._find_refusal(context, approval, decided)
            if refused is not None:
                return refused
            taken = await self._store.change_approval(approval.id, change_state)
        except StateError:
            return approval_refusal(await self._approvals.settle(approval.id))
        return await self._run_claimed_call(context.principal, taken, mark)

    async def find(self, token: str) -> Approval:
        """The approval of a token; the error does not reveal which part of the token is wrong."""
        match = _TOKEN_PATTERN.fullmatch(token)
        if match is None:
            raise InputError("invalid token")
        approval = await self._store.approval(match[1])
        if not approval.token_digest or not hmac.compare_digest(
            approval.token_digest, _token_digest(match[2])
        ):
            raise InputError("invalid token")
        return approval

    async def _validate_and_dry_run(self, context: TurnContext, call: Call) -> DryRunResult | Refuse:
        """Validate a call and make its dry run, or return why it cannot be proposed."""
        if context.principal.kind is Kind.SERVICE:
            raise ForbiddenError(context.principal.id, "a service cannot run tools")
        runner = self._runners.get(call.tool)
        if runner is None:
            return Refuse(code=Code.NOT_PROPOSABLE, message=f"`{call.tool}` cannot be proposed")
        issues = tuple(await runner.validate(call))
        if issues:
            return _invalid_refusal(issues)
        return await runner.dry_run(context.principal, call)

    async def _save_proposal(
        self, context: TurnContext, decided: DecidedCall, preview: DryRunResult, nonce: str
    ) -> Approval:
        # The same call in a turn has one approval, even if the model repeats the call.
        id = keyed_id(
            self._store.secret, "proposal", context.conversation.owner, context.turn_id, decided.call_digest
        )
        shown: Mapping[str, object] = {
            "summary": preview.summary,
            "details": dict(preview.details),
            "fingerprint": preview.fingerprint,
        }
        return await self._approvals.ask(context, decided, Proposal(id, _token_digest(nonce), shown))

    async def _find_refusal(
        self, context: TurnContext, approval: Approval, decided: DecidedCall
    ) -> Refuse | None:
        """The refusal of a proposal that can no longer be applied; None if it can."""
        if (missing := await self._decider.missing_right(context, approval.tool)) is not None:
            why = f"{approval.owner} lacks the right `{missing}`"
            await self._approvals.refuse(approval.id, why)
            return Refuse(code=Code.FORBIDDEN, message=why)
        if (stopped := stop_reason(approval, decided)) is not None:
            return await self._approvals.refuse_call(approval.id, stopped, decided)
        prepared = await self._validate_and_dry_run(context, approval.call)
        if isinstance(prepared, Refuse):
            return prepared
        shown = (approval.preview or {}).get("fingerprint", "")
        if prepared.fingerprint != shown:
            return approval_refusal(
                await self._approvals.refuse(approval.id, "the state that it would change has changed")
            )
        return None

    async def _run_claimed_call(
        self, principal: Principal, approval: Approval, mark: str
    ) -> Applied | Refuse:
        """Run a claimed call; a failure is recorded, and the call is not repeated."""
        runner = self._runners[approval.call.tool]
        try:
            result = await runner.run(principal, approval.approved_call)
        except BaseException as error:
            note = type(error).__name__
            await asyncio.shield(self._approvals.report(approval.id, mark, failed=True, note=note))
            raise
        done = await self._approvals.report(approval.id, mark, failed=False, note="")
        return Applied(approval=done, result=result)


def _invalid_refusal(issues: tuple[ArgumentIssue, ...]) -> Refuse:
    problems = "; ".join(f"{issue.path}: {issue.message}" for issue in issues)
    return Refuse(code=Code.INVALID, message=f"the arguments are not valid: {problems}", issues=issues)


def _token_digest(nonce: str) -> str:
    return hashlib.sha256(nonce.encode()).hexdigest()
