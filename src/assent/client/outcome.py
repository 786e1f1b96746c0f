"""An outcome as a client gets it: the call may run, waits for a person, or does not run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from assent.wire.fields import Fields


class What(StrEnum):
    """What a caller does next."""

    RUN = "run"
    WAIT = "wait"
    REFUSE = "refuse"
    APPLIED = "applied"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of a call; the fields that an outcome does not have are empty."""

    what: What
    turn: str = ""
    approval: str = ""
    claim: str = ""
    """Shows who took the call, when they report."""
    args: Mapping[str, object] = field(default_factory=dict[str, object])
    """What may run: a person may have changed it."""
    code: str = ""
    message: str = ""


def outcome_of(data: object) -> Outcome:
    """The outcome that a server's reply says; a word that is not known is not a yes."""
    fields = Fields(data, "outcome")
    what = fields.word("outcome", What)
    call = Fields(fields.raw("call"), "outcome.call") if fields.has("call") else None
    return Outcome(
        what=what,
        turn=fields.text("turn", ""),
        approval=fields.text("approval", ""),
        claim=fields.text("claim", ""),
        args={} if call is None else call.table("args"),
        code=fields.text("code", ""),
        message=fields.text("message", ""),
    )
