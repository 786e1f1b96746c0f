"""A preset as JSON, with what each of its modes means in a sentence."""

from typing import Annotated, TypedDict

from assent.engine.model import Effect
from assent.engine.modes import TABLE, Mode, mode_named
from assent.gate.preset import Always, Becomes, Delivery, FirstOffer, Lifetime, Preset, Scope
from assent.wire.shapes import VerdictWord

DOES = {
    Mode.PLAN: "Reads and thinks. Everything else is refused.",
    Mode.DEFAULT: "Reads run. Asks before anything else.",
    Mode.ACCEPT_EDITS: "Also saves files in the workspace. Asks for the rest.",
    Mode.AUTO: "Runs without asking. Destructive still asks.",
}
"""What a person is told of each mode; the table says it exactly."""


class ModeShown(TypedDict):
    """A mode that a preset offers."""

    mode: Annotated[str, Mode]
    shown: str
    """Its name in the preset."""
    does: str
    """Its meaning, in a sentence or two."""
    verdicts: dict[Annotated[str, Effect], VerdictWord]
    """The default verdict of a call by its effect."""


class AlwaysShown(TypedDict):
    """What "always" means."""

    becomes: Annotated[str, Becomes]
    width: Annotated[str, FirstOffer]
    scope: Annotated[str, Scope]
    lifetime: Annotated[str, Lifetime]
    widened: bool


class PresetShown(TypedDict):
    """A preset of a conversation or an agent."""

    name: str
    purpose: str
    modes: list[ModeShown]
    """A conversation starts in the first; without modes it has none."""
    fallback: VerdictWord
    """The verdict of a call without a mode."""
    delivery: Annotated[str, Delivery]
    expires_after: int | None
    """Seconds until a question expires; null is never."""
    always: AlwaysShown


def preset_to_json(preset: Preset) -> PresetShown:
    """The whole preset but its tools and rules."""
    return {
        "name": preset.name,
        "purpose": preset.purpose,
        "modes": [_mode(word) for word in preset.modes],
        "fallback": preset.fallback.word,
        "delivery": preset.delivery.value,
        "expires_after": preset.expires_after,
        "always": _always(preset.always),
    }


def _mode(word: str) -> ModeShown:
    mode = mode_named(word)
    return {
        "mode": mode.value,
        "shown": word,
        "does": DOES[mode],
        "verdicts": {effect.value: verdict.word for effect, verdict in TABLE[mode].items()},
    }


def _always(always: Always) -> AlwaysShown:
    return {
        "becomes": always.becomes.value,
        "width": always.width.value,
        "scope": always.scope.value,
        "lifetime": always.lifetime.value,
        "widened": always.widened,
    }
