"""The policy of files, the stored policy, and the cache that combines both for a decision."""

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Generic, NamedTuple, Protocol, TypeVar

from assent.engine.base.tool import Tool
from assent.engine.policy.breakers import Breaker
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import Layer, Rule, RuleList, parse_rule
from assent.engine.policy.rule_set import RuleSet
from assent.engine.policy.snapshot import (
    NO_GRANTS,
    GrantedRule,
    GrantSet,
    PolicyOptions,
    Snapshot,
    TierSetting,
    build_snapshot,
    compile_rules,
)
from assent.gate.catalog import Catalog, DeclaredTool, KnownDefinitions
from assent.gate.conversation import Conversation
from assent.gate.preset import Lifetime, Preset
from assent.gate.workspaces import RegisteredWorkspace


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredGrant:
    """A lasting approval: a pattern, its scope and its lifetime."""

    id: str
    pattern: str
    conversation: str | None = None
    agent: str | None = None
    user: str | None = None
    lifetime: Lifetime
    boot: str = ""
    """The id of the process with which an until-restart grant ends."""
    until: datetime | None = None
    uses: int | None = None
    """The remaining uses."""
    by: str
    approval: str = ""
    """The id of the approval whose answer gave the grant."""
    override: bool = False
    """Whether it is a person's override for one tool of one agent."""
    at: datetime | None = None
    """By the store's clock."""

    def is_active(self, *, at: datetime, boot: str) -> bool:
        """Whether the grant is in effect at a time and in a process."""
        is_over = self.until is not None and self.until <= at
        if is_over or (self.uses is not None and self.uses < 1):
            return False
        match self.lifetime:
            case Lifetime.RESTART:
                return self.boot == boot != ""
            case Lifetime.UNTIL:
                return self.until is not None
            case Lifetime.USES:
                return self.uses is not None
            case Lifetime.FOREVER:
                return True

    def to_engine(self) -> GrantedRule:
        """The grant in the engine's form, without its lifetime."""
        return GrantedRule(
            rule=parse_rule(self.pattern, layer=Layer.STORE),
            conversation=self.conversation,
            agent=self.agent,
            user=self.user,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRule:
    """A rule that a person added, for everyone or for a scope."""

    id: str
    list: RuleList
    text: str
    conversation: str | None = None
    agent: str | None = None
    user: str | None = None
    by: str
    approval: str = ""
    why: str = ""
    at: datetime | None = None


RULE_REPLACED_MESSAGE = "rule `{id}` was changed or revoked meanwhile: load the rules again"


class Pause(NamedTuple):
    """Who paused all agents, and when."""

    by: str
    since: datetime


class PolicyKey(NamedTuple):
    """A user, an agent and a conversation, which select the policy that applies."""

    user: str
    agent: str
    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredPolicy:
    """The stored policy for one user, agent and conversation."""

    version: int
    at: datetime
    """The store's time when the policy was read."""
    tiers: Mapping[str, TierSetting] = field(default_factory=dict[str, TierSetting])
    """The tiers of this agent, by tool."""
    rules: tuple[StoredRule, ...] = ()
    grants: tuple[StoredGrant, ...] = ()
    """The grants for this user, agent and conversation; their lifetimes are not checked yet."""
    pins: Mapping[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """Known definitions by origin and tool."""
    reviewed: Mapping[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    """Those of the known definitions that a person accepted."""
    conversation: Conversation | None = None
    paused: Pause | None = None
    """The pause of all agents, during which every call that is not a read waits; None without a pause."""
    declarations_version: int = 0
    """The policy version of the last declaration of tools to all processes."""
    start_mode: str = ""
    """The start mode of new conversations; empty is the preset's first mode."""
    workspaces: tuple[RegisteredWorkspace, ...] = ()
    """The workspaces that people registered for this agent or for all agents."""

    @property
    def definitions(self) -> KnownDefinitions:
        """The known definitions of tools, and those that a person accepted."""
        return KnownDefinitions(self.pins, self.reviewed)


class Moment(NamedTuple):
    """The time, the policy version and the pause of a store at one moment."""

    at: datetime
    version: int
    """The policy version."""
    paused: bool = False
    """Whether all agents are paused, so that calls that are not reads wait."""


_CACHE_SIZE = 1024
_MAX_ADDED_RULES = 64
"""Above this number of new rules, a rule set is compiled again."""

Cached = TypeVar("Cached")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FilePolicy:
    """The policy of the files and one preset; immutable, so a changed file makes a new value."""

    preset: Preset
    tools: Mapping[str, Tool] = field(default_factory=dict[str, Tool])
    file_tools: frozenset[str] = frozenset()
    """The tools that a file added; in a preset without modes, their names decide their default tiers."""
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
    conversation: str = ""


class PolicyStore(Protocol):
    """The part of a store that the policy of a decision is read from."""

    @property
    def secret(self) -> bytes:
        """The random secret that all processes of the store share."""
        ...

    async def moment(self) -> Moment:
        """The store's time and the policy version."""
        ...

    async def stored_policy(self, about: PolicyKey) -> StoredPolicy:
        """The stored policy of a user, an agent and a conversation."""
        ...

    async def declarations(self) -> Sequence[DeclaredTool]:
        """Every tool that is declared to all processes."""
        ...


class PolicyCache:
    """Combines file policy and stored policy, and caches what it compiles."""

    def __init__(self, store: PolicyStore, catalog: Catalog) -> None:
        self._store = store
        self._catalog = catalog
        self._currents: _LruCache[PolicyKey, StoredPolicy] = _LruCache()
        self._rules: _LruCache[tuple[FilePolicy, tuple[str, ...]], RuleSet] = _LruCache()
        self._grants: _LruCache[tuple[str, ...], GrantSet] = _LruCache()
        self._sources: _LruCache[FilePolicy, dict[str, str]] = _LruCache()
        self._latest: _LruCache[FilePolicy, tuple[str, ...]] = _LruCache()
        self._newest_version = -1
        self._declarations_version = 0

    async def current_policy(self, about: PolicyKey) -> StoredPolicy:
        """The current stored policy; it is read again only if the policy version changed."""
        at, version, _ = await self._store.moment()
        known = self._currents.get(about)
        if known is not None and known.version == version:
            return replace(known, at=at)
        found = await self._store.stored_policy(about)
        # INVARIANT: declared tools are loaded before a policy that was read after them is used.
        await self._load_declarations(found.declarations_version)
        self._newest_version = max(self._newest_version, found.version)
        return self._currents.put(about, found)

    async def _load_declarations(self, declared: int) -> None:
        """Load the tools that are declared to all processes, if they changed; on failure nothing runs."""
        if declared > self._declarations_version:
            shared = await self._store.declarations()
            if (
                declared > self._declarations_version
            ):  # No other task has loaded the declarations in the meantime.
                self._catalog.set_shared_tools(shared)
                self._declarations_version = declared

    async def cached_policy(self, about: PolicyKey) -> StoredPolicy:
        """The policy that was read last; the caller must check its version in a transaction."""
        known = self._currents.get(about)
        # INVARIANT: all cached policies have one version, so that one check also covers parent turns.
        return (
            known
            if known is not None and known.version == self._newest_version
            else await self.current_policy(about)
        )

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
            self._catalog.tools_for(
                file_policy.tools, agent_state.agent, agent_state.conversation, current.definitions
            ),
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
            changed_tools=self._catalog.changed_tools(
                current.pins, agent_state.agent, agent_state.conversation
            ),
            paused_by="" if current.paused is None else current.paused.by,
            breakers=file_policy.breakers,
            options=file_policy.options,
            parent=parent,
            version=f"{file_policy.version}/{current.version}",
            input_key=self._store.secret,
        )

    def compiled_grants(self, grants: Sequence[StoredGrant]) -> GrantSet:
        """The grants compiled for the engine."""
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
                key, self._extend_latest_rules(file_policy, stored) or _compile_rules(file_policy, stored)
            )
            self._latest.put(file_policy, key[1])
        return known

    def _extend_latest_rules(self, file_policy: FilePolicy, stored: Sequence[StoredRule]) -> RuleSet | None:
        """The latest rule set with new allow rules added; None if anything else changed."""
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
            known = known.with_allow_rule(_parse_stored_rule(rule))
        return known


def narrowed_policy(
    files: FilePolicy, current: StoredPolicy, own: StoredPolicy, name: str
) -> StoredPolicy | None:
    """The stored policy of an agent with the rules and tiers of a sub-agent; None if it has none."""
    rules = tuple(one for one in own.rules if one.agent == name)
    if not rules and not own.tiers and all(agent != name for agent, _ in files.tiers):
        return None
    return replace(current, rules=(*current.rules, *rules), tiers={**current.tiers, **own.tiers})


def _compile_rules(file_policy: FilePolicy, stored: Sequence[StoredRule]) -> RuleSet:
    lists: dict[RuleList, list[Rule]] = {kind: list(file_policy.rules.get(kind, ())) for kind in RuleList}
    for rule in stored:
        lists[rule.list].append(_parse_stored_rule(rule))
    return compile_rules(lists)


def _parse_stored_rule(rule: StoredRule) -> Rule:
    return parse_rule(rule.text, layer=Layer.STORE, source=f"rule {rule.id}")


Key = TypeVar("Key")


class _LruCache(Generic[Key, Cached]):
    """A cache of bounded size that drops the least recently used values."""

    def __init__(self) -> None:
        self._values: OrderedDict[Key, Cached] = OrderedDict()

    def get(self, key: Key) -> Cached | None:
        if key in self._values:
            self._values.move_to_end(key)
        return self._values.get(key)

    def put(self, key: Key, value: Cached) -> Cached:
        self._values[key] = value
        if len(self._values) > _CACHE_SIZE:
            self._values.popitem(last=False)
        return value
