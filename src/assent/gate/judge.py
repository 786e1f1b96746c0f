"""The judge: decides a call on what is true now, and says what it was decided on."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import NamedTuple

from assent.engine.batching import batch_key
from assent.engine.decide import decide, files_to_digest, paths_to_resolve, visible_tools
from assent.engine.facts import Facts, PathUse, Place
from assent.engine.inputs import fed_inputs
from assent.engine.irreversible_acts import irreversible
from assent.engine.model import Call, Dialect, PathKind, Tool
from assent.engine.modes import Mode
from assent.engine.pieces import call_pieces
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.tiers import Tier, TierSetting
from assent.engine.verdict import Decision, Verdict
from assent.gate.access import Principal
from assent.gate.binding import digest_of
from assent.gate.catalog import Catalog
from assent.gate.conversation import Conversation
from assent.gate.current import About, Current
from assent.gate.edits import Rewrite, edit_of
from assent.gate.filepreview import FilePreview, preview_of
from assent.gate.grant import Grant
from assent.gate.policy import Ground, Grounds, Policies, Standing
from assent.gate.ports import Authorizer, Store, Workspace
from assent.gate.preset import Delivery


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Seat:
    """Whose turn it is: everything about a turn that stays as it was when it began."""

    turn: str
    principal: Principal
    conversation: Conversation
    agent: str
    mode: Mode | None
    mode_word: str
    """The mode as it was spelled."""
    ground: Ground
    began_with: Current
    delivery: Delivery
    """How answers reach the calls of this turn."""
    attended: bool = True
    parent: "Seat | None" = None
    nonce: str = ""
    """The digest of the nonce by which the claims of this turn may be asked for again."""

    @property
    def about(self) -> About:
        """Whose policy counts."""
        return About(user=self.principal.user, agent=self.agent, conversation=self.conversation.id)

    @property
    def lineage(self) -> tuple[str, ...]:
        """The agents that started this one, nearest first."""
        return () if self.parent is None else (self.parent.agent, *self.parent.lineage)


Read = Callable[[About], Awaitable[Current]]
"""Reads the policy that counts for somebody."""


class Judged(NamedTuple):
    """A call, decided, and everything that it was decided on."""

    call: Call
    decision: Decision
    facts: Facts
    snapshot: Snapshot
    current: Current
    counted: tuple[str, ...] = ()
    """Grants with a number of uses that this verdict needs."""
    origin: str = ""
    """Where the rule that decided comes from."""

    @property
    def tool(self) -> Tool:
        """The tool as it is defined now; a call of an absent one has none to bind to."""
        return self.snapshot.tools.get(self.call.tool) or Tool(name=self.call.tool)

    @property
    def told_apart(self) -> Decision:
        """The decision as a person is shown it: its pieces, what cannot be undone, and what is fed."""
        acts = irreversible(self.call, self.tool)
        return self.decision._replace(
            pieces=call_pieces(self.call, self.snapshot, self.facts, self.decision),
            irreversible=acts,
            inputs=fed_inputs(self.call, self.snapshot, self.facts),
            batch_key=batch_key(self.call, self.tool, self.decision, acts),
        )

    @property
    def call_digest(self) -> str:
        """The digest of this call, here, of its tool as it is defined now."""
        return digest_of(self.call, self.facts.place.cwd, self.tool)


class Judge:
    """Decides calls for whoever sits in a turn."""

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        workspace: Workspace,
        authorizer: Authorizer | None,
        grounds: Grounds | None = None,
    ) -> None:
        self._store = store
        self._grounds = grounds
        self._catalog = catalog
        self._policies = Policies(store, catalog)
        self._workspace = workspace
        self._authorizer = authorizer
        self._held: dict[str, Grant] = {}
        self._let_go: set[str] = set()
        self.rewrites: dict[str, Rewrite] = {}
        """What hosts say their own tools make of a file's text, by the tool's name."""

    def hold(self, grants: Iterable[Grant]) -> None:
        """Remember grants for as long as this process lives; one that was ended or used stays so."""
        for grant in grants:
            if grant.id not in self._held and grant.id not in self._let_go:
                self._held[grant.id] = replace(grant, boot=self._store.boot)

    def let_go(self, id: str) -> bool:
        """Forget a grant that only this process knows; whether there was one."""
        known = self._held.pop(id, None) is not None
        if known:
            self._let_go.add(id)
        return known

    async def use(self, grants: Sequence[str]) -> bool:
        """Use each of these counted grants once, wherever they are kept; False when one has no use left."""
        held = [self._held[id] for id in grants if id in self._held]
        stored = [id for id in grants if id not in self._held]
        if any(not one.uses for one in held):
            return False
        # Taken before the store is asked: nobody else here may take the same use meanwhile.
        self._add_uses(held, -1)
        if not stored or await self._store.use(stored):
            return True
        self._add_uses(held, 1)
        return False

    def _add_uses(self, held: Iterable[Grant], more: int) -> None:
        for one in held:
            known = self._held.get(one.id)
            if known is not None and known.uses is not None:
                self._held[one.id] = replace(known, uses=known.uses + more)

    @property
    def held(self) -> tuple[Grant, ...]:
        """The grants that end with this process."""
        return tuple(self._held.values())

    async def judge(self, seat: Seat, call: Call, *, recent: bool = False) -> Judged:
        """Decide a call on the policy and the facts of this moment.

        With `recent`, on the policy that was read last; whoever asks so makes sure that it still holds.
        """
        read = self._policies.recent if recent else self._policies.current
        current = await read(seat.about)
        snapshot = self._reached(seat, call, await self._snapshot(seat, current, (call.tool,), read))
        facts = await self._facts(call, snapshot)
        decision = decide(call, snapshot, facts)
        judged = Judged(call, decision, facts, snapshot, current)
        origin = await self._origin(seat, current, decision.rule) if decision.rule else ""
        return judged._replace(counted=self._counted(seat, judged), origin=origin)

    async def file_preview(self, judged: Judged) -> FilePreview | None:
        """What a call would change of a file as it is now; None where its arguments are not understood."""
        edit = edit_of(judged.call, judged.tool, self.rewrites)
        place = judged.facts.place
        path = None if edit is None else _absolute(edit.path, judged.tool, place)
        if edit is None or path is None:
            return None
        # INVARIANT: one read: the digest that a yes is bound to is of the bytes that the diff is made of.
        content = await self._workspace.content(place, path)
        return await asyncio.to_thread(preview_of, edit, content, place)

    async def current(self, about: About) -> Current:
        """Policy as it is now, with what others declared."""
        return await self._policies.current(about)

    async def visible(self, seat: Seat) -> tuple[Tool, ...]:
        """The tools that the model may see: offered here, neither blocked nor out of the person's reach."""
        current = await self._policies.current(seat.about)
        offered = self._catalog.offered(seat.agent)
        snapshot = await self._snapshot(seat, current, tuple(offered), self._policies.current)
        return tuple(tool for tool in visible_tools(snapshot, seat.agent) if tool.name in offered)

    async def _snapshot(self, seat: Seat, current: Current, tools: Sequence[str], read: Read) -> Snapshot:
        """Policy of a seat and of every ancestor, each as it is read."""
        parent = None
        if seat.parent is not None:
            parent = await self._snapshot(seat.parent, await read(seat.parent.about), tools, read)
        missing = await self._unauthorized(seat, tools)
        standing = Standing(seat.agent, seat.mode, seat.attended, missing)
        current = _as_begun(seat, current)
        snapshot = self._policies.snapshot(
            self._ground(seat), current, self._grants(current), standing, parent
        )
        fallback = seat.ground.preset.fallback
        return snapshot if snapshot.fallback is fallback else replace(snapshot, fallback=fallback)

    async def _facts(self, call: Call, snapshot: Snapshot) -> Facts:
        """What the file system says; a call that names no path and is no line has nothing to do with it."""
        place = await self._workspace.place(call)
        paths = paths_to_resolve(call, snapshot, place)
        tool = snapshot.tools.get(call.tool)
        if not paths and (tool is None or tool.dialect is Dialect.TEXT):
            return Facts(place=place)
        facts = await self._workspace.facts(place, paths)
        fed = files_to_digest(call, snapshot, place)
        return replace(facts, contents=await self._digests(place, fed)) if fed else facts

    async def _digests(self, place: Place, paths: Sequence[str]) -> dict[str, str]:
        """The SHA-256 of each file that can be read; what a rule names a fed file by."""
        found = {path: await self._workspace.content(place, path) for path in paths}
        return {path: sha256(one.data).hexdigest() for path, one in found.items() if one.unread is None}

    async def _origin(self, seat: Seat, current: Current, text: str) -> str:
        """Where a rule or grant comes from: this seat's policy, this process, or an ancestor's policy."""
        every = replace(current, grants=(*current.grants, *self.held))
        found = self._policies.origin(self._ground(seat), every, text)
        if found or seat.parent is None:
            return found
        return await self._origin(seat.parent, await self._policies.current(seat.parent.about), text)

    def _reached(self, seat: Seat, call: Call, snapshot: Snapshot) -> Snapshot:
        """The same without a tool that is there for other agents only."""
        if call.tool in self._ground(seat).tools or call.tool in self._catalog.offered(seat.agent):
            return snapshot
        return replace(
            snapshot, tools={name: one for name, one in snapshot.tools.items() if name != call.tool}
        )

    async def missing(self, seat: Seat, tool: Tool) -> str | None:
        """The right that the person behind a call lacks for a tool, or None."""
        return None if self._authorizer is None else await self._authorizer.missing(seat.principal, tool)

    async def _unauthorized(self, seat: Seat, tools: Sequence[str]) -> frozenset[str]:
        if self._authorizer is None:
            return frozenset()
        known = self._catalog.under(self._ground(seat).tools, seat.agent)
        asked = [known[name] for name in tools if name in known]
        return frozenset([tool.name for tool in asked if await self.missing(seat, tool) is not None])

    def _ground(self, seat: Seat) -> Ground:
        """What files say now; what the preset says was frozen with the seat."""
        return seat.ground if self._grounds is None else self._grounds(seat.ground.preset.name)

    def _grants(self, current: Current) -> list[Grant]:
        every = (*current.grants, *self._held.values())
        return [grant for grant in every if grant.counts(at=current.at, boot=self._store.boot)]

    def _counted(self, seat: Seat, judged: Judged) -> tuple[str, ...]:
        """The counted grants without which this call would not run."""
        if judged.decision.verdict is not Verdict.RUN:
            return ()
        needed = self._grants(_as_begun(seat, judged.current))
        for grant in [one for one in needed if one.uses is not None]:
            rest = [one for one in needed if one is not grant]
            without = replace(judged.snapshot, grants=self._policies.compiled_grants(rest))
            if decide(judged.call, without, judged.facts).verdict is Verdict.RUN:
                needed = rest
        return tuple(one.id for one in needed if one.uses is not None)


def _absolute(path: str, tool: Tool, place: Place) -> str | None:
    """The path of a call as the decision reads it."""
    anchored = tool.paths is PathKind.ANCHORED
    return PathUse(path, tilde=path.startswith("~") and not anchored, anchored=anchored).absolute(place)


def _as_begun(seat: Seat, current: Current) -> Current:
    """Where a request is suspended, tiers and overrides stay as it began; what was taken away is gone."""
    if seat.delivery is not Delivery.SUSPEND:
        return current
    began = seat.began_with
    blocked = {tool: one for tool, one in current.tiers.items() if one.tier is Tier.BLOCKED}
    tiers: dict[str, TierSetting] = {**began.tiers, **blocked}
    # As they are now: one that was revoked is gone, and one that was counted has the uses that are left.
    known = {grant.id for grant in began.grants}
    return replace(current, tiers=tiers, grants=tuple(one for one in current.grants if one.id in known))
