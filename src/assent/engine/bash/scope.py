"""The state at one point of a line: known variables, directories and standard input."""

import posixpath
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from assent.engine.base.lazy import regex
from assent.engine.bash.variables import is_numeric_variable, is_set_by_shell
from assent.engine.lines.command import Assignment, Command, KnownContent
from assent.engine.lines.output import find_listing_roots, find_output, find_printed_words, join_contents
from assent.engine.programs.word import UNKNOWN_MARK, Word

MAX_DIRECTORIES = 4
"""The maximal number of possible current directories; with more, the directory is unknown."""
MAX_ITERATIONS = 16
"""The maximal number of loop values that are read one by one."""
MAX_VALUE_LENGTH = 1024
"""The maximal length of a tracked value, because a few doublings would fill the memory."""
_NAME = regex(r"[A-Za-z_]\w*")
_REPEATED_CODE = regex(r"\b(?:for|while|until|select|function|trap|eval|source)\b|\(\)")
"""Keywords of code that may run several times or later."""
_ASSIGNING_COMMAND = regex(
    r"\b(?:printf|mapfile|readarray|getopts|declare|typeset|local|export|let|unset|wait)\b|read -\w*a"
)
"""Commands that can assign a variable by its name."""
_READ_IN_ARITHMETIC = regex(r"\$\(\((?![^)]*(?:\+\+|--))[\w\s+*/%()-]*?\)\)")
"""An arithmetic expansion that assigns nothing."""
_IFS_FOR_READ = regex(r"\bIFS=(?:[^\s;&|()<>'\"$`\\]|'[^']*'|\"[^\"$`\\]*\"|\$'[^']*')*+\s+read\b")
"""An assignment of `IFS` that applies to one `read` only."""
_IFS_VALUE = regex(r"\$(?:IFS\b|\{IFS\})")
"""A use of the value of `IFS`."""
_READ_COMMANDS = frozenset({"read", "read -r", "read -d ", "read -r -d "})
"""Calls of `read` that read one line into one variable."""
_DIRECTORY_CHANGE = regex(r"\b(?:cd|pushd|popd|CDPATH)\b")


class Scope:
    """The known variables, directories and input at one point of a line.

    Subshells and branches get a copy.
    """

    __slots__ = (
        "always_runs", "directories", "functions", "input", "input_words", "listing_roots", "output_is_read",
        "piped", "pushed_directories", "source", "uncertain_variables", "variables",
    )  # fmt: skip

    def __init__(self, source: str) -> None:
        self.source = source
        self.variables: dict[str, Word] = {}
        self.uncertain_variables: set[str] = set()
        """Variables that some branch of the line assigns; all scopes of the line share this set."""
        self.directories: tuple[str, ...] = ("",)
        self.pushed_directories: tuple[str, ...] = (UNKNOWN_MARK,)
        """The directories that `popd` returns to, if the line pushes only one directory."""
        self.functions: frozenset[str] = frozenset()
        """Functions that are certainly defined here."""
        self.piped = False
        self.listing_roots: tuple[Word, ...] | None = None
        self.input_words: tuple[Word, ...] | None = None
        self.input: KnownContent | None = None
        self.output_is_read = False  # whether other commands of the line read the output
        self.always_runs = True
        """Whether this point is always reached, so that an assignment certainly happens."""

    def copy_for_subshell(self) -> "Scope":
        """Return a copy for a subshell."""
        return self._copy_scope()

    def copy_for_piped_subshell(self, before: list[Command], last: list[Command]) -> "Scope":
        """Return a copy for a subshell that reads the output of these commands."""
        copy = self._copy_scope()
        copy.piped, copy.listing_roots, copy.input_words = (
            True,
            find_listing_roots(before),
            find_printed_words(before),
        )
        copy.input = join_contents(map(find_output, last))
        return copy

    def copy_with_unknown_input(self) -> "Scope":
        """Return a copy for a subshell that reads an input which nothing is known about."""
        copy = self._copy_scope()
        copy.piped, copy.listing_roots, copy.input_words, copy.input = True, None, None, None
        return copy

    def copy_for_branch(self) -> "Scope":
        """Return a copy for code that may or may not run."""
        copy = self._copy_scope()
        copy.always_runs = False
        return copy

    def copy_for_function_body(self) -> "Scope":
        """Return a copy for the body of a function, which may run anywhere and with any variables."""
        copy = self.copy_with_unknown_input()
        copy.always_runs = False
        copy.variables = {}
        copy.functions = frozenset()
        if self.changes_directory:
            copy.directories = (UNKNOWN_MARK,)
        return copy

    @property
    def changes_directory(self) -> bool:
        """Whether the line may change the directory."""
        return _changes_directory(self.source)

    def copy_for_loop_body(self, body: str) -> "Scope":
        """Return a copy for a loop body; if the body changes the directory, the directory is unknown."""
        copy = self.copy_for_branch()
        if _DIRECTORY_CHANGE.search(body):
            copy.directories = (UNKNOWN_MARK,)
        return copy

    # Variables

    def record_assignment(self, assignment: Assignment) -> None:
        """Record the value of a variable, if all its assignments in the line are known."""
        name, value = assignment
        value = value if len(value.text) <= MAX_VALUE_LENGTH else Word(UNKNOWN_MARK, splits=True)
        lasts = _NAME.fullmatch(name) and not is_set_by_shell(name)
        if lasts and self.always_runs and self._can_track_variable(name):
            self.variables[name] = value
        else:
            self.uncertain_variables.add(name)

    def forget_uncertain_definitions(self, functions: frozenset[str], variables: dict[str, Word]) -> None:
        """Forget functions and variables whose definitions may not have run."""
        self.functions = functions
        self.uncertain_variables |= {
            name for name, value in self.variables.items() if variables.get(name) is not value
        }

    def set_loop_variable(self, name: str, value: Word | None) -> None:
        """Set the variable of a loop for one iteration."""
        if value is None or _count_name_occurrences(self.source, name) != 1:
            self.variables.pop(name, None)
        else:
            self.variables[name] = value

    @property
    def changes_word_splitting(self) -> bool:
        """Whether the line changes `IFS` for more than a single `read`."""
        return _changes_word_splitting(self.source)

    def variable_value(self, name: str) -> Word | None:
        """The value of a variable; None if it is unknown."""
        if self.changes_word_splitting:
            return None
        if name == "IFS":
            # Every shell starts with an `IFS` of blank, tab and newline.
            return Word(" ")
        if name in self.variables and name not in self.uncertain_variables:
            return self.variables[name]
        if _NAME.fullmatch(name) and is_numeric_variable(self.source, name):
            return Word(UNKNOWN_MARK, plain=True)
        if name in self.uncertain_variables:
            return None
        if name == "HOME" and not self._is_name_mentioned("HOME"):
            return Word("~", tilde=True)
        if name == "PWD" and not self.changes_directory and not self._is_name_mentioned("PWD"):
            return Word(".")
        return None

    def loop_values(self, values: tuple[Word, ...]) -> list[Word | None]:
        """The values of a loop variable; a single None if there are too many values."""
        if len(values) > MAX_ITERATIONS:
            return [None]
        known = [
            Word(UNKNOWN_MARK, listed=value.listed) if UNKNOWN_MARK in value.text else value
            for value in values
        ]
        return [*known] or [None]

    def may_contain_text(self, name: str, text: str) -> bool:
        """Whether the line may assign a value that is no number, outside this arithmetic text."""
        if is_numeric_variable(self.source, name):
            return False
        known = self.variables.get(name)
        if known is not None:
            return not known.text.lstrip("-").isdecimal()
        return _count_name_occurrences(self.source, name) > _count_name_occurrences(text, name)

    def _is_name_mentioned(self, name: str) -> bool:
        """Whether the name occurs other than as `$name`."""
        return _count_name_occurrences(self.source, name) > 0

    def _can_track_variable(self, name: str) -> bool:
        """Whether the name only occurs in assignments that run in the order of the text."""
        times = _count_name_occurrences(self.source, name)
        return times == _count_assignments(self.source)[name] and (times == 1 or not _has_loops(self.source))

    def define_function(self, function: str) -> None:
        """Record a function that is certainly defined after this point."""
        if self.always_runs:
            self.functions |= {function}

    # Directories

    def apply_command(self, words: tuple[Word, ...], *, has_input: bool) -> None:
        """Update the directories and variables that a command changes for later commands."""
        if words[0].text == "popd":
            self.directories = () if UNKNOWN_MARK in self.pushed_directories else self.directories
            self.add_directories(self.pushed_directories)
        moved = self.directories_after(words)
        if words[0].text == "pushd":
            self.pushed_directories = self.directories if self.source.count("pushd") == 1 else (UNKNOWN_MARK,)
        if moved is not None:
            # The `cd` may fail. The path with `/.` exists only if the directory exists.
            self.directories = tuple(one if UNKNOWN_MARK in one else f"{one}/." for one in moved)
        if (
            self.listing_roots is not None
            and not has_input
            and " ".join(word.text for word in words[:-1]) in _READ_COMMANDS
        ):
            self.set_loop_variable(words[-1].text, Word(UNKNOWN_MARK, listed=True))

    def directories_after(self, words: tuple[Word, ...]) -> tuple[str, ...] | None:
        """The directories after a successful `cd`; None for other commands."""
        words = without_wrappers(words)
        if not words or words[0].text not in ("cd", "pushd"):
            return None
        operands = [word for word in words[1:] if word.text not in ("--", "-P", "-L", "-e", "-@")]
        if len(operands) > 1 or "CDPATH" in self.source:
            return (UNKNOWN_MARK,)
        target = operands[0] if operands else Word("~", tilde=True)
        if target.is_opaque or target.glob or target.text.startswith(("-", "+")):
            return (UNKNOWN_MARK,)
        if target.tilde or target.text.startswith("/"):
            return (target.text,)
        return tuple(dict.fromkeys(posixpath.join(directory, target.text) for directory in self.directories))

    def add_directories(self, directories: tuple[str, ...]) -> None:
        """Add directories in which later commands may run."""
        merged = tuple(dict.fromkeys((*self.directories, *directories)))
        self.directories = merged if len(merged) <= MAX_DIRECTORIES else (UNKNOWN_MARK,)

    def _copy_scope(self) -> "Scope":
        """A copy of the scope with variables of its own."""
        copy = Scope(self.source)
        copy.uncertain_variables, copy.variables = self.uncertain_variables, dict(self.variables)
        copy.directories, copy.always_runs, copy.output_is_read = (
            self.directories,
            self.always_runs,
            self.output_is_read,
        )
        copy.functions, copy.pushed_directories = self.functions, self.pushed_directories
        copy.piped, copy.listing_roots, copy.input_words, copy.input = (
            self.piped,
            self.listing_roots,
            self.input_words,
            self.input,
        )
        return copy


_DIRECTORY_BUILTINS = frozenset({"cd", "pushd", "popd"})
_READING_BUILTINS = frozenset({"read", "mapfile", "readarray", "getopts"})
_DECLARING_BUILTINS = frozenset({"declare", "typeset", "local", "readonly", "export"})
_STATE_BUILTINS = (
    _DIRECTORY_BUILTINS | _READING_BUILTINS | _DECLARING_BUILTINS | {"set", "shift", "unset", "let", "printf"}
)
"""Builtins that change directories or variables of the shell."""
_DELAYED_BUILTINS = frozenset({"eval", "trap", "alias"})
"""Builtins whose arguments are code that runs later."""
_WRAPPERS = frozenset({"builtin", "command", "time"})
"""Words before a builtin that run it in the same shell."""
_ATTACHED_ARRAY_NAME = regex(r"-\w*a\w+")
"""An option `-a` with its variable in the same word, as in `read -aname`."""


def without_wrappers(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words without `builtin`, `command` and `time`, which run a builtin in the same shell."""
    if not words or words[0].text not in _WRAPPERS:
        return words
    for at, word in enumerate(words):
        if word.text not in _WRAPPERS and word.text not in ("-p", "--"):
            return words[at:]
    return ()


def replaces_shell_input(command: Command) -> bool:
    """Whether a command replaces the input of the shell itself, such as `exec < f` or `trap 'exec < f'`."""
    inner = without_wrappers(command.words)
    program = inner[0].text if inner else ""
    if program == "exec":
        return command.has_input
    return program in _DELAYED_BUILTINS and any(
        "exec" in word.text and "<" in word.text for word in inner[1:]
    )


def builtin_problem(words: tuple[Word, ...], written: Sequence[str], functions: frozenset[str]) -> str | None:
    """Why the effect of a builtin on later commands is unknown; None if it is known.

    Variables and directories are tracked by their names in the text, so each name must be literal.
    """
    inner = without_wrappers(words)
    program = inner[0].text if inner else ""
    if program not in _STATE_BUILTINS and program not in functions:
        return None
    spelled = {_unquote_word(text) for text in written}
    if program not in spelled:
        return "uses a builtin that is not spelled out"
    if program in _DECLARING_BUILTINS:
        return "declares variables in a way that is not tracked"
    names = [
        word.text
        for word in inner[1:]
        if _NAME.fullmatch(word.text) or _ATTACHED_ARRAY_NAME.fullmatch(word.text)
    ]
    if program in _READING_BUILTINS and any(
        name not in spelled or _ATTACHED_ARRAY_NAME.fullmatch(name) for name in names
    ):
        return "sets a variable whose name is not spelled out"
    return None


def _count_name_occurrences(source: str, name: str) -> int:
    """How often a name occurs in the text other than as `$name`, `${name}` or a flag."""
    return _count_all_names(source)[name]


@lru_cache(maxsize=16)
def _count_all_names(source: str) -> Counter[str]:
    """How often each name occurs in a text."""
    flag = "" if _ASSIGNING_COMMAND.search(source) else "-"
    # In `find -type f`, the letter is not a variable name.
    source = _READ_IN_ARITHMETIC.sub("0", source)
    return Counter(re.findall(rf"(?<![\w${flag}])(?<!\$\{{)(?<! -type )\w+", source))


@lru_cache(maxsize=16)
def _count_assignments(source: str) -> Counter[str]:
    """How often each variable is assigned in a text."""
    return Counter(re.findall(r"(?<![\w$])(\w+)=", source))


@lru_cache(maxsize=16)
def _has_loops(source: str) -> bool:
    """Whether a text contains code that may run several times or later."""
    return _REPEATED_CODE.search(source) is not None


@lru_cache(maxsize=16)
def _changes_directory(source: str) -> bool:
    """Whether a text may change the directory."""
    return _DIRECTORY_CHANGE.search(source) is not None


@lru_cache(maxsize=16)
def _changes_word_splitting(source: str) -> bool:
    """Whether a text changes `IFS` for more than a single `read`."""
    return "IFS" in source and "IFS" in _IFS_VALUE.sub("", _IFS_FOR_READ.sub("", source))


def _unquote_word(written: str) -> str:
    """A word without the quotes around it, or without the backslash before it."""
    if len(written) > 1 and written[0] == written[-1] and written[0] in "'\"":
        return written[1:-1]
    return written.removeprefix("\\")
