"""What a program runs: commands among its words, instructions in its input, and scripts."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class RestOfWords(StrEnum):
    """What the words after a program's own options and operands mean."""

    COMMAND = "command"
    """A program and its arguments."""
    TEXT = "text"
    """Words that are joined to one shell text."""
    TEXTS = "texts"
    """Shell texts, one per word."""
    SCRIPT = "script"
    """A file with a program, and its arguments; without a file, the program is read from the input."""
    FIRST = "first"
    """Shell text, then names, as in `trap`."""
    VALUES = "values"
    """Words `NAME=text`, as in `alias`."""
    SETTING = "setting"
    """A key and its value, which may be shell text."""
    FLAGS = "flags"
    """Nothing that is run; only some options name a program."""


class CodeInput(StrEnum):
    """How a program uses its standard input if its words contain nothing to run."""

    DATA = "data"
    SHELL = "shell"
    """The input is shell text."""
    CODE = "code"
    """The input is a program in another language."""


class Runs(NamedTuple):
    """How the words of a program contain the command that it runs.

    The list of options need not be complete: after an option that is not listed, every word may be
    the start of the command.
    """

    options: str = ""
    operands: int = 0
    """The number of operands before the command, such as a duration, a host or a directory."""
    optional: bool = False
    """True if these operands may be omitted, so that the first of them may be the program."""
    options_after_operands: bool = False
    """True if options are also allowed after these operands."""
    assignments: bool = False
    """True if words `NAME=value` are allowed before the command."""
    marker: str = ""
    """The word after which the command begins."""
    rest: RestOfWords = RestOfWords.COMMAND
    words_before: tuple[str, ...] = ()
    """Words to add before the command, such as `sh` before the arguments of `su`."""
    input: CodeInput = CodeInput.DATA
    transparent: bool = False
    """True if the program itself is harmless: with a command that only reads, it only reads."""
    covers: bool = False
    """True if a rule that allows the command also allows it after this program."""
    privilege: bool = False
    """True if the command runs as another user."""


class RunCommands(NamedTuple):
    """A program with sub-commands that run the words after them."""

    commands: "Mapping[str, RunEntry]"
    options: str = ""
    """Options that are allowed before the sub-command."""
    default: Runs | None = None
    """How the words are read if no sub-command is named."""


RunEntry = Runs | RunCommands
"""What a program runs, by its words or by its sub-command."""


class RunsBy(StrEnum):
    """Programs whose nested commands are found by a function of their own."""

    SHELL = "shell"
    """A shell like `sh`, in which `-c` makes the first operand shell text."""
    POWERSHELL = "powershell"
    WINDOWS_SHELL = "windows shell"
    INPUT_NAMES = "input names"
    """A command for the names that the input lists, as in `xargs`."""
    FOUND_FILES = "found files"
    """Commands in an expression, as in `find -exec`."""
    FOUND_NAMES = "found names"
    """A command after an option, as in `fd -x`."""
    ARGUMENTS = "arguments"
    """A command for each argument after `:::` or each line of the input, as in `parallel`."""


class InputUse(StrEnum):
    """How a program uses its standard input."""

    INSTRUCTIONS = "instructions"
    """Code, statements, commands or manifests: the input decides what happens."""
    OPERANDS = "operands"
    """Names or values that complete the words of the program: the input decides what is affected."""
    ANSWERS = "answers"
    """Replies to questions of the program: the input decides whether something happens."""
    UNKNOWN = "unknown"
    """Nothing is known about the program."""
    DATA = "data"
    """Text that the program stores, sends or counts, without acting on it."""


class InputRule(NamedTuple):
    """The condition under which the input of a program is more than data."""

    use: InputUse = InputUse.INSTRUCTIONS
    options: str = ""
    """The options of the program; with an option marked `;`, the program does not read its input."""
    operands: int = 0
    """With at least this number of operands, the program does not read its input; 0 ignores the operands."""
    commands: str = ""
    """The sub-commands that read the input; empty if there are none, or if all do."""
    only: str = ""
    """Words of which one is required; empty if none is required."""


class Script(StrEnum):
    """How the scripts of a program contain the commands that they start."""

    CALLS = "calls"
    """A language with function calls, such as `system("ls")`."""
    COMPILED = "compiled"
    """The same in files that the program compiles or tests; the line that wrote such a file also runs it."""
    AWK = "awk"
    BACKTICKS = "backticks"
    PERL_QUOTES = "perl quotes"
    TCL = "tcl"
    SED = "sed"
    MAKE = "make"
    IMAGE = "image"
    """The commands of a Dockerfile."""
    TASKS = "tasks"
    """Commands that a file lists line by line."""
    PROJECT = "project"
    """Commands that a file of the project contains, and none among the words."""
    JSON_VALUES = "json values"
    JSON_COMMANDS = "json commands"
    CLIENT = "client"
    """Commands of the program that can start a shell."""
    WORD_COMMANDS = "word commands"
    """The same commands, also as words."""
    PIECES = "pieces"
    """Texts at many positions of its language."""
    BANG = "bang"
    MACROS = "macros"
    SYSTEM_MACRO = "system macro"
    OUTPUT_PIPE = "output pipe"
    PROGRAM_CLAUSE = "program clause"
    TEX = "tex"
    CRON = "cron"
    RUN_COMMAND = "run command"
    """The sub-command `run`, which starts a script of the project or any program."""


def interpreter_run_entry(options: str) -> Runs:
    """What an interpreter with these options runs: a script file, or its input."""
    # The next word may be the value of an unlisted option, and so no script: see `OptionParser.assumed_switches`.
    return Runs("-* --* " + options, rest=RestOfWords.SCRIPT, input=CodeInput.CODE)


RUNS_COMMAND = Runs()
"""A program that runs the words after its own."""
RUNS_EXEC = RunCommands({"exec": RUNS_COMMAND})
"""A program whose sub-command `exec` runs the words that follow."""
RIPGREP_OPTIONS = "--pre=! --hostname-bin=!"
"""Options of `rg` whose value is a program."""
RUNS_AFTER_OPERAND = Runs(operands=1)
"""A program that runs the words after its first operand."""
RUNS_TEXT = Runs(rest=RestOfWords.TEXT)
"""A program that runs its words as one shell text."""
RUNS_TEXTS = Runs(rest=RestOfWords.TEXTS)
"""A program that runs each word as a shell text."""
RUNS_AFTER_DASHES = Runs(marker="--")
"""A program that runs the words after `--`."""
RUNS_OPTIONS = Runs(rest=RestOfWords.FLAGS)
"""A program that runs code only from its options."""
RUNS_ON_HOST = Runs(operands=1, options_after_operands=True, rest=RestOfWords.TEXT, input=CodeInput.SHELL)
"""A program such as `ssh`, which runs the words after a host as shell text."""
INPUT_INSTRUCTIONS = InputRule()
"""The input always contains instructions."""
INPUT_OPERANDS = InputRule(InputUse.OPERANDS)
"""The input always contains names or values."""
INPUT_SESSION = InputRule(options="--version; --help;")
"""The input contains instructions, unless the program only prints its version or help."""
INPUT_PROMPT = InputRule(options="--version; --help;", operands=1)
"""The same, unless an operand contains the instructions."""
INPUT_CONFIRMS = InputRule(InputUse.ANSWERS, only="-i -I --interactive")
"""With these options, the input answers whether each file is removed or replaced."""
SESSION_WORDS = frozenset(
    """shell console repl dbshell dbconsole shell_plus tinker psql pg:psql redis:cli attach ssh rsh sftp
    interactive interact enter start-session execute-command ghci utop""".split()
)
"""Sub-commands that begin a session in many programs; its input is commands."""
