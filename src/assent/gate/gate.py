"""The gate: begins turns, accepts answers, and ends overdue approvals."""

import asyncio
import itertools
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Self

from assent.engine.base.tool import Call
from assent.engine.policy.verdict import Verdict
from assent.errors import ConflictError, ForbiddenError, InputError, NotFoundError, StoreError
from assent.gate.access import Kind, Principal, can_see, check_administrator, check_can_call
from assent.gate.answer import Answer
from assent.gate.approval import Approval, Excerpt, ExcerptPage, State
from assent.gate.approval_service import ApprovalService
from assent.gate.audit import BucketSize, Link, RuleHits, Tally
from assent.gate.calls import (
    DEFAULT_OPTIONS,
    NO_OBSERVER,
    Applied,
    DecidedCall,
    Observer,
    Refuse,
    TurnOptions,
    TurnTarget,
)
from assent.gate.catalog import Catalog, DeclaredTool, TrustLevel, check_declarations
from assent.gate.changes import ChangeKind, authorize, change_entry
from assent.gate.conversations import Conversations, TurnContexts
from assent.gate.decider import Decider
from assent.gate.definitions import Definitions, PageCatalog
from assent.gate.events import EventFeed
from assent.gate.ids import check_id, keyed_id, validate_call
from assent.gate.policy import FilePolicies, Pause, PolicyKey
from assent.gate.policy_admin import PolicyAdmin
from assent.gate.ports import Authorizer, Runner, Workspace
from assent.gate.proposals import Proposals
from assent.gate.question import Limits
from assent.gate.store import ALL_ENTRIES, ApprovalFilter, ApprovalPage, AuditFilter, Counters, Store
from assent.gate.turn import PausedCalls, Turn, with_turn_identity
from assent.gate.workspace_admin import WorkspaceAdmin, WorkspaceQuestions

__all__ = ["DEFAULT_OPTIONS", "Gate", "TurnOptions"]

_log = logging.getLogger("assent.gate")
HEARTBEAT_SECONDS = 15.0
SWEEPS_PER_HEARTBEAT = 3
"""The number of sweeps between two heartbeats; a lapsed lease ends with the next sweep."""
SILENCE_LIMIT = timedelta(seconds=60)
"""The time without a heartbeat after which a process counts as dead and its approvals are withdrawn."""
ARGUMENT_RETENTION = timedelta(days=30)
"""How long the arguments of a call are kept after its approval has ended."""
HEARTBEATS_PER_SCRUB = 240
"""The number of heartbeats between two deletions of old arguments, which read the whole history."""
DEFAULT_LIMITS = Limits()
ALL_APPROVALS = ApprovalFilter()
_GLOBAL_POLICY_KEY = PolicyKey("", "", "")


class Gate:
    """The entry point for calls, answers and changes; every read applies the rights of its principal."""

    def __init__(
        self,
        store: Store,
        file_policies: FilePolicies,
        workspace: Workspace,
        *,
        authorizer: Authorizer | None = None,
        limits: Limits = DEFAULT_LIMITS,
        keep: timedelta = ARGUMENT_RETENTION,
        observer: Observer = NO_OBSERVER,
    ) -> None:
        self.store = store
        self._keep = keep
        self._file_policies = file_policies
        self._catalog = Catalog()
        self.page_tools = PageCatalog(store, self._catalog)
        self._decider = Decider(store, self._catalog, workspace, authorizer, file_policies)
        self.rewrites, self.unknown_tools = self._decider.rewrites, self._decider.unknown_tools
        self._approvals = ApprovalService(store, self._decider, limits, observer)
        self._proposals = Proposals(store, self._decider, self._approvals)
        self._paused = PausedCalls(store, self._decider, self._approvals)
        self._contexts = TurnContexts(store, file_policies, self._decider)
        self.conversations = Conversations(store, file_policies)
        self.policy = PolicyAdmin(store, self._decider)
        self.workspaces = WorkspaceAdmin(store, workspace)
        self.workspace_questions = WorkspaceQuestions(store, self.workspaces, self._approvals)
        self._watch: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._watch = asyncio.create_task(self._run_heartbeats(), name="assent watch")
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the store; pending approvals stay pending."""
        if self._watch is not None:
            self._watch.cancel()
            await asyncio.gather(self._watch, return_exceptions=True)
        await self.store.close()

    # ---- tools ------------------------------------------------------------------------------

    def offer(self, *declared: DeclaredTool, runners: Mapping[str, Runner] | None = None) -> None:
        """Add tools of this program to the catalog, with the runners that proposals need."""
        for one in declared:
            self._catalog.add(one)
        for tool, runner in (runners or {}).items():
            self._proposals.register(tool, runner)

    async def declare(self, *declared: DeclaredTool) -> None:
        """Add tools of other programs; the first definition of a tool is pinned."""
        # Definitions are pinned first: a tool without a pin could change unnoticed.
        if pins := tuple(one.full_pin for one in declared if one.trust is not TrustLevel.SERVER):
            await self.store.pin_definitions(pins)
        self.offer(*declared)

    async def publish(
        self, principal: Principal, agent: str, origin: str, declared: Sequence[DeclaredTool]
    ) -> None:
        """Replace the tools that an origin offers to an agent, in all processes."""
        change = authorize(self.store, principal, check_administrator)
        check_id("agent", agent)
        check_id("origin", origin)
        pins = tuple(one.full_pin for one in check_declarations(agent, origin, declared))
        await change.write(self.store.pin_definitions(pins))
        await change.write(
            self.store.set_declarations(agent, origin, declared, by=principal.id),
            change_entry(principal.id, ChangeKind.TOOLS_DECLARED, origin, agent=agent),
        )

    async def catalog(self, principal: Principal, agent: str) -> tuple[DeclaredTool, ...]:
        """The tools that are declared to an agent, by name."""
        await self._decider.stored_policy(PolicyKey(principal.user, agent, ""))
        return tuple(tool for _, tool in sorted(self._catalog.offered_tools(agent).items()))

    async def tool_names(self) -> frozenset[str]:
        """The names of all declared tools."""
        return (await self._current_catalog()).names

    async def definitions(self) -> Definitions:
        """The definitions of tools that nobody accepted, also of tools that other processes declared."""
        return Definitions(self.store, await self._current_catalog())

    async def accept_definition(
        self, principal: Principal, tool: str, *, digest: str | None = None, origin: str | None = None
    ) -> None:
        """Accept the current definition of a tool; with a digest, only if the definition still has it."""
        await (await self.definitions()).accept(principal, tool, digest, origin)

    async def _current_catalog(self) -> Catalog:
        """The catalog with the tools that other processes have declared."""
        await self._decider.stored_policy(_GLOBAL_POLICY_KEY)
        return self._catalog

    # ---- turns ------------------------------------------------------------------------------

    async def begin(
        self,
        principal: Principal,
        *,
        conversation: str = "",
        agent: str = "",
        parent: Turn | None = None,
        options: TurnOptions = DEFAULT_OPTIONS,
        cwd: str = "",
    ) -> Turn:
        """Begin a turn; its mode and preset do not change later. Without a readable policy no turn begins.

        `cwd` is the directory of the call that begins it: the files of its workspace choose the mode.
        """
        target = TurnTarget(conversation, agent, None if parent is None else parent.context, cwd)
        context = await self._contexts.create(principal, target, options)
        return Turn(context, self.store, self._decider, self._approvals, self._proposals, self._paused)

    async def rejoin(self, principal: Principal, id: str) -> Turn:
        """Continue the turn of an approval in any process, for the principal that made its call."""
        approval = (await self.excerpt(principal, id)).approval
        check_can_call(principal, approval.resource)
        if approval.lineage:
            raise ConflictError("a sub-agent's call continues only in the process of its parent agent")
        context = replace(await self._contexts.restore(approval), principal=principal)
        return Turn(context, self.store, self._decider, self._approvals, self._proposals, self._paused)

    async def decide(
        self, principal: Principal, call: Call, *, options: TurnOptions = DEFAULT_OPTIONS
    ) -> DecidedCall:
        """Decide a call without asking a person or storing anything."""
        target = TurnTarget(call.conversation, call.agent, None, call.cwd)
        context = await self._contexts.create(principal, target, options, save=False)
        return await self._decider.decide(context, validate_call(with_turn_identity(context, call)))

    # ---- approvals --------------------------------------------------------------------------

    async def pending_approvals(
        self,
        principal: Principal,
        which: ApprovalFilter = ALL_APPROVALS,
        *,
        limit: int = 100,
        after: str = "",
    ) -> ApprovalPage:
        """A page of the pending approvals that a principal may see, oldest first."""
        asked = replace(which, states=which.states or frozenset({State.PENDING}))
        page = await self.store.approvals(asked.visible_to(principal), limit=limit, after=after)
        visible = tuple(one for one in page.approvals if can_see(principal, one.resource))
        return page._replace(approvals=visible)

    async def excerpts(
        self,
        principal: Principal,
        which: ApprovalFilter = ALL_APPROVALS,
        *,
        limit: int = 100,
        after: str = "",
    ) -> ExcerptPage:
        """A page of pending approvals as excerpts, which have a bounded size, oldest first."""
        asked = replace(which, states=which.states or frozenset({State.PENDING}))
        page = await self.store.excerpts(asked.visible_to(principal), limit=limit, after=after)
        visible = tuple(one for one in page.excerpts if can_see(principal, one.approval.resource))
        return page._replace(excerpts=visible)

    async def excerpt(self, principal: Principal, id: str) -> Excerpt:
        """The excerpt of an approval; `NotFoundError` also if the principal may not see it."""
        excerpt = await self.store.excerpt(id)
        if not can_see(principal, excerpt.approval.resource):
            raise NotFoundError("approval", id)
        return excerpt

    async def approval(self, principal: Principal, id: str) -> Approval:
        """The approval with this id; `NotFoundError` also if the principal may not see it."""
        approval = await self.store.approval(id)
        if not can_see(principal, approval.resource):
            raise NotFoundError("approval", id)
        return approval

    async def answer(self, principal: Principal, id: str, digest: str | None, answer: Answer) -> Approval:
        """Answer an approval in one atomic change; the first answer wins.

        The digest proves that the person saw the whole call; only a denial works without it.
        """
        asked = await self.approval(principal, id)
        if digest is None and answer.yes:
            raise InputError("`digest` is required to allow a call: read the approval by its id")
        shown = asked.digest if digest is None else digest
        preset = self._file_policies(asked.preset).preset
        return await self.workspace_questions.answer(principal, asked, shown, answer, preset)

    async def postpone(self, principal: Principal, id: str) -> Approval:
        """Mark an approval for later; it stays pending."""
        await self.excerpt(principal, id)
        return await self._approvals.postpone(principal, id)

    async def apply_proposal(self, principal: Principal, token: str) -> Applied | Refuse:
        """Run a proposed call as it is stored, once, with the rights of its owner."""
        approval = await self._proposals.find(token)
        if not can_see(principal, approval.resource):
            raise NotFoundError("approval", approval.id)
        return await self._proposals.apply(await self._contexts.restore(approval), principal, token)

    async def rules_refusal_reason(self, principal: Principal, id: str, rules: Sequence[str]) -> str:
        """Why an "always" that writes these rules would be refused; empty if it would be accepted."""
        asked = await self.approval(principal, id)
        return self.policy.rules_refusal_reason(asked, self._file_policies(asked.preset).preset, rules)

    async def withdraw(self, id: str, why: str = "its caller is gone") -> Approval:
        """Withdraw an approval because its caller is gone."""
        return await self._approvals.withdraw(id, why)

    async def withdraw_all(self, which: ApprovalFilter, why: str, *, live_only: bool = False) -> None:
        """Withdraw all open approvals of a filter, or only those for which a caller has to wait."""
        await self._approvals.withdraw_all(which, why, live_only=live_only)

    async def report(self, id: str, claim: str, *, failed: bool = False, note: str = "") -> Approval:
        """Report the result of a claimed call."""
        return await self._approvals.report(id, claim, failed=failed, note=note)

    async def report_call(
        self, principal: Principal, target: TurnTarget, call: str, *, failed: bool = False, note: str = ""
    ) -> Approval:
        """Report the result of a claimed call by its own id, from any process of its agent."""
        id = await self._contexts.find_question(principal, target, call)
        return await self._approvals.report(id, None, failed=failed, note=note)

    # ---- the pause of all agents, and events -------------------------------------------------

    async def pause_state(self, principal: Principal) -> Pause | None:
        """Who paused all agents, and when; None while they are not paused."""
        if principal.kind is Kind.AGENT:
            raise ForbiddenError(principal.id, "an agent cannot read the pause state")
        return (await self.store.stored_policy(_GLOBAL_POLICY_KEY)).paused

    async def pause(self, principal: Principal) -> None:
        """Make every call that is not a read wait, in all processes; answers are still accepted."""
        change = authorize(self.store, principal, check_administrator)
        entry = change_entry(principal.id, ChangeKind.PAUSED)
        await change.write(self.store.pause(principal.id), entry)

    async def resume(self, principal: Principal) -> None:
        """End the pause; calls that waited only for its end are decided again."""
        change = authorize(self.store, principal, check_administrator)
        entry = change_entry(principal.id, ChangeKind.RESUMED)
        await change.write(self.store.resume(principal.id), entry)
        pending = ApprovalFilter(states=frozenset({State.PENDING}))
        for approval in [one async for one in self._approvals.iterate_approvals(pending)]:
            if approval.decision.is_only_paused and approval.delivery.is_released_by_gate:
                await self._release_after_pause(principal, approval)

    def event_feed(self, principal: Principal, after: str | None = None) -> EventFeed:
        """The events after a cursor, or from now on, that a principal may see."""
        return EventFeed(self.store, principal, after)

    # ---- the audit --------------------------------------------------------------------------

    async def audit(
        self,
        principal: Principal,
        audit_filter: AuditFilter = ALL_ENTRIES,
        *,
        limit: int = 100,
        after: str = "",
        newest_first: bool = False,
    ) -> tuple[tuple[Link, ...], str]:
        """A page of the audit: everything for administrators, their own rows for others."""
        meant = audit_filter.visible_to(principal)
        return await self.store.audit(meant, limit=limit, after=after, newest_first=newest_first)

    async def tally(
        self,
        principal: Principal,
        audit_filter: AuditFilter = ALL_ENTRIES,
        *,
        span: BucketSize = BucketSize.HOUR,
    ) -> Tally:
        """Statistics of the audit rows that match a filter and that the principal may see."""
        return await self.store.tally(audit_filter.visible_to(principal), span=span)

    async def rule_hits(
        self, principal: Principal, audit_filter: AuditFilter = ALL_ENTRIES
    ) -> tuple[int, Sequence[RuleHits]]:
        """The number of decisions, and the number of decisions of each rule."""
        return await self.store.rule_hits(audit_filter.visible_to(principal))

    def keyed_id(self, *words: str) -> str:
        """An id computed from words and the store's secret: equal in all processes, and not guessable."""
        return keyed_id(self.store.secret, *words)

    async def policy_version(self) -> int:
        """The version of the stored policy."""
        return (await self.store.moment()).version

    async def is_paused(self) -> bool:
        """Whether all agents are paused, for monitoring."""
        return (await self.store.moment()).paused

    async def count_pending(self) -> int:
        """The number of approvals that wait for a person, for monitoring."""
        return await self.store.count_pending()

    def counters(self) -> Counters:
        """The counters of this process, for monitoring; available even if the database is down."""
        return self.store.counters()

    async def check_writable(self) -> None:
        """Raise `StoreError` where the store cannot commit a write."""
        await self.store.check_writable()

    async def record_heartbeat(self) -> None:
        """Record that this process is alive."""
        await self.store.record_heartbeat()

    async def _release_after_pause(self, principal: Principal, approval: Approval) -> None:
        """Release a paused call that may now run; a sub-agent's call is decided in its parent's process."""
        decided = await self._decider.decide(await self._contexts.restore(approval), approval.call)
        if not approval.lineage and decided.decision.verdict is Verdict.RUN:
            await self._paused.release(approval, principal.id)

    async def _run_heartbeats(self) -> None:
        """Record heartbeats and end overdue approvals, until the gate closes."""
        for sweep in itertools.count():
            await asyncio.sleep(HEARTBEAT_SECONDS / SWEEPS_PER_HEARTBEAT)
            keep = None if sweep % (SWEEPS_PER_HEARTBEAT * HEARTBEATS_PER_SCRUB) else self._keep
            try:
                if not sweep % SWEEPS_PER_HEARTBEAT:
                    await self.store.record_heartbeat()
                for approval in await self.store.sweep(SILENCE_LIMIT, keep=keep):
                    self._approvals.observer.on_end(approval)
            except StoreError as error:
                _log.warning("%s", error)
            except Exception as error:  # noqa: BLE001 - the edge: the heartbeats must go on
                _log.error("the gate's watch failed (%s)", type(error).__name__)
