"""The rules of one list about one tool, compiled for the dialect of the tool."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from assent.engine.base.facts import Facts
from assent.engine.base.tool import Dialect, Tool
from assent.engine.lines.command import Command
from assent.engine.lines.options import split_tar_options, takes_options_without_dash
from assent.engine.lines.part import Part
from assent.engine.lines.specifier import SplitSpecifier, pattern_words, split_specifier
from assent.engine.policy.packs import PACK_SIGN, pack_covers
from assent.engine.policy.path_rules import PathRules, covering_path_rule, match_path_rule
from assent.engine.policy.patterns import (
    MAX_COMPARED_CHARACTERS,
    AllowPatterns,
    NamedArgument,
    StrictPatterns,
    all_values_match,
    any_argument_matches,
    normalize_powershell_texts,
    normalize_powershell_words,
    parse_named_arguments,
    powershell_allow_pattern,
    powershell_strict_pattern,
    some_value_matches,
)
from assent.engine.policy.rule import Rule, RuleList
from assent.engine.policy.task_files import has_unchanged_tasks
from assent.engine.programs.catalog import (
    MAX_COMMAND_WORDS,
    VALUED_OPTIONS,
    command_spellings,
    find_program,
    option_names,
)
from assent.engine.programs.word import base_name


class RuleMatch(NamedTuple):
    """A rule that matches, and the part that it matches."""

    rule: Rule
    part: Part
    certain: bool = True
    """False if the rule matches only for some values of unknown words."""


class AllowQuery(NamedTuple):
    """A part, and the conditions that an allow rule must meet to cover it."""

    part: Part
    facts: Facts
    spelled_out: int
    """How many words the rule must contain literally."""
    input_names: Sequence[str]
    """The names by which the rule may name the standard input."""
    line: Sequence[Part] = ()
    """The parts of the call, which may change what the part runs."""


class ToolRules:
    """The rules of one list about one tool."""

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
        self._packs: list[tuple[str, Rule]] = []
        """Rules that name a pack."""
        self._paths = PathRules(())
        self._arguments: list[tuple[tuple[NamedArgument, ...] | None, Rule]] = []
        self._compile_rules(scoped, which)

    @property
    def packs(self) -> tuple[str, ...]:
        """The names of the packs that rules of this list name."""
        return tuple(name for name, _ in self._packs)

    def match(self, part: Part, facts: Facts) -> RuleMatch | None:
        """The deny or ask rule that matches a part; None if there is none."""
        if part.path is not None:
            found = match_path_rule(self._paths, part.path, facts)
            return None if found is None else RuleMatch(found.rule, part, found.certain)
        if part.args is not None:
            return self._match_arguments(part)
        for text in self._strict_texts(part.normal_forms):
            if (rule := self._strict.match(text) or self._other_names.match(text)) is not None:
                return RuleMatch(rule, part)
        rule = None if self._options is None else self._options.match(part)
        return None if rule is None else RuleMatch(rule, part)

    def possible_match(self, parts: Sequence[Part]) -> RuleMatch | None:
        """The first rule that matches a part for some values of its unknown words."""
        steps_left = [MAX_COMPARED_CHARACTERS]
        for part in parts:
            for text in self._strict_texts(part.possible_forms):
                if (rule := self._strict.could_match(text, steps_left)) is not None:
                    return RuleMatch(rule, part, certain=False)
        return None

    def covering_rule(self, query: AllowQuery) -> Rule | None:
        """The allow rule that covers a part; None if there is none."""
        part = query.part
        if part.path is not None:
            return covering_path_rule(self._paths, part.path, query.facts)
        if part.args is not None:
            found = (rule for named, rule in self._arguments if named and all_values_match(named, part.args))
            return next(found, None)
        for name, pack_rule in self._packs:
            covers = pack_covers(name, part, query.facts.directories, spelled_out=query.spelled_out)
            if covers and has_unchanged_tasks(name, part, query.facts, query.line):
                return pack_rule
        for written in part.written_forms:
            words = normalize_powershell_words(written) if self._is_powershell else written
            if (rule := self._find_covering_words_rule(words, query)) is not None:
                return rule
        return None

    def _find_covering_words_rule(self, words: tuple[str, ...], query: AllowQuery) -> Rule | None:
        """The allow rule that covers these words and the input of the part."""
        fed, spelled_out = query.part.input, query.spelled_out
        named = [self._allow_by_input[name] for name in query.input_names if name in self._allow_by_input]
        found = (one.match(words, spelled_out=spelled_out) for one in named)
        if (rule := next(filter(None, found), None)) is not None:
            return rule
        # INVARIANT: a rule that names no input never covers a part whose input contains instructions.
        if fed is not None and fed.must_be_named:
            return None
        return self._allow.match(words, spelled_out=spelled_out, open_ended=fed is not None)

    def _match_arguments(self, part: Part) -> RuleMatch | None:
        """The deny or ask rule that matches the arguments of a call."""
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
        """The texts in the form in which deny and ask patterns are compared."""
        return normalize_powershell_texts(texts) if self._is_powershell else texts

    def _compile_rules(self, scoped: list[tuple[str, Rule]], which: RuleList) -> None:
        """Compile the rules for the dialect of the tool."""
        match self.tool.dialect:
            case Dialect.PATH:
                self._paths = PathRules(scoped, strict=which is not RuleList.ALLOW)
            case Dialect.TEXT if self.tool.template is None:
                self._arguments = [(parse_named_arguments(specifier), rule) for specifier, rule in scoped]
            case Dialect.SHELL | Dialect.POWERSHELL | Dialect.TEXT if which is RuleList.ALLOW:
                self._compile_allow_rules(scoped)
            case Dialect.SHELL:
                self._compile_strict_bash(scoped)
            case Dialect.POWERSHELL:
                self._strict = StrictPatterns(
                    (powershell_strict_pattern(_without_input(one)), rule) for one, rule in scoped
                )
            case Dialect.TEXT:
                self._strict = StrictPatterns(scoped)

    def _compile_allow_rules(self, scoped: list[tuple[str, Rule]]) -> None:
        """Compile allow rules, grouped by the input that they name."""
        inputs: dict[str, list[tuple[tuple[str, ...], Rule]]] = {"": []}
        for specifier, rule in scoped:
            if self.tool.dialect is Dialect.SHELL and specifier.startswith(PACK_SIGN):
                self._packs.append((specifier.removeprefix(PACK_SIGN), rule))
                continue
            named = (
                split_specifier(specifier) if self.tool.dialect.is_shell else SplitSpecifier(specifier, "")
            )
            inputs.setdefault(named.input, []).append((self._allow_words(named.words), rule))
        self._allow = AllowPatterns(inputs.pop(""))
        self._allow_by_input = {name: AllowPatterns(rules) for name, rules in inputs.items()}

    def _allow_words(self, specifier: str) -> tuple[str, ...]:
        """The words of the specifier of an allow rule."""
        match self.tool.dialect:
            case Dialect.SHELL:
                return pattern_words(specifier)
            case Dialect.POWERSHELL:
                return powershell_allow_pattern(specifier)
            case Dialect.TEXT | Dialect.PATH:
                return tuple(specifier.split(" "))

    def _compile_strict_bash(self, scoped: list[tuple[str, Rule]]) -> None:
        """Compile deny and ask rules for bash, for all names of a program and for options in any order."""
        written = [(pattern_words(_without_input(specifier)), rule) for specifier, rule in scoped]
        others = [(other, rule) for words, rule in written for other in command_spellings(words)[1:]]
        self._strict = StrictPatterns((" ".join(words), rule) for words, rule in written)
        self._other_names = StrictPatterns((" ".join(words), rule) for words, rule in others)
        self._options = OptionPatterns([*written, *others])


def _without_input(specifier: str) -> str:
    """The command of a specifier; a deny or ask rule with an input applies to the command with any input."""
    return split_specifier(specifier).words


_NO_NAMES: Mapping[str, tuple[str, ...]] = {}
"""No option names."""


class _OptionPattern(NamedTuple):
    """A pattern with options, as the words that a command must have."""

    head: str
    """The words before the options; the command without its options must begin with these words."""
    needed: frozenset[str]
    """Options and other words that the command must have, at any position."""
    beginnings: tuple[tuple[str, frozenset[str]], ...]
    """Beginnings of options that the command must have, each with the tokens that mean the same."""
    open: bool
    """True if the command may have more words."""


_PatternIndex = dict[str, list[tuple[_OptionPattern, Rule]]]
"""Patterns by the rarest word that they need."""


class OptionPatterns:
    """The patterns of one list that contain options, by program and by their rarest word."""

    def __init__(self, patterns: Iterable[tuple[tuple[str, ...], Rule]]) -> None:
        self._patterns: dict[str, list[tuple[tuple[str, ...], Rule]]] = {}
        self._parsed: dict[str, _PatternIndex] = {}
        """The parsed patterns of each program, made on first use."""
        for words, rule in patterns:
            if any(word[:1] == "-" for word in words):
                self._patterns.setdefault(words[0], []).append((words, rule))

    def match(self, part: Part) -> Rule | None:
        """The rule whose options the command has; None if there is none."""
        command = part.command
        if command is None or not command.words:
            return None
        alike = self._patterns_for_program(base_name(command.program))
        if not alike:
            return None
        tokens = _command_tokens(command, part.normal_forms)
        for key in (*tokens, ""):
            for pattern, rule in alike.get(key, ()):
                if _matches_tokens(pattern, tokens, part.normal_forms):
                    return rule
        return None

    def _patterns_for_program(self, program: str) -> _PatternIndex:
        """The parsed patterns of a program."""
        if program not in self._patterns:
            return {}
        found = self._parsed.get(program)
        if found is None:
            found = self._parsed[program] = _build_index(self._patterns[program])
        return found


def _build_index(patterns: list[tuple[tuple[str, ...], Rule]]) -> _PatternIndex:
    """Parse patterns, and index them by the rarest word that they need."""
    parsed: dict[_OptionPattern, Rule] = {}
    for words, rule in patterns:
        if (found := _parse_option_pattern(words)) is not None:
            parsed.setdefault(found, rule)
    spread = Counter(word for pattern in parsed for word in pattern.needed)
    index: _PatternIndex = {}
    for pattern, rule in parsed.items():
        rarest = min(pattern.needed, key=lambda word: (spread[word], word), default="")
        index.setdefault(rarest, []).append((pattern, rule))
    return index


def _parse_option_pattern(words: tuple[str, ...]) -> _OptionPattern | None:
    """Parse a pattern of options and whole words; None for other patterns."""
    plain = [word for word in words if word != "*"]
    first = next((at for at, word in enumerate(plain) if len(word) > 1 and word[0] == "-"), 0)
    globs = [word for word in plain if "*" in word]
    if not first or any(word[0] != "-" or "*" in word[:-1] for word in globs):
        return None
    options = [word for word in plain[first:] if word not in globs]
    names = _option_names_for(tuple(plain))
    needed = frozenset(token for word in options for token in _word_tokens(word, names))
    beginnings = tuple((word[:-1], frozenset(_word_tokens(word[:-1], names))) for word in globs)
    return _OptionPattern(" ".join(plain[:first]), needed, beginnings, words[-1] == "*" or bool(globs))


def _matches_tokens(pattern: _OptionPattern, tokens: frozenset[str], normal_forms: tuple[str, ...]) -> bool:
    """Whether a command with these tokens and normal forms matches a pattern."""
    if not pattern.needed <= tokens:
        return False
    for beginning, alike in pattern.beginnings:
        if not alike <= tokens and not any(token.startswith(beginning) for token in tokens):
            return False
    head = pattern.head
    if not any(text == head or text.startswith(f"{head} ") for text in normal_forms):
        return False
    return pattern.open or tokens <= pattern.needed.union(head.split())


def _command_tokens(command: Command, normal_forms: tuple[str, ...]) -> frozenset[str]:
    """The words of a command, with each option under its long name."""
    words = (
        split_tar_options(command.words)
        if takes_options_without_dash(find_program(base_name(command.program)))
        else command.words
    )
    texts = [word.text for word in words[1:]]
    names = _option_names_for(tuple(min(normal_forms, key=len).split(" ")) if normal_forms else ())
    found = {
        token
        for text in texts
        for token in (*_word_tokens(text, names), *_tokens_of_mixed_bundle(text, names))
    }
    if find_program(base_name(command.program)).shortens_options:
        found |= _expand_abbreviations(found, names)
    return frozenset(found) | _implied_options(base_name(command.program), found)


def _expand_abbreviations(tokens: set[str], names: Mapping[str, tuple[str, ...]]) -> set[str]:
    """The long options that abbreviations may mean: `--rec` means `--recursive`."""
    known = {f"--{name}" for one in names.values() for name in one}
    begun = tuple(one for one in tokens - known if one[:2] == "--" and len(one) > 2)
    return {name for name in known if name.startswith(begun)}


def _implied_options(program: str, tokens: set[str]) -> set[str]:
    """The options that other words of a command imply."""
    if program == "git" and "push" in tokens and any(token[:1] == "+" for token in tokens):
        return {"--force"}
    if program in ("kill", "pkill", "killall") and tokens & {"KILL", "SIGKILL", "9"} and "--signal" in tokens:
        return {"--9"}
    return set()


def _option_names_for(words: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """The option names of the sub-command with which the words begin."""
    plain = tuple(word for word in words[: MAX_COMMAND_WORDS * 2] if word[:1] not in ("-", "*"))
    for length in range(min(MAX_COMMAND_WORDS, len(plain)), 0, -1):
        if (names := option_names(plain[:length])) is not None:
            return names
    return _NO_NAMES


def _word_tokens(word: str, names: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The tokens of a word; a bundle of short options gives the long name of each option."""
    if len(word) < 2 or word[0] != "-":
        return (word,)
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return (name, value) if equals else (word,)
    if word[1:] in names:
        return tuple(f"--{name}" for name in names[word[1:]])
    if (bundle := _split_bundle(word, names)) is not None:
        return bundle
    name, equals, value = word.partition("=")
    return (name, value) if equals else (word,)


def _split_bundle(word: str, names: Mapping[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """The long names of short options in one word, and the attached value: `-XDELETE`, `-i.bak`."""
    found: list[str] = []
    for letter in dict.fromkeys(word[1:]):  # A repeated letter adds nothing.
        asked = names.get(letter)
        if asked is None:
            return None
        found.extend([f"--{name}" for name in asked])
        after = word.index(letter, 1) + 1
        if after < len(word) and not VALUED_OPTIONS.isdisjoint(asked):
            return (*found, word[after:].removeprefix("="))
    return tuple(found)


def _tokens_of_mixed_bundle(word: str, names: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The tokens of a word with known and unknown short options."""
    if len(word) < 3 or word[0] != "-" or word[1] not in names or _split_bundle(word, names) is not None:
        return ()
    known = [letter for letter in dict.fromkeys(word[1:]) if letter in names]
    return (*(f"--{name}" for letter in known for name in names[letter]), word[2:])
