"""Permissions: the mode that conversations start in and the three lists, as one page of settings."""

from collections.abc import Sequence
from dataclasses import dataclass

from assent.engine.modes import parse_mode
from assent.engine.policy.rule import RuleList, parse_rule
from assent.gate.access import Principal, check_administer
from assent.gate.changes import Change, change_entry, rule_changed
from assent.gate.grant import StoredRule
from assent.gate.live import START_MODE
from assent.gate.mark import fresh
from assent.gate.ports import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Permissions:
    """What the store says to everybody; files and presets say more."""

    mode: str = ""
    """Empty is the first mode of each preset."""
    allow: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """What is to be another; None stays as it is."""

    mode: str | None = None
    allow: Sequence[str] | None = None
    ask: Sequence[str] | None = None
    deny: Sequence[str] | None = None


class Settings:
    """The settings in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def permissions(self) -> Permissions:
        """What they say now."""
        rules = await self._rules()
        return Permissions(
            mode=await self._store.setting(START_MODE) or "",
            allow=_texts(rules, RuleList.ALLOW),
            ask=_texts(rules, RuleList.ASK),
            deny=_texts(rules, RuleList.DENY),
        )

    async def change(self, principal: Principal, edit: Edit) -> Permissions:
        """Replace what is named; a list that cannot be read changes nothing."""
        check_administer(principal)
        lists = {RuleList.DENY: edit.deny, RuleList.ASK: edit.ask, RuleList.ALLOW: edit.allow}
        wanted = {kind: dict.fromkeys(texts) for kind, texts in lists.items() if texts is not None}
        for text in (text for texts in wanted.values() for text in texts):
            parse_rule(text)
        if edit.mode:
            parse_mode(edit.mode)
        rules = await self._rules()
        gone = [one for one in rules if one.list in wanted and one.text not in wanted[one.list]]
        new = [
            StoredRule(id=fresh(), list=kind, text=text, by=principal.id)
            for kind, texts in wanted.items()
            for text in texts
            if text not in _texts(rules, kind)
        ]
        await self._write(principal, gone, new)
        if edit.mode is not None:
            await self._store.save_setting(START_MODE, edit.mode or None, by=principal.id)
            self._store.record(change_entry(principal.id, Change.SETTING_CHANGED, START_MODE, mode=edit.mode))
        return await self.permissions()

    async def _write(
        self, principal: Principal, gone: Sequence[StoredRule], new: Sequence[StoredRule]
    ) -> None:
        # What tightens comes first: whoever decides in between, or after a crash, is never looser than both.
        await self._add(principal, [rule for rule in new if rule.list is not RuleList.ALLOW])
        await self._end(principal, [rule for rule in gone if rule.list is RuleList.ALLOW])
        await self._add(principal, [rule for rule in new if rule.list is RuleList.ALLOW])
        await self._end(principal, [rule for rule in gone if rule.list is not RuleList.ALLOW])

    async def _add(self, principal: Principal, rules: Sequence[StoredRule]) -> None:
        if rules:
            await self._store.remember(rules=rules)
        for rule in rules:
            self._store.record(rule_changed(Change.RULE_WRITTEN, rule, principal.id))

    async def _end(self, principal: Principal, rules: Sequence[StoredRule]) -> None:
        for rule in rules:
            await self._store.revoke(rule.id, by=principal.id)
            self._store.record(rule_changed(Change.RULE_ENDED, rule, principal.id))

    async def _rules(self) -> list[StoredRule]:
        """The rules that are for everybody."""
        every = await self._store.rules()
        return [one for one in every if one.conversation is one.agent is one.user is None]


def _texts(rules: Sequence[StoredRule], kind: RuleList) -> tuple[str, ...]:
    return tuple(dict.fromkeys(rule.text for rule in rules if rule.list is kind))
