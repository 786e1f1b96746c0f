"""Policy: files and store put together, compiled once, and never older than its last change."""

from dataclasses import replace

import pytest

from assent.engine.decide import decide
from assent.engine.facts import Facts
from assent.engine.model import Call
from assent.engine.modes import Mode
from assent.engine.policy.rule import Layer, Rule, RuleList, parse_rule
from assent.engine.policy.tiers import Tier, TierSetting
from assent.engine.verdict import Verdict
from assent.errors import StoreError
from assent.gate.catalog import Catalog, DeclaredTool
from assent.gate.policy import AgentState, FilePolicy, PolicyCache
from assent.gate.preset import Lifetime, Preset
from assent.gate.store import Moment, ToolTier
from assent.gate.stored_policy import Pin, PolicyKey, StoredGrant, StoredPolicy, StoredRule
from assent.stores.memory.store import MemoryStore
from tests.gate.samples import FACTS
from tests.gate.scene import PUBLISH, PUT, TOOLS

ABOUT = PolicyKey(user="ana", agent="clerk", conversation="c1")
STANDING = AgentState("clerk", Mode.DEFAULT)
GROUND = FilePolicy(preset=Preset(name="bare"), version="files-1")


class CountingStore(MemoryStore):
    """Counts how often policy is read as a whole."""

    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    async def stored_policy(self, about: PolicyKey) -> StoredPolicy:
        self.reads += 1
        return await super().stored_policy(about)


def policies(store: MemoryStore | None = None) -> PolicyCache:
    catalog = Catalog()
    for tool in TOOLS:
        catalog.add(DeclaredTool(tool=tool))
    return PolicyCache(store or MemoryStore(), catalog)


def stored(text: str, kind: RuleList = RuleList.ALLOW, **scope: str) -> StoredRule:
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
    found = policies(store)
    other = ABOUT._replace(agent="cook")

    for about in (ABOUT, ABOUT, other, ABOUT, other):
        await found.current(about)
    before = store.reads
    await store.add_policy(rules=[stored("sh")])
    changed = [await found.current(about) for about in (ABOUT, ABOUT)]

    assert (before, store.reads) == (2, 3)
    assert [[one.text for one in current.rules] for current in changed] == [["sh"], ["sh"]]


@pytest.mark.proves("T-14")
@pytest.mark.parametrize("change", ["tier", "rule", "grant", "revoke", "pin"])
async def test_no_change_of_policy_is_overlooked(change: str) -> None:
    store = MemoryStore()
    await store.add_policy([StoredGrant(id="old", pattern="sh", lifetime=Lifetime.FOREVER, by="ana")])
    found = policies(store)
    before = await found.current(ABOUT)

    match change:
        case "tier":
            await store.set_tiers([ToolTier("clerk", "sh", TierSetting(Tier.BLOCKED))])
        case "rule":
            await store.add_policy(rules=[stored("sh", RuleList.DENY)])
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
    found = policies(store)

    times = [(await found.current(ABOUT)).at for _ in range(3)]

    assert times == sorted(times)
    assert len(set(times)) == 3


async def test_a_store_that_cannot_be_read_gives_no_policy_not_even_an_old_one() -> None:
    store = MemoryStore()
    found = policies(store)
    await found.current(ABOUT)
    await store.close()

    with pytest.raises(StoreError):
        await found.current(ABOUT)


async def test_recent_policy_is_the_one_that_was_read_last_here() -> None:
    store = MemoryStore()
    found = policies(store)
    known = await found.current(ABOUT)
    await store.add_policy(rules=[stored("sh", RuleList.DENY)])

    recent = await found.cached(ABOUT)
    now = await found.current(ABOUT)

    assert recent == known
    assert (await found.cached(ABOUT)).rules == now.rules != known.rules


@pytest.mark.proves("T-14")
async def test_what_was_read_before_a_newer_policy_was_seen_is_not_recent() -> None:
    store = MemoryStore()
    found = policies(store)
    above, below = ABOUT._replace(agent="lead"), ABOUT
    await found.current(above)
    await store.set_tiers([ToolTier("lead", "sh", TierSetting(Tier.BLOCKED))])
    await found.current(below)

    both = [await found.cached(about) for about in (below, above)]

    assert len({current.version for current in both}) == 1
    assert both[1].tiers == {"sh": TierSetting(Tier.BLOCKED)}


def a_current(*rules: StoredRule, version: int = 1, **tiers: Tier) -> StoredPolicy:
    at = Moment(FACTS_AT, version).at
    named = {tool.replace("_", "."): TierSetting(tier) for tool, tier in tiers.items()}
    return StoredPolicy(version=version, at=at, rules=rules, tiers=named)


FACTS_AT = MemoryStore()._now()


def test_rules_of_files_and_of_the_store_hold_together() -> None:
    ground = replace(GROUND, rules={RuleList.DENY: (rule("sh(rm *)"),), RuleList.ALLOW: (rule("note.put"),)})
    current = a_current(stored("sh(make *)"), stored("note.put(key=b)", RuleList.DENY))
    found = policies()

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
    found = policies()
    allow, more, deny = stored("sh(make *)"), stored("note.put"), stored("sh(make *)", RuleList.DENY)
    ask = stored("note.put", RuleList.ASK)

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
        (verdict(found, a_current(*one), PUBLISH), verdict(found, a_current(*one), PUT)) for one in steps
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
    found = policies()
    many = tuple(stored(f"sh(make part{number})") for number in range(200))
    verdict(found, a_current(), PUBLISH)

    calls = [replace(PUBLISH, args={"command": f"make part{number}"}) for number in (0, 63, 64, 65, 199, 200)]

    verdicts = [verdict(found, a_current(*many), call) for call in calls]
    assert verdicts == [Verdict.RUN] * 5 + [Verdict.ASK]


def test_the_stores_tier_stands_over_the_files() -> None:
    ground = replace(GROUND, tiers={("clerk", "note.put"): TierSetting(Tier.ALWAYS_ALLOW)})
    found = policies()

    assert verdict(found, a_current(), PUT, ground=ground) is Verdict.RUN
    assert verdict(found, a_current(note_put=Tier.BLOCKED), PUT, ground=ground) is Verdict.ABSENT


def test_a_snapshot_says_which_policy_it_is() -> None:
    found = policies()

    assert found.snapshot(GROUND, a_current(version=7), (), STANDING).version == "files-1/7"


@pytest.mark.proves("T-39")
def test_where_a_rule_comes_from_is_its_id_or_its_place_never_its_text() -> None:
    files = {RuleList.DENY: (rule("sh(rm *)", "assent.toml, line 3"), rule("sh(dd *)"))}
    ground = replace(GROUND, rules=files)
    grant = StoredGrant(id="g1", pattern="note.put", lifetime=Lifetime.FOREVER, by="ana")
    current = replace(a_current(stored("sh(make *)")), grants=(grant,))
    found = policies()

    texts = ("sh(rm *)", "sh(dd *)", "sh(make *)", "note.put", "nobody.wrote(this)")

    origins = [found.rule_origin(ground, current, text) for text in texts]
    assert origins == ["assent.toml, line 3", "project", "allow:sh(make *)", "g1", ""]


def test_what_is_compiled_does_not_grow_for_ever() -> None:
    found = policies()
    for number in range(1100):
        found.compiled_grants(
            [StoredGrant(id=f"g{number}", pattern="sh", lifetime=Lifetime.FOREVER, by="ana")]
        )

    assert len(found._grants._kept) == 1024
