"""What a program runs: commands among its words, instructions on its input, and scripts."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Rest(StrEnum):
    """What the words after the program's own options and operands are."""

    COMMAND = "command"
    """A program and its arguments."""
    TEXT = "text"
    """Words that are joined to one shell text."""
    TEXTS = "texts"
    """Shell texts, one a word."""
    SCRIPT = "script"
    """A file with a program and its arguments; without a file the program is read from the input."""
    FIRST = "first"
    """Shell text, then names: `trap`."""
    VALUES = "values"
    """`NAME=text` words: `alias`."""
    SETTING = "setting"
    """A key and its value, which may be shell text."""
    FLAGS = "flags"
    """Nothing that is run: only some options name a program."""


class Input(StrEnum):
    """How a program uses its standard input when its words contain nothing to run."""

    DATA = "data"
    SHELL = "shell"
    """Shell text."""
    CODE = "code"
    """A program in another language."""


class Runs(NamedTuple):
    """How the words of a program contain the command that it runs.

    The list of options need not be complete: at an option that is not listed, every word that follows is
    taken for a possible command.
    """

    options: str = ""
    operands: int = 0
    """The number of operands before the command: a duration, a host, a directory."""
    optional: bool = False
    """Those operands may be left out, so that the first of them may be the program."""
    options_after_operands: bool = False
    """Options are also allowed after those operands."""
    assignments: bool = False
    """`NAME=value` words are allowed before the command."""
    marker: str = ""
    """The command begins after this word."""
    rest: Rest = Rest.COMMAND
    words_before: tuple[str, ...] = ()
    """Words to add before the command, such as `sh` before the arguments of `su`."""
    input: Input = Input.DATA
    transparent: bool = False
    """By itself harmless: with a command that only reads, it only reads."""
    covers: bool = False
    """What allows the command allows it here, too."""
    privilege: bool = False
    """It runs the command as another user."""


class RunCommands(NamedTuple):
    """A program of which some sub-commands run what they are given."""

    commands: "Mapping[str, RunEntry]"
    options: str = ""
    """Options that are allowed before the sub-command."""
    default: Runs | None = None
    """How it takes its words when no sub-command is named."""


RunEntry = Runs | RunCommands


class RunsBy(StrEnum):
    """Programs whose words need a function of their own to find what they run."""

    SHELL = "shell"
    """A shell that takes `-c` as `sh` does: a switch, after which the first operand is shell text."""
    POWERSHELL = "powershell"
    WINDOWS_SHELL = "windows shell"
    INPUT_NAMES = "input names"
    """A command for the names that its input lists: `xargs`."""
    FOUND_FILES = "found files"
    """Commands in an expression: `find -exec`."""
    FOUND_NAMES = "found names"
    """A command after an option: `fd -x`."""
    ARGUMENTS = "arguments"
    """A command for each argument after `:::` or each line of its input: `parallel`."""


class InputUse(StrEnum):
    """How a program uses its standard input."""

    INSTRUCTIONS = "instructions"
    """Code, statements, commands, manifests: the input decides what happens."""
    OPERANDS = "operands"
    """Names or values that complete its own words: the input decides what is affected."""
    ANSWERS = "answers"
    """Replies to its questions: the input decides whether it happens."""
    UNKNOWN = "unknown"
    """Nothing is known about the program."""
    DATA = "data"
    """Text that it stores, sends or counts and does not act upon."""


class InputRule(NamedTuple):
    """When the input of a program is more than data."""

    use: InputUse = InputUse.INSTRUCTIONS
    options: str = ""
    """Its options; one marked `;` gives it what it needs, so that it does not read its input."""
    operands: int = 0
    """With at least this number of operands it does not read its input; 0 when operands do not matter."""
    commands: str = ""
    """The sub-commands that read the input; empty when there are none, or all do."""
    only: str = ""
    """One of these words is required; empty when none is."""


class Script(StrEnum):
    """How the scripts of a program spell the commands that they start."""

    CALLS = "calls"
    """A language with calls: `system("ls")`."""
    COMPILED = "compiled"
    """The same in files that it compiles or tests; the line that wrote such a file runs it, too."""
    AWK = "awk"
    BACKTICKS = "backticks"
    PERL_QUOTES = "perl quotes"
    TCL = "tcl"
    SED = "sed"
    MAKE = "make"
    TASKS = "tasks"
    """Commands that a file lists line by line."""
    PROJECT = "project"
    """Commands that a file of the project names, and nothing that its own words spell out."""
    JSON_VALUES = "json values"
    JSON_COMMANDS = "json commands"
    CLIENT = "client"
    """Commands of the program that can start a shell."""
    WORD_COMMANDS = "word commands"
    """Such commands as words, too."""
    PIECES = "pieces"
    """Texts in many places of its language."""
    BANG = "bang"
    MACROS = "macros"
    SYSTEM_MACRO = "system macro"
    OUTPUT_PIPE = "output pipe"
    PROGRAM_CLAUSE = "program clause"
    TEX = "tex"
    CRON = "cron"
    RUN_COMMAND = "run command"
    """`run` starts a script of the project, or else any program."""


def interpreter(options: str) -> Runs:
    """An interpreter with these options that takes a value."""
    # An option that is not listed may take the next word, which then is no script: see `Options.assumed`.
    return Runs("-* --* " + options, rest=Rest.SCRIPT, input=Input.CODE)


RUNS_COMMAND = Runs()
RUNS_EXEC = RunCommands({"exec": RUNS_COMMAND})
RIPGREP = "--pre=! --hostname-bin=!"
RUNS_AFTER_OPERAND = Runs(operands=1)
RUNS_TEXT = Runs(rest=Rest.TEXT)
RUNS_TEXTS = Runs(rest=Rest.TEXTS)
RUNS_AFTER_DASHES = Runs(marker="--")
RUNS_OPTIONS = Runs(rest=Rest.FLAGS)
RUNS_ON_HOST = Runs(operands=1, options_after_operands=True, rest=Rest.TEXT, input=Input.SHELL)
INPUT_INSTRUCTIONS = InputRule()
INPUT_OPERANDS = InputRule(InputUse.OPERANDS)
INPUT_SESSION = InputRule(options="--version; --help;")
INPUT_PROMPT = InputRule(options="--version; --help;", operands=1)
