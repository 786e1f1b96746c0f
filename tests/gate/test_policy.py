"""Policy: files and store put together, compiled once, and never older than its last change."""

from dataclasses import FrozenInstanceError, replace
from itertools import product

import pytest

from assent.engine.base.facts import Facts
from assent.engine.base.tool import Call
from assent.engine.decide import decide
from assent.engine.policy.grants import GrantSet
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import Layer, Rule, RuleList, parse_rule
from assent.engine.policy.tiers import Tier, TierSetting
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
from tests.gate.samples import CALL, DAY, FACTS, NOW, SECOND, a_grant
from tests.gate.scene import PUBLISH, PUT, TOOLS

ABOUT = PolicyKey(user="ana", agent="clerk", conversation="c1")
STANDING = AgentState("clerk", Mode.DEFAULT)
GROUND = FilePolicy(preset=Preset(name="bare"), version="files-1")


class CountingStore(MemoryStore):
    """Counts how often the whole policy is read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    async def stored_policy(self, about: PolicyKey) -> StoredPolicy:
        self.reads += 1
        return await super().stored_policy(about)


def a_cache(store: MemoryStore | None = None) -> PolicyCache:
    catalog = Catalog()
    for tool in TOOLS:
        catalog.add(DeclaredTool(tool=tool))
    return PolicyCache(store or MemoryStore(), catalog)


def stored_rule(text: str, kind: RuleList = RuleList.ALLOW, **scope: str) -> StoredRule:
    return StoredRule(id=f"{kind}:{text}", list=kind, text=text, by="ada", **scope)  # type: ignore[arg-type]


def rule(text: str, source: str = "") -> Rule:
    return parse_rule(text, layer=Layer.PROJECT, source=source)


def verdict(
    found: PolicyCache, current: StoredPolicy, call: Call, *grants: StoredGrant, ground: FilePolicy = GROUND
) -> Verdict:
    snapshot = found.snapshot(ground, current, grants, STANDING)
    ours = replace(call, agent="clerk", conversation="c1", user="ana")
    return decide(ours, snapshot, Facts(place=FACTS.place)).verdict


async def test_policy_is_read_again_only_after_it_changed() -> None:
    store = CountingStore()
    found = a_cache(store)
    other = ABOUT._replace(agent="cook")

    for about in (ABOUT, ABOUT, other, ABOUT, other):
        await found.current(about)
    before = store.reads
    await store.add_policy(rules=[stored_rule("sh")])
    changed = [await found.current(about) for about in (ABOUT, ABOUT)]

    assert (before, store.reads) == (2, 3)
    assert [[one.text for one in current.rules] for current in changed] == [["sh"], ["sh"]]


@pytest.mark.proves("T-14")
@pytest.mark.parametrize("change", ["tier", "rule", "grant", "revoke", "pin"])
async def test_no_change_of_policy_is_overlooked(change: str) -> None:
    store = MemoryStore()
    await store.add_policy([StoredGrant(id="old", pattern="sh", lifetime=Lifetime.FOREVER, by="ana")])
    found = a_cache(store)
    before = await found.current(ABOUT)

    match change:
        case "tier":
            await store.set_tiers([ToolTier("clerk", "sh", TierSetting(Tier.BLOCKED))])
        case "rule":
            await store.add_policy(rules=[stored_rule("sh", RuleList.DENY)])
        case "grant":
            await store.add_policy([StoredGrant(id="g1", pattern="sh", lifetime=Lifetime.FOREVER, by="ana")])
        case "revoke":
            await store.revoke("old", by="ana")
        case _:
            await store.pin_definitions([Pin("mcp:mail", "send", "0")])

    after = await found.current(ABOUT)
    assert after.version > before.version
    assert (after.tiers, after.rules, after.grants, after.pins) != (
        before.tiers,
        before.rules,
        before.grants,
        before.pins,
    )


async def test_the_time_is_always_the_stores_own_of_this_moment() -> None:
    store = MemoryStore()
    found = a_cache(store)

    times = [(await found.current(ABOUT)).at for _ in range(3)]

    assert times == sorted(times)
    assert len(set(times)) == 3


async def test_a_store_that_cannot_be_read_gives_no_policy_not_even_an_old_one() -> None:
    store = MemoryStore()
    found = a_cache(store)
    await found.current(ABOUT)
    await store.close()

    with pytest.raises(StoreError):
        await found.current(ABOUT)


async def test_recent_policy_is_the_one_that_was_read_last_here() -> None:
    store = MemoryStore()
    found = a_cache(store)
    known = await found.current(ABOUT)
    await store.add_policy(rules=[stored_rule("sh", RuleList.DENY)])

    recent = await found.cached(ABOUT)
    now = await found.current(ABOUT)

    assert recent == known
    assert (await found.cached(ABOUT)).rules == now.rules != known.rules


@pytest.mark.proves("T-14")
async def test_what_was_read_before_a_newer_policy_was_seen_is_not_recent() -> None:
    store = MemoryStore()
    found = a_cache(store)
    above, below = ABOUT._replace(agent="lead"), ABOUT
    await found.current(above)
    await store.set_tiers([ToolTier("lead", "sh", TierSetting(Tier.BLOCKED))])
    await found.current(below)

    both = [await found.cached(about) for about in (below, above)]

    assert len({current.version for current in both}) == 1
    assert both[1].tiers == {"sh": TierSetting(Tier.BLOCKED)}


def a_stored_policy(*rules: StoredRule, version: int = 1, **tiers: Tier) -> StoredPolicy:
    at = Moment(FACTS_AT, version).at
    named = {tool.replace("_", "."): TierSetting(tier) for tool, tier in tiers.items()}
    return StoredPolicy(version=version, at=at, rules=rules, tiers=named)


FACTS_AT = MemoryStore()._now()


def test_rules_of_files_and_of_the_store_hold_together() -> None:
    ground = replace(GROUND, rules={RuleList.DENY: (rule("sh(rm *)"),), RuleList.ALLOW: (rule("note.put"),)})
    current = a_stored_policy(stored_rule("sh(make *)"), stored_rule("note.put(key=b)", RuleList.DENY))
    found = a_cache()

    verdicts = [
        verdict(found, current, call, ground=ground)
        for call in (
            PUBLISH,
            replace(PUBLISH, args={"command": "rm x"}),
            PUT,
            replace(PUT, args={"key": "b"}),
        )
    ]

    assert verdicts == [Verdict.RUN, Verdict.DENY, Verdict.RUN, Verdict.DENY]


@pytest.mark.proves("T-14")
def test_a_compiled_set_never_outlives_what_was_taken_away_or_added() -> None:
    found = a_cache()
    allow, more, deny = (
        stored_rule("sh(make *)"),
        stored_rule("note.put"),
        stored_rule("sh(make *)", RuleList.DENY),
    )
    ask = stored_rule("note.put", RuleList.ASK)

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
        (verdict(found, a_stored_policy(*one), PUBLISH), verdict(found, a_stored_policy(*one), PUT))
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


def test_many_rules_at_once_are_all_there() -> None:
    found = a_cache()
    many = tuple(stored_rule(f"sh(make part{number})") for number in range(200))
    verdict(found, a_stored_policy(), PUBLISH)

    calls = [replace(PUBLISH, args={"command": f"make part{number}"}) for number in (0, 63, 64, 65, 199, 200)]

    verdicts = [verdict(found, a_stored_policy(*many), call) for call in calls]
    assert verdicts == [Verdict.RUN] * 5 + [Verdict.ASK]


def test_the_stores_tier_stands_over_the_files() -> None:
    ground = replace(GROUND, tiers={("clerk", "note.put"): TierSetting(Tier.ALWAYS_ALLOW)})
    found = a_cache()

    assert verdict(found, a_stored_policy(), PUT, ground=ground) is Verdict.RUN
    assert verdict(found, a_stored_policy(note_put=Tier.BLOCKED), PUT, ground=ground) is Verdict.ABSENT


def test_a_snapshot_says_which_policy_it_is() -> None:
    found = a_cache()

    assert found.snapshot(GROUND, a_stored_policy(version=7), (), STANDING).version == "files-1/7"


@pytest.mark.proves("T-39")
def test_where_a_rule_comes_from_is_its_id_or_its_place_never_its_text() -> None:
    files = {RuleList.DENY: (rule("sh(rm *)", "assent.toml, line 3"), rule("sh(dd *)"))}
    ground = replace(GROUND, rules=files)
    grant = StoredGrant(id="g1", pattern="note.put", lifetime=Lifetime.FOREVER, by="ana")
    current = replace(a_stored_policy(stored_rule("sh(make *)")), grants=(grant,))
    found = a_cache()

    texts = ("sh(rm *)", "sh(dd *)", "sh(make *)", "note.put", "nobody.wrote(this)")

    origins = [found.rule_origin(ground, current, text) for text in texts]
    assert origins == ["assent.toml, line 3", "project", "allow:sh(make *)", "g1", ""]


def test_what_is_compiled_does_not_grow_for_ever() -> None:
    found = a_cache()
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
def test_a_grant_counts_while_its_lifetime_lasts_and_never_by_absence(
    changes: dict[str, object], counts: bool
) -> None:
    assert a_grant(**changes).is_active(at=NOW, boot="boot-1") is counts


def test_a_process_without_a_mark_has_no_grants_until_restart() -> None:
    unmarked = a_grant(lifetime=Lifetime.RESTART, boot="")

    assert not unmarked.is_active(at=NOW, boot="")


@pytest.mark.proves("T-9", "R000-26", "R002-21", "R004-11")
def test_a_grant_reaches_those_it_names_and_nobody_else() -> None:
    for conversation, agent, user in product(*((None, own) for own, _ in NAMES.values())):
        grants = GrantSet([a_grant(conversation=conversation, agent=agent, user=user).to_engine()])
        for other in product(*NAMES.values()):
            call = Call(tool="terminal.exec", args={}, conversation=other[0], agent=other[1], user=other[2])
            reaches = all(
                named in (None, own) for named, own in zip((conversation, agent, user), other, strict=True)
            )
            assert bool(grants.for_call(call)) is reaches


def test_the_engine_takes_it_as_a_rule_of_the_store() -> None:
    taken = a_grant(agent="clerk").to_engine()

    assert (taken.rule.text, taken.rule.layer) == ("terminal.exec(npm *)", Layer.STORE)
    assert (taken.conversation, taken.agent, taken.user) == (None, "clerk", None)
    assert GrantSet([taken]).for_call(CALL)


def test_a_pattern_that_is_no_rule_is_never_a_grant() -> None:
    with pytest.raises(RuleSyntaxError):
        a_grant(pattern="terminal.exec(").to_engine()


def test_an_empty_policy_allows_and_knows_nothing() -> None:
    empty = StoredPolicy(version=0, at=NOW)

    assert (empty.tiers, empty.rules, empty.grants, empty.pins) == ({}, (), (), {})
    assert empty.conversation is None


def test_each_value_has_its_own_empty_tables() -> None:
    assert StoredPolicy(version=0, at=NOW).pins is not StoredPolicy(version=0, at=NOW).pins


def test_it_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        StoredPolicy(version=0, at=NOW).version = 1  # type: ignore[misc]


def test_whose_policy_it_is_can_be_a_key() -> None:
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
