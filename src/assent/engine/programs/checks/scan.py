"""A command's words, sorted by a flag list into flags, their values and operands."""

from assent.engine.programs.flags import Flag, Flags
from assent.engine.programs.word import HOLE, Word


class Scan:
    """One pass over a command's words against its flag list."""

    def __init__(self, flags: Flags, words: tuple[Word, ...], *, careful: bool = True) -> None:
        self.flags = flags
        self.words = words
        self.careful = careful
        """A word that may turn out to be a flag, or several words, is refused."""
        self.given: dict[str, list[Word]] = {}
        """Each flag that was met, with its values; without any when it takes none."""
        self.first: frozenset[str] | None = None
        """The flags that stand before the first operand, where every program looks for them."""
        self.trailing = False
        """A flag stands after the first operand, where some programs look for none."""
        self.late: list[Word] = []
        """Values of flags after the first operand, which some programs would take for operands, too."""
        self.files: list[Word] = []
        self.pattern_given = False
        self.at = 0

    def operands(self) -> list[Word] | None:
        """Every operand, or None when a flag is not known to be harmless."""
        found: list[Word] = []
        while self.at < len(self.words):
            word = self.words[self.at]
            if word.text == "--":
                found.extend(self.words[self.at + 1 :])
                break
            if self.careful and unsure(word):
                return None
            if not _is_flag(word):
                if self.first is None:
                    self.first = frozenset(self.given)
                found.append(word)
                self.at += 1
            else:
                self.trailing = self.trailing or self.first is not None
                if not self._take(word):
                    return None
        return found

    def leading(self) -> frozenset[str]:
        """The flags before the first operand: some programs take no flag after it."""
        return frozenset(self.given) if self.first is None else self.first

    def first_operand(self) -> int | None:
        """Where the first operand stands, or None when a flag before it is not harmless."""
        while self.at < len(self.words):
            word = self.words[self.at]
            if not _is_flag(word):
                return self.at
            if word.text == "--" or not self._take(word):
                return None
        return self.at

    def _take(self, word: Word) -> bool:
        """Consume a flag and its value; False when it is not in the list."""
        text = word.text
        name, equals, value = text.partition("=")
        flag = self.flags.known.get(name)
        if equals and text in self.flags.known:
            return self._value(text, self.flags.known[text], word, None)
        if flag is not None and (not equals or text.startswith("--") or self.flags.single_dash_words):
            return self._value(name, flag, word, value if equals else None)
        if text.startswith("--"):
            return False
        if self.flags.number and text[1:].isdecimal() and text.isascii():
            self.at += 1
            return True
        return not self.flags.single_dash_words and self._bundle(word)

    def _bundle(self, word: Word) -> bool:
        """`-la`, `-n5`: short flags in one word, the last of which may take a value."""
        text = word.text
        for position in range(1, len(text)):
            name = "-" + text[position]
            flag = self.flags.known.get(name)
            if flag is None:
                return False
            if flag.value or flag.optional:
                return self._value(name, flag, word, text[position + 1 :] or None)
            self.given.setdefault(name, [])
        self.at += 1
        return True

    def _value(self, name: str, flag: Flag, word: Word, attached: str | None) -> bool:
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
            self.late.extend([given] if self.first is not None else [])
            self.at += 1
            if self.careful and not _is_value(given, flag):
                return False
        else:
            given = word._replace(text=attached, tilde=False)
        values.append(given)
        if flag.file:
            self.files.append(given)
        return True


def unsure(word: Word) -> bool:
    """Whether a word could turn out to be a flag, or several words."""
    if word.operand:
        return False
    return word.splits or (word.opaque and not word.plain and word.text[:1] in (HOLE, "*", "?", "["))


def _is_value(word: Word, flag: Flag) -> bool:
    """Whether a word is sure to be this flag's value, even where another version of it takes none."""
    if word.splits or word.glob:
        return False
    return flag.pattern or not _is_flag(word) or word.text[1].isdecimal()


def _is_flag(word: Word) -> bool:
    return len(word.text) > 1 and word.text[0] == "-"
