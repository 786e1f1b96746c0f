"""The one function that decides every tool call."""

from operator import attrgetter

from assent.engine.case import Case, wanted_contents, wanted_paths
from assent.engine.eases import eases
from assent.engine.facts import Facts, Place
from assent.engine.floors import floors
from assent.engine.model import Call, Effect, Tool
from assent.engine.parsing import line_of, subject_of
from assent.engine.part import Part
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.tiers import Tier
from assent.engine.verdict import LOCKED, ORDER, Decision, Stage, Step, Verdict


def decide(call: Call, snapshot: Snapshot, facts: Facts) -> Decision:
    """What happens to a call, and every step that led there; a failure asks or denies, never runs."""
    try:
        return _decide(call, snapshot, facts)
    except Exception as error:  # noqa: BLE001 - the edge: whatever went wrong, nothing runs unasked
        reason = f"the call could not be decided ({type(error).__name__}: {error})"
        return _settle([Step(Stage.UNREADABLE, Verdict.ASK, reason)], attended=snapshot.attended)


def wanted(call: Call, snapshot: Snapshot, place: Place) -> tuple[str, ...]:
    """The absolute paths whose real path `decide` will look for in the facts."""
    try:
        return wanted_paths(_parts(call, snapshot), place)
    except Exception:  # noqa: BLE001 - the edge: `decide` meets the same failure, and asks
        return ()


def fed_files(call: Call, snapshot: Snapshot, place: Place) -> tuple[str, ...]:
    """Those of them whose content it will want the digest of: they are fed to commands as instructions."""
    try:
        return wanted_contents(_parts(call, snapshot), place)
    except Exception:  # noqa: BLE001 - the edge: without a digest nothing names the file
        return ()


def _parts(call: Call, snapshot: Snapshot) -> tuple[Part, ...]:
    tool = snapshot.tools.get(call.tool)
    return () if tool is None else subject_of(call, tool).every


def _decide(call: Call, snapshot: Snapshot, facts: Facts) -> Decision:
    absent = absence(call, snapshot)
    if absent is not None:
        return _settle([absent], attended=True)
    tool = snapshot.tools[call.tool]
    line = line_of(call, tool)
    if line is None:
        return _judge(Case(call, tool, snapshot, facts))
    decision = line.recall(call, snapshot, facts)
    if decision is None:
        decision = _judge(Case(call, tool, snapshot, facts, line.subject))
        line.keep(call, snapshot, facts, decision)
    return decision


def _judge(case: Case) -> Decision:
    eased = eases(case)
    # The strictest floor holds; without one, the loosest ease does.
    if len(eased) > 1:
        loosest = min([step.verdict for step in eased])
        eased = [step for step in eased if step.verdict is loosest]
    return _settle(floors(case) + eased, attended=case.snapshot.attended)


_VERDICT = attrgetter("verdict")


def _order(step: Step) -> int:
    return ORDER[step.stage]


def _settle(steps: list[Step], *, attended: bool) -> Decision:
    """The strictest step decides, the earliest stage among equals."""
    if len(steps) > 1:
        steps.sort(key=_order)
    deciding = max(steps, key=_VERDICT)
    if deciding.verdict is Verdict.ASK and not attended:
        deciding = Step(Stage.UNATTENDED, Verdict.DENY, f"no person can be reached to ask: {deciding.reason}")
        steps.append(deciding)
    return Decision(
        verdict=deciding.verdict,
        stage=deciding.stage,
        because=deciding.reason,
        steps=tuple(steps),
        rule=deciding.rule,
        part=deciding.part,
        always_offered=deciding.verdict is Verdict.ASK and _could_be_spared(steps),
    )


def _could_be_spared(steps: list[Step]) -> bool:
    """Whether a lasting yes would spare this question: nothing locks it, and it is not the pause alone."""
    asks = [step.stage for step in steps if step.verdict is Verdict.ASK]
    return asks != [Stage.PAUSED] and not any(step.stage in LOCKED for step in steps)


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
