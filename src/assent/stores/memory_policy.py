"""The policy of a store in memory: tiers, grants, rules, and definitions that are held on to."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime

from assent.errors import ConflictError, NotFoundError
from assent.gate.store import ToolTier
from assent.gate.stored_policy import REPLACED, Pin, StoredGrant, StoredRule


class MemoryPolicy:
    """Keeps it in one process; see `gate.ports.Store` for what each method promises."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._policy_now = now
        self._tiers: dict[tuple[str, str], ToolTier] = {}
        self._grants: dict[str, StoredGrant] = {}
        self._rules: dict[str, StoredRule] = {}
        self._revoked: dict[str, str] = {}
        self._pins: dict[tuple[str, str], Pin] = {}

    def _check_open(self) -> None:
        raise NotImplementedError

    def _bump(self) -> None:
        raise NotImplementedError

    async def set_tiers(
        self,
        tierings: Iterable[ToolTier],
        *,
        replace_agent: str | None = None,
        cleared: Iterable[tuple[str, str]] = (),
    ) -> None:
        """Set tiers, and clear some; with `replace_agent`, that agent's tiers are these and no others."""
        self._check_open()
        added = {(one.agent, one.tool): one for one in tierings}
        gone = set(cleared)
        kept = {key: one for key, one in self._tiers.items() if key[0] != replace_agent and key not in gone}
        self._tiers = kept | added
        self._bump()

    async def tiers(self, agent: str | None = None) -> Sequence[ToolTier]:
        """The tiers that are set, by agent and tool."""
        self._check_open()
        return tuple(one for key, one in sorted(self._tiers.items()) if agent in (None, key[0]))

    async def add_policy(self, grants: Iterable[StoredGrant] = (), rules: Iterable[StoredRule] = ()) -> None:
        """Write grants and rules that come from no question."""
        self._write(grants, rules, at=self._policy_now())

    async def revoke(self, id: str, *, by: str) -> None:
        """End a grant or a rule."""
        self._check_open()
        if id not in self._grants and id not in self._rules:
            raise NotFoundError("grant or rule", id)
        if id not in self._revoked:
            self._revoked[id] = by
            self._bump()

    async def replace_rule(
        self, id: str, change: Callable[[StoredRule], StoredRule], *, by: str
    ) -> StoredRule:
        """End a rule and write what `change` makes of it."""
        self._check_open()
        known = self._rules.get(id)
        if known is None:
            raise NotFoundError("rule", id)
        if id in self._revoked:
            raise ConflictError(REPLACED.format(id=id))
        new = change(known)
        if new is not known:
            self._rules[new.id] = new
            self._revoked[id] = by
            self._bump()
        return new

    async def grants(self) -> Sequence[StoredGrant]:
        """The grants that are not revoked, oldest first."""
        self._check_open()
        return self._live_grants()

    async def rules(self) -> Sequence[StoredRule]:
        """The stored rules that are not revoked, oldest first."""
        self._check_open()
        return self._live_rules()

    async def use_grants(self, grants: Iterable[str]) -> bool:
        """Use each of these counted grants once, or none of them."""
        self._check_open()
        live = {grant.id: grant for grant in self._live_grants()}
        found = [live.get(one) for one in dict.fromkeys(grants)]
        used = [_used(grant) for grant in found if grant is not None and grant.uses]
        if len(used) < len(found):
            return False
        self._grants |= {grant.id: grant for grant in used}
        if any(grant.uses == 0 for grant in used):
            self._bump()
        return True

    async def pin_definitions(self, pins: Iterable[Pin], *, by: str = "", accept: bool = False) -> None:  # noqa: ARG002
        """Hold on to definitions seen for the first time; with `accept`, replace what was held."""
        self._check_open()
        held = self._pins
        seen = {(pin.origin, pin.tool): pin for pin in pins}
        new = {key: pin for key, pin in seen.items() if accept or key not in held or _tells(pin, held[key])}
        self._pins = held | new
        if any(key not in held or held[key].digest != pin.digest for key, pin in new.items()):
            self._bump()

    async def pins(self) -> Sequence[Pin]:
        """The definitions that are held on to."""
        self._check_open()
        return tuple(pin for _, pin in sorted(self._pins.items()))

    def _write(self, grants: Iterable[StoredGrant], rules: Iterable[StoredRule], *, at: datetime) -> None:
        """Keep what is new; what is known already stays as it is, revoked or not."""
        new_grants = {one.id: replace(one, at=at) for one in grants if one.id not in self._grants}
        new_rules = {one.id: replace(one, at=at) for one in rules if one.id not in self._rules}
        self._grants |= new_grants
        self._rules |= new_rules
        if new_grants or new_rules:
            self._bump()

    def _live_grants(self) -> tuple[StoredGrant, ...]:
        return tuple(one for one in self._grants.values() if one.id not in self._revoked)

    def _live_rules(self) -> tuple[StoredRule, ...]:
        return tuple(one for one in self._rules.values() if one.id not in self._revoked)


def _used(grant: StoredGrant) -> StoredGrant:
    return replace(grant, uses=(grant.uses or 0) - 1)


def _tells(pin: Pin, held: Pin) -> bool:
    """Whether a definition is the one that is held on to, of which only the digest was kept."""
    return pin.digest == held.digest and not held.definition
