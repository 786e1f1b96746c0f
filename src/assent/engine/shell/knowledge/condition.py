"""What `test`, `[` and `[[` do: ask about files, texts and numbers."""

import re

from assent.engine.shell.command import HOLE, Word

_ARITHMETIC = frozenset("-eq -ne -lt -le -gt -ge".split())
_EVALUATING = frozenset({"-v", "-R"})
_INTEGER = re.compile(r"[-+]?\d+", re.ASCII).fullmatch
_NUMBER = re.compile(rf"[-+]?\d+|{HOLE}|[A-Za-z_]\w*", re.ASCII).fullmatch


def condition(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """Nothing is read; None when the shell might evaluate a text, and so run what stands in it."""
    texts = [word.text for word in words]
    if any(text in _EVALUATING or evaluates(text) for text in texts):
        return None
    # `[[` evaluates what it compares as arithmetic, whatever that is; `[` wants a number.
    known = _INTEGER if texts[-1:] == ["]]"] else _NUMBER
    for at, text in enumerate(texts):
        if text in _ARITHMETIC and not all(known(near) for near in texts[max(at - 1, 0) : at + 2 : 2]):
            return None
    return ()


def evaluates(text: str) -> bool:
    """Whether a shell that takes this for a number would run a command: `a[$(id)]`."""
    return "[" in text and ("$(" in text or "`" in text or "${" in text)
