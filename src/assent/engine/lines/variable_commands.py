"""Commands in the values of variables, which some program will run: `PAGER`, `CC`, `GIT_SSH_COMMAND`."""

import shlex
from functools import lru_cache

from assent.engine.lines.command import Assignment, Command
from assent.engine.lines.nested import Carried, beside
from assent.engine.lines.options import anywhere, escape, option_texts, setting, value_of
from assent.engine.lines.scripts import spelled_out
from assent.engine.programs.catalog import lookup
from assent.engine.programs.program import RunsBy
from assent.engine.programs.variables import (
    CODE,
    ENDINGS,
    ENTRIES,
    ESCAPING,
    EXPANDED,
    HARMLESS_SETTINGS,
    NAMES,
    OPTIONS,
    WRITTEN,
    WRITTEN_ENDINGS,
    harmless,
)
from assent.engine.programs.word import HOLE, Word, base_name

_OPERATORS = frozenset(";&|<>()`\n")
_STREAMS = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""What another command of the line prints, or the line itself."""


def with_assigned(found: Carried | None, command: Command) -> Carried | None:
    """Add what the variables that a command sets would run."""
    if not command.assignments and not takes_assignments(command.program):
        return found
    given = assigned(command)
    texts = [text for one in given for text in _texts(one, given)]
    plain = {text: _vector(text) for text in texts}
    if any(one.name in EXPANDED and one.value.text.startswith(_STREAMS) for one in given):
        found = (found or Carried(at=-1))._replace(computed=True)
    return beside(
        found,
        commands=tuple(vector for vector in plain.values() if vector is not None),
        texts=tuple(text for text, vector in plain.items() if vector is None),
    )


def assigned(command: Command) -> tuple[Assignment, ...]:
    """The assignments before a command, and those among its words where it takes such."""
    words = command.words if takes_assignments(command.program) else ()
    among = (
        Assignment(_plain_name(name), word._replace(text=value, tilde=False))
        for word in words[1:]
        for name, equals, value in (word.text.partition("="),)
        if equals
    )
    return tuple(one for one in (*command.assignments, *among) if not harmless(*one))


def written_by_variables(command: Command) -> tuple[Word, ...]:
    """The files that the variables which a command sets tell programs to write."""
    if not command.assignments and not takes_assignments(command.program):
        return ()
    return tuple(
        one.value
        for one in assigned(command)
        if one.name.startswith(WRITTEN) or one.name.upper().endswith(WRITTEN_ENDINGS)
    )


def harmless_before(command: Command) -> bool:
    """Whether all assignments before a command are harmless there; `IFS` only tells `read` where to cut."""
    if not command.assignments:
        return True
    reads = command.program == "read"
    return all(harmless(*one) or (reads and one.name == "IFS") for one in command.assignments)


@lru_cache(maxsize=4096)
def takes_assignments(program: str) -> bool:
    """Whether a program takes `NAME=value` words for variables that it sets."""
    return lookup(base_name(program)).takes_assignments


def _plain_name(name: str) -> str:
    """A name without the option that it may be attached to: `-DCMAKE_C_COMPILER:PATH`."""
    return name.removeprefix("-D").partition(":")[0]


def _texts(one: Assignment, others: tuple[Assignment, ...]) -> list[Word]:
    """The commands in one value."""
    name, value = one.name, one.value
    if name in EXPANDED:
        return [value._replace(text=f": {value.text}")] if "$(" in value.text or "`" in value.text else []
    if name.startswith("BASH_FUNC_"):
        return [value._replace(text=value.text.removeprefix("()"))]
    if name in ESCAPING:
        found = escape(value._replace(text=value.text.removeprefix("+")))
    elif name in OPTIONS:
        return [text for _, text in option_texts(anywhere(OPTIONS[name], _words(value), 0))]
    elif name in CODE:
        return [
            value._replace(text=text)
            for text in spelled_out(frozenset(lookup(CODE[name]).scripts), value.text)
        ]
    elif name == "GIT_CONFIG_PARAMETERS":
        return [text for word in _words(value) if (text := setting(word)) is not None]
    elif name.startswith("GIT_CONFIG_VALUE_"):
        keys = [other.value.text for other in others if other.name == name.replace("VALUE", "KEY")]
        found = value_of(keys[-1], value) if keys else None
    else:
        found = _program(name, value)
    return [] if found is None or not found.text.strip() else [found]


def _program(name: str, value: Word) -> Word | None:
    known = name in NAMES or name.upper().endswith(ENDINGS) or name.startswith(ENTRIES)
    if not known or value.text in HARMLESS_SETTINGS:
        return None
    if name in NAMES and (
        value.text.startswith(HOLE) or lookup(base_name(value.text)).runs_by is RunsBy.SHELL
    ):
        # `make CC=$CC`, `SHELL=/bin/sh make`: what everybody writes.
        return None
    # `|cmd`, `||cmd` and `|-cmd` tell `less` what to do with what the command prints.
    return value._replace(text=value.text.lstrip("|-") if name == "LESSOPEN" else value.text)


def _words(value: Word) -> tuple[Word, ...]:
    try:
        return tuple(Word(text) for text in shlex.split(value.text))
    except ValueError:
        return ()


def _vector(text: Word) -> tuple[Word, ...] | None:
    """The words of a plain command; a hole in one is a word of unknown value, not unknown code."""
    if not _OPERATORS.isdisjoint(text.text) or "$" in text.text:
        return None
    return _words(text) or None
