"""Whether files may be read: asked of the gate itself, by the rules of a run."""

from assent.engine.model import Call
from assent.engine.verdict import Verdict
from assent.gate.access import Principal
from assent.gate.gate import DEFAULT_OPTIONS, Gate, TurnOptions
from assent.hosts.chat.belt.context import MayRead


def read_by_rules(
    gate: Gate, principal: Principal, *, conversation: str, agent: str, opening: TurnOptions = DEFAULT_OPTIONS
) -> MayRead:
    """Answers as the gate would for `read_file`: what asks or is denied there is not shown here."""

    async def may_read(path: str) -> bool:
        call = Call(tool="read_file", args={"path": path}, conversation=conversation, agent=agent)
        judged = await gate.decide(principal, call, options=opening)
        return judged.decision.verdict is Verdict.RUN

    return may_read
