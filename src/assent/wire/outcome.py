"""An outcome as JSON: what a host far away gets for a call that it submitted."""

from assent.errors import InputError
from assent.gate.binding import canonical
from assent.gate.outcome import Applied, Outcome, Refuse, Run, Wait
from assent.wire.call import call_to_json
from assent.wire.decision import decision_to_json
from assent.wire.moment import maybe_moment_to_json


def outcome_to_json(outcome: Outcome, turn: str) -> dict[str, object]:
    """The outcome, told by its word, and the turn that the call was made in."""
    match outcome:
        case Run():
            found: dict[str, object] = {
                "call": call_to_json(outcome.call),
                "decision": decision_to_json(outcome.decision),
                "approval": outcome.approval,
                "claim": outcome.claim,
            }
            return {"outcome": "run", "turn": turn, **found}
        case Wait(approval=approval):
            found = {
                "approval": approval.id,
                # The digest of a file is for people: an agent that may not read the file could guess by it.
                "decision": decision_to_json(approval.decision._replace(inputs=())),
                "expires_at": maybe_moment_to_json(approval.expires_at),
                "token": outcome.token,
            }
            return {"outcome": "wait", "turn": turn, **found}
        case Refuse():
            return {"outcome": "refuse", "turn": turn, **_refusal(outcome)}
        case Applied():
            result = _plain(outcome.result)
            return {"outcome": "applied", "turn": turn, "approval": outcome.approval.id, "result": result}


def _refusal(refuse: Refuse) -> dict[str, object]:
    return {
        "code": refuse.code.value,
        "message": refuse.message,
        "reason": refuse.reason,
        "again_after": refuse.again_after,
        "issues": [{"path": issue.path, "message": issue.message} for issue in refuse.issues],
    }


def _plain(result: object) -> object:
    """What a tool gave back; it has run, so what is not JSON is told by its kind and fails nothing."""
    try:
        canonical(result)
    except InputError:
        return {"not_json": type(result).__name__}
    return result
