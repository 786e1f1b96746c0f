"""The function that decides every tool call, and the tools that an agent can see."""

from operator import attrgetter

from assent.engine.base.facts import Facts, Place
from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.case import Case, input_file_paths, paths_in_parts
from assent.engine.lines.part import Part
from assent.engine.parsing import find_cached_line, parse_call
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.tiers import Tier
from assent.engine.policy.verdict import STAGE_ORDER, Decision, Stage, Step, Verdict
from assent.engine.stages import eases, floors


def decide(call: Call, snapshot: Snapshot, facts: Facts) -> Decision:
    """Decide a call, and return the verdict with all its steps.

    After an internal failure the call asks or is denied; it never runs.
    """
    try:
        return _decide_call(call, snapshot, facts)
    except Exception as error:  # noqa: BLE001 - after any failure, no call runs without asking
        reason = f"the call could not be decided ({type(error).__name__}: {error})"
        return _build_decision([Step(Stage.UNREADABLE, Verdict.ASK, reason)], attended=snapshot.attended)


def paths_to_resolve(call: Call, snapshot: Snapshot, place: Place) -> tuple[str, ...]:
    """The absolute paths whose real paths `decide` needs in the facts."""
    try:
        return paths_in_parts(_parse_parts(call, snapshot), place)
    except Exception:  # noqa: BLE001 - `decide` fails in the same way, and asks
        return ()


def files_to_digest(call: Call, snapshot: Snapshot, place: Place) -> tuple[str, ...]:
    """The absolute paths of input files whose content digest `decide` needs in the facts."""
    try:
        return input_file_paths(_parse_parts(call, snapshot), place)
    except Exception:  # noqa: BLE001 - without a digest, no rule can name the file
        return ()


def visible_tools(snapshot: Snapshot, agent: str = "") -> tuple[Tool, ...]:
    """The tools that the model of this agent can see."""
    return tuple(
        tool
        for name, tool in snapshot.tools.items()
        if find_absence(Call(tool=name, args={}, agent=agent), snapshot) is None
    )


def find_absence(call: Call, snapshot: Snapshot) -> Step | None:
    """Why the tool of a call is absent for its agent; None if the agent has the tool."""
    for policy in snapshot.lineage():
        tool = policy.tools.get(call.tool)
        if tool is None:
            return Step(Stage.UNKNOWN, Verdict.ABSENT, f"there is no tool `{call.tool}`")
        if call.tool in policy.unauthorized_tools:
            reason = f"the user of this call may not use `{call.tool}`"
            return Step(Stage.UNAUTHORIZED, Verdict.ABSENT, reason)
        setting = policy.tier_of(call)
        if setting is not None and setting.tier is Tier.BLOCKED:
            return Step(Stage.BLOCKED, Verdict.ABSENT, f"`{call.tool}` is blocked for this agent")
        if tool.effect is Effect.DESTRUCTIVE and not snapshot.attended:
            reason = f"`{call.tool}` is destructive and no person can be reached to approve it"
            return Step(Stage.UNATTENDED, Verdict.ABSENT, reason)
    return None


def _parse_parts(call: Call, snapshot: Snapshot) -> tuple[Part, ...]:
    """The parts of a call; none if its tool is unknown."""
    tool = snapshot.tools.get(call.tool)
    return () if tool is None else parse_call(call, tool).all_parts


def _decide_call(call: Call, snapshot: Snapshot, facts: Facts) -> Decision:
    """Decide a call, with the cached decision of its line if possible."""
    absent = find_absence(call, snapshot)
    if absent is not None:
        return _build_decision([absent], attended=True)
    tool = snapshot.tools[call.tool]
    line = find_cached_line(call, tool)
    if line is None:
        return _decide_case(Case(call, tool, snapshot, facts))
    decision = line.find_decision(call, snapshot, facts)
    if decision is None:
        decision = _decide_case(Case(call, tool, snapshot, facts, line.parsed))
        line.store_decision(call, snapshot, facts, decision)
    return decision


def _decide_case(case: Case) -> Decision:
    """Collect the floors and eases of a case, and build the decision."""
    eased = eases(case)
    # The strictest floor decides; without a floor, the loosest ease decides.
    if len(eased) > 1:
        loosest = min([step.verdict for step in eased])
        eased = [step for step in eased if step.verdict is loosest]
    return _build_decision(floors(case) + eased, attended=case.snapshot.attended)


_verdict_of = attrgetter("verdict")


def _stage_position(step: Step) -> int:
    """The position of the stage of a step."""
    return STAGE_ORDER[step.stage]


def _build_decision(steps: list[Step], *, attended: bool) -> Decision:
    """The decision of the strictest step; among equal verdicts, the earliest stage decides."""
    if len(steps) > 1:
        steps.sort(key=_stage_position)
    deciding = max(steps, key=_verdict_of)
    if deciding.verdict is Verdict.ASK and not attended:
        reason = f"no person can be reached to approve it: {deciding.reason}"
        deciding = Step(Stage.UNATTENDED, Verdict.DENY, reason)
        steps.append(deciding)
    return Decision(
        verdict=deciding.verdict,
        stage=deciding.stage,
        because=deciding.reason,
        steps=tuple(steps),
        rule=deciding.rule,
        part=deciding.part,
        always_offered=deciding.verdict is Verdict.ASK and _can_be_remembered(steps),
    )


def _can_be_remembered(steps: list[Step]) -> bool:
    """Whether "always" would avoid this question: no stage is locked, and a pause is not the only reason."""
    asks = [step.stage for step in steps if step.verdict is Verdict.ASK]
    return asks != [Stage.PAUSED] and not any(step.stage.is_locked for step in steps)
