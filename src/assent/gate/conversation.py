"""A conversation: whose it is, and the mode and preset that its next turn will run under."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from assent.engine.modes import MODE_ALIASES, Mode, mode_from_wire, narrower_mode, parse_mode
from assent.errors import AssentError
from assent.gate.access import Principal, Subject, check_own
from assent.gate.preset import Preset

CHANGEABLE = frozenset({"mode", "title", "model"})
"""What its owner may change about a conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The durable part of a conversation; the mode is kept as it was spelled."""

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
    def subject(self) -> Subject:
        """What rights on this conversation are about."""
        return Subject(owner=self.owner, conversation=self.id, agent=self.agent)


def merged(known: Conversation, said: Conversation, fields: Collection[str]) -> Conversation:
    """A conversation with the named fields as they are said, and the others as they are by now."""
    return replace(known, **{name: getattr(said, name) for name in CHANGEABLE.intersection(fields)})


def opened(id: str, owner: str, agent: str, preset: Preset, starts_in: str = "") -> Conversation:
    """A new conversation starts in the mode that is set for new ones, or in its preset's first."""
    is_offered = not starts_in or _offered(mode_from_wire(starts_in), preset) is not None
    _, mode = mode_for(starts_in if is_offered else "", preset)
    return Conversation(id=id, owner=owner, agent=agent, preset=preset.name, mode=mode)


def in_mode(conversation: Conversation, word: str, preset: Preset, principal: Principal) -> Conversation:
    """Change the mode for the turns to come; the one that runs keeps its own."""
    check_own(principal, conversation.subject)
    requested_mode(word, preset)
    return replace(conversation, mode=word)


def requested_mode(word: str, preset: Preset) -> Mode:
    """The mode that a request names; an unknown word is refused, and so is a mode that is not offered."""
    mode = parse_mode(word)
    if _offered(mode, preset) is None:
        offered = f"offers {', '.join(preset.modes)}" if preset.modes else "has no modes"
        raise AssentError(f"mode `{word}` cannot be used: the preset `{preset.name}` {offered}")
    return mode


def mode_for(word: str, preset: Preset) -> tuple[Mode | None, str]:
    """The mode that a stored word means now, and how it is spelled.

    A mode that the preset no longer offers never becomes a wider one: the narrower of it and the
    preset's first mode applies. An unknown word means `default`.
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
    # A word that nobody knows is not kept: it may be anything.
    return mode, word if word in (*Mode, *MODE_ALIASES) else spelled


def _offered(mode: Mode, preset: Preset) -> str | None:
    """How the preset spells a mode; None where it does not offer it."""
    return next((word for word in preset.modes if parse_mode(word) is mode), None)
