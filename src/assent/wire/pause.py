"""The one switch as JSON: whether every agent is paused, by whom, and since when."""

from assent.gate.current import Pause
from assent.wire.fields import Fields
from assent.wire.moment import moment_from_json, moment_to_json


def pause_to_json(pause: Pause | None) -> dict[str, object]:
    """What the switch says."""
    if pause is None:
        return {"paused": False, "by": "", "since": None}
    return {"paused": True, "by": pause.by, "since": moment_to_json(pause.since)}


def pause_from_json(data: object, within: str = "switch") -> Pause | None:
    """The pause that such an object tells of, if there is one."""
    fields = Fields(data, within)
    if not fields.flag("paused"):
        return None
    return Pause(fields.text("by"), moment_from_json(fields.raw("since"), fields.path("since")))
