"""Agents and their tools: tiers, overrides, and definitions that changed since a person accepted them."""

import json
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from assent.engine.model import as_object
from assent.engine.policy.tiers import Tier, TierSetting, default_tier
from assent.errors import ConflictError, ForbiddenError, InputError, NotFoundError
from assent.gate.access import Kind, Principal, agent_resource, check_administrator
from assent.gate.catalog import Catalog, DeclaredTool, Trust
from assent.gate.changes import ChangeKind, authorize, change_entry, grant_entry, tiers_entry
from assent.gate.conversation import Conversation
from assent.gate.ids import check_id, check_name, definition_text, new_id
from assent.gate.people_admin import PeopleAdmin
from assent.gate.preset import Lifetime
from assent.gate.store import Store, ToolTier, ToolUse
from assent.gate.stored_policy import Pin, StoredGrant


class TierChange(NamedTuple):
    """The tier that an administrator sets for a tool; None is the default tier for its name."""

    tool: str
    provider: str
    tier: Tier | None = None


class Agents:
    """The agents of one server, as a principal may see them."""

    def __init__(self, store: Store, people: PeopleAdmin) -> None:
        self._store = store
        self._people = people

    async def list(self, principal: Principal) -> Mapping[str, Sequence[str]]:
        """The agents that a principal may see, by name, each with the tools that it has called.

        Administrators see all agents, other people those that work for them.
        """
        called = await self._store.tool_uses(None if principal.administrator else principal.user)
        names = {one.agent for one in called} | await self._without_calls(principal)
        return {name: _used_tools(called, name) for name in sorted(names - {""})}

    async def _without_calls(self, principal: Principal) -> set[str]:
        """The agents that may not have made a call yet."""
        found = {one.agent async for one in self._conversations(principal)}
        tokens = await self._people.credentials(principal)
        found |= {
            one.principal_id for one in tokens if one.kind is Kind.AGENT and _works_for(one.user, principal)
        }
        overrides = [one for one in await self._store.grants() if one.override]
        found |= {one.agent or "" for one in overrides if _works_for(one.user or "", principal)}
        elsewhere = {one.agent for one in await self._store.tiers()}
        elsewhere |= {one.agent for one in await self._store.declarations()}
        found |= {
            one for one in elsewhere if principal.administrator or agent_resource(one) in principal.roles
        }
        return found

    async def check_known(self, principal: Principal, agent: str) -> None:
        """Refuse an agent that the principal may not see; an administrator may name any agent."""
        check_id("agent", agent)
        if not principal.administrator and agent not in await self.list(principal):
            raise NotFoundError("agent", agent)

    async def tool_tiers(self, principal: Principal, agent: str) -> Sequence[ToolTier]:
        """The tiers of an agent's tools."""
        await self.check_known(principal, agent)
        return await self._store.tiers(agent)

    async def replace_tool_tiers(
        self, principal: Principal, agent: str, settings: Sequence[TierChange]
    ) -> Sequence[ToolTier]:
        """Replace all tiers of an agent's tools."""
        await self.check_known(principal, agent)
        change = authorize(self._store, principal, check_administrator)
        tierings = [_tool_tier(principal, agent, one) for one in settings]
        if len({one.tool for one in tierings}) < len(tierings):
            raise InputError("a tool is listed twice")
        entry = tiers_entry(agent, tierings, principal.id)
        await change.write(self._store.set_tiers(tierings, replace_agent=agent), entry)
        return await self._store.tiers(agent)

    async def change_tool_tiers(
        self, principal: Principal, agent: str, changes: Sequence[TierChange]
    ) -> Sequence[ToolTier]:
        """Set or clear the tiers of some tools of an agent; the others stay.

        A change without a tier clears it; a change without a provider keeps the provider.
        """
        await self.check_known(principal, agent)
        change = authorize(self._store, principal, check_administrator)
        known = {one.tool: one.provider for one in await self._store.tiers(agent)}
        named = [one._replace(provider=one.provider or known.get(one.tool, "operations")) for one in changes]
        tierings = [_tool_tier(principal, agent, one) for one in named if one.tier is not None]
        cleared = [(agent, one.tool) for one in named if one.tier is None]
        if len({one.tool for one in named}) < len(named):
            raise InputError("a tool is listed twice")
        entry = tiers_entry(agent, tierings, principal.id, cleared=[tool for _, tool in cleared])
        await change.write(self._store.set_tiers(tierings, cleared=cleared), entry)
        return await self._store.tiers(agent)

    async def overrides(self, principal: Principal, agent: str) -> Sequence[StoredGrant]:
        """The overrides for an agent's tools: all for administrators, their own for others."""
        await self.check_known(principal, agent)
        every = [one for one in await self._store.grants() if one.override and one.agent == agent]
        return [one for one in every if principal.administrator or one.user == principal.id]

    async def add_override(self, principal: Principal, agent: str, tool: str) -> StoredGrant:
        """Allow a tool of an agent for oneself until the override is revoked; `blocked` still blocks."""
        await self.check_known(principal, agent)
        if principal.kind is not Kind.PERSON:
            raise ForbiddenError(principal.id, "only a person can add an override")
        check_name("tool", tool)
        for known in await self.overrides(principal, agent):
            is_limited = known.lifetime is not Lifetime.FOREVER
            if known.user == principal.id and known.pattern == tool and not is_limited:
                return known
        new = StoredGrant(
            id=new_id(),
            pattern=tool,
            agent=agent,
            user=principal.id,
            lifetime=Lifetime.FOREVER,
            by=principal.id,
            override=True,
        )
        entry = grant_entry(ChangeKind.GRANT_GIVEN, new, principal.id)
        await authorize(self._store, principal).write(self._store.add_policy(grants=(new,)), entry)
        return replace(new, at=(await self._store.moment()).at)

    async def revoke_override(self, principal: Principal, agent: str, tool: str, user: str = "") -> None:
        """Revoke an override: one's own, or for administrators anybody's."""
        whose = user or principal.id
        for known in await self.overrides(principal, agent):
            if known.pattern == tool and known.user == whose:
                change = authorize(self._store, principal)
                entry = grant_entry(ChangeKind.GRANT_ENDED, known, principal.id)
                await change.write(self._store.revoke(known.id, by=principal.id), entry)
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


def _used_tools(called: Iterable[ToolUse], agent: str) -> Sequence[str]:
    return sorted(one.tool for one in called if one.agent == agent and one.tool)


def _works_for(user: str, principal: Principal) -> bool:
    return principal.administrator or user == principal.user


def _tool_tier(principal: Principal, agent: str, setting: TierChange) -> ToolTier:
    check_name("tool", setting.tool)
    check_name("provider", setting.provider)
    tier = TierSetting(setting.tier or default_tier(setting.tool), explicit=setting.tier is not None)
    return ToolTier(agent, setting.tool, tier, setting.provider, principal.id)


class FieldChange(NamedTuple):
    """A changed field of a definition; each side as JSON, None where the field is absent."""

    field: str
    before: str | None
    after: str | None


class ChangedDefinition(NamedTuple):
    """A tool whose definition changed: its calls ask until a person accepts the new definition."""

    origin: str
    tool: str
    agent: str
    """The agent that may use the tool; empty is all agents."""
    digest: str
    """The digest of the current definition, which a person accepts."""
    differences: tuple[FieldChange, ...]
    """Empty where an older version kept only the digest of the accepted definition."""


class Definitions:
    """The definitions in a catalog, compared with those that people accepted."""

    def __init__(self, store: Store, catalog: Catalog) -> None:
        self._store = store
        self._catalog = catalog

    async def changed(self, principal: Principal) -> list[ChangedDefinition]:
        """The tools whose definition changed since it was accepted."""
        check_administrator(principal)
        held = {(pin.origin, pin.tool): pin for pin in await self._store.pins()}
        return [
            ChangedDefinition(
                origin=one.tool.origin,
                tool=one.tool.name,
                agent=one.agent,
                digest=one.pin.digest,
                differences=tuple(differences(known, definition_text(one.tool))),
            )
            for one in _pinned_tools(self._catalog)
            if (known := held.get((one.tool.origin, one.tool.name))) and known.digest != one.pin.digest
        ]

    async def accept(
        self, principal: Principal, tool: str, digest: str | None = None, origin: str | None = None
    ) -> None:
        """Accept the current definition of a tool; with a digest, only if it is still that definition."""
        change = authorize(self._store, principal, check_administrator)
        named = [one for one in _pinned_tools(self._catalog) if one.tool.name == tool]
        named = [one for one in named if origin in (None, one.tool.origin)]
        if not named:
            raise NotFoundError("tool", tool)
        meant = [one for one in named if digest in (None, one.pin.digest)]
        if not meant:
            raise ConflictError(f"`{tool}` changed again after it was shown")
        pins = [one.full_pin for one in meant]
        await change.write(
            self._store.pin_definitions(pins, by=principal.id, accept=True),
            change_entry(principal.id, ChangeKind.DEFINITION_ACCEPTED, tool),
        )


def differences(known: Pin, now: str) -> Iterator[FieldChange]:
    """The changed fields between the accepted and the current definition."""
    if not known.definition:
        return
    before, after = dict(_flat_fields(json.loads(known.definition))), dict(_flat_fields(json.loads(now)))
    for field in sorted(before.keys() | after.keys()):
        if before.get(field) != after.get(field):
            yield FieldChange(field, before.get(field), after.get(field))


def _pinned_tools(catalog: Catalog) -> Iterable[DeclaredTool]:
    return (one for one in catalog.declared if one.trust is not Trust.SERVER)


def _flat_fields(value: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Every field whose value is not an object, by its path."""
    table: Mapping[str, object] | None = as_object(value)
    if not table:
        yield path, json.dumps(value, ensure_ascii=False)
        return
    for name, inner in table.items():
        yield from _flat_fields(inner, f"{path}.{name}" if path else name)
