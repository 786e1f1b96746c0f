"""The gate: begins turns, takes answers, and keeps watch over what is open."""

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from types import TracebackType
from typing import Self

from assent.engine.model import Call
from assent.engine.modes import parse_mode
from assent.engine.policy.rule import RuleList, parse_rule
from assent.engine.policy.tiers import Tier, TierSetting, default_tier
from assent.engine.verdict import Verdict
from assent.errors import ConflictError, ForbiddenError, InputError, NotFoundError, StoreError
from assent.gate.access import Kind, Principal, check_administer, check_begin, sees
from assent.gate.approval import Answer, Approval, State
from assent.gate.binding import check_id, check_name, owned
from assent.gate.catalog import Catalog, Declared, Trust, checked
from assent.gate.changes import Change, change_entry, ended, rule_changed, tiers_set
from assent.gate.conversation import Conversation
from assent.gate.conversations import Conversations, Wish
from assent.gate.current import About, Pause
from assent.gate.definitions import ChangedDefinition, Definitions
from assent.gate.excerpt import Excerpt, Excerpts
from assent.gate.feed import Feed
from assent.gate.grant import Grant, StoredRule, concerns
from assent.gate.judge import Judge, Judged
from assent.gate.live import START_MODE
from assent.gate.observer import NOBODY, Observer
from assent.gate.outcome import Applied, Refuse
from assent.gate.pauses import Pauses
from assent.gate.policy import Grounds
from assent.gate.ports import Authorizer, Limits, Page, Runner, Store, Tiering, Which, Workspace
from assent.gate.preset import Delivery
from assent.gate.preview import MOST, Previewed, previewed
from assent.gate.propose import Proposals
from assent.gate.questions import Questions
from assent.gate.remember import objection
from assent.gate.seats import AS_USUAL, Opening, Seats, Sitting
from assent.gate.turn import Turn, own

__all__ = ["AS_USUAL", "Gate", "Opening"]

_log = logging.getLogger("assent.gate")
BEAT = 15.0
"""Seconds between two signs of life."""
GRACE = timedelta(seconds=60)
"""How long a process may be silent before its questions are withdrawn."""
KEEP = timedelta(days=30)
"""How long the arguments of a call are kept once its approval has ended."""
SELDOM = 240
"""Scrubbing them looks at the whole history, so it is done once in so many beats."""


DEFAULT_LIMITS = Limits()
EVERY = Which()


class Gate:
    """The one place that calls, answers and policy go through."""

    def __init__(
        self,
        store: Store,
        grounds: Grounds,
        workspace: Workspace,
        *,
        authorizer: Authorizer | None = None,
        limits: Limits = DEFAULT_LIMITS,
        keep: timedelta = KEEP,
        observer: Observer = NOBODY,
    ) -> None:
        self.store = store
        self._keep = keep
        self._grounds = grounds
        self._catalog = Catalog()
        self._judge = Judge(store, self._catalog, workspace, authorizer, grounds)
        self.rewrites = self._judge.rewrites
        self._questions = Questions(store, self._judge, limits, observer)
        self._proposals = Proposals(store, self._judge, self._questions)
        self._pauses = Pauses(store, self._judge, self._questions)
        self._seats = Seats(store, grounds, self._judge)
        self._watch: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._watch = asyncio.create_task(self._keep_watch(), name="assent watch")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Let the store go; pending questions stay where they are."""
        if self._watch is not None:
            self._watch.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._watch
        await self.store.close()

    # ---- tools ------------------------------------------------------------------------------

    def offer(self, *declared: Declared, runners: Mapping[str, Runner] | None = None) -> None:
        """Take tools of this very program into the catalog, with what runs them for proposals."""
        for one in declared:
            self._catalog.add(one)
        for tool, runner in (runners or {}).items():
            self._proposals.register(tool, runner)

    async def declare(self, *declared: Declared) -> None:
        """Take tools of others in; a definition seen for the first time is held on to."""
        # Held on to first: a tool that could not be pinned could change unseen.
        if pins := tuple(one.whole_pin for one in declared if one.trust is not Trust.SERVER):
            await self.store.pin(pins)
        self.offer(*declared)

    async def publish(
        self, principal: Principal, agent: str, origin: str, declared: Sequence[Declared]
    ) -> None:
        """What an origin offers to an agent is this and nothing else; every process knows before deciding."""
        check_administer(principal)
        check_id("agent", agent)
        check_id("origin", origin)
        await self.store.pin(tuple(one.whole_pin for one in checked(agent, origin, declared)))
        await self.store.declare(agent, origin, declared, by=principal.id)
        self.store.record(change_entry(principal.id, Change.TOOLS_DECLARED, origin, agent=agent))

    async def catalog(self, principal: Principal, agent: str) -> tuple[Declared, ...]:
        """The tools that are declared to an agent, by name."""
        await self._judge.current(About(principal.user, agent, ""))
        known, offered = self._catalog.known(agent), self._catalog.offered(agent)
        return tuple(known[name] for name in sorted(offered))

    async def tool_names(self) -> frozenset[str]:
        """The names of all tools that are declared, here or to all processes."""
        return (await self._known()).names

    async def changed_definitions(self, principal: Principal) -> Sequence[ChangedDefinition]:
        """The tools that ask because their definition changed since a person accepted it."""
        return await Definitions(self.store, await self._known()).changed(principal)

    async def accept(
        self, principal: Principal, tool: str, *, digest: str | None = None, origin: str | None = None
    ) -> None:
        """Accept the definition that a tool has now; with the digest that was shown, that one or none."""
        await Definitions(self.store, await self._known()).accept(principal, tool, digest, origin)

    async def _known(self) -> Catalog:
        """The catalog with what others declared by now."""
        await self._judge.current(About("", "", ""))
        return self._catalog

    # ---- turns ------------------------------------------------------------------------------

    async def begin(
        self,
        principal: Principal,
        *,
        conversation: str = "",
        agent: str = "",
        parent: Turn | None = None,
        opening: Opening = AS_USUAL,
    ) -> Turn:
        """Begin a turn; its mode and preset are frozen now. If policy cannot be loaded, nothing begins."""
        place = Sitting(conversation, agent, None if parent is None else parent.seat)
        seat = await self._seats.taken(principal, place, opening)
        return Turn(seat, self.store, self._judge, self._questions, self._proposals, self._pauses)

    async def rejoin(self, principal: Principal, id: str) -> Turn:
        """The turn that a call was made in, as it was then, for whoever made it; on any pod."""
        approval = (await self.excerpt(principal, id)).approval
        check_begin(principal, approval.subject)
        if approval.lineage:
            raise ConflictError("a sub-agent's call goes on where the agent that started it runs")
        seat = replace(await self._seats.of(approval), principal=principal)
        return Turn(seat, self.store, self._judge, self._questions, self._proposals, self._pauses)

    async def decide(self, principal: Principal, call: Call, *, opening: Opening = AS_USUAL) -> Judged:
        """What would happen to a call: nothing is asked, recorded, used up or begun."""
        place = Sitting(call.conversation, call.agent)
        seat = await self._seats.taken(principal, place, opening, kept=False)
        return await self._judge.judge(seat, owned(own(seat, call)))

    async def set_mode(self, principal: Principal, conversation: str, mode: str) -> Conversation:
        """Change a conversation's mode, for the turns to come."""
        known = Conversations(self.store, self._grounds)
        return await known.change(principal, conversation, Wish(mode=mode))

    # ---- questions --------------------------------------------------------------------------

    async def pending(
        self, principal: Principal, which: Which = EVERY, *, limit: int = 100, after: str = ""
    ) -> Page:
        """A page of the open questions that somebody may see, oldest first."""
        asked = replace(which, states=which.states or frozenset({State.PENDING}))
        page = await self.store.approvals(asked.seen_by(principal), limit=limit, after=after)
        return page._replace(approvals=tuple(one for one in page.approvals if sees(principal, one.subject)))

    async def excerpts(
        self, principal: Principal, which: Which = EVERY, *, limit: int = 100, after: str = ""
    ) -> Excerpts:
        """The same in short, for lists: of a large question its head, tail and parts."""
        asked = replace(which, states=which.states or frozenset({State.PENDING}))
        page = await self.store.excerpts(asked.seen_by(principal), limit=limit, after=after)
        seen = tuple(one for one in page.excerpts if sees(principal, one.approval.subject))
        return page._replace(excerpts=seen)

    async def excerpt(self, principal: Principal, id: str) -> Excerpt:
        """One approval in short; what is not yours does not exist for you."""
        excerpt = await self.store.excerpt(id)
        if not sees(principal, excerpt.approval.subject):
            raise NotFoundError("approval", id)
        return excerpt

    async def approval(self, principal: Principal, id: str) -> Approval:
        """One approval; what is not yours does not exist for you."""
        approval = await self.store.approval(id)
        if not sees(principal, approval.subject):
            raise NotFoundError("approval", id)
        return approval

    async def answer(self, principal: Principal, id: str, digest: str | None, answer: Answer) -> Approval:
        """Answer a question: one atomic update; the first answer wins, others learn who gave it.

        The digest shows that the person saw the whole call; only a no does without it.
        """
        asked = await self.approval(principal, id)
        if digest is None and answer.yes:
            raise InputError("`digest` is required to allow a call: read the question by its id")
        shown = asked.digest if digest is None else digest
        return await self._questions.answer(
            principal, asked, shown, answer, self._grounds(asked.preset).preset
        )

    async def put_off(self, principal: Principal, id: str) -> Approval:
        """Say "later"."""
        await self.excerpt(principal, id)
        return await self._questions.put_off(principal, id)

    async def apply(self, principal: Principal, token: str) -> Applied | Refuse:
        """Apply a proposal: what is stored runs, once, in the name of whoever proposed it."""
        approval = await self._proposals.proposed(token)
        if not sees(principal, approval.subject):
            raise NotFoundError("approval", approval.id)
        return await self._proposals.apply(await self._seats.of(approval), principal, token)

    async def withdraw(self, id: str, why: str = "its caller is gone") -> Approval:
        """Take a question back because its caller is gone."""
        return await self._questions.withdraw(id, why)

    async def withdraw_all(self, which: Which, why: str) -> None:
        """Take back every open question of a conversation, an agent or a turn."""
        await self._questions.withdraw_all(which, why)

    async def report(self, id: str, claim: str, *, failed: bool = False, note: str = "") -> Approval:
        """Say what came of a call that was taken."""
        return await self._questions.report(id, claim, failed=failed, note=note)

    # ---- the one switch, and what happens ---------------------------------------------------

    async def switch(self, principal: Principal) -> Pause | None:
        """Who paused every agent, and when; None while calls go on."""
        if principal.kind is Kind.AGENT:
            raise ForbiddenError(principal.id, "an agent does not look at the switch")
        return (await self.store.current(About("", "", ""))).paused

    async def pause(self, principal: Principal) -> None:
        """Let each call that is not a read wait, on every pod; what people answer meanwhile is kept."""
        check_administer(principal)
        await self.store.pause(principal.id)
        self.store.record(change_entry(principal.id, Change.PAUSED))

    async def unpause(self, principal: Principal) -> None:
        """Let calls go on; those that only the pause held are decided again."""
        check_administer(principal)
        await self.store.unpause(principal.id)
        self.store.record(change_entry(principal.id, Change.RESUMED))
        pending = Which(states=frozenset({State.PENDING}))
        for approval in [one async for one in self._questions.each(pending)]:
            # Whoever waits decides for itself, and a proposal is for a person to apply.
            if approval.decision.is_only_paused and approval.delivery is Delivery.SUSPEND:
                await self._go_on(principal, approval)

    def feed(self, principal: Principal, after: str | None = None) -> Feed:
        """What happens from a cursor on, or from now on, as far as it concerns somebody."""
        return Feed(self.store, principal, after)

    # ---- what is remembered -----------------------------------------------------------------

    async def grants(self, principal: Principal) -> Sequence[Grant]:
        """The grants there are: an administrator sees all, others those that they gave or that are theirs."""
        every = (*await self.store.grants(), *self._judge.held)
        return [one for one in every if concerns(principal, one)]

    async def rules(self, principal: Principal) -> Sequence[StoredRule]:
        """The stored rules: an administrator sees all, others those that they gave or that are theirs."""
        return [one for one in await self.store.rules() if concerns(principal, one)]

    async def revoke(self, principal: Principal, id: str) -> None:
        """End a grant or an allow rule: whoever it concerns may; what forbids is ended by administrators."""
        every: list[Grant | StoredRule] = [*await self.store.grants(), *self._judge.held]
        every += await self.store.rules()
        found = next((one for one in every if one.id == id and concerns(principal, one)), None)
        if found is None:
            raise NotFoundError("grant", id)
        if isinstance(found, StoredRule) and found.list is not RuleList.ALLOW:
            check_administer(principal)
        if not self._judge.let_go(id):
            await self.store.revoke(id, by=principal.id)
        self.store.record(ended(found, principal.id))

    async def add_rule(self, principal: Principal, rule: StoredRule) -> None:
        """Write a rule to the store."""
        check_administer(principal)
        parse_rule(rule.text)
        await self.store.remember(rules=(replace(rule, by=principal.id),))
        self.store.record(rule_changed(Change.RULE_WRITTEN, rule, principal.id))

    async def preview(self, principal: Principal, rules: Sequence[StoredRule]) -> Previewed:
        """What rules would have done to the calls of late that somebody may see."""
        for rule in rules:
            parse_rule(rule.text)
        page = await self.store.approvals(Which(whole=True).seen_by(principal), limit=MOST, newest_first=True)
        return previewed(rules, [a for a in page.approvals if sees(principal, a.subject)], self.store.secret)

    async def objection(self, principal: Principal, id: str, rules: Sequence[str]) -> str:
        """Why a yes to this question that writes these rules would not be taken; empty if it would."""
        asked, key = await self.approval(principal, id), self.store.secret
        return objection(rules, asked, self._grounds(asked.preset).preset, key)

    async def start_in(self, principal: Principal, mode: str | None) -> None:
        """Say in which mode new conversations start, where their preset offers it; None is its first."""
        check_administer(principal)
        if mode is not None:
            parse_mode(mode)
        await self.store.save_setting(START_MODE, mode, by=principal.id)
        self.store.record(change_entry(principal.id, Change.SETTING_CHANGED, START_MODE, mode=mode or ""))

    async def set_tiers(
        self,
        principal: Principal,
        agent: str,
        tiers: Mapping[str, Tier | None],
        *,
        provider: str = "",
    ) -> None:
        """Say what some tools are: without a tier what its name suggests, without a provider its own."""
        check_administer(principal)
        for tool in tiers:
            check_name("tool", tool)
        known = {one.tool: one.provider for one in await self.store.tiers(agent)}
        tierings = [
            Tiering(
                agent,
                tool,
                TierSetting(tier or default_tier(tool), explicit=tier is not None),
                provider or known.get(tool, "operations"),
                principal.id,
            )
            for tool, tier in tiers.items()
        ]
        await self.store.tier(tierings)
        self.store.record(tiers_set(agent, tierings, principal.id))

    # ---- keeping watch ----------------------------------------------------------------------

    async def _go_on(self, principal: Principal, approval: Approval) -> None:
        """Release a call that would run now; one with ancestors is decided where they are known."""
        judged = await self._judge.judge(await self._seats.of(approval), approval.call)
        if not approval.lineage and judged.decision.verdict is Verdict.RUN:
            await self._pauses.release(approval, principal.id)

    async def _keep_watch(self) -> None:
        """Show that this process lives, and relabel what time alone has ended."""
        for beat in itertools.count():
            await asyncio.sleep(BEAT)
            try:
                await self.store.beat()
                ended = await self.store.sweep(GRACE, keep=None if beat % SELDOM else self._keep)
                for approval in ended:
                    self._questions.observer.ended(approval)
            except StoreError as error:
                _log.warning("%s", error)
            except Exception as error:  # noqa: BLE001 - the edge: who stops showing signs of life is taken for dead
                _log.error("keeping watch failed (%s)", type(error).__name__)
