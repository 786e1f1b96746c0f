"""The policy cache combines files and store, compiles rules once, and is never outdated."""

from dataclasses import FrozenInstanceError, replace
from itertools import product

import pytest

from assent.engine.base.facts import Facts
from assent.engine.base.tool import Call
from assent.engine.decide import decide
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import Layer, Rule, RuleList, parse_rule
from assent.engine.policy.snapshot import GrantSet, Tier, TierSetting
from assent.engine.policy.verdict import Verdict
from assent.errors import RuleSyntaxError, StoreError
from assent.gate.catalog import Catalog, DeclaredTool, Pin
from assent.gate.policy import (
    AgentState,
    FilePolicy,
    Moment,
    PolicyCache,
    PolicyKey,
    StoredGrant,
    StoredPolicy,
    StoredRule,
)
from assent.gate.preset import Lifetime, Preset
from assent.gate.store import ToolTier
from assent.stores.memory.store import MemoryStore
from tests.gate.samples import CALL, DAY, FACTS, NOW, SECOND, sample_grant
from tests.gate.scene import PUBLISH, PUT, TOOLS

POLICY_KEY = PolicyKey(user="ana", agent="clerk", conversation="c1")
AGENT_STATE = AgentState("clerk", Mode.DEFAULT)
FILE_POLICY = FilePolicy(preset=Preset(name="bare"), version="files-1")


class CountingStore(MemoryStore):
    """Counts how often the whole policy is read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    async def stored_policy(self, about: PolicyKey) -> StoredPolicy:
        self.reads += 1
        return await super().stored_policy(about)


def sample_cache(store: MemoryStore | None = None) -> PolicyCache:
    catalog = Catalog()
    for tool in TOOLS:
        catalog.add(DeclaredTool(tool=tool))
    return PolicyCache(store or MemoryStore(), catalog)


def make_stored_rule(text: str, kind: RuleList = RuleList.ALLOW, **scope: str) -> StoredRule:
    return StoredRule(id=f"{kind}:{text}", list=kind, text=text, by="ada", **scope)  # type: ignore[arg-type]


def parse_project_rule(text: str, source: str = "") -> Rule:
    return parse_rule(text, layer=Layer.PROJECT, source=source)


def verdict_with_policy(
    found: PolicyCache,
    current: StoredPolicy,
    call: Call,
    *grants: StoredGrant,
    ground: FilePolicy = FILE_POLICY,
) -> Verdict:
    snapshot = found.snapshot(ground, current, grants, AGENT_STATE)
    ours = replace(call, agent="clerk", conversation="c1", user="ana")
    return decide(ours, snapshot, Facts(directories=FACTS.directories)).verdict


async def test_policy_is_read_again_only_after_it_changed() -> None:
    store = CountingStore()
    found = sample_cache(store)
    other = POLICY_KEY._replace(agent="cook")

    for about in (POLICY_KEY, POLICY_KEY, other, POLICY_KEY, other):
        await found.current_policy(about)
    before = store.reads
    await store.add_policy(rules=[make_stored_rule("sh")])
    changed = [await found.current_policy(about) for about in (POLICY_KEY, POLICY_KEY)]

    assert (before, store.reads) == (2, 3)
    assert [[one.text for one in current.rules] for current in changed] == [["sh"], ["sh"]]


@pytest.mark.proves("T-14")
@pytest.mark.parametrize("change", ["tier", "rule", "grant", "revoke", "pin"])
async def test_every_change_of_policy_is_noticed(change: str) -> None:
    store = MemoryStore()
    await store.add_policy([StoredGrant(id="old", pattern="sh", lifetime=Lifetime.FOREVER, by="ana")])
    found = sample_cache(store)
    before = await found.current_policy(POLICY_KEY)

    match change:
        case "tier":
            await store.set_tiers([ToolTier("clerk", "sh", TierSetting(Tier.BLOCKED))])
        case "rule":
            await store.add_policy(rules=[make_stored_rule("sh", RuleList.DENY)])
        case "grant":
            await store.add_policy([StoredGrant(id="g1", pattern="sh", lifetime=Lifetime.FOREVER, by="ana")])
        case "revoke":
            await store.revoke("old", by="ana")
        case _:
            await store.pin_definitions([Pin("mcp:mail", "send", "0")])

    after = await found.current_policy(POLICY_KEY)
    assert after.version > before.version
    assert (after.tiers, after.rules, after.grants, after.pins) != (
        before.tiers,
        before.rules,
        before.grants,
        before.pins,
    )


async def test_the_time_of_a_policy_is_the_stores_current_time() -> None:
    store = MemoryStore()
    found = sample_cache(store)

    times = [(await found.current_policy(POLICY_KEY)).at for _ in range(3)]

    assert times == sorted(times)
    assert len(set(times)) == 3


async def test_if_the_store_cannot_be_read_no_cached_policy_is_returned() -> None:
    store = MemoryStore()
    found = sample_cache(store)
    await found.current_policy(POLICY_KEY)
    await store.close()

    with pytest.raises(StoreError):
        await found.current_policy(POLICY_KEY)


async def test_the_cached_policy_is_the_one_that_was_read_last() -> None:
    store = MemoryStore()
    found = sample_cache(store)
    known = await found.current_policy(POLICY_KEY)
    await store.add_policy(rules=[make_stored_rule("sh", RuleList.DENY)])

    recent = await found.cached_policy(POLICY_KEY)
    now = await found.current_policy(POLICY_KEY)

    assert recent == known
    assert (await found.cached_policy(POLICY_KEY)).rules == now.rules != known.rules


@pytest.mark.proves("T-14")
async def test_a_policy_from_before_a_newer_version_is_not_returned_from_the_cache() -> None:
    store = MemoryStore()
    found = sample_cache(store)
    above, below = POLICY_KEY._replace(agent="lead"), POLICY_KEY
    await found.current_policy(above)
    await store.set_tiers([ToolTier("lead", "sh", TierSetting(Tier.BLOCKED))])
    await found.current_policy(below)

    both = [await found.cached_policy(about) for about in (below, above)]

    assert len({current.version for current in both}) == 1
    assert both[1].tiers == {"sh": TierSetting(Tier.BLOCKED)}


def sample_stored_policy(*rules: StoredRule, version: int = 1, **tiers: Tier) -> StoredPolicy:
    at = Moment(STORE_TIME, version).at
    named = {tool.replace("_", "."): TierSetting(tier) for tool, tier in tiers.items()}
    return StoredPolicy(version=version, at=at, rules=rules, tiers=named)


STORE_TIME = MemoryStore()._current_time()


def test_rules_of_files_and_of_the_store_apply_together() -> None:
    ground = replace(
        FILE_POLICY,
        rules={
            RuleList.DENY: (parse_project_rule("sh(rm *)"),),
            RuleList.ALLOW: (parse_project_rule("note.put"),),
        },
    )
    current = sample_stored_policy(
        make_stored_rule("sh(make *)"), make_stored_rule("note.put(key=b)", RuleList.DENY)
    )
    found = sample_cache()

    verdicts = [
        verdict_with_policy(found, current, call, ground=ground)
        for call in (
            PUBLISH,
            replace(PUBLISH, args={"command": "rm x"}),
            PUT,
            replace(PUT, args={"key": "b"}),
        )
    ]

    assert verdicts == [Verdict.RUN, Verdict.DENY, Verdict.RUN, Verdict.DENY]


@pytest.mark.proves("T-14")
def test_a_compiled_rule_set_is_replaced_when_rules_are_added_or_removed() -> None:
    found = sample_cache()
    allow, more, deny = (
        make_stored_rule("sh(make *)"),
        make_stored_rule("note.put"),
        make_stored_rule("sh(make *)", RuleList.DENY),
    )
    ask = make_stored_rule("note.put", RuleList.ASK)

    steps = [
        (),
        (allow,),
        (allow, more),
        (more,),
        (allow, more),
        (allow, more, deny),
        (allow, more),
        (more, ask),
        (),
    ]
    verdicts = [
        (
            verdict_with_policy(found, sample_stored_policy(*one), PUBLISH),
            verdict_with_policy(found, sample_stored_policy(*one), PUT),
        )
        for one in steps
    ]

    run, asks, denies = Verdict.RUN, Verdict.ASK, Verdict.DENY
    assert verdicts == [
        (asks, asks),
        (run, asks),
        (run, run),
        (asks, run),
        (run, run),
        (denies, run),
        (run, run),
        (asks, asks),
        (asks, asks),
    ]


def test_many_rules_added_at_once_are_all_compiled() -> None:
    found = sample_cache()
    many = tuple(make_stored_rule(f"sh(make part{number})") for number in range(200))
    verdict_with_policy(found, sample_stored_policy(), PUBLISH)

    calls = [replace(PUBLISH, args={"command": f"make part{number}"}) for number in (0, 63, 64, 65, 199, 200)]

    verdicts = [verdict_with_policy(found, sample_stored_policy(*many), call) for call in calls]
    assert verdicts == [Verdict.RUN] * 5 + [Verdict.ASK]


def test_a_tier_of_the_store_precedes_a_tier_of_the_files() -> None:
    ground = replace(FILE_POLICY, tiers={("clerk", "note.put"): TierSetting(Tier.ALWAYS_ALLOW)})
    found = sample_cache()

    assert verdict_with_policy(found, sample_stored_policy(), PUT, ground=ground) is Verdict.RUN
    assert (
        verdict_with_policy(found, sample_stored_policy(note_put=Tier.BLOCKED), PUT, ground=ground)
        is Verdict.ABSENT
    )


def test_a_snapshot_contains_the_versions_of_its_policy() -> None:
    found = sample_cache()

    assert (
        found.snapshot(FILE_POLICY, sample_stored_policy(version=7), (), AGENT_STATE).version == "files-1/7"
    )


@pytest.mark.proves("T-39")
def test_the_origin_of_a_rule_is_its_id_or_file_position_never_its_text() -> None:
    files = {
        RuleList.DENY: (parse_project_rule("sh(rm *)", "assent.toml, line 3"), parse_project_rule("sh(dd *)"))
    }
    ground = replace(FILE_POLICY, rules=files)
    grant = StoredGrant(id="g1", pattern="note.put", lifetime=Lifetime.FOREVER, by="ana")
    current = replace(sample_stored_policy(make_stored_rule("sh(make *)")), grants=(grant,))
    found = sample_cache()

    texts = ("sh(rm *)", "sh(dd *)", "sh(make *)", "note.put", "nobody.wrote(this)")

    origins = [found.rule_origin(ground, current, text) for text in texts]
    assert origins == ["assent.toml, line 3", "project", "allow:sh(make *)", "g1", ""]


def test_the_cache_of_compiled_rules_has_a_maximum_size() -> None:
    found = sample_cache()
    for number in range(1100):
        found.compiled_grants(
            [StoredGrant(id=f"g{number}", pattern="sh", lifetime=Lifetime.FOREVER, by="ana")]
        )

    assert len(found._grants._values) == 1024


NAMES = {"conversation": ("c1", "c2"), "agent": ("clerk", "cook"), "user": ("ana", "ben")}


@pytest.mark.parametrize(
    ("changes", "counts"),
    [
        ({"lifetime": Lifetime.FOREVER}, True),
        ({"lifetime": Lifetime.RESTART, "boot": "boot-1"}, True),
        ({"lifetime": Lifetime.RESTART, "boot": "boot-2"}, False),
        ({"lifetime": Lifetime.RESTART}, False),
        ({"lifetime": Lifetime.UNTIL, "until": NOW + SECOND}, True),
        ({"lifetime": Lifetime.UNTIL, "until": NOW}, False),
        ({"lifetime": Lifetime.UNTIL, "until": NOW - DAY}, False),
        ({"lifetime": Lifetime.UNTIL}, False),
        ({"lifetime": Lifetime.USES, "uses": 1}, True),
        ({"lifetime": Lifetime.USES, "uses": 0}, False),
        ({"lifetime": Lifetime.USES, "uses": -1}, False),
        ({"lifetime": Lifetime.USES}, False),
        ({"lifetime": Lifetime.USES, "uses": 1, "until": NOW}, False),
        ({"lifetime": Lifetime.UNTIL, "uses": 0, "until": NOW + SECOND}, False),
        ({"lifetime": Lifetime.RESTART, "boot": "boot-1", "uses": 0}, False),
        ({"lifetime": Lifetime.RESTART, "boot": "boot-1", "until": NOW}, False),
        ({"lifetime": Lifetime.FOREVER, "until": NOW}, False),
    ],
)
def test_a_grant_is_active_only_during_its_lifetime(changes: dict[str, object], counts: bool) -> None:
    assert sample_grant(**changes).is_active(at=NOW, boot="boot-1") is counts


def test_without_a_process_id_no_until_restart_grant_is_active() -> None:
    unmarked = sample_grant(lifetime=Lifetime.RESTART, boot="")

    assert not unmarked.is_active(at=NOW, boot="")


@pytest.mark.proves("T-9", "R000-26", "R002-21", "R004-11")
def test_a_grant_applies_only_to_its_scope() -> None:
    for conversation, agent, user in product(*((None, own) for own, _ in NAMES.values())):
        grants = GrantSet([sample_grant(conversation=conversation, agent=agent, user=user).to_engine()])
        for other in product(*NAMES.values()):
            call = Call(tool="terminal.exec", args={}, conversation=other[0], agent=other[1], user=other[2])
            reaches = all(
                named in (None, own) for named, own in zip((conversation, agent, user), other, strict=True)
            )
            assert bool(grants.rule_sets_for_call(call)) is reaches


def test_a_grant_is_passed_to_the_engine_as_a_rule_of_the_store() -> None:
    taken = sample_grant(agent="clerk").to_engine()

    assert (taken.rule.text, taken.rule.layer) == ("terminal.exec(npm *)", Layer.STORE)
    assert (taken.conversation, taken.agent, taken.user) == (None, "clerk", None)
    assert GrantSet([taken]).rule_sets_for_call(CALL)


def test_an_invalid_pattern_is_never_a_grant() -> None:
    with pytest.raises(RuleSyntaxError):
        sample_grant(pattern="terminal.exec(").to_engine()


def test_an_empty_policy_contains_no_rules_grants_or_tiers() -> None:
    empty = StoredPolicy(version=0, at=NOW)

    assert (empty.tiers, empty.rules, empty.grants, empty.pins) == ({}, (), (), {})
    assert empty.conversation is None


def test_default_values_are_not_shared_between_policies() -> None:
    assert StoredPolicy(version=0, at=NOW).pins is not StoredPolicy(version=0, at=NOW).pins


def test_a_stored_policy_is_immutable() -> None:
    with pytest.raises(FrozenInstanceError):
        StoredPolicy(version=0, at=NOW).version = 1  # type: ignore[misc]


def test_a_policy_key_is_hashable() -> None:
    assert (
        len(
            {
                PolicyKey("ana", "clerk", "c1"),
                PolicyKey("ana", "clerk", "c1"),
                PolicyKey("ana", "clerk", "c2"),
            }
        )
        == 2
    )
    assert Pin("shop", "t", "x") != Pin("evil", "t", "x")
