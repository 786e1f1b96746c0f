"""Texts that a shell evaluates a second time, as arithmetic or as a subscript, and what they could run."""

from assent.engine.globs import HOLE
from assent.engine.lines.command import Command
from assent.engine.lines.part import Part
from assent.engine.regex import regex

_EVALUATORS = frozenset(
    """test [ [[ let declare typeset local export readonly unset read printf mapfile readarray wait
    getopts""".split()
)
_ARITHMETIC = frozenset({"((", "[[", "let", "declare", "typeset", "local", "export", "readonly"})
_COMPARES = frozenset("-eq -ne -lt -le -gt -ge -v".split())
_SUBSCRIPT = regex(r"\w\[[^\]]*(?:\$\((?!\()|`)")
"""A subscript that runs a command, which arithmetic does with one in a value."""
_REASON = "evaluates a text that holds a command"


def of_words(command: Command) -> str | None:
    """Why a builtin cannot be read that takes a word for a subscript or arithmetic which runs a command."""
    if command.words[0].text not in _EVALUATORS:
        return None
    words = [word.text for word in command.words]
    if words[0] == "printf" and "-v" not in words:
        return None
    return _REASON if any(map(_runs, words[1:])) else None


def of_unknown(text: str, parts: tuple[Part, ...]) -> str | None:
    """Why a line cannot be read that evaluates an unknown value, and spells out one that runs a command."""
    commands = [(part, part.command) for part in parts if part.command is not None]
    suspects = [command for _, command in commands if command.program in _ARITHMETIC]
    if not any(map(_evaluates, suspects)):
        return None
    # What a part carries is read by itself, so that it is no text any more.
    texts = [word.text for part, command in commands if not part.carried for word in command.words]
    texts += [redirect.target.text for _, command in commands for redirect in command.redirects]
    return _REASON if any(map(_SUBSCRIPT.search, (text, *texts))) else None


def _evaluates(command: Command) -> bool:
    """Whether a command takes its words, or what the variables in them hold, for arithmetic."""
    words = [word.text for word in command.words]
    match words[:1]:
        case ["(("]:
            return HOLE in words[-1]
        case ["[["]:
            return not _COMPARES.isdisjoint(words)
        case ["let"]:
            return True
        case _:  # a declaration
            return any(word[:1] == "-" and "i" in word for word in words)


def _runs(text: str) -> bool:
    return "$(" in text or "`" in text
