"""The options of a command: their values, where they end, and values that are commands themselves."""

import shlex
from collections.abc import Mapping
from typing import NamedTuple

from assent.engine.programs.catalog import lookup
from assent.engine.programs.flags import Grammar, Option, parse_grammar
from assent.engine.programs.program import Program, WritesBy
from assent.engine.programs.variables import HARMLESS_SETTINGS, SETTINGS
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

_SHORTEST = len("--ab")
_NOTHING = Word("")
_TAKING = frozenset("fCTXbgNVKIFHL")
"""Options of `tar` that take a value."""


class Found(NamedTuple):
    """An option that was met, and its value."""

    name: str
    option: Option
    value: Word
    at: int
    """Where the value stands, or else the option."""


class Options:
    """One pass over a command's words by the grammar of its options."""

    def __init__(self, options: str, words: tuple[Word, ...], at: int = 1) -> None:
        self.grammar = parse_grammar(options)
        self.words = words
        self.at = at
        self.found: list[Found] = []
        self.sure = True
        """False from the first word that is not understood."""
        self.ended = False
        """`--` was met."""
        self.assumed = 0
        """How many options were taken for ones without a value because nothing is known of them."""

    def skip(self) -> None:
        """Go to the first operand, or to the first word that is not understood."""
        while self.sure and not self.ended and self.at < len(self.words):
            word = self.words[self.at]
            if word.text == "--":
                self.at += 1
                self.ended = True
            elif vague(word):
                self.sure = False
            elif not self._is_option(word.text):
                return
            else:
                self._take(word)

    def operands(self) -> list[Word]:
        """All operands, wherever they stand between the options; those not understood are passed over."""
        found: list[Word] = []
        while self.at < len(self.words):
            word = self.words[self.at]
            if not self.ended and word.text == "--":
                self.ended = True
                self.at += 1
            elif not self.ended and self._is_option(word.text):
                before = self.at
                self._take(word)
                self.at = max(self.at, before + 1)
            else:
                found.append(word)
                self.at += 1
        return found

    def names(self) -> set[str]:
        """The options that were met."""
        return {found.name for found in self.found}

    def values(self, mark: str) -> list[Found]:
        """Those of them that carry a mark."""
        return [found for found in self.found if mark in found.option.marks]

    def _is_option(self, text: str) -> bool:
        known = self.grammar.known
        return text in known or (len(text) > 1 and (text[0] == "-" or (text[0] == "+" and "+" in known)))

    def _take(self, word: Word) -> None:
        known = self.grammar.known
        name, equals, value = word.text.partition("=")
        if word.text in known:
            self._value(word.text, word, None)
        elif equals and name in known and known[name].attaches:
            self._value(name, word, value)
        elif word.text[0] == "+" and "+" in known:
            self._value("+", word, word.text[1:])
        elif (full := abbreviated(known, name, valued=bool(equals))) is not None:
            self._value(full, word, value if equals else None)
            self.sure = False
        elif not (self._bundle(word) or self._other(word.text)):
            self.sure = False

    def _bundle(self, word: Word) -> bool:
        """`-la`, `-n5`: short options in one word, the last of which may take a value."""
        text = word.text
        letters = [] if text.startswith("--") else ["-" + letter for letter in text[1:]]
        plain: list[str] = []
        for position, name in enumerate(letters):
            option = self.grammar.known.get(name)
            if option is None:
                return False
            if option.attaches:
                self._plain(plain)
                self._value(name, word, text[position + 2 :] or None)
                return True
            plain.append(name)
        self._plain(plain)
        self.at += 1 if letters else 0
        return bool(letters)

    def _plain(self, names: list[str]) -> None:
        self.found.extend(Found(name, self.grammar.known[name], _NOTHING, self.at) for name in names)

    def _other(self, text: str) -> bool:
        """An option of which the grammar says only that it takes no word as its value."""
        grammar: Grammar = self.grammar
        name, equals, _ = text.partition("=")
        if grammar.number and text[1:].isdecimal() and text.isascii():
            self.at += 1
            return True
        if HOLE in name or not (grammar.any_long if text.startswith("--") else grammar.any_short):
            return False
        self.assumed += not equals
        self.at += 1
        return True

    def _value(self, name: str, word: Word, attached: str | None) -> None:
        option = self.grammar.known[name]
        at, value = self.at, _NOTHING
        self.at += 1
        if attached is not None:
            value = word._replace(text=attached, tilde=False)
        elif option.values and self.at < len(self.words):
            at, value = self.at, self.words[self.at]
            taken = self.words[self.at : self.at + option.values]
            self.at += len(taken)
            self.sure = self.sure and not any(given.splits or given.glob for given in taken)
        self.found.append(Found(name, option, value, at))


def vague(word: Word) -> bool:
    """Whether a word might become an option, several words, or none."""
    return word.splits or word.glob or word.text[:1] == HOLE


def join(words: tuple[Word, ...]) -> Word:
    """The one text that a shell gets when it joins its arguments."""
    if len(words) == 1:
        return words[0]
    text = " ".join(word.text for word in words)
    return Word(text, glob=any(word.glob for word in words), splits=any(word.splits for word in words))


def abbreviated(known: Mapping[str, Option], name: str, *, valued: bool) -> str | None:
    """The long option that a shorter spelling means; of several, the first that was listed."""
    if not name.startswith("--") or len(name) < _SHORTEST:
        return None
    found = (
        full for full, option in known.items() if full.startswith(name) and (option.attaches or not valued)
    )
    return next(found, None)


def is_archiver(program: Program) -> bool:
    """Whether a program takes its first word for options, even without a dash."""
    return program.writes is not None and program.writes.by is WritesBy.ARCHIVE


def dashed(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Words of `tar` in the old style, as in the new: a letter a word, each with its value."""
    if len(words) < 2 or words[1].text[:1] in ("-", ""):
        return words
    found: list[Word] = []
    values = iter(words[2:])
    met: set[str] = set()
    for letter in words[1].text:
        value = next(values, None) if letter in _TAKING else None
        # Said again it says nothing more, and one word may say it thirty thousand times.
        if value is not None or letter not in met:
            found.append(Word("-" + letter))
            met.add(letter)
        if value is not None:
            found.append(value)
    return (words[0], *found, *values)


def anywhere(options: str, words: tuple[Word, ...], at: int) -> list[Found]:
    """The listed options wherever they stand, among others of which nothing is known."""
    known = parse_grammar(options).known
    found: list[Found] = []
    for place in range(at, len(words)):
        met = _met(known, words[place].text)
        if met is None:
            continue
        name, attached = met
        option = known[name]
        if attached is not None:
            found.append(Found(name, option, words[place]._replace(text=attached, tilde=False), place))
        elif option.values and place + 1 < len(words):
            found.append(Found(name, option, words[place + 1], place + 1))
        elif not option.attaches:
            found.append(Found(name, option, _NOTHING, place))
    return found


def _met(known: Mapping[str, Option], text: str) -> tuple[str, str | None] | None:
    """Which of the options a word is, and the value that it holds."""
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
        full = abbreviated(known, name, valued=bool(equals))
        return None if full is None else (full, value if equals else None)
    if text[:1] != "-":
        return None
    for place, letter in enumerate(text[1:], 2):
        if "-" + letter in known:
            return "-" + letter, text[place:] or None
    return None


# `:!cmd`, `silent !cmd`, `%!cmd`, `\! cmd`, `shell cmd`, `.system cmd`: how editors, debuggers and database
# clients are told to start a shell.
_ESCAPE = regex(
    r"\\!|^\s*[:.]?(?:[\w%]+!?\s*)?!|^\s*[:.]?(?:platform\s+)?(?:shell|system|terminal|term)\s"
    r"|^\s*(?:\\[go]\s*|\.(?:once|output|excel|import)\s+[\"']?)?\|"
)


def loose_texts(name: str, words: tuple[Word, ...]) -> list[tuple[int, Word]]:
    """Texts that stand anywhere among the words of a program, each with its place."""
    known = lookup(name)
    words = dashed(words) if is_archiver(known) else words
    return [*option_texts(anywhere(known.text_options or "", words, 1)), *word_texts(name, words)]


def option_texts(found: list[Found]) -> list[tuple[int, Word]]:
    """The shell texts among the values of options, each with its place."""
    texts: list[tuple[int, Word]] = []
    for option in found:
        marks = option.option.marks
        text = option.value if "!" in marks else setting(option.value) if "@" in marks else None
        text = escape(option.value) if "%" in marks else text
        text = option.value._replace(text=option.value.text.replace(",", " ")) if "," in marks else text
        if text is not None and text.text.strip():
            texts.append((option.at, text))
    return texts


def word_texts(name: str, words: tuple[Word, ...]) -> list[tuple[int, Word]]:
    """The shell texts in words that begin as marked for a program, each with its place."""
    texts: list[tuple[int, Word]] = []
    beginnings = lookup(name).text_words
    # Such a word may be the value of an option, which may be abbreviated.
    given = [word.text.partition("=")[2] if word.text[:2] == "--" else word.text for word in words]
    marked = [place for place, text in enumerate(given) if text.startswith(beginnings)]
    for beginning in beginnings if marked else ():
        for place in marked:
            if given[place].startswith(beginning):
                rest = given[place][len(beginning) :]
                text = _unquoted_address(rest) if beginning == "ext::" else rest
                texts.append((place, words[place]._replace(text=text, tilde=False)))
    return texts


def _unquoted_address(address: str) -> str:
    """The command in an `ext::` address of git, which writes a blank inside a word as `% `."""
    pieces = [piece.replace(HOLE, " ") for piece in address.replace("% ", HOLE).split(" ")]
    return shlex.join(pieces)


def setting(word: Word) -> Word | None:
    """The program in `KEY=VALUE` or `KEY VALUE`, if the key is one that holds a program."""
    key, _, value = word.text.partition("=" if "=" in word.text else " ")
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] == '"':
        # A text of TOML.
        value = value[1:-1]
    return value_of(key.strip(), word._replace(text=value, tilde=False))


def value_of(key: str, value: Word) -> Word | None:
    """What a setting would run; an alias of git runs a command of git, or of the shell after `!`."""
    key = key.lower().rstrip(":")
    if value.text.startswith("!"):
        return value._replace(text=value.text[1:])
    if key.startswith("alias."):
        return value._replace(text=f"git {value.text}")
    named = key.startswith("pager.") or key.endswith(SETTINGS)
    return value if named and value.text not in HARMLESS_SETTINGS else None


def escape(word: Word) -> Word | None:
    """What follows the escape to the shell in a command of an editor or debugger."""
    found = _ESCAPE.search(word.text)
    return None if found is None else word._replace(text=word.text[found.end() :], tilde=False)


def value_in(word: Word) -> Word:
    """What stands behind the first `=` of a word."""
    return word._replace(text=word.text.partition("=")[2], tilde=False)
