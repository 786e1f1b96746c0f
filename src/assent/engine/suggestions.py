"""Suggest rules that would have made a question unnecessary, from the narrowest to the widest."""

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
from assent.engine.policy.rule import Rule
from assent.engine.policy.snapshot import GrantedRule, Snapshot
from assent.engine.policy.verdict import Stage, Verdict
from assent.engine.programs.catalog import find_program, runner_name, runs_arguments
from assent.engine.programs.runs import InputUse
from assent.engine.programs.word import base_name, without_version

_ACTING_INPUT_USES = (InputUse.INSTRUCTIONS, InputUse.OPERANDS, InputUse.ANSWERS)
"""Uses of the input that decide what a command does."""
_STATE_COMMANDS = frozenset(
    """export declare typeset readonly local set shopt unset function set-item set-variable new-variable
    set-alias new-alias new-item set-itemproperty import-module""".split()
)
"""Commands that change the meaning of later commands."""


_NEEDED_INPUT_USES = (InputUse.INSTRUCTIONS, InputUse.OPERANDS)
"""Uses of the input without which the words do not show what a command does."""
_RUNNING_SUB_COMMANDS = frozenset({"exec", "x", "dlx", "install", "add", "init", "create", "eval", "config"})
"""Sub-commands that download or run their arguments, in any program."""


class RuleWidth(StrEnum):
    """How much a suggested rule covers, from this exact call to the whole tool."""

    EXACT = "exact"
    SUB_COMMAND = "sub-command"
    PROGRAM = "program"
    DIRECTORY = "directory"
    TOOL = "tool"


class Suggestion(NamedTuple):
    """Rules that together would have allowed the call."""

    width: RuleWidth
    rules: tuple[Rule, ...]
    as_grant: bool = False
    """True if the rules must be stored as grants, because only a grant lifts the tier."""
    irreversible: tuple[str, ...] = ()
    """Irreversible commands that the rules also cover, such as `git push --force` for `git push *`."""


def suggestions(call: Call, snapshot: Snapshot, facts: Facts) -> tuple[Suggestion, ...]:
    """All helpful suggestions, the narrowest first; none for a call that is denied or locked."""
    decision = decide(call, snapshot, facts)
    if decision.verdict is not Verdict.ASK or not decision.always_offered:
        return ()
    as_grant = decision.stage is Stage.TIER
    found: list[Suggestion] = []
    for width, specifiers in _specifiers_by_width(Case(call, snapshot.tools[call.tool], snapshot, facts)):
        rules = tuple(Rule(tool=call.tool, specifier=specifier) for specifier in specifiers)
        suggestion = Suggestion(width, rules, as_grant, _irreversible_examples(specifiers))
        known = any(one.rules == rules for one in found)
        if not known and decide(call, _apply_suggestion(snapshot, suggestion), facts).verdict is Verdict.RUN:
            found.append(suggestion)
    return tuple(found)


def needs_empty_input(rule: Rule, dialect: Dialect) -> bool:
    """Whether an allow rule covers its program only without standard input."""
    if not dialect.is_shell or rule.specifier is None:
        return False
    if split_specifier(rule.specifier).input:
        return False
    words = pattern_words(rule.specifier)
    words = words[:-1] if words[-1:] == ("*",) else words
    language = load_language(dialect)
    return any(_acts_on_input(part, language) for part in parse_line(quote_words(words), language).parts)


def _irreversible_examples(specifiers: tuple[str | None, ...]) -> tuple[str, ...]:
    """Irreversible commands that the wider rules also cover."""
    wide = [pattern_words(one)[:-1] for one in specifiers if one is not None and one.endswith(" *")]
    return tuple(dict.fromkeys(example for words in wide for example in irreversible_examples(words)))


def _apply_suggestion(snapshot: Snapshot, suggestion: Suggestion) -> Snapshot:
    """The policy after the suggestion is accepted."""
    for rule in suggestion.rules:
        if suggestion.as_grant:
            snapshot = replace(snapshot, grants=snapshot.grants.with_grant(GrantedRule(rule=rule)))
        else:
            snapshot = replace(snapshot, rules=snapshot.rules.with_allow_rule(rule))
    return snapshot


def _specifiers_by_width(case: Case) -> Iterator[tuple[RuleWidth, tuple[str | None, ...]]]:
    """Yield the widths of possible rules, each with the specifiers for the uncovered parts."""
    rules = (case.snapshot.rules, *case.snapshot.grants.rule_sets_for_call(case.call))
    parts = uncovered_parts(case, rules) or case.parsed.parts
    match case.tool.dialect:
        case Dialect.SHELL | Dialect.POWERSHELL:
            yield from _command_specifiers(case, parts)
            # A whole shell tool is never suggested: it runs any command.
            return
        case Dialect.PATH:
            yield from _path_specifiers(parts, case.facts)
        case Dialect.TEXT:
            yield from _text_specifiers(parts)
    yield RuleWidth.TOOL, (None,)


def _command_specifiers(case: Case, parts: tuple[Part, ...]) -> Iterator[tuple[RuleWidth, tuple[str, ...]]]:
    """Yield the specifiers of rules for command lines, by width."""
    takes = load_language(case.tool.dialect).find_input_use
    if any(not part.written_forms or part.redirect_writes or _needs_input(part, takes) for part in parts):
        return
    if any(part.command is not None and part.command.written_files for part in case.parts):
        # The line runs a file that it writes itself, and a rule cannot describe the content of the file.
        return
    commands = [part.written_forms[-1] for part in parts]
    fed = [part.input for part in parts if part.input is not None]
    inputs = ["" if part.input is None else case.suggested_input_name(part) for part in parts]
    named = [one for one in inputs if one is not None]
    if len(named) == len(parts):
        exact = zip(map(quote_words, commands), named, strict=True)
        yield RuleWidth.EXACT, tuple(" ".join(filter(None, words)) for words in exact)
    if any(one.must_be_named for one in fed):
        # A wider rule would not cover the call, because a rule must name the input.
        return
    if all(_has_plain_sub_command(words) for words in commands):
        yield RuleWidth.SUB_COMMAND, tuple(quote_words(words[:2]) + " *" for words in commands)
    if any(_runs_its_arguments(words) for words in commands):
        return
    yield RuleWidth.PROGRAM, tuple(quote_words(words[:1]) + " *" for words in commands)


def _needs_input(part: Part, takes: Callable[[Command], InputUse]) -> bool:
    """Whether a part is an interpreter or a shell whose words do not show what it does."""
    if part.input is not None:
        return False
    command = part.command
    if command is not None and command.words and takes(command) in _NEEDED_INPUT_USES:
        return True
    return any(_needs_input(inner, takes) for inner in part.nested)


def _has_plain_sub_command(words: tuple[str, ...]) -> bool:
    """Whether the second word is a sub-command that does not run its arguments."""
    if len(words) < 2 or not words[1][:1].isalpha() or not words[1].replace("-", "").isalnum():
        return False
    if not find_program(words[0]).can_suggest_commands and _runs_its_arguments(words):
        return False
    return not runs_arguments(f"{words[0]} {words[1]}") and words[1] not in _RUNNING_SUB_COMMANDS


def _runs_its_arguments(words: tuple[str, ...]) -> bool:
    """Whether a program runs its arguments, or changes the meaning of later commands."""
    name = base_name(words[0]).casefold().removesuffix(".exe")
    return (
        "=" in words[0]
        or runner_name(words[0]) is not None
        or any(
            one in _STATE_COMMANDS or runs_arguments(one, any_case=True)
            for one in (name, without_version(name))
        )
    )


def _path_specifiers(parts: tuple[Part, ...], facts: Facts) -> Iterator[tuple[RuleWidth, tuple[str, ...]]]:
    """Yield the specifiers of rules for paths, by width."""
    absolute = [part.path.to_absolute_path(facts.directories) for part in parts if part.path is not None]
    paths = [normalize_path(path, facts.directories) for path in absolute if path is not None]
    if len(paths) < len(parts) or any(mark in path for path in paths for mark in "*?[\\"):
        return
    yield RuleWidth.EXACT, tuple(to_rule_path(path, facts.directories) for path in paths)
    yield (
        RuleWidth.DIRECTORY,
        tuple(to_rule_path(posixpath.dirname(path), facts.directories).rstrip("/") + "/**" for path in paths),
    )


def _text_specifiers(parts: tuple[Part, ...]) -> Iterator[tuple[RuleWidth, tuple[str, ...]]]:
    """Yield the specifier of a rule for exactly these arguments."""
    part = parts[0]
    if part.args is None:
        if part.written_forms and UNKNOWN_MARK not in part.text and part.text.strip():
            yield RuleWidth.EXACT, (part.text.replace("*", "\\*"),)
        return
    values = {name: value for name, value in part.args.items() if isinstance(value, (str, int, float, bool))}
    if values and len(values) == len(part.args) and all(str(value) for value in values.values()):
        yield (
            RuleWidth.EXACT,
            (", ".join(f"{name}={_escape_stars(value)}" for name, value in values.items()),),
        )


def _escape_stars(value: str | float) -> str:
    """The value as text, with its stars escaped."""
    text = value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
    return text.replace("*", "\\*")


def _acts_on_input(part: Part, language: Language) -> bool:
    """Whether the input of a part or of a nested part decides what happens."""
    command = part.command
    if command is not None and command.words and language.find_input_use(command) in _ACTING_INPUT_USES:
        return True
    return any(_acts_on_input(inner, language) for inner in part.nested)
