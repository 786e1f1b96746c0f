"""The two small languages in which an entry spells the options of a program, and their parsers.

`Reads.flags` lists the flags with which a program only reads. Flags are written as in a manual, separated
by blanks, exactly as they may be typed:

    -l --long        takes no value
    -n= --lines=     takes a value, attached or as the next word; beside `-len=`, only digits are attached
    -I? --color?     takes an optional value, attached only
    --pager=never    takes exactly this value, attached
    -f=< --file=<    the value names a file that is read
    -e=^ --files^    with this flag the first operand is no longer the pattern
    -g=: --include=: the value is a pattern of the names of files that are read
    -NUM             a dash and digits, as in `head -20`

A flag that is not listed, or that is abbreviated, is not harmless. There is no list of dangerous flags,
because such a list would never be complete.

`options` of `Runs`, `Writes` and `InputRule` and `Program.text_options` describe options:

    -l --long        takes no value
    -n= --lines=     takes a value, attached or as the next word; `==` takes two words
    -I? --color?     takes an optional value, attached only
    -NUM             a dash and digits, as in `nice -5`
    -* --*           any other short or long option, which takes no word as its value
    +?               a word that begins with a plus

The characters after the name describe the value:

    <  the value is a file that is read
    >  the value is a file that is written
    !  the value is shell text, or a program
    &  the value is a text of words for the same program, and the words after it are more of them
    ^  the value is a program, and the words after it are its arguments
    ,  the value is a program and its arguments, with commas between them
    #  the value is a file with a program, which may be the input
    @  the value is KEY=VALUE, and the right side may be shell text
    %  the value is a command of an editor or debugger, which can lead to the shell
    $  the operands that follow are shell text
    *  a command follows, up to the end of the line
    ;  nothing that follows is run
    ~  the option is not harmless by itself
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from assent.engine.programs.word import UNKNOWN_MARK, Word

FLAG_MARKS = "=?<^:"
"""The characters that may follow a flag in `Reads.flags`."""
OPTION_MARKS = "=?<>!&^,#@%$*;~"
"""The characters that may follow an option in a list of options."""


class Flag(NamedTuple):
    """How a flag takes its value."""

    value: bool = False
    """True if the flag takes a value, attached or as the next word."""
    optional: bool = False
    """True if the flag may have an attached value."""
    file: bool = False
    """True if the value is a file that is read."""
    pattern: bool = False
    """True if the value is the search pattern, so that the first operand is a file."""
    selector: bool = False
    """True if the value is a pattern that selects the files to read by their names."""


class FlagList(NamedTuple):
    """A parsed list of flags."""

    known: Mapping[str, Flag]
    number: bool
    """True if `-20` is accepted."""
    single_dash_words: bool
    """True if a flag is a word after one dash, so that short flags are never bundled."""


@lru_cache(maxsize=1024)
def parse_flags(text: str) -> FlagList:
    """Parse a list of harmless flags."""
    known: dict[str, Flag] = {}
    number = words = False
    for token in text.split():
        if token == "-NUM":
            number = True
            continue
        name = token.rstrip(FLAG_MARKS)
        kind = token[len(name) :]
        known[name] = Flag("=" in kind, "?" in kind, "<" in kind, "^" in kind, ":" in kind)
        words = words or (len(name) > 2 and name[1] != "-")
    return FlagList(known, number, words)


class Option(NamedTuple):
    """How an option takes its value, and what the value means."""

    values: int = 0
    """The number of words that the option takes."""
    optional: bool = False
    """True if the option may have a value, but only an attached value."""
    marks: str = ""
    """The characters that describe the value."""

    @property
    def can_attach_value(self) -> bool:
        """Whether the value can be in the same word as the option."""
        return self.values > 0 or self.optional


class OptionGrammar(NamedTuple):
    """A parsed list of options."""

    known: Mapping[str, Option]
    number: bool
    """True if `-20` is accepted."""
    any_short: bool
    """True if any short option is accepted."""
    any_long: bool
    """True if any long option is accepted."""


@lru_cache(maxsize=1024)
def parse_option_grammar(text: str) -> OptionGrammar:
    """Parse a list of options."""
    tokens = text.split()
    special = {"-NUM", "-*", "--*"}
    known = dict(_parse_option(token) for token in tokens if token not in special)
    return OptionGrammar(known, "-NUM" in tokens, "-*" in tokens, "--*" in tokens)


def _parse_option(token: str) -> tuple[str, Option]:
    """Parse one option of the list: its name and its marks."""
    name = token.rstrip(OPTION_MARKS)
    marks = token[len(name) :]
    return name, Option(marks.count("="), "?" in marks, marks.strip("=?"))


class FlagScan:
    """Checks the words of a command against a list of harmless flags, from left to right."""

    def __init__(self, flags: FlagList, words: tuple[Word, ...], *, careful: bool = True) -> None:
        self.flags = flags
        self.words = words
        self.careful = careful
        """A word that may become a flag or several words is refused."""
        self.given: dict[str, list[Word]] = {}
        """Each flag among the words, with its values."""
        self.first_flags: frozenset[str] | None = None
        """The flags before the first operand, which every program accepts."""
        self.trailing = False
        """A flag is after the first operand, where some programs accept none."""
        self.late_values: list[Word] = []
        """Values of flags after the first operand, which some programs read as operands."""
        self.files: list[Word] = []
        self.selectors: list[Word] = []
        """Patterns that select the files to read by their names."""
        self.pattern_given = False
        self.at = 0

    def operands(self) -> list[Word] | None:
        """All operands; None if a flag is not known to be harmless."""
        found: list[Word] = []
        while self.at < len(self.words):
            word = self.words[self.at]
            if word.text == "--":
                found.extend(self.words[self.at + 1 :])
                break
            if self.careful and may_be_flag(word):
                return None
            if not _is_flag(word):
                if self.first_flags is None:
                    self.first_flags = frozenset(self.given)
                found.append(word)
                self.at += 1
            else:
                self.trailing = self.trailing or self.first_flags is not None
                if not self._consume_flag(word):
                    return None
        return found

    def leading_flags(self) -> frozenset[str]:
        """The flags before the first operand; some programs accept no flags after it."""
        return frozenset(self.given) if self.first_flags is None else self.first_flags

    def first_operand(self) -> int | None:
        """The index of the first operand; None if a flag before it is not harmless."""
        while self.at < len(self.words):
            word = self.words[self.at]
            if not _is_flag(word):
                return self.at
            if word.text == "--" or not self._consume_flag(word):
                return None
        return self.at

    def _consume_flag(self, word: Word) -> bool:
        """Consume a flag and its value; return False if the flag is not in the list."""
        text = word.text
        name, equals, value = text.partition("=")
        flag = self.flags.known.get(name)
        if equals and text in self.flags.known:
            return self._consume_value(text, self.flags.known[text], word, None)
        if flag is not None and (not equals or text.startswith("--") or self.flags.single_dash_words):
            return self._consume_value(name, flag, word, value if equals else None)
        if text.startswith("--"):
            return False
        if self.flags.number and text[1:].isdecimal() and text.isascii():
            self.at += 1
            return True
        if not self.flags.single_dash_words:
            return self._consume_bundle(word)
        short = self.flags.known.get(text[:2])
        if short is None or not short.value or not (text[2:].isdecimal() and text.isascii()):
            return False
        return self._consume_value(text[:2], short, word, text[2:])

    def _consume_bundle(self, word: Word) -> bool:
        """Consume short flags in one word, such as `-la` or `-n5`; the last flag may have a value."""
        text = word.text
        for position in range(1, len(text)):
            name = "-" + text[position]
            flag = self.flags.known.get(name)
            if flag is None:
                return False
            if flag.value or flag.optional:
                return self._consume_value(name, flag, word, text[position + 1 :] or None)
            self.given.setdefault(name, [])
        self.at += 1
        return True

    def _consume_value(self, name: str, flag: Flag, word: Word, attached: str | None) -> bool:
        """Consume the value of a flag; return False if it may not be the value."""
        self.at += 1
        values = self.given.setdefault(name, [])
        self.pattern_given = self.pattern_given or flag.pattern
        if not flag.value:
            values.extend(word._replace(text=text, tilde=False) for text in (attached,) if text is not None)
            return attached is None or flag.optional
        if attached is None:
            if self.at >= len(self.words):
                return False
            given = self.words[self.at]
            self.late_values.extend([given] if self.first_flags is not None else [])
            self.at += 1
            if self.careful and not _is_certain_value(given, flag):
                return False
        else:
            given = word._replace(text=attached, tilde=False)
        values.append(given)
        if flag.file:
            self.files.append(given)
        if flag.selector:
            self.selectors.append(given)
        return True


def may_be_flag(word: Word) -> bool:
    """Whether the shell may expand a word to a flag or to several words."""
    if word.operand:
        return False
    return word.splits or (
        word.is_opaque and not word.plain and word.text[:1] in (UNKNOWN_MARK, "*", "?", "[")
    )


def _is_certain_value(word: Word, flag: Flag) -> bool:
    """Whether a word is certainly the value of this flag, in every version of the program."""
    if word.splits or word.glob:
        return False
    return flag.pattern or not _is_flag(word) or word.text[1].isdecimal()


def _is_flag(word: Word) -> bool:
    """Whether a word begins with a dash and has more characters."""
    return len(word.text) > 1 and word.text[0] == "-"
