"""Absence: tools that the model never sees, and whose calls are answered as if they did not exist."""

from assent.engine.model import Call, Effect, Tool
from assent.engine.snapshot import Snapshot
from assent.engine.tiers import Tier
from assent.engine.verdict import Stage, Step, Verdict


def absence(call: Call, snapshot: Snapshot) -> Step | None:
    """Why a call's tool is not there for its agent, or None."""
    for policy in snapshot.lineage():
        tool = policy.tools.get(call.tool)
        if tool is None:
            return _absent(Stage.UNKNOWN, f"there is no tool `{call.tool}`")
        if call.tool in policy.unauthorized:
            return _absent(Stage.UNAUTHORIZED, f"the person behind this call may not use `{call.tool}`")
        tier = policy.tier_of(call)
        if tier is not None and tier.tier is Tier.BLOCKED:
            return _absent(Stage.BLOCKED, f"`{call.tool}` is blocked for this agent")
        if tool.effect is Effect.DESTRUCTIVE and not snapshot.attended:
            return _absent(Stage.UNATTENDED, f"`{call.tool}` is destructive and no person can be reached")
    return None


def visible_tools(snapshot: Snapshot, agent: str = "") -> tuple[Tool, ...]:
    """The tools that the model of this agent may see."""
    return tuple(
        tool
        for name, tool in snapshot.tools.items()
        if absence(Call(tool=name, args={}, agent=agent), snapshot) is None
    )


def _absent(stage: Stage, reason: str) -> Step:
    return Step(stage, Verdict.ABSENT, reason)
