"""Suggestions: rules that would have made this question unnecessary, from the narrowest to the widest."""

import posixpath
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import NamedTuple

from assent.engine.base.facts import Facts, normalize_path, to_rule_path
from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.tool import Call, Dialect
from assent.engine.base.value import replace
from assent.engine.case import Case, uncovered_parts
from assent.engine.decide import decide
from assent.engine.irreversible.commands import irreversible_examples
from assent.engine.lines.command import Command
from assent.engine.lines.line import Language, load_language, parse_line
from assent.engine.lines.part import Part
from assent.engine.lines.specifier import pattern_words, quote_words, split_specifier
from assent.engine.policy.grants import GrantedRule
from assent.engine.policy.rule import Rule
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.verdict import Stage, Verdict
from assent.engine.programs.catalog import find_program, runner_name, runs_arguments
from assent.engine.programs.runs import InputUse
from assent.engine.programs.word import base_name, without_version

_ACTING_INPUT = (InputUse.INSTRUCTIONS, InputUse.OPERANDS, InputUse.ANSWERS)
_SETTERS = frozenset(
    """export declare typeset readonly local set shopt unset function set-item set-variable new-variable
    set-alias new-alias new-item set-itemproperty import-module""".split()
)
"""Commands that change the meaning of the commands after them."""


_NEEDED_INPUT = (InputUse.INSTRUCTIONS, InputUse.OPERANDS)
_RUNNING_SUB_COMMANDS = frozenset({"exec", "x", "dlx", "install", "add", "init", "create", "eval", "config"})
"""Sub-commands that fetch or run their arguments in any program."""


class Width(StrEnum):
    """How much a suggested rule covers, from this exact call to the whole tool."""

    EXACT = "exact"
    SUB_COMMAND = "sub-command"
    PROGRAM = "program"
    DIRECTORY = "directory"
    TOOL = "tool"


class Suggestion(NamedTuple):
    """Rules that together would have allowed the call; as grants, where only a grant helps."""

    width: Width
    rules: tuple[Rule, ...]
    as_grant: bool = False
    irreversible: tuple[str, ...] = ()
    """Commands that it also covers and that cannot be undone, such as `git push --force` for `git push *`."""


def suggestions(call: Call, snapshot: Snapshot, facts: Facts) -> tuple[Suggestion, ...]:
    """Every helpful suggestion, the narrowest first; none for a call that is denied or locked."""
    decision = decide(call, snapshot, facts)
    if decision.verdict is not Verdict.ASK or not decision.always_offered:
        return ()
    as_grant = decision.stage is Stage.TIER
    found: list[Suggestion] = []
    for width, specifiers in _widths(Case(call, snapshot.tools[call.tool], snapshot, facts)):
        rules = tuple(Rule(tool=call.tool, specifier=specifier) for specifier in specifiers)
        suggestion = Suggestion(width, rules, as_grant, _irreversible_examples(specifiers))
        known = any(one.rules == rules for one in found)
        if not known and decide(call, _apply(snapshot, suggestion), facts).verdict is Verdict.RUN:
            found.append(suggestion)
    return tuple(found)


def needs_empty_input(rule: Rule, dialect: Dialect) -> bool:
    """Whether an allow rule covers its program only as long as nothing is on its standard input."""
    if not dialect.is_shell or rule.specifier is None:
        return False
    if split_specifier(rule.specifier).input:
        return False
    words = pattern_words(rule.specifier)
    words = words[:-1] if words[-1:] == ("*",) else words
    language = load_language(dialect)
    return any(_acts_on_input(part, language) for part in parse_line(quote_words(words), language).parts)


def _irreversible_examples(specifiers: tuple[str | None, ...]) -> tuple[str, ...]:
    """Examples of irreversible commands that the wider rules also cover."""
    wide = [pattern_words(one)[:-1] for one in specifiers if one is not None and one.endswith(" *")]
    return tuple(dict.fromkeys(example for words in wide for example in irreversible_examples(words)))


def _apply(snapshot: Snapshot, suggestion: Suggestion) -> Snapshot:
    """The policy after the suggestion was accepted."""
    for rule in suggestion.rules:
        if suggestion.as_grant:
            snapshot = replace(snapshot, grants=snapshot.grants.with_grant(GrantedRule(rule=rule)))
        else:
            snapshot = replace(snapshot, rules=snapshot.rules.with_allow_rule(rule))
    return snapshot


def _widths(case: Case) -> Iterator[tuple[Width, tuple[str | None, ...]]]:
    rules = (case.snapshot.rules, *case.snapshot.grants.for_call(case.call))
    parts = uncovered_parts(case, rules) or case.parsed.parts
    match case.tool.dialect:
        case Dialect.SHELL | Dialect.POWERSHELL:
            yield from _command_widths(case, parts)
            # A whole shell tool is never suggested: it runs any command.
            return
        case Dialect.PATH:
            yield from _path_widths(parts, case.facts)
        case Dialect.TEXT:
            yield from _text_widths(parts)
    yield Width.TOOL, (None,)


def _command_widths(case: Case, parts: tuple[Part, ...]) -> Iterator[tuple[Width, tuple[str, ...]]]:
    takes = load_language(case.tool.dialect).find_input_use
    if any(not part.written_forms or part.redirect_writes or _needs_input(part, takes) for part in parts):
        return
    if any(part.command is not None and part.command.written_files for part in case.parts):
        # It runs a file that the line writes, which the words of a rule do not describe.
        return
    commands = [part.written_forms[-1] for part in parts]
    fed = [part.input for part in parts if part.input is not None]
    inputs = ["" if part.input is None else case.suggested_input_name(part) for part in parts]
    named = [one for one in inputs if one is not None]
    if len(named) == len(parts):
        exact = zip(map(quote_words, commands), named, strict=True)
        yield Width.EXACT, tuple(" ".join(filter(None, words)) for words in exact)
    if any(one.must_be_named for one in fed):
        # A wider rule would not cover it: a rule must name the input.
        return
    if all(_has_plain_command(words) for words in commands):
        yield Width.SUB_COMMAND, tuple(quote_words(words[:2]) + " *" for words in commands)
    if any(_runs_its_arguments(words) for words in commands):
        return
    yield Width.PROGRAM, tuple(quote_words(words[:1]) + " *" for words in commands)


def _needs_input(part: Part, takes: Callable[[Command], InputUse]) -> bool:
    """Whether it is a bare interpreter or shell, whose words do not show what it does."""
    if part.input is not None:
        return False
    command = part.command
    if command is not None and command.words and takes(command) in _NEEDED_INPUT:
        return True
    return any(_needs_input(inner, takes) for inner in part.nested)


def _has_plain_command(words: tuple[str, ...]) -> bool:
    """Whether the second word is a sub-command that does not run its arguments."""
    if len(words) < 2 or not words[1][:1].isalpha() or not words[1].replace("-", "").isalnum():
        return False
    if not find_program(words[0]).can_suggest_commands and _runs_its_arguments(words):
        return False
    return not runs_arguments(f"{words[0]} {words[1]}") and words[1] not in _RUNNING_SUB_COMMANDS


def _runs_its_arguments(words: tuple[str, ...]) -> bool:
    name = base_name(words[0]).casefold().removesuffix(".exe")
    return (
        "=" in words[0]
        or runner_name(words[0]) is not None
        or any(one in _SETTERS or runs_arguments(one, any_case=True) for one in (name, without_version(name)))
    )


def _path_widths(parts: tuple[Part, ...], facts: Facts) -> Iterator[tuple[Width, tuple[str, ...]]]:
    absolute = [part.path.absolute(facts.place) for part in parts if part.path is not None]
    paths = [normalize_path(path, facts.place) for path in absolute if path is not None]
    if len(paths) < len(parts) or any(mark in path for path in paths for mark in "*?[\\"):
        return
    yield Width.EXACT, tuple(to_rule_path(path, facts.place) for path in paths)
    yield (
        Width.DIRECTORY,
        tuple(to_rule_path(posixpath.dirname(path), facts.place).rstrip("/") + "/**" for path in paths),
    )


def _text_widths(parts: tuple[Part, ...]) -> Iterator[tuple[Width, tuple[str, ...]]]:
    part = parts[0]
    if part.args is None:
        if part.written_forms and UNKNOWN_MARK not in part.text and part.text.strip():
            yield Width.EXACT, (part.text.replace("*", "\\*"),)
        return
    values = {name: value for name, value in part.args.items() if isinstance(value, (str, int, float, bool))}
    if values and len(values) == len(part.args) and all(str(value) for value in values.values()):
        yield Width.EXACT, (", ".join(f"{name}={_escape_stars(value)}" for name, value in values.items()),)


def _escape_stars(value: str | float) -> str:
    text = value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return text.replace("*", "\\*")


def _acts_on_input(part: Part, language: Language) -> bool:
    command = part.command
    if command is not None and command.words and language.find_input_use(command) in _ACTING_INPUT:
        return True
    return any(_acts_on_input(inner, language) for inner in part.nested)
