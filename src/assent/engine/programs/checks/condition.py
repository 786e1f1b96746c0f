"""What `test`, `[` and `[[` do: ask about files, texts and numbers."""

import re
from itertools import pairwise

from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

_ARITHMETIC = frozenset("-eq -ne -lt -le -gt -ge".split())
_EVALUATING = frozenset({"-v", "-R"})
_INTEGER = regex(r"[-+]?\d+", re.ASCII)
_NUMBER = regex(rf"[-+]?\d+|{HOLE}|[A-Za-z_]\w*", re.ASCII)
_BRACKETS = regex(r"\[[^]]*\]?")
_COULD_EVALUATE = frozenset("*?-vR")


def condition(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """Nothing is read; None when the shell might evaluate a text, and so run what stands in it."""
    texts = [word.text for word in words]
    if any(text in _EVALUATING or evaluates(text) for text in texts):
        return None
    # `[[` evaluates what it compares as arithmetic, whatever that is; `[` wants a number.
    keyword = texts[-1:] == ["]]"]
    if not keyword and (any(map(_may_be_more, words)) or _may_evaluate(texts)):
        return None
    known = _INTEGER if keyword else _NUMBER
    for at, text in enumerate(texts):
        near = words[max(at - 1, 0) : at + 2 : 2] if text in _ARITHMETIC else ()
        if not all((word.plain and word.text == HOLE) or known.fullmatch(word.text) for word in near):
            return None
    return ()


def evaluates(text: str) -> bool:
    """Whether a shell that takes this for a number would run a command: `a[$(id)]`."""
    return "[" in text and ("$(" in text or "`" in text or "${" in text)


def _may_be_more(word: Word) -> bool:
    """Whether it could become `-v` and a text to evaluate: words of unknown number, or names of files."""
    if word.splits:
        return True
    return word.glob and set(_BRACKETS.sub("", word.text)) <= _COULD_EVALUATE


def _may_evaluate(texts: list[str]) -> bool:
    """Whether a word that could be `-v` stands before one that could be a text to evaluate."""
    return any(HOLE in first and (HOLE in second or "[" in second) for first, second in pairwise(texts))
