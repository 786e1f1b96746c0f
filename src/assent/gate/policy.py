"""Policy for one decision: the policy of files and presets, combined with the stored policy."""

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
from assent.gate.preset import Preset
from assent.gate.store import Store
from assent.gate.stored_policy import PolicyKey, StoredGrant, StoredPolicy, StoredRule

_CACHE_SIZE = 1024
_MAX_ADDED_RULES = 64
"""Above this number of new rules, a rule set is compiled again."""

Kept = TypeVar("Kept")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FilePolicy:
    """The policy of the files and one preset; a changed file makes a new one."""

    preset: Preset
    tools: Mapping[str, Tool] = field(default_factory=dict[str, Tool])
    file_tools: frozenset[str] = frozenset()
    """Tools that a file added; without modes, their names decide their default tier."""
    rules: Mapping[RuleList, tuple[Rule, ...]] = field(default_factory=dict[RuleList, tuple[Rule, ...]])
    tiers: Mapping[tuple[str, str], TierSetting] = field(default_factory=dict[tuple[str, str], TierSetting])
    options: PolicyOptions = PolicyOptions()
    attended: bool = True
    """Whether a person can be asked."""
    breakers: tuple[Breaker, ...] = ()
    version: str = ""


FilePolicies = Callable[[str], FilePolicy]
"""Returns the policy of a preset by its name."""


class AgentState(NamedTuple):
    """The state of an agent in a turn."""

    agent: str
    mode: Mode | None
    attended: bool = True
    unauthorized: frozenset[str] = frozenset()


class PolicyCache:
    """Combines file policy and stored policy, and caches what it compiles."""

    def __init__(self, store: Store, catalog: Catalog) -> None:
        self._store = store
        self._catalog = catalog
        self._currents: _LruCache[PolicyKey, StoredPolicy] = _LruCache()
        self._rules: _LruCache[tuple[FilePolicy, tuple[str, ...]], RuleSet] = _LruCache()
        self._grants: _LruCache[tuple[str, ...], GrantSet] = _LruCache()
        self._sources: _LruCache[FilePolicy, dict[str, str]] = _LruCache()
        self._latest: dict[FilePolicy, tuple[str, ...]] = {}
        self._newest = -1
        self._declared = 0

    async def current(self, about: PolicyKey) -> StoredPolicy:
        """The current stored policy; read again only when the policy version changed."""
        at, version, _ = await self._store.moment()
        known = self._currents.get(about)
        if known is not None and known.version == version:
            return replace(known, at=at)
        found = await self._store.stored_policy(about)
        # INVARIANT: declared tools are loaded before a policy that was read after them is used.
        await self._load_declarations(found.declarations_version)
        self._newest = max(self._newest, found.version)
        return self._currents.put(about, found)

    async def _load_declarations(self, declared: int) -> None:
        """Load the tools that are declared to all processes, if they changed; on failure nothing runs."""
        if declared > self._declared:
            shared = await self._store.declarations()
            if declared > self._declared:  # No other task loaded them meanwhile.
                self._catalog.set_shared(shared)
                self._declared = declared

    async def cached(self, about: PolicyKey) -> StoredPolicy:
        """The last policy that was read; the caller must check its version in a transaction."""
        known = self._currents.get(about)
        # INVARIANT: all cached policies have one version, so that one check also covers parent turns.
        return known if known is not None and known.version == self._newest else await self.current(about)

    def rule_origin(self, file_policy: FilePolicy, current: StoredPolicy, text: str) -> str:
        """The origin of a rule or grant: its id, or its file and line."""
        for one in current.rules:
            if one.text == text:
                return one.id
        for grant in current.grants:
            if grant.pattern == text:
                return grant.id
        sources = self._sources.get(file_policy)
        if sources is None:
            every = (rule for rules in file_policy.rules.values() for rule in rules)
            sources = self._sources.put(file_policy, {rule.text: rule.source or rule.layer for rule in every})
        return sources.get(text, "")

    def snapshot(
        self,
        file_policy: FilePolicy,
        current: StoredPolicy,
        grants: Sequence[StoredGrant],
        agent_state: AgentState,
        parent: Snapshot | None = None,
    ) -> Snapshot:
        """The policy for the calls of one agent."""
        return build_snapshot(
            self._catalog.tools_for(file_policy.tools, agent_state.agent),
            agent=agent_state.agent,
            rules=self._compiled_rules(file_policy, current.rules),
            tiers={
                **file_policy.tiers,
                **{(agent_state.agent, tool): tier for tool, tier in current.tiers.items()},
            },
            added_tools=file_policy.file_tools,
            grants=self.compiled_grants(grants),
            mode=agent_state.mode,
            fallback=file_policy.preset.fallback,
            attended=agent_state.attended,
            unauthorized_tools=agent_state.unauthorized,
            changed_tools=self._catalog.changed_tools(current.pins, agent_state.agent),
            paused_by="" if current.paused is None else current.paused.by,
            breakers=file_policy.breakers,
            options=file_policy.options,
            parent=parent,
            version=f"{file_policy.version}/{current.version}",
            input_key=self._store.secret,
        )

    def compiled_grants(self, grants: Sequence[StoredGrant]) -> GrantSet:
        """The grants in the form that the engine uses."""
        if not grants:
            return NO_GRANTS
        key = tuple(grant.id for grant in grants)
        known = self._grants.get(key)
        if known is None:
            known = self._grants.put(key, GrantSet(grant.to_engine() for grant in grants))
        return known

    def _compiled_rules(self, file_policy: FilePolicy, stored: Sequence[StoredRule]) -> RuleSet:
        key = (file_policy, tuple(rule.id for rule in stored))
        known = self._rules.get(key)
        if known is None:
            known = self._rules.put(
                key, self._extend_latest(file_policy, stored) or _compile(file_policy, stored)
            )
            self._latest[file_policy] = key[1]
        return known

    def _extend_latest(self, file_policy: FilePolicy, stored: Sequence[StoredRule]) -> RuleSet | None:
        """The last rule set with some allow rules added, if nothing else changed."""
        before = self._latest.get(file_policy)
        if before is None or (known := self._rules.get((file_policy, before))) is None:
            return None
        ids = set(before)
        added = [rule for rule in stored if rule.id not in ids]
        kept = len(stored) - len(added)
        if (
            kept < len(before)
            or len(added) > _MAX_ADDED_RULES
            or any(one.list is not RuleList.ALLOW for one in added)
        ):
            return None
        for rule in added:
            known = known.with_allow_rule(_parsed(rule))
        return known


def _compile(file_policy: FilePolicy, stored: Sequence[StoredRule]) -> RuleSet:
    lists: dict[RuleList, list[Rule]] = {kind: list(file_policy.rules.get(kind, ())) for kind in RuleList}
    for rule in stored:
        lists[rule.list].append(_parsed(rule))
    return compile_rules(lists)


def _parsed(rule: StoredRule) -> Rule:
    return parse_rule(rule.text, layer=Layer.STORE, source=f"rule {rule.id}")


Key = TypeVar("Key")


class _LruCache(Generic[Key, Kept]):
    """A cache of bounded size that drops the least recently used values."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, Kept] = OrderedDict()

    def get(self, key: Key) -> Kept | None:
        if key in self._kept:
            self._kept.move_to_end(key)
        return self._kept.get(key)

    def put(self, key: Key, value: Kept) -> Kept:
        self._kept[key] = value
        if len(self._kept) > _CACHE_SIZE:
            self._kept.popitem(last=False)
        return value
