"""Deny and ask rules that name options, which match in any order and spelling."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from assent.engine.lines.command import Command
from assent.engine.lines.options import dashed, is_archiver
from assent.engine.lines.part import Part
from assent.engine.policy.rule import Rule
from assent.engine.programs.catalog import lookup
from assent.engine.programs.synonyms import DEEPEST, VALUED, option_names
from assent.engine.programs.word import base_name

_NO_NAMES: Mapping[str, tuple[str, ...]] = {}


class _Pattern(NamedTuple):
    """A pattern as the words that a command must have."""

    head: str
    """The words before its options; a command without its options must begin with them."""
    needed: frozenset[str]
    """Options and other words that a command must have, in any position."""
    beginnings: tuple[tuple[str, frozenset[str]], ...]
    """The same for options with only a beginning, each with the words that it means when read as a whole."""
    open: bool
    """A command can have more words."""


_Index = dict[str, list[tuple[_Pattern, Rule]]]


class OptionPatterns:
    """The patterns of one list that name options, by program and by their rarest word."""

    def __init__(self, patterns: Iterable[tuple[tuple[str, ...], Rule]]) -> None:
        self._written: dict[str, list[tuple[tuple[str, ...], Rule]]] = {}
        self._parsed: dict[str, _Index] = {}
        """The parsed patterns of each program, made on first use."""
        for words, rule in patterns:
            if any(word[:1] == "-" for word in words):
                self._written.setdefault(words[0], []).append((words, rule))

    def match(self, part: Part) -> Rule | None:
        """The rule whose options a command has; None when there is none."""
        command = part.command
        if command is None or not command.words:
            return None
        alike = self._patterns_for(base_name(command.program))
        if not alike:
            return None
        tokens = _tokens(command, part.hits)
        for key in (*tokens, ""):
            for pattern, rule in alike.get(key, ()):
                if _matches(pattern, tokens, part.hits):
                    return rule
        return None

    def _patterns_for(self, program: str) -> _Index:
        if program not in self._written:
            return {}
        found = self._parsed.get(program)
        if found is None:
            found = self._parsed[program] = _index(self._written[program])
        return found


def _index(patterns: list[tuple[tuple[str, ...], Rule]]) -> _Index:
    parsed: dict[_Pattern, Rule] = {}
    for words, rule in patterns:
        if (found := _parse(words)) is not None:
            parsed.setdefault(found, rule)
    spread = Counter(word for pattern in parsed for word in pattern.needed)
    index: _Index = {}
    for pattern, rule in parsed.items():
        rarest = min(pattern.needed, key=lambda word: (spread[word], word), default="")
        index.setdefault(rarest, []).append((pattern, rule))
    return index


def _parse(words: tuple[str, ...]) -> _Pattern | None:
    """A pattern of options and whole words; None for any other."""
    plain = [word for word in words if word != "*"]
    first = next((at for at, word in enumerate(plain) if len(word) > 1 and word[0] == "-"), 0)
    globs = [word for word in plain if "*" in word]
    if not first or any(word[0] != "-" or "*" in word[:-1] for word in globs):
        return None
    options = [word for word in plain[first:] if word not in globs]
    names = _names_for(tuple(plain))
    needed = frozenset(token for word in options for token in _word_tokens(word, names))
    beginnings = tuple((word[:-1], frozenset(_word_tokens(word[:-1], names))) for word in globs)
    return _Pattern(" ".join(plain[:first]), needed, beginnings, words[-1] == "*" or bool(globs))


def _matches(pattern: _Pattern, tokens: frozenset[str], hits: tuple[str, ...]) -> bool:
    if not pattern.needed <= tokens:
        return False
    for beginning, alike in pattern.beginnings:
        if not alike <= tokens and not any(token.startswith(beginning) for token in tokens):
            return False
    head = pattern.head
    if not any(text == head or text.startswith(f"{head} ") for text in hits):
        return False
    return pattern.open or tokens <= pattern.needed.union(head.split())


def _tokens(command: Command, hits: tuple[str, ...]) -> frozenset[str]:
    """The words of a command, with each option under its long name."""
    words = dashed(command.words) if is_archiver(lookup(base_name(command.program))) else command.words
    texts = [word.text for word in words[1:]]
    names = _names_for(tuple(min(hits, key=len).split(" ")) if hits else ())
    found = {token for text in texts for token in (*_word_tokens(text, names), *_mixed_tokens(text, names))}
    if lookup(base_name(command.program)).shortens_options:
        found |= _unabbreviated(found, names)
    return frozenset(found) | _implied(base_name(command.program), found)


def _unabbreviated(tokens: set[str], names: Mapping[str, tuple[str, ...]]) -> set[str]:
    """The long options that abbreviations could mean: `--rec` is `--recursive`."""
    known = {f"--{name}" for one in names.values() for name in one}
    begun = tuple(one for one in tokens - known if one[:2] == "--" and len(one) > 2)
    return {name for name in known if name.startswith(begun)}


def _implied(program: str, tokens: set[str]) -> set[str]:
    """Options that other words of a command imply."""
    if program == "git" and "push" in tokens and any(token[:1] == "+" for token in tokens):
        return {"--force"}
    if program in ("kill", "pkill", "killall") and tokens & {"KILL", "SIGKILL", "9"} and "--signal" in tokens:
        return {"--9"}
    return set()


def _names_for(words: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """The option names of the sub-command that the words begin with."""
    plain = tuple(word for word in words[: DEEPEST * 2] if word[:1] not in ("-", "*"))
    for length in range(min(DEEPEST, len(plain)), 0, -1):
        if (names := option_names(plain[:length])) is not None:
            return names
    return _NO_NAMES


def _word_tokens(word: str, names: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The tokens of a word: for a bundle of short options, the long name of each."""
    if len(word) < 2 or word[0] != "-":
        return (word,)
    if word.startswith("--"):
        name, equals, value = word.partition("=")
        return (name, value) if equals else (word,)
    if word[1:] in names:
        return tuple(f"--{name}" for name in names[word[1:]])
    if (bundle := _bundle(word, names)) is not None:
        return bundle
    name, equals, value = word.partition("=")
    return (name, value) if equals else (word,)


def _bundle(word: str, names: Mapping[str, tuple[str, ...]]) -> tuple[str, ...] | None:
    """Short options in one word, with the attached value of the last one: `-XDELETE`, `-i.bak`."""
    found: list[str] = []
    for letter in dict.fromkeys(word[1:]):  # a repeated letter adds nothing
        asked = names.get(letter)
        if asked is None:
            return None
        found.extend([f"--{name}" for name in asked])
        after = word.index(letter, 1) + 1
        if after < len(word) and not VALUED.isdisjoint(asked):
            return (*found, word[after:].removeprefix("="))
    return tuple(found)


def _mixed_tokens(word: str, names: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The tokens of a word that mixes known and unknown short options."""
    if len(word) < 3 or word[0] != "-" or word[1] not in names or _bundle(word, names) is not None:
        return ()
    known = [letter for letter in dict.fromkeys(word[1:]) if letter in names]
    return (*(f"--{name}" for letter in known for name in names[letter]), word[2:])
