"""What is known about a program: one entry with named fields, in one file of this folder.

To teach Assent a program, write a `Program(...)` into the file of its topic and run `./dev programs`, which
writes `index.py`. `flags.py` explains how options are spelled.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

# ---- what it reads ------------------------------------------------------------------------------


class Operands(StrEnum):
    """What the words after the flags are."""

    FILES = "files"
    """Files and directories that are read."""
    PATTERN_FILES = "pattern files"
    """A pattern first, unless a flag gave it, then files."""
    NAMES = "names"
    """Revisions, branches or paths: read as a path only when spelled like one that leads out."""
    TEXT = "text"
    """Anything; no file is read because of it."""
    SINGLE = "single"
    """One file or name at most: a second one would be written, or change something."""
    BINARIES = "binaries"
    """Files; one spelled `@list` would be a list of more flags."""
    NONE = "none"
    """None at all."""


FILES, PATTERN_FILES, NAMES, TEXT = Operands.FILES, Operands.PATTERN_FILES, Operands.NAMES, Operands.TEXT
SINGLE, BINARIES, NONE = Operands.SINGLE, Operands.BINARIES, Operands.NONE


class Reads(NamedTuple):
    """A program or sub-command that only reads when it is used with these flags alone."""

    flags: str = ""
    operands: Operands = Operands.FILES
    every_flag: bool = False
    """No flag at all, listed or not, writes, runs or connects: unknown operands are fine."""
    trust: bool = False
    """It may run helpers that the repository's own files name, so the repository must be trusted."""
    follows: str = ""
    """With any of these flags it follows links of the repository, so the repository must be trusted."""
    check: str = ""
    """The name of a function in `checks` that reads the words, besides the flag list if there is one."""
    lists: bool = False
    """It prints names of files below the workspace, one a line."""
    lists_with: str = ""
    """With any of these flags it does so."""
    lists_without: str = ""
    """With any of these flags it prints something else."""
    needs: str = ""
    """Flags of which one must be given before any operand, like `-l` of `unzip`."""
    only: bool = False
    """One of its flags alone, with nothing else, as in `node --version`."""
    bare: bool = True
    """It only reads without any operand, too."""


class ReadCommands(NamedTuple):
    """A program whose first operand is a sub-command with its own entry."""

    commands: "Mapping[str, ReadEntry]"
    flags: str = ""
    """Flags that may stand before the sub-command."""
    trust: bool = False
    bare: bool = False
    """With flags only (`git --version`) it just reads."""
    empty: bool = False
    """Without any word at all it just reads, too."""
    check: str = ""
    """The name of a function in `checks` that looks at the words before the sub-command."""
    alone: str = ""
    """Flags with which a sub-command means something else, like `git --help log`."""


ReadEntry = Reads | ReadCommands


def with_help(
    commands: Mapping[str, ReadEntry], more: str = "", *, flag: str = "--help"
) -> dict[str, ReadEntry]:
    """These sub-commands, and more of them by name, which only print their help with nothing but the flag.

    More words may change that: `docker run image --help` runs the image.
    """
    known = {name: _with_help(entry, flag) for name, entry in commands.items()}
    return {**dict.fromkeys(more.split(), Reads(flag, Operands.NONE, only=True)), **known}


def _with_help(entry: ReadEntry, flag: str) -> ReadEntry:
    if isinstance(entry, ReadCommands):
        inner = with_help(entry.commands, flag=flag)
        return entry._replace(commands=inner, flags=f"{entry.flags} {flag}", bare=True)
    # An entry that has a check and no flags is read by that check alone.
    return entry if entry.check and not entry.flags else entry._replace(flags=f"{entry.flags} {flag}")


# ---- what it runs -------------------------------------------------------------------------------


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
    """What a program takes its standard input for when its words give it nothing to run."""

    DATA = "data"
    SHELL = "shell"
    """Shell text."""
    CODE = "code"
    """A program in another language."""


class Runs(NamedTuple):
    """How a program takes what it runs.

    The list of options need not be complete: at an option that is not listed, every word that follows is
    taken for a possible command.
    """

    options: str = ""
    operands: int = 0
    """The number of its own operands before the command: a duration, a host, a directory."""
    optional: bool = False
    """Those operands may be left out, so that the first of them may be the program."""
    again: bool = False
    """Options may stand after those operands, too."""
    assignments: bool = False
    """`NAME=value` words may stand before the command."""
    marker: str = ""
    """The word after which the command begins, whatever stood before."""
    rest: Rest = Rest.COMMAND
    before: tuple[str, ...] = ()
    """Words that stand before what is given, as `sh` for the arguments of `su`."""
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
    """Options that may stand before the sub-command."""
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


# ---- what it writes -----------------------------------------------------------------------------


class Target(StrEnum):
    """Which operands are changed."""

    EVERY = "every"
    """All of them."""
    REMOVED = "removed"
    """All of them are removed."""
    LAST = "last"
    """The last, or what lies in it; the others are read."""
    MOVED = "moved"
    """The last, or what lies in it; the others are removed."""
    FIRST = "first"
    """The first; the others are read."""
    SECOND = "second"
    """The second, where there is one; the first is read."""
    AFTER_FIRST = "after first"
    """All but the first: a mode, an owner, a script."""
    PACKED = "packed"
    """Each is replaced by a packed or unpacked one."""
    MEMBERS = "members"
    """All but the first, which is an archive, below the directory that `into` names."""
    NONE = "none"
    """None of them."""


class WritesBy(StrEnum):
    """Programs whose words need a function of their own to find what they write."""

    ARCHIVE = "archive"
    """`tar`, whose first word may be options without a dash."""
    IMAGE = "image"
    """`dd of=file`."""
    DOWNLOAD = "download"
    """`curl`, which prints what it loads unless an option says otherwise."""
    SAVED_DOWNLOAD = "saved download"
    """`wget`, which saves what it loads unless an option says otherwise."""
    REPOSITORY = "repository"
    FOUND_FILES = "found files"


class Writes(NamedTuple):
    """What a program changes; a `>` marks an option whose value is written."""

    options: str = ""
    target: Target = Target.EVERY
    into: str = ""
    """Options that name the directory where it writes, instead of the last operand."""
    only: str = ""
    """Options without one of which it changes no operand, and nothing is known about it."""
    quiet: str = ""
    """Options with which it changes no operand."""
    given: str = ""
    """Options that give what otherwise is the first operand."""
    keeps: str = ""
    """Options with which nothing is removed."""
    removing: str = ""
    """Options with which the operands that it reads, or writes, are removed, too."""
    here: bool = False
    """Without a directory named by `into`, it writes to the current one."""
    links: str = ""
    """Options with which the operands get another name, by which they can be changed; `*` when they always do."""
    makes: str = ""
    """Options with which every operand is a directory that it makes."""
    by: WritesBy | None = None
    """The function that reads its words instead."""


# ---- what it takes from its standard input ------------------------------------------------------


class InputUse(StrEnum):
    """What a program takes its standard input for."""

    INSTRUCTIONS = "instructions"
    """Code, statements, commands, manifests: the input says what happens."""
    OPERANDS = "operands"
    """Names or values that complete its own words: the input says what it happens to."""
    ANSWERS = "answers"
    """Replies to its questions: the input says whether it happens."""
    UNKNOWN = "unknown"
    """Nothing is known about the program."""
    DATA = "data"
    """Text that it stores, sends or counts and does not act upon."""


class InputRule(NamedTuple):
    """When a program takes its input for more than data."""

    use: InputUse = InputUse.INSTRUCTIONS
    options: str = ""
    """Its options; one marked `;` gives it what it needs, so that it does not read its input."""
    operands: int = 0
    """With at least this number of operands it does not read its input; 0 when operands do not matter."""
    commands: str = ""
    """The sub-commands that read the input; empty when there are none, or all do."""
    only: str = ""
    """Words of which one must be there; empty when none is needed."""


# ---- what it does that cannot be undone ---------------------------------------------------------


class Loss(StrEnum):
    """What cannot be recovered."""

    DELETES = "deletes"
    """The thing of this kind and name."""
    DELETES_ALL = "deletes-all"
    """Everything of this kind, or in what is named."""
    DESTROYS = "destroys"
    """All that the program of this kind manages, here or in what is named."""
    REMOVES_FILES = "removes-files"
    DISCARDS_CHANGES = "discards-changes"
    """Work that was not committed."""
    REMOVES_UNTRACKED = "removes-untracked"
    ERASES_HISTORY = "erases-history"
    OVERWRITES_REMOTE = "overwrites-remote"
    """What others pushed there."""
    PUBLISHES = "publishes"
    UNPUBLISHES = "unpublishes"
    EMPTIES = "empties"
    CHANGES_ALL = "changes-all"
    """Every row of the named table."""
    ERASES = "erases"
    """Overwrites a disk or a file so that nothing of it is left."""
    MOVES_MONEY = "moves-money"
    DECLARED = "declared-destructive"
    """The owner of the tool or an administrator declared it destructive."""


class Act(NamedTuple):
    """One way in which a program does something that cannot be undone.

    The words of a sub-command are written as they are typed, without the options between them: `a|b` is
    either, `*` stands for a part of a word, `**` for any words.
    """

    words: str
    loss: Loss
    kind: str = ""
    """What sort of thing is lost; `<` is the word before the verb, `>` the first operand."""
    flags: str = ""
    """One of these must be given."""
    unless: str = ""
    """With one of these nothing is lost."""


class Losses(NamedTuple):
    """What a program does that cannot be undone, and how the names of what is lost are found."""

    acts: tuple[Act, ...]
    valued: str = ""
    """Options that take the next word, so that it is no name."""
    named: str = ""
    """Options whose value is the name."""


# ---- scripts that it runs -----------------------------------------------------------------------


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
    """Commands of its own that can lead to the shell."""
    WORD_COMMANDS = "word commands"
    """Such commands as words, too."""
    PIECES = "pieces"
    """Texts in many places of its own language."""
    BANG = "bang"
    MACROS = "macros"
    SYSTEM_MACRO = "system macro"
    OUTPUT_PIPE = "output pipe"
    PROGRAM_CLAUSE = "program clause"
    TEX = "tex"
    CRON = "cron"
    RUN_COMMAND = "run command"
    """`run` starts a script of the project, or else any program."""


# ---- what it prints and changes besides ----------------------------------------------------------


class Prints(StrEnum):
    """What a program prints."""

    PASSES = "passes"
    """What it reads, or some of it."""
    CHANGES = "changes"
    """Something else made of what it reads, which may still hold some of it."""
    NOTHING = "nothing"
    """Nothing, unless it fails."""
    WORDS = "words"
    """Its words: `echo`."""
    FORMAT = "format"
    """Its first word, filled with the others: `printf`."""


class Damage(StrEnum):
    """How a program harms the paths among its words."""

    RIGHTS = "rights"
    REMOVES = "removes"
    REMOVES_TREES = "removes trees"
    """It removes directories without a flag that says so."""
    REMOVES_DRIVES = "removes drives"
    """It removes files, or a whole drive of Windows."""
    FORMATS = "formats"
    """It formats a drive of Windows."""
    UNPACKS = "unpacks"
    SYNCHRONIZES = "synchronizes"
    MOVES = "moves"
    COPIES = "copies"
    TRUNCATES = "truncates"
    OVERWRITES = "overwrites"
    FOUND_FILES = "found files"
    SUBVOLUMES = "subvolumes"
    TRASH = "trash"


class Disk(NamedTuple):
    """What a program does to disks, partitions and volumes."""

    shows: str | None = None
    """A partition tool: with one of these words it only shows something."""
    beside: str | None = None
    """Words that may stand beside those; without them any other word may."""
    destroys: str | None = None
    """Words with which it destroys a volume or a disk; empty when it always does."""
    wipes: str = ""
    """Flags without which a tool that formats only looks."""


class Output(StrEnum):
    """How a program is told to write a file, besides what `writes` says."""

    EDITOR = "editor"
    DATABASE = "database"
    SED = "sed"
    AWK = "awk"
    CODE = "code"
    CRONTAB = "crontab"
    ADDRESS = "address"
    """Addresses of `socat` that are files."""
    FIRST_OPERAND = "first operand"
    """What the command after its first operand prints goes there, or it is made to lock it."""
    SUBCOMMAND = "subcommand"
    """An option of a sub-command."""


class Settings(NamedTuple):
    """The files in which a program keeps what it runs."""

    words: str
    """Words that change them."""
    files: str


class Edits(StrEnum):
    """How a program puts lines into files that it is given."""

    IN_PLACE = "in place"
    FROM_INPUT = "from input"
    PROJECT_SCRIPTS = "project scripts"


class Sends(StrEnum):
    """Which files a program reads to copy, link or send them."""

    OPERANDS = "operands"
    EVERY_WORD = "every word"
    INPUT_OPTION = "input option"
    """The word after `-in`."""


class LossesBy(StrEnum):
    """Programs whose irreversible acts need a function of their own, besides `losses`."""

    REPOSITORY = "repository"
    SQL = "sql"
    MONGO = "mongo"
    REDIS = "redis"
    HTTP = "http"
    IMAGE = "image"


# ---- the entry ----------------------------------------------------------------------------------


class Program(NamedTuple):
    """One entry: everything that is known about the programs of these names."""

    names: str
    """The names that the program is called by."""
    reads: ReadEntry | None = None
    runs: RunEntry | None = None
    runs_by: RunsBy | None = None
    runs_options: str = ""
    """The options of a program with `runs_by` that stand before what it runs."""
    is_interpreter: bool = False
    """It runs a file, or else takes its input for code."""
    may_run: bool = False
    """Its words or its input may name a program, in ways that no field describes."""
    never_suggest: bool = False
    """A rule `name *` is never suggested, although nothing above says that it runs its words."""
    never_suggest_commands: str = ""
    """Sub-commands for which the same holds."""
    can_suggest_commands: bool = False
    """A rule `name command *` may be suggested, although some of its sub-commands run what they are given."""
    text_options: str | None = None
    """Options whose value is shell text or a program, wherever they stand among its words."""
    text_words: tuple[str, ...] = ()
    """How words begin whose remainder is shell text."""
    writes: Writes | None = None
    input: tuple[InputRule, ...] = ()
    """The ways in which it reads its input; the first rule that fits its words applies."""
    takes_data: bool = False
    """It takes its input for data unless one of its words says otherwise."""
    attaches_with: str = ""
    """It passes its input on only with one of these words."""
    dash_is_data: str = ""
    """Sub-commands for which a word `-` is a text to store, or no input at all; `*` for all words."""
    losses: Losses | None = None
    options: Mapping[str, str] | None = None
    """Short options and their long names, by sub-command: `{"push": "f=force d=delete"}`."""
    shortens_options: bool = False
    """It accepts the beginning of a long option for the whole of it."""
    same_as: tuple[str, ...] = ()
    """Commands that are called by several names: `"git add = git stage"`."""
    is_versioned: bool = False
    """It is called by its name and a version, too: `python3.12`."""
    has_resources: bool = False
    """It names resources of a cluster, which have short and long names."""
    runs_scripts_by_name: bool = False
    """It runs a script of the project with and without `run` before its name."""
    runs_modules: bool = False
    """It runs a module of Python that the word after `-m` names."""
    is_module: bool = False
    """Python runs it as a module, too."""
    takes_assignments: bool = False
    """It takes `NAME=value` words for variables that it sets."""
    project_files: tuple[str, ...] = ()
    """Names or patterns of the files that it runs without being given their names."""
    runs_files: bool = False
    """It takes each file that it is given for shell text."""
    downloads: bool = False
    """It writes files whose content nobody knows yet."""
    scripts: tuple[Script, ...] = ()
    is_plain_shell: bool = False
    """A shell that reads its text as bash does."""
    passes_arguments: bool = False
    """A shell that passes the words after `-c text` to the text as its parameters."""
    prints: Prints | None = None
    filters: str | None = None
    """With these flags alone it passes whole lines on or leaves them out."""
    spells_names: bool = False
    """It prints the names that it is given, or what is in them."""
    sweeps_directory: bool = False
    """It names all that a directory holds."""
    damage: Damage | None = None
    image: str | None = None
    """It copies to whole disks: options that name the disk and, after `#`, which operand does.

    `2` is the second operand, `*` every operand, `last` the last, `address` an address of `socat`, and
    `command` the last operand of some sub-commands.
    """
    disk: Disk | None = None
    output: Output | None = None
    settings: Settings | None = None
    edits: Edits | None = None
    takes_hosts: bool = False
    """Its operands are hosts and its options name keys: it changes neither."""
    sends: Sends | None = None
    is_copier: bool = False
    """It copies, moves or links files."""
    spreads_input: bool = False
    """It writes its input to its operands."""
    is_transparent_prefix: bool = False
    """It runs the words after it unchanged, in the same place."""
    losses_by: LossesBy | None = None
    runs_named_script: bool = False
    """Its first operand is a script, which rules may also name as a program."""

    @property
    def runs_others(self) -> bool:
        """Whether its words or its input are, or hold, the name of a program."""
        return self.runs is not None or self.runs_by is not None or self.may_run

    @property
    def takes_files_for_shell_text(self) -> bool:
        """Whether it takes each file that it is given for shell text."""
        return self.runs_files or self.runs_by is RunsBy.SHELL
