"""A conversation: its owner, and the mode and preset of its next turn."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from assent.engine.modes import MODE_ALIASES, Mode, mode_from_wire, narrower_mode, parse_mode
from assent.errors import AssentError
from assent.gate.access import Principal, Resource, check_owner
from assent.gate.preset import Preset

CHANGEABLE_FIELDS = frozenset({"mode", "title", "model"})
"""The fields that the owner can change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """A stored conversation; the mode keeps the spelling of the request."""

    id: str
    owner: str
    agent: str = ""
    preset: str
    mode: str = ""
    """Empty where the preset has no modes."""
    title: str = ""
    model: str = ""
    at: datetime | None = None

    @property
    def resource(self) -> Resource:
        """The resource that rights on this conversation apply to."""
        return Resource(owner=self.owner, conversation=self.id, agent=self.agent)


def merge_fields(known: Conversation, new: Conversation, fields: Collection[str]) -> Conversation:
    """A stored conversation with the named fields of another version of it."""
    return replace(known, **{name: getattr(new, name) for name in CHANGEABLE_FIELDS.intersection(fields)})


def new_conversation(id: str, owner: str, agent: str, preset: Preset, starts_in: str = "") -> Conversation:
    """A new conversation in the configured start mode, or in the preset's first mode."""
    is_offered = not starts_in or _offered(mode_from_wire(starts_in), preset) is not None
    _, mode = effective_mode(starts_in if is_offered else "", preset)
    return Conversation(id=id, owner=owner, agent=agent, preset=preset.name, mode=mode)


def with_mode(conversation: Conversation, word: str, preset: Preset, principal: Principal) -> Conversation:
    """Change the mode of the next turns; a running turn keeps its mode."""
    check_owner(principal, conversation.resource)
    requested_mode(word, preset)
    return replace(conversation, mode=word)


def requested_mode(word: str, preset: Preset) -> Mode:
    """The mode that a request names; unknown modes and modes that the preset does not offer are refused."""
    mode = parse_mode(word)
    if _offered(mode, preset) is None:
        offered = f"offers {', '.join(preset.modes)}" if preset.modes else "has no modes"
        raise AssentError(f"mode `{word}` cannot be used: the preset `{preset.name}` {offered}")
    return mode


def effective_mode(word: str, preset: Preset) -> tuple[Mode | None, str]:
    """The mode that a stored name means now, and its spelling.

    If the preset no longer offers the mode, the narrower of it and the preset's first mode applies.
    An unknown name means `default`.
    """
    first = preset.mode
    if first is None:
        return None, ""
    if not word:
        return first, preset.modes[0]
    mode = mode_from_wire(word)
    spelled = _offered(mode, preset)
    if spelled is None:
        return (first, preset.modes[0]) if narrower_mode(mode, first) is first else (mode, mode.value)
    # An unknown name is replaced: it may be anything.
    return mode, word if word in (*Mode, *MODE_ALIASES) else spelled


def _offered(mode: Mode, preset: Preset) -> str | None:
    """The preset's spelling of a mode; None where it does not offer it."""
    return next((word for word in preset.modes if parse_mode(word) is mode), None)
