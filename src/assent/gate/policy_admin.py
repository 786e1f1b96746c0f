"""Policy administration: rules, grants, tiers and permissions, read and changed with the caller's rights."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from assent.engine.modes import parse_mode
from assent.engine.policy.rule import RuleList, parse_rule
from assent.engine.policy.tiers import Tier, TierSetting, default_tier
from assent.errors import NotFoundError
from assent.gate.access import Principal, can_see, check_administrator
from assent.gate.always import PREVIEW_SIZE, RulePreview, objection, preview_rules
from assent.gate.approval import Approval
from assent.gate.changes import (
    AuthorizedChange,
    ChangeKind,
    authorize,
    change_entry,
    revoked_entry,
    rule_entry,
    tiers_entry,
)
from assent.gate.decider import Decider
from assent.gate.ids import check_name, new_id
from assent.gate.preset import Preset
from assent.gate.store import START_MODE, ApprovalFilter, Store, ToolTier
from assent.gate.stored_policy import StoredGrant, StoredRule, can_see_policy, edit_rule

DEFAULT_PROVIDER = "operations"


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """The stored settings that hold for everybody; files and presets may add more."""

    mode: str = ""
    """The mode that conversations start in; empty is the first mode of each preset."""
    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionChanges:
    """New values of permissions; None keeps the current value."""

    mode: str | None = None
    allow: Sequence[str] | None = None
    ask: Sequence[str] | None = None
    deny: Sequence[str] | None = None


class PolicyAdmin:
    """The stored policy of one store; `decider` adds the grants that end with this process."""

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
        """The tiers of one agent, or of all."""
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
        await self._add(change, [replace(rule, by=principal.id)])

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
        self,
        principal: Principal,
        agent: str,
        tiers: Mapping[str, Tier | None],
        *,
        provider: str = "",
    ) -> None:
        """Set the tiers of some tools; None is the default tier for the tool's name."""
        change = authorize(self._store, principal, check_administrator)
        for tool in tiers:
            check_name("tool", tool)
        known = {one.tool: one.provider for one in await self._store.tiers(agent)}
        new = [
            ToolTier(
                agent,
                tool,
                TierSetting(tier or default_tier(tool), explicit=tier is not None),
                provider or known.get(tool, DEFAULT_PROVIDER),
                principal.id,
            )
            for tool, tier in tiers.items()
        ]
        await change.write(self._store.set_tiers(new), tiers_entry(agent, new, principal.id))

    # ---- permissions that hold for everybody -------------------------------------------------

    async def permissions(self) -> Permissions:
        """The stored permissions; every principal is subject to them and may read them."""
        rules = await self._general_rules()
        return Permissions(
            mode=await self._store.setting(START_MODE) or "",
            allow=_rule_texts(rules, RuleList.ALLOW),
            ask=_rule_texts(rules, RuleList.ASK),
            deny=_rule_texts(rules, RuleList.DENY),
        )

    async def change_permissions(self, principal: Principal, changes: PermissionChanges) -> Permissions:
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
        # Stricter changes come first: a decision in between, or after a crash, is never looser than both.
        await self._add(change, [rule for rule in added if rule.list is not RuleList.ALLOW])
        await self._revoke(change, [rule for rule in removed if rule.list is RuleList.ALLOW])
        await self._add(change, [rule for rule in added if rule.list is RuleList.ALLOW])
        await self._revoke(change, [rule for rule in removed if rule.list is not RuleList.ALLOW])
        if changes.mode is not None:
            await change.write(
                self._store.save_setting(START_MODE, changes.mode or None, by=principal.id),
                change_entry(principal.id, ChangeKind.SETTING_CHANGED, START_MODE, mode=changes.mode),
            )
        return await self.permissions()

    # ---- previews ---------------------------------------------------------------------------

    async def preview(self, principal: Principal, rules: Sequence[StoredRule]) -> RulePreview:
        """The effect that new rules would have had on the recent calls that a principal may see."""
        for rule in rules:
            parse_rule(rule.text)
        recent = ApprovalFilter(has_arguments=True).visible_to(principal)
        page = await self._store.approvals(recent, limit=PREVIEW_SIZE, newest_first=True)
        visible = [one for one in page.approvals if can_see(principal, one.resource)]
        return preview_rules(rules, visible, self._store.secret)

    def objection(self, approval: Approval, preset: Preset, rules: Sequence[str]) -> str:
        """Why an "always" that writes these rules would be refused; empty if it would be accepted."""
        return objection(rules, approval, preset, self._store.secret)

    async def _add(self, change: AuthorizedChange, rules: Sequence[StoredRule]) -> None:
        if rules:
            entries = [rule_entry(ChangeKind.RULE_WRITTEN, rule, change.by) for rule in rules]
            await change.write(self._store.add_policy(rules=rules), *entries)

    async def _revoke(self, change: AuthorizedChange, rules: Iterable[StoredRule]) -> None:
        for rule in rules:
            entry = rule_entry(ChangeKind.RULE_ENDED, rule, change.by)
            await change.write(self._store.revoke(rule.id, by=change.by), entry)

    async def _general_rules(self) -> list[StoredRule]:
        """The rules without any scope."""
        every = await self._store.rules()
        return [one for one in every if one.conversation is one.agent is one.user is None]


def _rule_texts(rules: Sequence[StoredRule], kind: RuleList) -> tuple[str, ...]:
    return tuple(dict.fromkeys(rule.text for rule in rules if rule.list is kind))
