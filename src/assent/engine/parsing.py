"""A call as rules see it, read by its tool's dialect."""

from assent.engine.characters import deceptive, hidden
from assent.engine.facts import PathUse
from assent.engine.globs import HOLE
from assent.engine.languages import language_of
from assent.engine.model import Call, Dialect, PathKind, Tool, as_list, as_object
from assent.engine.part import Part, Subject
from assent.engine.recall import Known, known
from assent.engine.regex import regex
from assent.engine.template import render, render_loosely, values

_BLANK = regex(r"\s")
LONGEST_PATH = 4096
MOST_PATHS = 256
_NO_COMMAND = Subject((Part("", unreadable="has no command"),), "has no command")
INPUT_ARGUMENTS = ("stdin", "input", "standard_input", "stdin_text", "stdin_data", "input_text")
"""Arguments of tools that run a line: what it reads from its standard input."""
_SHELLS = (Dialect.SHELL, Dialect.POWERSHELL)


def subject_of(call: Call, tool: Tool) -> Subject:
    """Read a call by its tool's dialect."""
    match tool.dialect:
        case Dialect.SHELL | Dialect.POWERSHELL:
            line = line_of(call, tool)
            return _NO_COMMAND if line is None else line.subject
        case Dialect.PATH:
            return _of_paths(tool, call)
        case Dialect.TEXT:
            return _of_text(tool, call)


def line_of(call: Call, tool: Tool) -> Known | None:
    """What is known of the line that a call would run; None for a call that runs none."""
    text = render(tool, call.args) if tool.dialect in _SHELLS else None
    return None if text is None else known(text, language_of(tool.dialect), _standard_input(call))


def _standard_input(call: Call) -> str | None:
    """What the call itself gives its line to read; a hole for what is no text, None for nothing."""
    given = [call.args[name] for name in INPUT_ARGUMENTS if call.args.get(name)]
    if not given:
        return None
    return given[0] if len(given) == 1 and isinstance(given[0], str) else HOLE


def _of_paths(tool: Tool, call: Call) -> Subject:
    """One part for each path; one that is missing or is no text cannot be known."""
    found: list[str] = []
    for value in values(tool, call.args):
        items = as_list(value) or (value,)
        found.extend(item if isinstance(item, str) and item else HOLE for item in items)
    if len(found) > MOST_PATHS:
        reason = f"names more than {MOST_PATHS} paths"
        return Subject((Part(tool.name, unreadable=reason),), reason)
    found = [text if len(text) <= LONGEST_PATH else HOLE for text in found]
    unreadable = next((f"holds {what}" for text in found if text != HOLE and (what := hidden(text))), None)
    return Subject(tuple(_path_part(tool, text) for text in found or [HOLE]), unreadable)


def _path_part(tool: Tool, text: str) -> Part:
    anchored = tool.paths is PathKind.ANCHORED
    tilde = text.startswith("~") and not anchored
    return Part(text, path=PathUse(text, tilde=tilde, anchored=anchored))


def _of_text(tool: Tool, call: Call) -> Subject:
    if tool.template is None:
        return Subject((Part(tool.name, args=call.args),), _deceptive_in(call.args))
    text = render(tool, call.args)
    if text is None:
        # A missing argument renders as empty text, which deny and ask may match and allow never does.
        loose = render_loosely(tool, call.args)
        return Subject((Part(loose, hits=(loose,)),))
    if HOLE in text:
        return Subject((Part(text, possible=(text,)),), _deceptive_in(call.args))
    what = hidden(text)
    return Subject((Part(text, hits=(text,), covers=(tuple(_BLANK.split(text)),)),), what and f"holds {what}")


def _deceptive_in(value: object) -> str | None:
    """Why some text among the arguments may not show what it says, or None."""
    if isinstance(value, str):
        what = deceptive(value)
        return what and f"holds {what}"
    members = as_object(value)
    items = as_list(value) if members is None else (*members.keys(), *members.values())
    return next((found for item in items or () if (found := _deceptive_in(item))), None)
