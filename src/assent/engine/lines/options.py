"""Parse the options of a command: their values, where they end, and shell texts among the values."""

import shlex
from collections.abc import Mapping
from typing import NamedTuple

from assent.engine.base.lazy import regex
from assent.engine.programs.catalog import find_program
from assent.engine.programs.flags import Option, OptionGrammar, parse_option_grammar
from assent.engine.programs.program import Program, WritesBy
from assent.engine.programs.variables import HARMLESS_SETTING_VALUES, PROGRAM_SETTING_SUFFIXES
from assent.engine.programs.word import UNKNOWN_MARK, Word

_SHORTEST_ABBREVIATION = len("--ab")
_EMPTY_WORD = Word("")
_TAR_VALUE_OPTIONS = frozenset("fCTXbgNVKIFHL")
"""Options of `tar` that take a value."""

_IMAGE_COMMAND = regex(r"(?i)\s*(?:ONBUILD\s+)?RUN\s+(?:--\S+\s+)*(.*)")
_JSON_LIST_MARKS = regex(r"[\[\]\",]+")


class FoundOption(NamedTuple):
    """An option among the words, and its value."""

    name: str
    option: Option
    value: Word
    at: int
    """The index of the value, or of the option if it has no value."""


class OptionParser:
    """Parses the options among the words of a command, from left to right."""

    def __init__(self, options: str, words: tuple[Word, ...], at: int = 1) -> None:
        self.grammar = parse_option_grammar(options)
        self.words = words
        self.at = at
        self.found: list[FoundOption] = []
        self.understood = True
        """False after the first word that is not understood."""
        self.options_ended = False
        """`--` was read."""
        self.assumed_switches = 0
        """How many unknown options were taken as options without a value."""

    def skip_options(self) -> None:
        """Move to the first operand, or to the first word with an unknown meaning."""
        while self.understood and not self.options_ended and self.at < len(self.words):
            word = self.words[self.at]
            if word.text == "--":
                self.at += 1
                self.options_ended = True
            elif may_be_option(word):
                self.understood = False
            elif not self._is_option(word.text):
                return
            else:
                self._take_option(word)

    def parse_operands(self) -> list[Word]:
        """All operands, also those between options; unknown options are skipped."""
        found: list[Word] = []
        while self.at < len(self.words):
            word = self.words[self.at]
            if not self.options_ended and word.text == "--":
                self.options_ended = True
                self.at += 1
            elif not self.options_ended and self._is_option(word.text):
                before = self.at
                self._take_option(word)
                self.at = max(self.at, before + 1)
            else:
                found.append(word)
                self.at += 1
        return found

    def option_names(self) -> set[str]:
        """The names of the options that were parsed so far."""
        return {found.name for found in self.found}

    def options_with_mark(self, mark: str) -> list[FoundOption]:
        """The parsed options that have this mark in the grammar."""
        return [found for found in self.found if mark in found.option.marks]

    def _is_option(self, text: str) -> bool:
        """Whether a word is an option by its first character or by the grammar."""
        known = self.grammar.known
        return text in known or (len(text) > 1 and (text[0] == "-" or (text[0] == "+" and "+" in known)))

    def _take_option(self, word: Word) -> None:
        """Consume an option and its value."""
        known = self.grammar.known
        name, equals, value = word.text.partition("=")
        if word.text in known:
            self._take_value(word.text, word, None)
        elif equals and name in known and known[name].can_attach_value:
            self._take_value(name, word, value)
        elif word.text[0] == "+" and "+" in known:
            self._take_value("+", word, word.text[1:])
        elif (full := expand_abbreviation(known, name, valued=bool(equals))) is not None:
            self._take_value(full, word, value if equals else None)
            self.understood = False
        elif not (self._take_bundle(word) or self._take_unlisted_option(word.text)):
            self.understood = False

    def _take_bundle(self, word: Word) -> bool:
        """Consume short options in one word, such as `-la` or `-n5`; the last one may have a value."""
        text = word.text
        letters = [] if text.startswith("--") else ["-" + letter for letter in text[1:]]
        plain: list[str] = []
        for position, name in enumerate(letters):
            option = self.grammar.known.get(name)
            if option is None:
                return False
            if option.can_attach_value:
                self._add_switches(plain)
                self._take_value(name, word, text[position + 2 :] or None)
                return True
            plain.append(name)
        self._add_switches(plain)
        self.at += 1 if letters else 0
        return bool(letters)

    def _add_switches(self, names: list[str]) -> None:
        """Record options without a value."""
        self.found.extend(FoundOption(name, self.grammar.known[name], _EMPTY_WORD, self.at) for name in names)

    def _take_unlisted_option(self, text: str) -> bool:
        """Consume an option that the grammar does not list, if the grammar allows such options."""
        grammar: OptionGrammar = self.grammar
        name, equals, _ = text.partition("=")
        if grammar.number and text[1:].isdecimal() and text.isascii():
            self.at += 1
            return True
        if UNKNOWN_MARK in name or not (grammar.any_long if text.startswith("--") else grammar.any_short):
            return False
        self.assumed_switches += not equals
        self.at += 1
        return True

    def _take_value(self, name: str, word: Word, attached: str | None) -> None:
        """Consume the value of an option, attached or in the next words."""
        option = self.grammar.known[name]
        at, value = self.at, _EMPTY_WORD
        self.at += 1
        if attached is not None:
            value = word._replace(text=attached, tilde=False)
        elif option.values and self.at < len(self.words):
            at, value = self.at, self.words[self.at]
            taken = self.words[self.at : self.at + option.values]
            self.at += len(taken)
            self.understood = self.understood and not any(given.splits or given.glob for given in taken)
        self.found.append(FoundOption(name, option, value, at))


def may_be_option(word: Word) -> bool:
    """Whether the shell may expand a word to an option, to several words, or to none."""
    return word.splits or word.glob or word.text[:1] == UNKNOWN_MARK


def join_words(words: tuple[Word, ...]) -> Word:
    """Join the arguments to one shell text with blanks, as `ssh` and similar programs do."""
    if len(words) == 1:
        return words[0]
    text = " ".join(word.text for word in words)
    return Word(text, glob=any(word.glob for word in words), splits=any(word.splits for word in words))


def expand_abbreviation(known: Mapping[str, Option], name: str, *, valued: bool) -> str | None:
    """The full name of an abbreviated long option; if several match, the first in the list."""
    if not name.startswith("--") or len(name) < _SHORTEST_ABBREVIATION:
        return None
    found = (
        full
        for full, option in known.items()
        if full.startswith(name) and (option.can_attach_value or not valued)
    )
    return next(found, None)


def takes_options_without_dash(program: Program) -> bool:
    """Whether a program such as `tar` treats its first word as options, even without a dash."""
    return program.writes is not None and program.writes.by is WritesBy.ARCHIVE


def split_tar_options(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Split the first word of `tar` into one word with a dash per option, each followed by its value."""
    if len(words) < 2 or words[1].text[:1] in ("-", ""):
        return words
    found: list[Word] = []
    values = iter(words[2:])
    met: set[str] = set()
    for letter in words[1].text:
        value = next(values, None) if letter in _TAR_VALUE_OPTIONS else None
        # A repeated letter changes nothing, and one word may repeat it thousands of times.
        if value is not None or letter not in met:
            found.append(Word("-" + letter))
            met.add(letter)
        if value is not None:
            found.append(value)
    return (words[0], *found, *values)


def find_options(options: str, words: tuple[Word, ...], at: int) -> list[FoundOption]:
    """The listed options at any position, even after unknown options."""
    known = parse_option_grammar(options).known
    found: list[FoundOption] = []
    for index in range(at, len(words)):
        met = _match_option(known, words[index].text)
        if met is None:
            continue
        name, attached = met
        option = known[name]
        if attached is not None:
            found.append(FoundOption(name, option, words[index]._replace(text=attached, tilde=False), index))
        elif option.values and index + 1 < len(words):
            found.append(FoundOption(name, option, words[index + 1], index + 1))
        elif not option.can_attach_value:
            found.append(FoundOption(name, option, _EMPTY_WORD, index))
    return found


def _match_option(known: Mapping[str, Option], text: str) -> tuple[str, str | None] | None:
    """The name of the option in a word, and the value attached to it."""
    if text in known:
        return text, None
    if text.isalnum():
        return None
    name, equals, value = text.partition("=")
    if equals and name in known:
        return name, value
    if text[:1] == "+" and "+" in known:
        return "+", text[1:]
    if text[:2] == "--":
        full = expand_abbreviation(known, name, valued=bool(equals))
        return None if full is None else (full, value if equals else None)
    if text[:1] != "-":
        return None
    for index, letter in enumerate(text[1:], 2):
        if "-" + letter in known:
            return "-" + letter, text[index:] or None
    return None


_SHELL_ESCAPE = regex(
    r"\\!|^\s*[:.]?(?:[\w%]+!?\s*)?!|^\s*[:.]?(?:platform\s+)?(?:shell|system|terminal|term)\s"
    r"|^\s*(?:\\[go]\s*|\.(?:once|output|excel|import)\s+[\"']?)?\|"
)
"""How editors, debuggers and database clients start a shell: `:!cmd`, `%!cmd`, `shell cmd`, `.system cmd`."""


def find_shell_texts(name: str, words: tuple[Word, ...]) -> list[tuple[int, Word]]:
    """All shell texts among the words of a program, each with its index."""
    known = find_program(name)
    words = split_tar_options(words) if takes_options_without_dash(known) else words
    return [
        *shell_texts_in_options(find_options(known.text_options or "", words, 1)),
        *shell_texts_in_words(name, words),
    ]


def shell_texts_in_options(found: list[FoundOption]) -> list[tuple[int, Word]]:
    """The shell texts among the values of options, each with its index."""
    texts: list[tuple[int, Word]] = []
    for option in found:
        marks = option.option.marks
        text = (
            option.value if "!" in marks else find_program_in_setting(option.value) if "@" in marks else None
        )
        text = find_shell_escape(option.value) if "%" in marks else text
        text = option.value._replace(text=option.value.text.replace(",", " ")) if "," in marks else text
        if text is not None and text.text.strip():
            texts.append((option.at, text))
    return texts


def shell_texts_in_words(name: str, words: tuple[Word, ...]) -> list[tuple[int, Word]]:
    """The shell texts in words with a prefix that the catalog lists for the program, each with its index."""
    texts: list[tuple[int, Word]] = []
    beginnings = find_program(name).text_words
    # The shell text may be the value of a long option.
    given = [word.text.partition("=")[2] if word.text[:2] == "--" else word.text for word in words]
    marked = [index for index, text in enumerate(given) if text.startswith(beginnings)]
    for beginning in beginnings if marked else ():
        for index in marked:
            if given[index].startswith(beginning):
                rest = given[index][len(beginning) :]
                text = _decode_ext_address(rest) if beginning == "ext::" else rest
                texts.append((index, words[index]._replace(text=text, tilde=False)))
    return texts


def _decode_ext_address(address: str) -> str:
    """The command in an `ext::` address of Git, in which `% ` means a blank inside a word."""
    pieces = [piece.replace(UNKNOWN_MARK, " ") for piece in address.replace("% ", UNKNOWN_MARK).split(" ")]
    return shlex.join(pieces)


def find_program_in_setting(word: Word) -> Word | None:
    """The program in a setting `KEY=VALUE` or `KEY VALUE`; None if the setting names no program."""
    key, _, value = word.text.partition("=" if "=" in word.text else " ")
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] == '"':
        # The value is a string in TOML.
        value = value[1:-1]
    return program_in_setting_value(key.strip(), word._replace(text=value, tilde=False))


def program_in_setting_value(key: str, value: Word) -> Word | None:
    """The command that a setting runs. An alias of Git runs a Git command, or a shell command after `!`."""
    key = key.lower().rstrip(":")
    if value.text.startswith("!"):
        return value._replace(text=value.text[1:])
    if key.startswith("alias."):
        return value._replace(text=f"git {value.text}")
    named = key.startswith("pager.") or key.endswith(PROGRAM_SETTING_SUFFIXES)
    return value if named and value.text not in HARMLESS_SETTING_VALUES else None


def find_shell_escape(word: Word) -> Word | None:
    """The shell command in a command of an editor or debugger, such as `:!cmd`; None if there is none."""
    found = _SHELL_ESCAPE.search(word.text)
    return None if found is None else word._replace(text=word.text[found.end() :], tilde=False)


def find_image_commands(lines: list[str]) -> list[str]:
    """The commands that the lines of a Dockerfile run while the image is built."""
    joined = "\n".join(lines).replace("\\\n", " ").splitlines()
    runs = [match[1] for match in map(_IMAGE_COMMAND.match, joined) if match is not None]
    plain = [_JSON_LIST_MARKS.sub(" ", text) if text[:1] == "[" else text for text in runs]
    # The commands of a here-document follow in the next lines.
    return [*plain, *(joined if any("<<" in text for text in runs) else ())]


def value_after_equals(word: Word) -> Word:
    """The text after the first `=` of a word."""
    return word._replace(text=word.text.partition("=")[2], tilde=False)
