"""The rules of one list about one tool, compiled for its dialect."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from assent.engine.facts import Facts
from assent.engine.lines.input_names import Named, named_input
from assent.engine.lines.part import Part
from assent.engine.lines.quoting import pattern_words
from assent.engine.model import Dialect, Tool
from assent.engine.policy import powershell_patterns
from assent.engine.policy.arguments import (
    NamedArgument,
    all_values_match,
    any_argument_matches,
    named_arguments,
    some_value_matches,
)
from assent.engine.policy.option_rules import OptionPatterns
from assent.engine.policy.path_rules import PathRules, covering_path, match_path
from assent.engine.policy.patterns import MOST_STEPS, AllowPatterns, StrictPatterns
from assent.engine.policy.rule import Rule, RuleList
from assent.engine.programs.synonyms import spellings


class RuleMatch(NamedTuple):
    """A rule that matches, and the part that it matches."""

    rule: Rule
    part: Part
    certain: bool = True
    """False when it matches only for some values of what is not known."""


class AllowQuery(NamedTuple):
    """A part, and what an allow rule must say to cover it."""

    part: Part
    facts: Facts
    spelled_out: int
    fed: Sequence[str]


class ToolRules:
    """Rules of one list about one tool."""

    def __init__(self, rules: Iterable[Rule], tool: Tool, which: RuleList) -> None:
        self.tool = tool
        self._is_powershell = tool.dialect is Dialect.POWERSHELL
        self.bare: Rule | None = None
        scoped: list[tuple[str, Rule]] = []
        for rule in rules:
            if rule.specifier is None:
                self.bare = self.bare or rule
            else:
                scoped.append((rule.specifier, rule))
        self.scoped = bool(scoped)
        self._strict = StrictPatterns(())
        self._other_names = StrictPatterns(())
        """The same rules with other names of their programs."""
        self._options: OptionPatterns | None = None
        self._allow = AllowPatterns(())
        self._allow_by_input: dict[str, AllowPatterns] = {}
        """Allow rules that name an input, by that input."""
        self._paths = PathRules(())
        self._arguments: list[tuple[tuple[NamedArgument, ...] | None, Rule]] = []
        self._compile(scoped, which)

    def match(self, part: Part, facts: Facts) -> RuleMatch | None:
        """The deny or ask rule that matches a part; None when no rule does."""
        if part.path is not None:
            found = match_path(self._paths, part.path, facts)
            return None if found is None else RuleMatch(found.rule, part, found.certain)
        if part.args is not None:
            return self._match_arguments(part)
        for text in self._strict_texts(part.hits):
            if (rule := self._strict.match(text) or self._other_names.match(text)) is not None:
                return RuleMatch(rule, part)
        rule = None if self._options is None else self._options.match(part)
        return None if rule is None else RuleMatch(rule, part)

    def possible_match(self, parts: Sequence[Part]) -> RuleMatch | None:
        """The first part that a rule matches for some values of what is not known."""
        steps_left = [MOST_STEPS]
        for part in parts:
            for text in self._strict_texts(part.possible):
                if (rule := self._strict.could_match(text, steps_left)) is not None:
                    return RuleMatch(rule, part, certain=False)
        return None

    def covering_rule(self, query: AllowQuery) -> Rule | None:
        """The allow rule that covers a part; None when no rule does."""
        part = query.part
        if part.path is not None:
            return covering_path(self._paths, part.path, query.facts)
        if part.args is not None:
            found = (rule for named, rule in self._arguments if named and all_values_match(named, part.args))
            return next(found, None)
        for written in part.covers:
            words = powershell_patterns.allow_words(written) if self._is_powershell else written
            if (rule := self._covering_words(words, query)) is not None:
                return rule
        return None

    def _covering_words(self, words: tuple[str, ...], query: AllowQuery) -> Rule | None:
        fed, spelled_out = query.part.fed, query.spelled_out
        named = [self._allow_by_input[name] for name in query.fed if name in self._allow_by_input]
        found = (one.match(words, spelled_out=spelled_out) for one in named)
        if (rule := next(filter(None, found), None)) is not None:
            return rule
        # INVARIANT: a rule that names no input never covers a part with instructions on its input.
        if fed is not None and fed.must:
            return None
        return self._allow.match(words, spelled_out=spelled_out, open_ended=fed is not None)

    def _match_arguments(self, part: Part) -> RuleMatch | None:
        args = part.args or {}
        for named, rule in self._arguments:
            matched = (
                any_argument_matches(rule.specifier or "", args)
                if named is None
                else some_value_matches(named, args)
            )
            if matched:
                return RuleMatch(rule, part)
        return None

    def _strict_texts(self, texts: Iterable[str]) -> Iterable[str]:
        return powershell_patterns.strict_texts(texts) if self._is_powershell else texts

    def _compile(self, scoped: list[tuple[str, Rule]], which: RuleList) -> None:
        match self.tool.dialect:
            case Dialect.PATH:
                self._paths = PathRules(scoped)
            case Dialect.TEXT if self.tool.template is None:
                self._arguments = [(named_arguments(specifier), rule) for specifier, rule in scoped]
            case Dialect.SHELL | Dialect.POWERSHELL | Dialect.TEXT if which is RuleList.ALLOW:
                self._compile_allow(scoped)
            case Dialect.SHELL:
                self._compile_strict_bash(scoped)
            case Dialect.POWERSHELL:
                self._strict = StrictPatterns(
                    (powershell_patterns.strict_pattern(_command(one)), rule) for one, rule in scoped
                )
            case Dialect.TEXT:
                self._strict = StrictPatterns(scoped)

    def _compile_allow(self, scoped: list[tuple[str, Rule]]) -> None:
        inputs: dict[str, list[tuple[tuple[str, ...], Rule]]] = {"": []}
        for specifier, rule in scoped:
            named = named_input(specifier) if self.tool.dialect.is_shell else Named(specifier, "")
            inputs.setdefault(named.input, []).append((self._allow_words(named.words), rule))
        self._allow = AllowPatterns(inputs.pop(""))
        self._allow_by_input = {name: AllowPatterns(rules) for name, rules in inputs.items()}

    def _allow_words(self, specifier: str) -> tuple[str, ...]:
        match self.tool.dialect:
            case Dialect.SHELL:
                return pattern_words(specifier)
            case Dialect.POWERSHELL:
                return powershell_patterns.allow_pattern(specifier)
            case Dialect.TEXT | Dialect.PATH:
                return tuple(specifier.split(" "))

    def _compile_strict_bash(self, scoped: list[tuple[str, Rule]]) -> None:
        """A deny or ask rule matches a command by all its names, and with its options in any order."""
        written = [(pattern_words(_command(specifier)), rule) for specifier, rule in scoped]
        others = [(other, rule) for words, rule in written for other in spellings(words)[1:]]
        self._strict = StrictPatterns((" ".join(words), rule) for words, rule in written)
        self._other_names = StrictPatterns((" ".join(words), rule) for words, rule in others)
        self._options = OptionPatterns([*written, *others])


def _command(specifier: str) -> str:
    """The command of a specifier: a rule that restricts it with one input restricts it with every input."""
    return named_input(specifier).words
