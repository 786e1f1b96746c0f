"""A sample approval, its people and its answers, for the tests of gate, wire and stores."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from assent.engine.base.facts import CallDirectories, Facts
from assent.engine.base.reason import ReasonCode, make_reason
from assent.engine.base.tool import Call, Dialect, Effect, Tool
from assent.engine.policy.verdict import Decision, Stage, Step, Verdict
from assent.gate.access import Kind, Principal, Role
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from assent.gate.audit import CHAIN_START_HASH, Entry, Link, link_entry
from assent.gate.ids import digest_of_call
from assent.gate.policy import StoredGrant
from assent.gate.preset import Delivery, Lifetime
from assent.gate.store import MakeApproval

NOW = datetime(2026, 3, 1, 12, 0, 0, 123_456, tzinfo=UTC)
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)

ANA = Principal(id="ana")
"""The owner of the sample approval."""
BEN = Principal(id="ben")
"""A person without any role."""
CHRIS = Principal(id="chris", roles={"conversation:c1": Role.APPROVER})
VERA = Principal(id="vera", roles={"conversation:c1": Role.VIEWER})
ADA = Principal(id="ada", administrator=True)
CLERK = Principal(id="clerk", kind=Kind.AGENT, on_behalf="ana")
"""The agent that makes the sample call."""
ROBOT = Principal(id="robot", kind=Kind.SERVICE, on_behalf="ana")

TOOL = Tool(
    name="terminal.exec",
    effect=Effect.EXECUTE,
    dialect=Dialect.SHELL,
    description="Runs a command.",
    parameters={"type": "object", "properties": {"command": {"type": "string"}}},
)
CALL = Call(
    tool="terminal.exec",
    args={"command": "npm publish"},
    id="call-1",
    agent="clerk",
    conversation="c1",
    user="ana",
)
MODE_ASKS = make_reason(ReasonCode.MODE_ASKS, mode="default", effect="execute")
DECISION = Decision(
    verdict=Verdict.ASK,
    stage=Stage.MODE,
    reason=MODE_ASKS,
    steps=(Step(Stage.MODE, Verdict.ASK, MODE_ASKS, part="npm publish"),),
    always_offered=True,
)
FACTS = Facts(directories=CallDirectories(roots=("/project",), cwd="/project", home="/home/ana"))

YES = Answer(say=Say.ONCE)
ALWAYS = Answer(say=Say.ALWAYS, rules=("terminal.exec(npm publish)",))
NO = Answer(say=Say.DENY, reason="not today")


def sample_approval(
    id: str = "q1", *, args: Mapping[str, object] | None = None, **changes: object
) -> Approval:
    """An approval that is pending since `NOW`, with these changes and the correct digest."""
    call = CALL if args is None else replace(CALL, args=args)
    asked = Approval(
        id=id,
        call=call,
        tool=TOOL,
        cwd="/project",
        call_digest="",
        decision=DECISION,
        facts=FACTS,
        owner="ana",
        turn="t1",
        preset="assent",
        mode="default",
        delivery=Delivery.WAIT,
        asked_at=NOW,
        boot="boot-1",
    )
    changed = replace(asked, **changes)  # type: ignore[arg-type]
    digest = changed.call_digest or digest_of_call(changed.call, changed.cwd, changed.tool)
    return replace(changed, call_digest=digest)


def make_question(id: str = "q1", *, expires_in: timedelta | None = None, **changes: object) -> MakeApproval:
    """The function that a store calls to make a new approval with its own time."""
    return lambda moment: sample_approval(
        id,
        asked_at=moment.at,
        expires_at=None if expires_in is None else moment.at + expires_in,
        **changes,
    )


def approval_in_state(state: State, **changes: object) -> Approval:
    """An approval in this state, with all fields that the state requires."""
    has_answer = state not in (State.PENDING, State.EXPIRED, State.WITHDRAWN)
    said = replace(NO if state is State.DENIED else YES, by="ana")
    was_taken = state in (State.RUNNING, State.DONE, State.FAILED, State.UNKNOWN)
    is_closed = state not in (State.PENDING, State.APPROVED, State.RUNNING, State.UNKNOWN)
    found: dict[str, object] = {
        "state": state,
        "answer": said if has_answer else None,
        "answered_at": NOW if has_answer else None,
        "claim": "claim-1" if was_taken else "",
        "closed_at": NOW if is_closed else None,
    }
    return sample_approval(**(found | changes))  # type: ignore[arg-type]


def sample_grant(id: str = "g1", **changes: object) -> StoredGrant:
    """A grant for everybody, with these changes."""
    grant = StoredGrant(id=id, pattern="terminal.exec(npm *)", lifetime=Lifetime.FOREVER, by="ana")
    return replace(grant, **changes)  # type: ignore[arg-type]


ENTRY = Entry(
    id="e1",
    user="ana",
    agent="clerk",
    conversation="c1",
    call="call-1",
    tool="Bash",
    verdict="ask",
    stage="mode",
)
"""The audit entry of a verdict."""
DENIAL = replace(ENTRY, verdict="", decision="denied_with_reason", reason="not today", approval="q1")
"""The audit entry of an answer."""


def sample_link(entry: Entry = ENTRY) -> Link:
    """The first link of an audit chain."""
    return link_entry(entry, writer="w1", number=1, at=NOW, previous=CHAIN_START_HASH)
