"""Agents: which there are, what administrators say of their tools, and what people said for themselves."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from assent.engine.policy.tiers import Tier, TierSetting, default_tier
from assent.errors import ForbiddenError, InputError, NotFoundError
from assent.gate.access import Kind, Principal, check_administer, of_agent
from assent.gate.binding import check_id, check_name
from assent.gate.changes import Change, grant_changed, tiers_set
from assent.gate.conversation import Conversation
from assent.gate.grant import Grant
from assent.gate.mark import fresh
from assent.gate.ports import Called, Store, Tiering
from assent.gate.preset import Lifetime
from assent.gate.register import Register


class Setting(NamedTuple):
    """A tool as an administrator wants it; one without a tier gets the one that its name suggests."""

    tool: str
    provider: str
    tier: Tier | None = None


class Agents:
    """The agents that a store and a register know of."""

    def __init__(self, store: Store, register: Register) -> None:
        self._store = store
        self._register = register

    async def known(self, principal: Principal) -> Mapping[str, Sequence[str]]:
        """The agents that somebody may know of, by name, each with the tools that it was seen to call.

        Administrators may know of all, others of those that work for them.
        """
        called = await self._store.callers(None if principal.administrator else principal.user)
        names = {one.agent for one in called} | await self._heard_of(principal)
        return {name: _tools(called, name) for name in sorted(names - {""})}

    async def _heard_of(self, principal: Principal) -> set[str]:
        """The agents that may not have called anything yet."""
        found = {one.agent async for one in self._conversations(principal)}
        tokens = await self._register.credentials()
        found |= {
            one.principal_id for one in tokens if one.kind is Kind.AGENT and _works_for(one.user, principal)
        }
        yeses = [one for one in await self._store.grants() if one.override]
        found |= {one.agent or "" for one in yeses if _works_for(one.user or "", principal)}
        elsewhere = {one.agent for one in await self._store.tiers()}
        elsewhere |= {one.agent for one in await self._store.declarations()}
        found |= {one for one in elsewhere if principal.administrator or of_agent(one) in principal.roles}
        return found

    async def check_known(self, principal: Principal, agent: str) -> None:
        """Refuse an agent that is nothing to somebody; an administrator may speak of any."""
        check_id("agent", agent)
        if not principal.administrator and agent not in await self.known(principal):
            raise NotFoundError("agent", agent)

    async def tools(self, principal: Principal, agent: str) -> Sequence[Tiering]:
        """What is said of an agent's tools."""
        await self.check_known(principal, agent)
        return await self._store.tiers(agent)

    async def set_tools(
        self, principal: Principal, agent: str, settings: Sequence[Setting]
    ) -> Sequence[Tiering]:
        """Say all there is to say of an agent's tools: what was said before and is not said now is gone."""
        await self.check_known(principal, agent)
        check_administer(principal)
        tierings = [_tiering(principal, agent, one) for one in settings]
        if len({one.tool for one in tierings}) < len(tierings):
            raise InputError("a tool stands there twice")
        await self._store.tier(tierings, replace_agent=agent)
        self._store.record(tiers_set(agent, tierings, principal.id))
        return await self._store.tiers(agent)

    async def change_tools(
        self, principal: Principal, agent: str, changes: Sequence[Setting]
    ) -> Sequence[Tiering]:
        """Set or clear some of an agent's tools; what is said of the others stays as it is.

        A tool without a tier is cleared; one without a provider keeps its own.
        """
        await self.check_known(principal, agent)
        check_administer(principal)
        known = {one.tool: one.provider for one in await self._store.tiers(agent)}
        named = [one._replace(provider=one.provider or known.get(one.tool, "operations")) for one in changes]
        tierings = [_tiering(principal, agent, one) for one in named if one.tier is not None]
        cleared = [(agent, one.tool) for one in named if one.tier is None]
        if len({one.tool for one in named}) < len(named):
            raise InputError("a tool stands there twice")
        await self._store.tier(tierings, cleared=cleared)
        self._store.record(tiers_set(agent, tierings, principal.id, cleared=[tool for _, tool in cleared]))
        return await self._store.tiers(agent)

    async def overrides(self, principal: Principal, agent: str) -> Sequence[Grant]:
        """The standing yeses for an agent's tools: an administrator sees all, others their own."""
        await self.check_known(principal, agent)
        every = [one for one in await self._store.grants() if one.override and one.agent == agent]
        return [one for one in every if principal.administrator or one.user == principal.id]

    async def override(self, principal: Principal, agent: str, tool: str) -> Grant:
        """Say yes to a tool of an agent, for oneself and until it is taken back; never beats `blocked`."""
        await self.check_known(principal, agent)
        if principal.kind is not Kind.PERSON:
            raise ForbiddenError(principal.id, "a standing yes is given by a person")
        check_name("tool", tool)
        for known in await self.overrides(principal, agent):
            is_limited = known.lifetime is not Lifetime.FOREVER
            if known.user == principal.id and known.pattern == tool and not is_limited:
                return known
        new = Grant(
            id=fresh(),
            pattern=tool,
            agent=agent,
            user=principal.id,
            lifetime=Lifetime.FOREVER,
            by=principal.id,
            override=True,
        )
        await self._store.remember(grants=(new,))
        self._store.record(grant_changed(Change.GRANT_GIVEN, new, principal.id))
        return replace(new, at=(await self._store.moment()).at)

    async def end_override(self, principal: Principal, agent: str, tool: str, user: str = "") -> None:
        """Take a standing yes back: one's own, or for administrators anybody's."""
        whose = user or principal.id
        for known in await self.overrides(principal, agent):
            if known.pattern == tool and known.user == whose:
                await self._store.revoke(known.id, by=principal.id)
                self._store.record(grant_changed(Change.GRANT_ENDED, known, principal.id))
                return
        raise NotFoundError("override", tool)

    async def _conversations(self, principal: Principal) -> AsyncIterator[Conversation]:
        owner = None if principal.administrator else principal.user
        page = await self._store.conversations(owner)
        while True:
            for one in page.conversations:
                yield one
            if not page.after:
                return
            page = await self._store.conversations(owner, after=page.after)


def _tools(called: Iterable[Called], agent: str) -> Sequence[str]:
    return sorted(one.tool for one in called if one.agent == agent and one.tool)


def _works_for(user: str, principal: Principal) -> bool:
    return principal.administrator or user == principal.user


def _tiering(principal: Principal, agent: str, setting: Setting) -> Tiering:
    check_name("tool", setting.tool)
    check_name("provider", setting.provider)
    tier = TierSetting(setting.tier or default_tier(setting.tool), explicit=setting.tier is not None)
    return Tiering(agent, setting.tool, tier, setting.provider, principal.id)
