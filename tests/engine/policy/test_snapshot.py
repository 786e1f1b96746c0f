"""A snapshot: one policy, and those of its ancestors."""

from assent.engine.model import Call
from assent.engine.modes import Mode
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.tiers import Tier, TierSetting


def test_a_lineage_goes_from_a_policy_to_its_oldest_ancestor() -> None:
    oldest = Snapshot(tools={}, mode=None)
    parent = Snapshot(tools={}, mode=Mode.PLAN, parent=oldest)
    child = Snapshot(tools={}, mode=Mode.AUTO, parent=parent)

    assert list(child.lineage()) == [child, parent, oldest]
    assert (child.narrowest_mode, parent.narrowest_mode, oldest.narrowest_mode) == (
        Mode.PLAN,
        Mode.PLAN,
        None,
    )


def test_a_tier_is_looked_up_for_the_policys_agent_or_the_calls() -> None:
    blocked = TierSetting(Tier.BLOCKED)
    call = Call(tool="t", args={}, agent="clerk")

    assert Snapshot(tools={}, tiers={("clerk", "t"): blocked}).tier_of(call) == blocked
    assert Snapshot(tools={}, tiers={("clerk", "t"): blocked}, agent="other").tier_of(call) is None
