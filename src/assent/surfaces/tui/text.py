"""Untrusted text for a terminal: no character of it can move the cursor, change colours or reorder words."""

import json
import re
from collections.abc import Mapping
from datetime import datetime

from assent.engine.base import characters

QUESTION_IN_WORDS = "fleet.question"
"""The tool with which the lead of a fleet asks the person something."""
STARTED = " \u203a "
"""Between the name of an agent and that of the sub-agent that it started."""
TAB = "→   "
"""How a tab in a command is drawn."""
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]+"
)
_ISOLATED = "\u2067\\g<0>\u2069"
_UNITS = ((86400, "d"), (3600, "h"), (60, "min"), (1, "s"))


def visible_text(text: str) -> str:
    """The text on one line, with hidden characters as escapes and right-to-left words isolated."""
    return _RIGHT_TO_LEFT.sub(_ISOLATED, characters.to_visible(text))


def visible_lines(text: str) -> list[str]:
    """The lines of a text, with hidden characters as escapes and tabs as arrows."""
    return [TAB.join(map(visible_text, line.split("\t"))) for line in text.split("\n")]


def has_no_hidden_characters(text: str) -> bool:
    """Whether the text contains no hidden characters, so that a person can edit it as plain text."""
    return characters.describe_hidden_character(text) is None and "\t" not in text


def editable_json(args: Mapping[str, object]) -> str:
    """Arguments as JSON that a person can edit; hidden characters stay escaped."""
    text = json.dumps(dict(args), indent=2, ensure_ascii=False)
    return "".join(
        one if one == "\n" or characters.describe_hidden_character(one) is None else json.dumps(one)[1:-1]
        for one in text
    ).replace("\x7f", "\\u007f")


def value_text(value: object) -> str:
    """An argument as text: strings as they are, other values as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def duration_text(seconds: float) -> str:
    """A duration in its two largest units, such as `3 min 20 s`."""
    left = max(0, int(seconds))
    found: list[str] = []
    for size, unit in _UNITS:
        if left >= size or (size == 1 and not found):
            found.append(f"{left // size} {unit}")
        left %= size
    return " ".join(found[:2])


def age_text(seconds: float) -> str:
    """A duration in its largest unit, such as `3 min`."""
    return " ".join(duration_text(seconds).split(" ")[:2])


def clock_text(moment: datetime, *, seconds: bool = True) -> str:
    """A time of day in the person's own zone."""
    return f"{moment.astimezone():{'%H:%M:%S' if seconds else '%H:%M'}}"
