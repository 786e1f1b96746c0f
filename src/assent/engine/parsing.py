"""Parse a call into its parts, by the dialect of its tool."""

from assent.engine.characters import deceptive_character, hidden_character
from assent.engine.facts import PathUse
from assent.engine.globs import HOLE
from assent.engine.lines.part import ParsedCall, Part
from assent.engine.lines.program_part import language_of
from assent.engine.model import Call, Dialect, PathKind, Tool, as_list, as_object
from assent.engine.recall import Known, known
from assent.engine.regex import regex
from assent.engine.template import render, render_loosely, specifier_values

_BLANK = regex(r"\s")
LONGEST_PATH = 4096
MOST_PATHS = 256
_NO_COMMAND = ParsedCall((Part("", unreadable="has no command"),), "has no command")
INPUT_ARGUMENTS = ("stdin", "input", "standard_input", "stdin_text", "stdin_data", "input_text")
"""Arguments that hold the standard input of a command line."""


def parse_call(call: Call, tool: Tool) -> ParsedCall:
    """Parse a call by the dialect of its tool."""
    match tool.dialect:
        case Dialect.SHELL | Dialect.POWERSHELL:
            line = cached_line(call, tool)
            return _NO_COMMAND if line is None else line.parsed
        case Dialect.PATH:
            return _parse_paths(tool, call)
        case Dialect.TEXT:
            return _parse_text(tool, call)


def cached_line(call: Call, tool: Tool) -> Known | None:
    """The parsed command line of a call, with its last decision; None for a call that runs no line."""
    text = render(tool, call.args) if tool.dialect.is_shell else None
    return None if text is None else known(text, language_of(tool.dialect), _standard_input(call))


def _standard_input(call: Call) -> str | None:
    """The standard input that the call gives its line: a hole if it is not text, None if there is none."""
    given = [call.args[name] for name in INPUT_ARGUMENTS if call.args.get(name)]
    if not given:
        return None
    return given[0] if len(given) == 1 and isinstance(given[0], str) else HOLE


def _parse_paths(tool: Tool, call: Call) -> ParsedCall:
    """One part for each path; a path that is missing or is not text is unknown."""
    found: list[str] = []
    for value in specifier_values(tool, call.args):
        items = as_list(value) or (value,)
        found.extend(item if isinstance(item, str) and item else HOLE for item in items)
    if len(found) > MOST_PATHS:
        reason = f"names more than {MOST_PATHS} paths"
        return ParsedCall((Part(tool.name, unreadable=reason),), reason)
    found = [text if len(text) <= LONGEST_PATH else HOLE for text in found]
    unreadable = next(
        (f"holds {what}" for text in found if text != HOLE and (what := hidden_character(text))), None
    )
    return ParsedCall(tuple(_path_part(tool, text) for text in found or [HOLE]), unreadable)


def _path_part(tool: Tool, text: str) -> Part:
    anchored = tool.paths is PathKind.ANCHORED
    tilde = text.startswith("~") and not anchored
    return Part(text, path=PathUse(text, tilde=tilde, anchored=anchored))


def _parse_text(tool: Tool, call: Call) -> ParsedCall:
    if tool.template is None:
        return ParsedCall((Part(tool.name, args=call.args),), _deceptive_in(call.args))
    text = render(tool, call.args)
    if text is None:
        # A missing argument renders as empty text, which only deny and ask rules match.
        loose = render_loosely(tool, call.args)
        return ParsedCall((Part(loose, hits=(loose,)),))
    if HOLE in text:
        return ParsedCall((Part(text, possible=(text,)),), _deceptive_in(call.args))
    what = hidden_character(text)
    return ParsedCall(
        (Part(text, hits=(text,), covers=(tuple(_BLANK.split(text)),)),), what and f"holds {what}"
    )


def _deceptive_in(value: object) -> str | None:
    """Why a text in the arguments may look different from what it says; None when no text does."""
    if isinstance(value, str):
        character = deceptive_character(value)
        return character and f"holds {character}"
    members = as_object(value)
    items = as_list(value) if members is None else (*members.keys(), *members.values())
    return next((found for item in items or () if (found := _deceptive_in(item))), None)
