"""Policy for one decision: what files and presets say, and what the store says now."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Generic, NamedTuple, TypeVar

from assent.engine.model import Tool
from assent.engine.modes import Mode
from assent.engine.policy.breakers import Breaker
from assent.engine.policy.grants import NO_GRANTS, GrantSet
from assent.engine.policy.rule import Layer, Rule, RuleList, parse_rule
from assent.engine.policy.rule_set import RuleSet
from assent.engine.policy.snapshot import PolicyOptions, Snapshot, build_snapshot, compile_rules
from assent.engine.policy.tiers import TierSetting
from assent.gate.catalog import Catalog
from assent.gate.current import About, Current
from assent.gate.grant import Grant, StoredRule
from assent.gate.ports import Store
from assent.gate.preset import Preset

_MOST_KEPT = 1024
_MOST_ADDED = 64
"""New rules that are put beside a compiled set before it is compiled anew."""

Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ground:
    """What files and one preset say; another one is made when a file changes."""

    preset: Preset
    tools: Mapping[str, Tool] = field(default_factory=dict[str, Tool])
    added: frozenset[str] = frozenset()
    """Tools that a file added: where modes do not speak, their names suggest a tier."""
    rules: Mapping[RuleList, tuple[Rule, ...]] = field(default_factory=dict[RuleList, tuple[Rule, ...]])
    tiers: Mapping[tuple[str, str], TierSetting] = field(default_factory=dict[tuple[str, str], TierSetting])
    options: PolicyOptions = PolicyOptions()
    attended: bool = True
    """A person can be reached at all."""
    breakers: tuple[Breaker, ...] = ()
    version: str = ""


Grounds = Callable[[str], Ground]
"""The ground under a preset, by its name."""


class Standing(NamedTuple):
    """How an agent stands in a turn."""

    agent: str
    mode: Mode | None
    attended: bool = True
    unauthorized: frozenset[str] = frozenset()


class Policies:
    """Puts ground and store together, and compiles nothing twice."""

    def __init__(self, store: Store, catalog: Catalog) -> None:
        self._store = store
        self._catalog = catalog
        self._currents: _Recent[About, Current] = _Recent()
        self._rules: _Recent[tuple[Ground, tuple[str, ...]], RuleSet] = _Recent()
        self._grants: _Recent[tuple[str, ...], GrantSet] = _Recent()
        self._sources: _Recent[Ground, dict[str, str]] = _Recent()
        self._latest: dict[Ground, tuple[str, ...]] = {}
        self._newest = -1
        self._declared = 0

    async def current(self, about: About) -> Current:
        """What the store says at this moment; read again only when some policy changed since."""
        at, version, _ = await self._store.moment()
        known = self._currents.get(about)
        if known is not None and known.version == version:
            return replace(known, at=at)
        found = await self._store.current(about)
        # INVARIANT: what others declared is known before a policy counts that was read after it.
        await self._learn(found.declared)
        self._newest = max(self._newest, found.version)
        return self._currents.keep(about, found)

    async def _learn(self, declared: int) -> None:
        """Take in what was declared to all processes, if that changed; if it cannot be read, nothing runs."""
        if declared > self._declared:
            shared = await self._store.declarations()
            if declared > self._declared:  # Nobody was faster, or with something newer.
                self._catalog.share(shared)
                self._declared = declared

    async def recent(self, about: About) -> Current:
        """The newest policy that was read here; for who makes sure in a transaction that it still holds."""
        known = self._currents.get(about)
        # INVARIANT: all that is recent has one version, so that one comparison vouches for ancestors, too.
        return known if known is not None and known.version == self._newest else await self.current(about)

    def origin(self, ground: Ground, current: Current, text: str) -> str:
        """Where a rule or grant comes from, by its id or its file and line, never by its text."""
        for one in current.rules:
            if one.text == text:
                return one.id
        for grant in current.grants:
            if grant.pattern == text:
                return grant.id
        sources = self._sources.get(ground)
        if sources is None:
            every = (rule for rules in ground.rules.values() for rule in rules)
            sources = self._sources.keep(ground, {rule.text: rule.source or rule.layer for rule in every})
        return sources.get(text, "")

    def snapshot(
        self,
        ground: Ground,
        current: Current,
        grants: Sequence[Grant],
        standing: Standing,
        parent: Snapshot | None = None,
    ) -> Snapshot:
        """The policy that one call of one agent is decided by."""
        return build_snapshot(
            self._catalog.under(ground.tools, standing.agent),
            agent=standing.agent,
            rules=self._compiled_rules(ground, current.rules),
            tiers={
                **ground.tiers,
                **{(standing.agent, tool): tier for tool, tier in current.tiers.items()},
            },
            added_tools=ground.added,
            grants=self.compiled_grants(grants),
            mode=standing.mode,
            fallback=ground.preset.fallback,
            attended=standing.attended,
            unauthorized_tools=standing.unauthorized,
            changed_tools=self._catalog.changed(current.pins, standing.agent),
            paused_by="" if current.paused is None else current.paused.by,
            breakers=ground.breakers,
            options=ground.options,
            parent=parent,
            version=f"{ground.version}/{current.version}",
            input_key=self._store.secret,
        )

    def compiled_grants(self, grants: Sequence[Grant]) -> GrantSet:
        """Grants as the engine looks them up."""
        if not grants:
            return NO_GRANTS
        key = tuple(grant.id for grant in grants)
        known = self._grants.get(key)
        if known is None:
            known = self._grants.keep(key, GrantSet(grant.as_engine_takes_it() for grant in grants))
        return known

    def _compiled_rules(self, ground: Ground, stored: Sequence[StoredRule]) -> RuleSet:
        key = (ground, tuple(rule.id for rule in stored))
        known = self._rules.get(key)
        if known is None:
            known = self._rules.keep(key, self._with_added(ground, stored) or _compile(ground, stored))
            self._latest[ground] = key[1]
        return known

    def _with_added(self, ground: Ground, stored: Sequence[StoredRule]) -> RuleSet | None:
        """The last set of this ground with a few allow rules more, if that is all that changed."""
        before = self._latest.get(ground)
        if before is None or (known := self._rules.get((ground, before))) is None:
            return None
        ids = set(before)
        added = [rule for rule in stored if rule.id not in ids]
        kept = len(stored) - len(added)
        if (
            kept < len(before)
            or len(added) > _MOST_ADDED
            or any(one.list is not RuleList.ALLOW for one in added)
        ):
            return None
        for rule in added:
            known = known.with_allow_rule(_parsed(rule))
        return known


def _compile(ground: Ground, stored: Sequence[StoredRule]) -> RuleSet:
    lists: dict[RuleList, list[Rule]] = {kind: list(ground.rules.get(kind, ())) for kind in RuleList}
    for rule in stored:
        lists[rule.list].append(_parsed(rule))
    return compile_rules(lists)


def _parsed(rule: StoredRule) -> Rule:
    return parse_rule(rule.text, layer=Layer.STORE, source=f"rule {rule.id}")


Key = TypeVar("Key")


class _Recent(Generic[Key, Kept]):
    """The values used last, so that nothing grows for ever."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, Kept] = OrderedDict()

    def get(self, key: Key) -> Kept | None:
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def keep(self, key: Key, value: Kept) -> Kept:
        self._kept[key] = value
        if len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return value
