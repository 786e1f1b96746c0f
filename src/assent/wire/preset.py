"""A preset as JSON, with what each of its modes means in a sentence."""

from assent.engine.modes import MODE_VERDICTS, Mode, parse_mode
from assent.gate.preset import Always, Preset

DOES = {
    Mode.PLAN: "Reads and thinks. Everything else is refused.",
    Mode.DEFAULT: "Reads run. Asks before anything else.",
    Mode.ACCEPT_EDITS: "Also saves files in the workspace. Asks for the rest.",
    Mode.AUTO: "Runs without asking. Destructive still asks.",
}
"""What a person is told of each mode; the table says it exactly."""


def preset_to_json(preset: Preset) -> dict[str, object]:
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


def _mode(word: str) -> dict[str, object]:
    mode = parse_mode(word)
    return {
        "mode": mode.value,
        "shown": word,
        "does": DOES[mode],
        "verdicts": {effect.value: verdict.word for effect, verdict in MODE_VERDICTS[mode].items()},
    }


def _always(always: Always) -> dict[str, object]:
    return {
        "becomes": always.becomes.value,
        "width": always.width.value,
        "scope": always.scope_word,
        "lifetime": always.lifetime_word,
        "widened": always.widened,
    }
