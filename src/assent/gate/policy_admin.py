"""Changes of policy by people: rules, grants, permissions, tiers, overrides and accepted definitions."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from assent.engine.policy.modes import parse_mode
from assent.engine.policy.rule import RuleList, parse_rule
from assent.engine.policy.snapshot import Tier, TierSetting, default_tier
from assent.errors import ForbiddenError, InputError, NotFoundError
from assent.gate.access import Kind, Principal, agent_resource, can_see, check_administrator
from assent.gate.always import MAX_PREVIEWED_CALLS, RulePreview, preview_rules, rules_refusal_reason
from assent.gate.approval import Approval
from assent.gate.changes import (
    AuthorizedChange,
    ChangeKind,
    authorize,
    change_entry,
    grant_entry,
    revoked_entry,
    rule_entry,
    tiers_entry,
)
from assent.gate.conversation import Conversation
from assent.gate.decider import Decider
from assent.gate.ids import check_id, check_name, new_id
from assent.gate.people import PeopleAdmin
from assent.gate.policy import StoredGrant, StoredRule
from assent.gate.preset import Lifetime, Preset
from assent.gate.store import START_MODE, ApprovalFilter, Store, ToolTier, ToolUse

EDITABLE_FIELDS = frozenset({"list", "text", "conversation", "agent", "user", "why"})
"""The fields of a rule that can be changed; author, time and approval stay."""
DEFAULT_PROVIDER = "operations"
"""The provider of a tool whose tier is set without one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPermissions:
    """The stored settings that apply to all users; files and presets may add more."""

    mode: str = ""
    """The mode that conversations start in; empty is the first mode of each preset."""
    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionChanges:
    """Changes of permissions; None keeps the current value."""

    mode: str | None = None
    allow: Sequence[str] | None = None
    ask: Sequence[str] | None = None
    deny: Sequence[str] | None = None


class PolicyAdmin:
    """Reads and changes the stored policy; `decider` adds the grants that end with this process."""

    def __init__(self, store: Store, decider: Decider) -> None:
        self._store = store
        self._decider = decider

    async def grants(self, principal: Principal) -> Sequence[StoredGrant]:
        """The grants that a principal gave or that apply to them; all of them for administrators."""
        every = (*await self._store.grants(), *self._decider.process_grants)
        return [one for one in every if can_see_policy(principal, one)]

    async def rules(self, principal: Principal) -> Sequence[StoredRule]:
        """The stored rules that a principal wrote or that apply to them; all of them for administrators."""
        return [one for one in await self._store.rules() if can_see_policy(principal, one)]

    async def tiers(self, principal: Principal, agent: str | None = None) -> Sequence[ToolTier]:
        """The tiers that are set for one agent, or for all agents."""
        check_administrator(principal)
        return await self._store.tiers(agent)

    async def revoke(self, principal: Principal, id: str) -> None:
        """Revoke a grant or an allow rule; deny and ask rules are revoked by administrators only."""
        every: list[StoredGrant | StoredRule] = [*await self._store.grants(), *self._decider.process_grants]
        every += await self._store.rules()
        found = next((one for one in every if one.id == id and can_see_policy(principal, one)), None)
        if found is None:
            raise NotFoundError("grant", id)
        is_strict = isinstance(found, StoredRule) and found.list is not RuleList.ALLOW
        change = authorize(self._store, principal, *[check_administrator] * is_strict)
        if self._decider.drop_grant(id):
            change.record(revoked_entry(found, principal.id))
        else:
            await change.write(self._store.revoke(id, by=principal.id), revoked_entry(found, principal.id))

    async def add_rule(self, principal: Principal, rule: StoredRule) -> None:
        """Add a stored rule."""
        change = authorize(self._store, principal, check_administrator)
        parse_rule(rule.text)
        await self._add_rules(change, [replace(rule, by=principal.id)])

    async def replace_rule(self, principal: Principal, id: str, changes: Mapping[str, object]) -> StoredRule:
        """Change some fields of a rule; its other fields, its author and its approval stay."""
        change = authorize(self._store, principal, check_administrator)
        if "text" in changes:
            parse_rule(str(changes["text"]))
        before = next((one for one in await self._store.rules() if one.id == id), None)
        if before is None:
            raise NotFoundError("rule", id)
        fresh_id = new_id()
        new = await change.write(
            self._store.replace_rule(id, lambda rule: edit_rule(rule, changes, fresh_id), by=principal.id)
        )
        if new.id != id:
            change.record(
                rule_entry(ChangeKind.RULE_ENDED, before, principal.id),
                rule_entry(ChangeKind.RULE_WRITTEN, new, principal.id),
            )
        return new

    async def set_tiers(
        self, principal: Principal, agent: str, tiers: Mapping[str, Tier | None], *, provider: str = ""
    ) -> None:
        """Set the tiers of some tools; None is the default tier for the tool's name."""
        change = authorize(self._store, principal, check_administrator)
        known = {one.tool: one.provider for one in await self._store.tiers(agent)}
        new = [
            _tool_tier(
                principal, agent, TierChange(tool, provider or known.get(tool, DEFAULT_PROVIDER), tier)
            )
            for tool, tier in tiers.items()
        ]
        await change.write(self._store.set_tiers(new), tiers_entry(agent, new, principal.id))

    # ---- permissions that hold for everybody -------------------------------------------------

    async def stored_permissions(self) -> StoredPermissions:
        """The stored permissions; every principal is subject to them and may read them."""
        rules = await self._general_rules()
        return StoredPermissions(
            mode=await self._store.setting(START_MODE) or "",
            allow=_rule_texts(rules, RuleList.ALLOW),
            ask=_rule_texts(rules, RuleList.ASK),
            deny=_rule_texts(rules, RuleList.DENY),
        )

    async def change_permissions(self, principal: Principal, changes: PermissionChanges) -> StoredPermissions:
        """Replace the given lists and the mode; one invalid rule or mode changes nothing."""
        change = authorize(self._store, principal, check_administrator)
        lists = {RuleList.DENY: changes.deny, RuleList.ASK: changes.ask, RuleList.ALLOW: changes.allow}
        wanted = {kind: dict.fromkeys(texts) for kind, texts in lists.items() if texts is not None}
        for text in (text for texts in wanted.values() for text in texts):
            parse_rule(text)
        if changes.mode:
            parse_mode(changes.mode)
        rules = await self._general_rules()
        removed = [one for one in rules if one.list in wanted and one.text not in wanted[one.list]]
        added = [
            StoredRule(id=new_id(), list=kind, text=text, by=principal.id)
            for kind, texts in wanted.items()
            for text in texts
            if text not in _rule_texts(rules, kind)
        ]
        # Stricter changes come first, so that a decision in between is never looser than before or after.
        await self._add_rules(change, [rule for rule in added if rule.list is not RuleList.ALLOW])
        await self._revoke_rules(change, [rule for rule in removed if rule.list is RuleList.ALLOW])
        await self._add_rules(change, [rule for rule in added if rule.list is RuleList.ALLOW])
        await self._revoke_rules(change, [rule for rule in removed if rule.list is not RuleList.ALLOW])
        if changes.mode is not None:
            await change.write(
                self._store.save_setting(START_MODE, changes.mode or None, by=principal.id),
                change_entry(principal.id, ChangeKind.SETTING_CHANGED, START_MODE, mode=changes.mode),
            )
        return await self.stored_permissions()

    # ---- previews ---------------------------------------------------------------------------

    async def preview_rules(self, principal: Principal, rules: Sequence[StoredRule]) -> RulePreview:
        """Check which recent calls of a principal would be affected by new rules."""
        for rule in rules:
            parse_rule(rule.text)
        recent = ApprovalFilter(has_arguments=True).visible_to(principal)
        page = await self._store.approvals(recent, limit=MAX_PREVIEWED_CALLS, newest_first=True)
        visible = [one for one in page.approvals if can_see(principal, one.resource)]
        return preview_rules(rules, visible, self._store.secret)

    def rules_refusal_reason(self, approval: Approval, preset: Preset, rules: Sequence[str]) -> str:
        """Why an "always" that writes these rules would be refused; empty if it would be accepted."""
        return rules_refusal_reason(rules, approval, preset, self._store.secret)

    async def _add_rules(self, change: AuthorizedChange, rules: Sequence[StoredRule]) -> None:
        if rules:
            entries = [rule_entry(ChangeKind.RULE_WRITTEN, rule, change.by) for rule in rules]
            await change.write(self._store.add_policy(rules=rules), *entries)

    async def _revoke_rules(self, change: AuthorizedChange, rules: Iterable[StoredRule]) -> None:
        for rule in rules:
            entry = rule_entry(ChangeKind.RULE_ENDED, rule, change.by)
            await change.write(self._store.revoke(rule.id, by=change.by), entry)

    async def _general_rules(self) -> list[StoredRule]:
        """The rules without any scope."""
        every = await self._store.rules()
        return [one for one in every if one.conversation is one.agent is one.user is None]


class TierChange(NamedTuple):
    """The tier that an administrator sets for a tool; None is the default tier for its name."""

    tool: str
    provider: str
    tier: Tier | None = None


class Agents:
    """Lists the agents that a principal may see, and changes their tiers and overrides."""

    def __init__(self, store: Store, people: PeopleAdmin) -> None:
        self._store = store
        self._people = people

    async def list(self, principal: Principal) -> Mapping[str, Sequence[str]]:
        """The agents that a principal may see, by name, each with the tools that it has called.

        Administrators see all agents, other people those that work for them.
        """
        called = await self._store.tool_uses(None if principal.administrator else principal.user)
        names = {one.agent for one in called} | await self._agents_without_calls(principal)
        return {name: _used_tools(called, name) for name in sorted(names - {""})}

    async def _agents_without_calls(self, principal: Principal) -> set[str]:
        """The names of agents that are known from other data than calls, such as credentials."""
        found = {one.agent async for one in self._visible_conversations(principal)}
        tokens = await self._people.credentials(principal)
        found |= {
            one.principal_id for one in tokens if one.kind is Kind.AGENT and _can_see(one.user, principal)
        }
        overrides = [one for one in await self._store.grants() if one.override]
        found |= {one.agent or "" for one in overrides if _can_see(one.user or "", principal)}
        elsewhere = {one.agent for one in await self._store.tiers()}
        elsewhere |= {one.agent for one in await self._store.declarations()}
        found |= {
            one for one in elsewhere if principal.administrator or agent_resource(one) in principal.roles
        }
        return found

    async def check_known(self, principal: Principal, agent: str) -> None:
        """Raise `NotFoundError` if the principal may not see the agent; administrators may name any agent."""
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
        tool_tiers = [_tool_tier(principal, agent, one) for one in settings]
        if len({one.tool for one in tool_tiers}) < len(tool_tiers):
            raise InputError("a tool is listed twice")
        entry = tiers_entry(agent, tool_tiers, principal.id)
        await change.write(self._store.set_tiers(tool_tiers, replace_agent=agent), entry)
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
        named = [
            one._replace(provider=one.provider or known.get(one.tool, DEFAULT_PROVIDER)) for one in changes
        ]
        tool_tiers = [_tool_tier(principal, agent, one) for one in named if one.tier is not None]
        cleared = [(agent, one.tool) for one in named if one.tier is None]
        if len({one.tool for one in named}) < len(named):
            raise InputError("a tool is listed twice")
        entry = tiers_entry(agent, tool_tiers, principal.id, cleared=[tool for _, tool in cleared])
        await change.write(self._store.set_tiers(tool_tiers, cleared=cleared), entry)
        return await self._store.tiers(agent)

    async def overrides(self, principal: Principal, agent: str) -> Sequence[StoredGrant]:
        """The overrides for an agent's tools: all for administrators, their own for others."""
        await self.check_known(principal, agent)
        every = [one for one in await self._store.grants() if one.override and one.agent == agent]
        return [one for one in every if principal.administrator or one.user == principal.id]

    async def add_override(self, principal: Principal, agent: str, tool: str) -> StoredGrant:
        """Allow an agent's tool for the principal until the override is revoked; `blocked` still blocks."""
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
        """Revoke an override: the principal's own, or as an administrator that of any user."""
        whose = user or principal.id
        for known in await self.overrides(principal, agent):
            if known.pattern == tool and known.user == whose:
                change = authorize(self._store, principal)
                entry = grant_entry(ChangeKind.GRANT_ENDED, known, principal.id)
                await change.write(self._store.revoke(known.id, by=principal.id), entry)
                return
        raise NotFoundError("override", tool)

    async def _visible_conversations(self, principal: Principal) -> AsyncIterator[Conversation]:
        owner = None if principal.administrator else principal.user
        page = await self._store.conversations(owner)
        while True:
            for one in page.conversations:
                yield one
            if not page.after:
                return
            page = await self._store.conversations(owner, after=page.after)


def edit_rule(rule: StoredRule, changes: Mapping[str, object], id: str) -> StoredRule:
    """The rule with some fields changed and a new id.

    A stored rule is never modified, because past decisions refer to its id.
    """
    if unknown := changes.keys() - EDITABLE_FIELDS:
        raise InputError(f"`{min(unknown)}` of a rule cannot be changed")
    changed = replace(rule, **changes)  # type: ignore[arg-type]
    return rule if changed == rule else replace(changed, id=id)


def can_see_policy(principal: Principal, one: StoredGrant | StoredRule) -> bool:
    """Whether a principal may see a grant or rule: its author, its user or an administrator; no agent."""
    if principal.kind is Kind.AGENT:
        return False
    given = principal.kind is Kind.PERSON and principal.id in (one.by, one.user)
    return principal.administrator or given


def _rule_texts(rules: Sequence[StoredRule], kind: RuleList) -> tuple[str, ...]:
    return tuple(dict.fromkeys(rule.text for rule in rules if rule.list is kind))


def _used_tools(called: Iterable[ToolUse], agent: str) -> Sequence[str]:
    return sorted(one.tool for one in called if one.agent == agent and one.tool)


def _can_see(user: str, principal: Principal) -> bool:
    return principal.administrator or user == principal.user


def _tool_tier(principal: Principal, agent: str, setting: TierChange) -> ToolTier:
    check_name("tool", setting.tool)
    check_name("provider", setting.provider)
    tier = TierSetting(setting.tier or default_tier(setting.tool), explicit=setting.tier is not None)
    return ToolTier(agent, setting.tool, tier, setting.provider, principal.id)
