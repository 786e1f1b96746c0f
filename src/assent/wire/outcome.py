"""An outcome as JSON: what a host far away gets for a call that it submitted."""

from assent.errors import InputError
from assent.gate.binding import canonical
from assent.gate.outcome import Applied, Outcome, Refuse, Run, Wait
from assent.wire import shapes
from assent.wire.call import call_to_json
from assent.wire.decision import decision_to_json
from assent.wire.moment import maybe_moment_to_json


def outcome_to_json(outcome: Outcome, turn: str) -> shapes.Outcome:
    """The outcome, told by its word, and the turn that the call was made in."""
    match outcome:
        case Run():
            return {
                "outcome": "run",
                "turn": turn,
                "call": call_to_json(outcome.call),
                "decision": decision_to_json(outcome.decision),
                "approval": outcome.approval,
                "claim": outcome.claim,
            }
        case Wait(approval=approval):
            return {
                "outcome": "wait",
                "turn": turn,
                "approval": approval.id,
                "decision": decision_to_json(approval.decision),
                "expires_at": maybe_moment_to_json(approval.expires_at),
                "token": outcome.token,
            }
        case Refuse():
            return {
                "outcome": "refuse",
                "turn": turn,
                "code": outcome.code.value,
                "message": outcome.message,
                "reason": outcome.reason,
                "again_after": outcome.again_after,
                "issues": [{"path": issue.path, "message": issue.message} for issue in outcome.issues],
            }
        case Applied():
            result = _plain(outcome.result)
            return {"outcome": "applied", "turn": turn, "approval": outcome.approval.id, "result": result}


def _plain(result: object) -> object:
    """What a tool gave back; it has run, so what is not JSON is told by its kind and fails nothing."""
    try:
        canonical(result)
    except InputError:
        return {"not_json": type(result).__name__}
    return result
