"""Presets as JSON: the modes that each offers, and what becomes of a question under it."""

from assent.engine.model import Effect
from assent.engine.modes import Mode
from assent.gate.preset import Becomes, Delivery, FirstOffer, Lifetime, Scope
from assent.surfaces.http.models.base import Choice, Sent
from assent.surfaces.http.models.decision import VerdictWord


class ModeShown(Sent):
    """A mode that a preset offers."""

    mode: Mode
    shown: str
    """As the preset spells it."""
    does: str
    """What it means, in a sentence or two for a person."""
    verdicts: dict[Effect, VerdictWord]
    """What becomes of a call, by its effect, where nothing else is said."""


class AlwaysShown(Sent):
    """What becomes of a yes that is meant to last."""

    becomes: Becomes
    width: FirstOffer
    scope: Scope | Choice
    lifetime: Lifetime | Choice
    widened: bool


class PresetShown(Sent):
    """A way to run a conversation or an agent."""

    name: str
    purpose: str
    modes: list[ModeShown]
    """A conversation starts in the first; where there is none, it has no mode."""
    fallback: VerdictWord
    """What becomes of a call where there is no mode."""
    delivery: Delivery
    expires_after: int | None
    """Seconds until a question counts as denied; null is never."""
    always: AlwaysShown


class PresetsShown(Sent):
    """Every preset that can be used here, by name."""

    items: list[PresetShown]
