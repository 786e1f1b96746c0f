"""The gate: begins turns, takes answers, and keeps watch over what is open."""

import asyncio
import contextlib
import itertools
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from types import TracebackType
from typing import NamedTuple, Self

from assent.engine.rule import RuleList, parse_rule
from assent.engine.tiers import Assignment, Tier, default_tier
from assent.errors import ConflictError, NotFoundError, StoreError
from assent.gate.access import Kind, Principal, Subject, check_administer, check_begin, sees
from assent.gate.approval import Answer, Approval, State
from assent.gate.binding import check_id, check_name
from assent.gate.catalog import Catalog, Declared, Trust
from assent.gate.conversation import Conversation, in_mode, mode_for, opened
from assent.gate.current import About
from assent.gate.grant import Grant, StoredRule
from assent.gate.judge import Judge, Seat
from assent.gate.mark import fresh
from assent.gate.outcome import Applied, Refuse
from assent.gate.policy import Grounds
from assent.gate.ports import Authorizer, Limits, Page, Runner, Store, Tiering, Which, Workspace
from assent.gate.preset import Delivery, Preset
from assent.gate.propose import Proposals
from assent.gate.questions import Questions
from assent.gate.record import ending_entry
from assent.gate.turn import Turn

_log = logging.getLogger("assent.gate")
BEAT = 15.0
"""Seconds between two signs of life."""
GRACE = timedelta(seconds=60)
"""How long a process may be silent before its questions are withdrawn."""
KEEP = timedelta(days=30)
"""How long the arguments of a call are kept once its approval has ended."""
SELDOM = 240
"""Scrubbing them looks at the whole history, so it is done once in so many beats."""


class Opening(NamedTuple):
    """How a turn begins, where that is not what the conversation says."""

    preset: str = ""
    """For a conversation that is new; empty is the default one."""
    mode: str | None = None
    attended: bool = True
    delivery: Delivery | None = None
    """How answers reach the calls, where the host knows better than the preset."""
    turn: str = ""
    """The id of a turn that goes on, perhaps in another process."""


AS_USUAL = Opening()
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
    ) -> None:
        self.store = store
        self._keep = keep
        self._grounds = grounds
        self._catalog = Catalog()
        self._judge = Judge(store, self._catalog, workspace, authorizer)
        self._questions = Questions(store, self._judge, limits)
        self._proposals = Proposals(store, self._judge, self._questions)
        self._watch: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self.store.beat()
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
        if pins := tuple(one.pin for one in declared if one.trust is not Trust.SERVER):
            await self.store.pin(pins)
        self.offer(*declared)

    async def accept(self, principal: Principal, tool: str, *, digest: str | None = None) -> None:
        """Accept the definition that a tool has now; with the digest that was shown, that one or none."""
        check_administer(principal)
        pins = [pin for pin in self._catalog.pinned() if pin.tool == tool]
        if not pins:
            raise NotFoundError("tool", tool)
        if digest is not None and not any(pin.digest == digest for pin in pins):
            raise ConflictError(f"`{tool}` is no longer defined as it was shown")
        pins = [pin for pin in pins if digest in (None, pin.digest)]
        await self.store.pin(pins, by=principal.id, accept=True)

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
        if parent is not None:
            # A sub-agent asks where its parent does, unless it was given a place of its own.
            conversation = conversation or parent.seat.conversation.id
            opening = opening._replace(preset=opening.preset or parent.seat.ground.preset.name)
        _check_ids(conversation=conversation, agent=agent, turn=opening.turn)
        current = await self.store.current(About(principal.user, agent, conversation))
        preset = opening.preset if current.conversation is None else current.conversation.preset
        ground = self._grounds(preset)
        known = current.conversation or await self._open(conversation, principal, agent, ground.preset)
        check_begin(principal, Subject(owner=known.owner, conversation=known.id, agent=agent))
        if known.preset != ground.preset.name:  # Somebody opened it just before us.
            ground = self._grounds(known.preset)
        mode, word = mode_for(known.mode if opening.mode is None else opening.mode, ground.preset)
        seat = Seat(
            turn=opening.turn or fresh(),
            principal=principal,
            conversation=known,
            agent=agent,
            mode=mode,
            mode_word=word,
            ground=ground,
            began_with=current,
            delivery=opening.delivery or ground.preset.delivery,
            attended=opening.attended and ground.attended and (parent is None or parent.seat.attended),
            parent=None if parent is None else parent.seat,
        )
        return Turn(seat, self.store, self._judge, self._questions, self._proposals)

    async def set_mode(self, principal: Principal, conversation: str, mode: str) -> Conversation:
        """Change a conversation's mode, for the turns to come."""
        known = await self.store.conversation(conversation)
        if known is None:
            raise NotFoundError("conversation", conversation)
        return await self.store.save(in_mode(known, mode, self._grounds(known.preset).preset, principal))

    # ---- questions --------------------------------------------------------------------------

    async def pending(self, principal: Principal, which: Which = EVERY, *, after: str = "") -> Page:
        """A page of the open questions that somebody may see, oldest first."""
        asked = replace(which, states=which.states or frozenset({State.PENDING}))
        if not principal.administrator and not principal.roles:
            asked = replace(asked, owner=principal.user)
        page = await self.store.approvals(asked, after=after)
        return page._replace(approvals=tuple(one for one in page.approvals if sees(principal, one.subject)))

    async def approval(self, principal: Principal, id: str) -> Approval:
        """One approval; what is not yours does not exist for you."""
        approval = await self.store.approval(id)
        if not sees(principal, approval.subject):
            raise NotFoundError("approval", id)
        return approval

    async def answer(self, principal: Principal, id: str, digest: str, answer: Answer) -> Approval:
        """Answer a question: one atomic update; the first answer wins, others learn who gave it."""
        asked = await self.approval(principal, id)
        return await self._questions.answer(
            principal, asked, digest, answer, self._grounds(asked.preset).preset
        )

    async def put_off(self, principal: Principal, id: str) -> Approval:
        """Say "later"."""
        await self.approval(principal, id)
        return await self._questions.put_off(principal, id)

    async def apply(self, principal: Principal, token: str) -> Applied | Refuse:
        """Apply a proposal: what is stored runs, once, in the name of whoever proposed it."""
        approval = await self._proposals.proposed(token)
        if not sees(principal, approval.subject):
            raise NotFoundError("approval", approval.id)
        proposer = Principal(id=approval.owner)
        call = approval.call
        opening = Opening(
            preset=approval.preset, mode=approval.mode, delivery=approval.delivery, turn=approval.turn
        )
        turn = await self.begin(proposer, conversation=call.conversation, agent=call.agent, opening=opening)
        return await self._proposals.apply(turn.seat, principal, token)

    async def withdraw(self, id: str, why: str = "its caller is gone") -> Approval:
        """Take a question back because its caller is gone."""
        return await self._questions.withdraw(id, why)

    async def withdraw_all(self, which: Which, why: str) -> None:
        """Take back every open question of a conversation, an agent or a turn."""
        await self._questions.withdraw_all(which, why)

    async def report(self, id: str, claim: str, *, failed: bool = False, note: str = "") -> Approval:
        """Say what came of a call that was taken."""
        return await self._questions.report(id, claim, failed=failed, note=note)

    # ---- what is remembered -----------------------------------------------------------------

    async def grants(self, principal: Principal) -> Sequence[Grant]:
        """The grants there are: an administrator sees all, others those that they gave or that are theirs."""
        every = (*await self.store.grants(), *self._judge.held)
        return [one for one in every if _concerns(principal, one)]

    async def revoke(self, principal: Principal, id: str) -> None:
        """End a grant or an allow rule: whoever it concerns may; what forbids is ended by administrators."""
        every: list[Grant | StoredRule] = [*await self.store.grants(), *self._judge.held]
        every += await self.store.rules()
        found = next((one for one in every if one.id == id and _concerns(principal, one)), None)
        if found is None:
            raise NotFoundError("grant", id)
        if isinstance(found, StoredRule) and found.list is not RuleList.ALLOW:
            check_administer(principal)
        if not self._judge.let_go(id):
            await self.store.revoke(id, by=principal.id)

    async def add_rule(self, principal: Principal, rule: StoredRule) -> None:
        """Write a rule to the store."""
        check_administer(principal)
        parse_rule(rule.text)
        await self.store.remember(rules=(replace(rule, by=principal.id),))

    async def set_tiers(
        self,
        principal: Principal,
        agent: str,
        tiers: Mapping[str, Tier | None],
        *,
        provider: str = "operations",
    ) -> None:
        """Say what an agent's tools are; one without a tier gets the one that its name suggests."""
        check_administer(principal)
        for tool in tiers:
            check_name("tool", tool)
        await self.store.tier(
            [
                Tiering(
                    agent,
                    tool,
                    Assignment(tier or default_tier(tool), explicit=tier is not None),
                    provider,
                    principal.id,
                )
                for tool, tier in tiers.items()
            ]
        )

    # ---- keeping watch ----------------------------------------------------------------------

    async def _open(self, id: str, principal: Principal, agent: str, preset: Preset) -> Conversation:
        """A conversation that begins now; one without an id is not kept."""
        check_begin(principal, Subject(owner=principal.user, conversation=id, agent=agent))
        new = opened(id, principal.user, agent, preset)
        return await self.store.save(new) if id else new

    async def _keep_watch(self) -> None:
        """Show that this process lives, and relabel what time alone has ended."""
        for beat in itertools.count():
            await asyncio.sleep(BEAT)
            try:
                await self.store.beat()
                ended = await self.store.sweep(GRACE, keep=None if beat % SELDOM else self._keep)
                for approval in ended:
                    self.store.record(ending_entry(approval))
            except StoreError as error:
                _log.warning("%s", error)
            except Exception as error:  # noqa: BLE001 - the edge: who stops showing signs of life is taken for dead
                _log.error("keeping watch failed (%s)", type(error).__name__)


def _check_ids(**texts: str) -> None:
    for field, text in texts.items():
        check_id(field, text)


def _concerns(principal: Principal, one: Grant | StoredRule) -> bool:
    """Whether somebody may know of it: who gave it, whose it is, and administrators; never an agent."""
    if principal.kind is Kind.AGENT:
        return False
    given = principal.kind is Kind.PERSON and principal.id in (one.by, one.user)
    return principal.administrator or given
