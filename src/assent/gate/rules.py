"""Stored rules: changed by administrators, one field at a time and in one commit."""

from collections.abc import Mapping

from assent.engine.policy.rule import parse_rule
from assent.errors import NotFoundError
from assent.gate.access import Principal, check_administer
from assent.gate.changes import Change, rule_changed
from assent.gate.grant import StoredRule, edited
from assent.gate.mark import fresh
from assent.gate.ports import Store


class StoredRules:
    """The rules in a store."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def replace(self, principal: Principal, id: str, changes: Mapping[str, object]) -> StoredRule:
        """Change some fields of a rule; its other fields, its origin and its question stay as they are."""
        check_administer(principal)
        if "text" in changes:
            parse_rule(str(changes["text"]))
        before = next((one for one in await self._store.rules() if one.id == id), None)
        if before is None:
            raise NotFoundError("rule", id)
        new_id = fresh()
        new = await self._store.replace_rule(id, lambda rule: edited(rule, changes, new_id), by=principal.id)
        if new.id != id:
            self._store.record(rule_changed(Change.RULE_ENDED, before, principal.id))
            self._store.record(rule_changed(Change.RULE_WRITTEN, new, principal.id))
        return new
