"""Clipping: a text that is too long keeps its beginning and its end, and says what is missing."""

_TAIL = 4
"""One part in so many is the end of the text: what went wrong often stands there."""


def clip(text: str, most: int) -> str:
    """At most so many characters of a text, and how many more there were."""
    if len(text) <= most:
        return text
    tail = most // _TAIL
    head = most - tail
    return f"{text[:head]}\n… {len(text) - most:,} more characters …\n{text[len(text) - tail :]}"


def listed(lines: list[str], most: int, what: str = "") -> str:
    """At most so many lines, and how many more there were."""
    more = len(lines) - most
    shown = lines[:most] if more > 0 else lines
    rest = [f"… {more:,} more{what and ' ' + what}"] if more > 0 else []
    return "\n".join([*shown, *rest])
