"""What is known at one point of a line: variables, directories, and what feeds standard input."""

import posixpath
import re
from collections import Counter
from functools import lru_cache

from assent.engine.bash import numbers
from assent.engine.bash.builtins import filled_by_the_shell, unwrapped
from assent.engine.lines import listing
from assent.engine.lines.command import Assignment, Command, Content
from assent.engine.lines.printing import printed, together
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

MOST_DIRECTORIES = 4
MOST_TURNS = 16
LONGEST_VALUE = 1024
"""A longer value is not followed, or a line of a few doublings would fill the memory."""

_NAME = regex(r"[A-Za-z_]\w*")
_LOOPS = regex(r"\b(?:for|while|until|select|function|trap|eval|source)\b|\(\)")
_ASSIGNS = regex(
    r"\b(?:printf|mapfile|readarray|getopts|declare|typeset|local|export|let|unset|wait)\b|read -\w*a"
)
_READ_BY = regex(r"\bIFS=(?:[^\s;&|()<>'\"$`\\]|'[^']*'|\"[^\"$`\\]*\"|\$'[^']*')*+\s+read\b")
"""An `IFS` that counts for one `read` alone."""
_CUT = regex(r"\$(?:IFS\b|\{IFS\})")
_READS = frozenset({"read", "read -r", "read -d ", "read -r -d "})
_MOVES = regex(r"\b(?:cd|pushd|popd|CDPATH)\b")


class Scope:
    """One point of a line; a subshell or a branch gets a copy of its own."""

    __slots__ = (
        "branched", "directories", "fed", "functions", "given", "input", "piped", "pushed", "source",
        "straight", "taken", "variables",
    )  # fmt: skip

    def __init__(self, source: str) -> None:
        self.source = source
        self.variables: dict[str, Word] = {}
        self.branched: set[str] = set()
        """Variables that some branch of the line assigns; shared by all its scopes."""
        self.directories: tuple[str, ...] = ("",)
        self.pushed: tuple[str, ...] = (HOLE,)
        """Where `popd` leads back to, if the line pushes one directory alone."""
        self.functions: frozenset[str] = frozenset()
        """Functions that are sure to be defined by now."""
        self.piped = False
        self.fed: tuple[Word, ...] | None = None
        self.given: tuple[Word, ...] | None = None
        self.input: Content | None = None
        self.taken = False  # whether what is printed here goes on to other commands of the line
        self.straight = True
        """Whether we are certain to come through here, so that an assignment is sure to count."""

    def subshell(self) -> "Scope":
        """A shell of its own that starts from here."""
        return self._copy()

    def piped_from(self, before: list[Command], last: list[Command]) -> "Scope":
        """A shell of its own whose standard input is what those commands print, the last ones at the end."""
        copy = self._copy()
        copy.piped, copy.fed, copy.given = True, listing.listed(before), listing.printed(before)
        copy.input = together(map(printed, last))
        return copy

    def branch(self) -> "Scope":
        """A way that the line may or may not take."""
        copy = self._copy()
        copy.straight = False
        return copy

    def function(self) -> "Scope":
        """A body that may be called from anywhere on the line, with anything set."""
        copy = self.branch()
        copy.variables = {}
        copy.functions = frozenset()
        copy.piped, copy.fed, copy.given, copy.input = True, None, None, None
        if self.moves:
            copy.directories = (HOLE,)
        return copy

    @property
    def moves(self) -> bool:
        """Whether the line goes anywhere, so that "here" means more than one place."""
        return _moves(self.source)

    def loop(self, body: str) -> "Scope":
        """A way that the line may take again and again; where it moves, it may be anywhere."""
        copy = self.branch()
        if _MOVES.search(body):
            copy.directories = (HOLE,)
        return copy

    # Variables

    def assign(self, assignment: Assignment) -> None:
        """Remember a constant, if what the line does to this variable can be followed."""
        name, value = assignment
        value = value if len(value.text) <= LONGEST_VALUE else Word(HOLE, splits=True)
        lasts = _NAME.fullmatch(name) and not filled_by_the_shell(name)
        if lasts and self.straight and self._can_follow(name):
            self.variables[name] = value
        else:
            self.branched.add(name)

    def doubt_all_but(self, functions: frozenset[str], variables: dict[str, Word]) -> None:
        """Take back what was defined and assigned since, because the line may not have got that far."""
        self.functions = functions
        self.branched |= {name for name, value in self.variables.items() if variables.get(name) is not value}

    def turn(self, name: str, value: Word | None) -> None:
        """Give a loop variable the value it has in one turn."""
        if value is None or _occurrences(self.source, name) != 1:
            self.variables.pop(name, None)
        else:
            self.variables[name] = value

    @property
    def cuts_anew(self) -> bool:
        """Whether the line changes where words are cut, for more than a `read` of its own."""
        return _cuts_anew(self.source)

    def value(self, name: str) -> Word | None:
        """What a variable holds, or None when that cannot be known."""
        if self.cuts_anew:
            return None
        if name == "IFS":
            # As every shell sets it, whatever it was told: a blank, a tab and a new line.
            return Word(" ")
        if name in self.variables and name not in self.branched:
            return self.variables[name]
        if _NAME.fullmatch(name) and numbers.numeric(self.source, name):
            return Word(HOLE, plain=True)
        if name in self.branched:
            return None
        if name == "HOME" and not self._named("HOME"):
            return Word("~", tilde=True)
        if name == "PWD" and not self.moves and not self._named("PWD"):
            return Word(".")
        return None

    def turns(self, values: tuple[Word, ...]) -> list[Word | None]:
        """The values a loop goes through, or a single unknown one when they are too many."""
        if len(values) > MOST_TURNS:
            return [None]
        known = [Word(HOLE, listed=value.listed) if HOLE in value.text else value for value in values]
        return [*known] or [None]

    def computed(self, name: str, text: str) -> bool:
        """Whether the line, outside this arithmetic text, gives the variable more than a plain number."""
        if numbers.numeric(self.source, name):
            return False
        known = self.variables.get(name)
        if known is not None:
            return not known.text.lstrip("-").isdecimal()
        return _occurrences(self.source, name) > _occurrences(text, name)

    def _named(self, name: str) -> bool:
        return _occurrences(self.source, name) > 0

    def _can_follow(self, name: str) -> bool:
        """Whether the name stands only in assignments, and nothing runs them out of order."""
        times = _occurrences(self.source, name)
        return times == _assigned_in(self.source)[name] and (times == 1 or not _loops(self.source))

    def define(self, function: str) -> None:
        """Remember a function that is sure to be defined from here on."""
        if self.straight:
            self.functions |= {function}

    # Directories

    def after(self, words: tuple[Word, ...], *, has_input: bool) -> None:
        """Let a command that changes the directory count for what follows it."""
        if words[0].text == "popd":
            self.directories = () if HOLE in self.pushed else self.directories
            self.may_be_in(self.pushed)
        moved = self.moved_by(words)
        if words[0].text == "pushd":
            self.pushed = self.directories if self.source.count("pushd") == 1 else (HOLE,)
        if moved is not None:
            # Whether it succeeds is not known: `/.` is there only if the directory is.
            self.directories = tuple(one if HOLE in one else f"{one}/." for one in moved)
        if self.fed is not None and not has_input and " ".join(word.text for word in words[:-1]) in _READS:
            self.turn(words[-1].text, Word(HOLE, listed=True))

    def moved_by(self, words: tuple[Word, ...]) -> tuple[str, ...] | None:
        """Where `cd` leads if it succeeds; None for every other command."""
        words = unwrapped(words)
        if not words or words[0].text not in ("cd", "pushd"):
            return None
        operands = [word for word in words[1:] if word.text not in ("--", "-P", "-L", "-e", "-@")]
        if len(operands) > 1 or "CDPATH" in self.source:
            return (HOLE,)
        target = operands[0] if operands else Word("~", tilde=True)
        if target.opaque or target.glob or target.text.startswith(("-", "+")):
            return (HOLE,)
        if target.tilde or target.text.startswith("/"):
            return (target.text,)
        return tuple(dict.fromkeys(posixpath.join(directory, target.text) for directory in self.directories))

    def may_be_in(self, directories: tuple[str, ...]) -> None:
        """Add directories that the line may be in from here on."""
        merged = tuple(dict.fromkeys((*self.directories, *directories)))
        self.directories = merged if len(merged) <= MOST_DIRECTORIES else (HOLE,)

    def _copy(self) -> "Scope":
        copy = Scope(self.source)
        copy.branched, copy.variables = self.branched, dict(self.variables)
        copy.directories, copy.straight, copy.taken = self.directories, self.straight, self.taken
        copy.functions, copy.pushed = self.functions, self.pushed
        copy.piped, copy.fed, copy.given, copy.input = self.piped, self.fed, self.given, self.input
        return copy


def _occurrences(source: str, name: str) -> int:
    """How often a name stands in the text other than as `$name`, `${name}` or a flag."""
    return _named_in(source)[name]


@lru_cache(maxsize=16)
def _named_in(source: str) -> Counter[str]:
    """Every name in a text, counted once for all the questions about it."""
    flag = "" if _ASSIGNS.search(source) else "-"
    # In `find -type f` it is a letter of another language.
    return Counter(re.findall(rf"(?<![\w${flag}])(?<!\$\{{)(?<! -type )\w+", source))


@lru_cache(maxsize=16)
def _assigned_in(source: str) -> Counter[str]:
    return Counter(re.findall(r"(?<![\w$])(\w+)=", source))


@lru_cache(maxsize=16)
def _loops(source: str) -> bool:
    return _LOOPS.search(source) is not None


@lru_cache(maxsize=16)
def _moves(source: str) -> bool:
    return _MOVES.search(source) is not None


@lru_cache(maxsize=16)
def _cuts_anew(source: str) -> bool:
    return "IFS" in source and "IFS" in _CUT.sub("", _READ_BY.sub("", source))
