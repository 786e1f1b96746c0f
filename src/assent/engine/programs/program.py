"""The entry of a program: its named fields describe everything that the engine knows about the program.

To add a program, write a `Program(...)` into the file of its topic and run `./dev programs`, which
writes `index.py`. `flags.py` explains how options are written; `runs.py` and `losses.py` define more fields.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from assent.engine.programs.code_files import CodeFile
from assent.engine.programs.losses import Losses, LossesBy
from assent.engine.programs.runs import InputRule, RunEntry, RunsBy, Script

# ---- what a program reads -----------------------------------------------------------------------


class Operands(StrEnum):
    """The meaning of the words after the flags."""

    FILES = "files"
    """Files and directories that are read."""
    PATTERN_FILES = "pattern files"
    """A search pattern, unless a flag contains it, and then files."""
    NAMES = "names"
    """Revisions, branches or paths; a word counts as a path only if it may lead out of the directory."""
    TEXT = "text"
    """Any text; no operand is read as a file."""
    SINGLE = "single"
    """At most one file or name; a second operand would be written or changed."""
    BINARIES = "binaries"
    """Files; a word `@list` would be a file with more flags."""
    NONE = "none"
    """No operands."""


FILES, PATTERN_FILES, NAMES, TEXT = Operands.FILES, Operands.PATTERN_FILES, Operands.NAMES, Operands.TEXT
SINGLE, BINARIES, NONE = Operands.SINGLE, Operands.BINARIES, Operands.NONE


class Reads(NamedTuple):
    """A program or sub-command that only reads if it is used with these flags alone."""

    flags: str = ""
    """The flags with which the program only reads; see `flags.py`."""
    operands: Operands = Operands.FILES
    every_flag: bool = False
    """True if no flag, listed or not, writes, runs or connects; unknown operands are then harmless."""
    trust: bool = False
    """True if files of the workspace can make the program run code.

    `Program.code_files`, or `settings` for Git, lists them.
    """
    trust_without: str = ""
    """Words each of which, as the only one, makes the program read none of these files."""
    settings: str = ""
    """The groups of Git settings that the command uses."""
    settings_with: tuple[tuple[str, str], ...] = ()
    """Flags, and the groups of Git settings that each adds."""
    follows: str = ""
    """Flags with which the program follows links of a tree. Then no link may lead out."""
    trusted_links: bool = False
    """True if trust in the repository also lets the program follow its links."""
    walks: str = ""
    """Flags with which the program reads all files of a tree; `*` if it does so without a flag."""
    walks_hidden: str = ""
    """Flags with which the program also reads hidden files; `*` if it does so without a flag."""
    walks_without: str = ""
    """Flags with which the program reads no tree."""
    leaves_out: str = ""
    """How an option of the program leaves out files with a name, with `NAME` for the name."""
    check: str = ""
    """The name of a function in `checks` that checks the words.

    The list of flags, if there is one, is checked as well.
    """
    lists: bool = False
    """True if the program prints names of files below the workspace, one per line."""
    lists_with: str = ""
    """Flags with which the program prints such names."""
    lists_without: str = ""
    """Flags with which the program prints something else."""
    needs: str = ""
    """Flags of which one must be given before any operand, such as `-l` of `unzip`."""
    only: bool = False
    """True if one of the flags must be the only word, as in `node --version`."""
    bare: bool = True
    """True if the program also only reads without any operand."""


class ReadCommands(NamedTuple):
    """A program whose first operand is a sub-command with an entry of its own."""

    commands: "Mapping[str, ReadEntry]"
    flags: str = ""
    """Flags that are allowed before the sub-command."""
    trust: bool = False
    settings: str = ""
    settings_without: tuple[tuple[str, str], ...] = ()
    """Flags before the sub-command, and the group of Git settings that each turns off."""
    bare: bool = False
    """True if the program only reads if it has flags but no sub-command, as in `git --version`."""
    empty: bool = False
    """True if the program only reads if it has no words."""
    check: str = ""
    """The name of a function in `checks` that checks the words before the sub-command."""
    alone: str = ""
    """Flags with which a sub-command has another meaning, as in `git --help log`."""


ReadEntry = Reads | ReadCommands
"""How a program only reads, by its words or by its sub-command."""


def add_help_entries(
    commands: Mapping[str, ReadEntry], more: str = "", *, flag: str = "--help"
) -> dict[str, ReadEntry]:
    """Add an entry for the help of each sub-command, which is printed if the flag is the only word.

    More words may change that: `docker run image --help` runs the image. `more` names additional
    sub-commands.
    """
    known = {name: _add_help_entry(entry, flag) for name, entry in commands.items()}
    return {**dict.fromkeys(more.split(), Reads(flag, Operands.NONE, only=True)), **known}


def _add_help_entry(entry: ReadEntry, flag: str) -> ReadEntry:
    """The entry, extended by the help that the flag alone prints."""
    if isinstance(entry, ReadCommands):
        inner = add_help_entries(entry.commands, flag=flag)
        return entry._replace(commands=inner, flags=f"{entry.flags} {flag}", bare=True)
    # An entry with a check and no flags uses only the check.
    return entry if entry.check and not entry.flags else entry._replace(flags=f"{entry.flags} {flag}")


# ---- what a program writes ----------------------------------------------------------------------


class WriteTarget(StrEnum):
    """Which operands a program changes."""

    EVERY = "every"
    """All operands are written."""
    REMOVED = "removed"
    """All operands are removed."""
    LAST = "last"
    """The last operand, or files in it, is written; the others are read."""
    MOVED = "moved"
    """The last operand, or files in it, is written; the others are removed."""
    FIRST = "first"
    """The first operand is written; the others are read."""
    SECOND = "second"
    """The second operand, if there is one, is written; the first is read."""
    AFTER_FIRST = "after first"
    """All operands are written except the first, which is a mode, an owner or a script."""
    PACKED = "packed"
    """Each operand is replaced by a packed or unpacked file."""
    MEMBERS = "members"
    """All operands after the archive are written, below the directory that `into` names."""
    NONE = "none"
    """No operand is written."""


class WritesBy(StrEnum):
    """Programs whose written files are found by a function of their own."""

    ARCHIVE = "archive"
    """`tar`, whose first word may be options without a dash."""
    IMAGE = "image"
    """`dd`, with its target in `of=file`."""
    DOWNLOAD = "download"
    """`curl`, which prints the download unless an option names a file."""
    SAVED_DOWNLOAD = "saved download"
    """`wget`, which saves the download unless an option prevents it."""
    REPOSITORY = "repository"
    FOUND_FILES = "found files"


class Writes(NamedTuple):
    """The files that a program changes; in `options`, a `>` marks an option whose value is a written file."""

    options: str = ""
    target: WriteTarget = WriteTarget.EVERY
    into: str = ""
    """Options that name the directory to write to, instead of the last operand."""
    only: str = ""
    """Options of which one is required; without them the program changes no operand, and nothing is known."""
    quiet: str = ""
    """Options with which the program changes no operand."""
    given: str = ""
    """Options that contain the value which otherwise is the first operand."""
    keeps: str = ""
    """Options with which nothing is removed."""
    removing: str = ""
    """Options with which the operands are also removed."""
    here: bool = False
    """True if the program writes to the current directory unless `into` names another."""
    links: str = ""
    """Options with which the operands get a second name, by which they can be changed; `*` means always."""
    makes: str = ""
    """Options with which every operand is a directory that the program creates."""
    by: WritesBy | None = None
    """The function that finds the written files, instead of the fields above."""


# ---- what a program prints, and its other effects -----------------------------------------------


class PrintedOutput(StrEnum):
    """What a program prints."""

    PASSES = "passes"
    """All or some of its input."""
    CHANGES = "changes"
    """A changed form of its input, which may still contain parts of it."""
    NOTHING = "nothing"
    """Nothing, unless the program fails."""
    WORDS = "words"
    """Its words, as `echo` does."""
    FORMAT = "format"
    """Its first word with the other words inserted, as `printf` does."""


class TreeReads(StrEnum):
    """When a program reads a whole directory tree, hidden and ignored files included."""

    UNRESTRICTED = "unrestricted"
    """It searches, and options turn off that hidden and ignored files are omitted."""
    RECORDED = "recorded"
    """It is Git, which records the whole work tree."""
    CONTEXT = "context"
    """Its last operand is a build context."""
    PACKED = "packed"
    """Every operand after the first is packed."""
    COPIED = "copied"
    """It copies directories with an option for recursion."""


class EditKind(StrEnum):
    """What a program that edits files does with its operands."""

    FILES = "files"
    """It creates or changes each of them."""
    DIRECTORIES = "directories"
    """It creates each of them as a directory."""
    COPIES = "copies"
    """It copies or moves files to the last of them."""
    STAGED = "staged"
    """It is Git, whose `add` records files in the index and changes none."""
    IN_PLACE = "in place"
    """It applies a script of `sed` to each file after the script."""


class ShellEdits(NamedTuple):
    """How a program edits files and does nothing else."""

    kind: EditKind
    flags: str = ""
    """The flags with which the program only edits; see `flags.py`."""
    settings: str = ""
    """The groups of Git settings that the edit uses and that can name programs."""


class Damage(StrEnum):
    """How a program damages the paths among its words."""

    RIGHTS = "rights"
    REMOVES = "removes"
    REMOVES_TREES = "removes trees"
    """The program removes directories without a flag."""
    REMOVES_DRIVES = "removes drives"
    """The program removes files, or a whole drive of Windows."""
    FORMATS = "formats"
    """The program formats a drive of Windows."""
    UNPACKS = "unpacks"
    SYNCHRONIZES = "synchronizes"
    MOVES = "moves"
    COPIES = "copies"
    TRUNCATES = "truncates"
    OVERWRITES = "overwrites"
    FOUND_FILES = "found files"
    SUBVOLUMES = "subvolumes"
    TRASH = "trash"
    SIGNALS = "signals"
    """The program sends signals to processes; `-1` means all of them."""


class DiskUse(NamedTuple):
    """What a program does to disks, partitions and volumes."""

    shows: str | None = None
    """Words with which a partition tool only prints information; None for other programs."""
    beside: str | None = None
    """Words that are allowed together with `shows`; None allows any word."""
    destroys: str | None = None
    """Words with which the program destroys a volume or a disk; empty if it always does."""
    wipes: str = ""
    """Flags without which a formatting tool only inspects the disk."""


class OtherOutput(StrEnum):
    """How a program writes a file in ways that `writes` does not describe."""

    EDITOR = "editor"
    DATABASE = "database"
    SED = "sed"
    AWK = "awk"
    CODE = "code"
    CRONTAB = "crontab"
    ADDRESS = "address"
    """Addresses of `socat` that are files."""
    FIRST_OPERAND = "first operand"
    """The first operand is a file for the output of the command after it, or a lock file."""
    SUBCOMMAND = "subcommand"
    """An option of a sub-command names the file."""


class SettingFiles(NamedTuple):
    """The files in which a program stores what it runs."""

    words: str
    """Words with which the program changes these files."""
    files: str


class FileEdits(StrEnum):
    """How a program inserts lines into files."""

    IN_PLACE = "in place"
    FROM_INPUT = "from input"
    PROJECT_SCRIPTS = "project scripts"


class SentFiles(StrEnum):
    """Which files a program reads in order to copy, link or send them."""

    OPERANDS = "operands"
    EVERY_WORD = "every word"
    INPUT_OPTION = "input option"
    """The word after `-in`."""


# ---- the entry ----------------------------------------------------------------------------------


class Program(NamedTuple):
    """One entry: everything that the engine knows about the programs with these names."""

    names: str
    """The names of the program, separated by blanks."""
    reads: ReadEntry | None = None
    """How the program only reads; None if it is not known to only read."""
    runs: RunEntry | None = None
    """How the words contain a command that the program runs."""
    runs_by: RunsBy | None = None
    """The function that finds the nested commands, instead of `runs`."""
    runs_options: str = ""
    """The options of a program with `runs_by`, before the command that it runs."""
    is_gate: bool = False
    """True if the program changes what Assent decides, unless it only reads."""
    is_interpreter: bool = False
    """True if the program runs a file, or its input as code."""
    may_run: bool = False
    """True if its words or its input may name a program, in ways that no field describes."""
    never_suggest: bool = False
    """True if a rule `name *` is never suggested.

    Set it if no field above states that the program runs its words.
    """
    never_suggest_commands: str = ""
    """Sub-commands for which a rule `name command *` is never suggested."""
    can_suggest_commands: bool = False
    """True if a rule `name command *` may be suggested, although some sub-commands run their words."""
    text_options: str | None = None
    """Options whose value is shell text or a program, at any position."""
    text_words: tuple[str, ...] = ()
    """Prefixes of words whose remainder is shell text."""
    writes: Writes | None = None
    """The files that the program changes."""
    reads_trees: TreeReads | None = None
    """When the program reads a whole directory tree; None if it never does."""
    shell_edits: ShellEdits | None = None
    """How the program only edits the files that it names; None for other programs."""
    input: tuple[InputRule, ...] = ()
    """The ways in which the program uses its input; the first rule that fits its words applies."""
    takes_data: bool = False
    """True if the input is data, unless one of the words changes that."""
    attaches_with: str = ""
    """Words of which one is required for the program to pass its input on."""
    dash_is_data: str = ""
    """Sub-commands for which a word `-` is data or does not mean the input; `*` for all."""
    losses: Losses | None = None
    """The irreversible acts of the program."""
    options: Mapping[str, str] | None = None
    """Short options and their long names, by sub-command: `{"push": "f=force d=delete"}`."""
    shortens_options: bool = False
    """True if the program accepts abbreviated long options."""
    same_as: tuple[str, ...] = ()
    """Commands with several names: `"git add = git stage"`."""
    is_versioned: bool = False
    """True if the name can have a version, as in `python3.12`."""
    has_resources: bool = False
    """True if the words name resources of a cluster, which have short and long names."""
    runs_scripts_by_name: bool = False
    """True if the program runs a script of the project with and without `run` before its name."""
    runs_modules: bool = False
    """True if the program runs the Python module after `-m`."""
    is_module: bool = False
    """True if Python can also run the program as a module."""
    takes_assignments: bool = False
    """True if the program treats words `NAME=value` as assignments."""
    project_files: tuple[str, ...] = ()
    """Names or patterns of files that the program runs although its words do not name them."""
    runs_files: bool = False
    """True if the program reads each file operand as shell text."""
    downloads: bool = False
    """True if the program writes files with unknown content."""
    scripts: tuple[Script, ...] = ()
    """How scripts of the program contain the commands that they start."""
    is_plain_shell: bool = False
    """True if the program is a shell with the syntax of bash."""
    passes_arguments: bool = False
    """True if the program is a shell that passes the words after `-c text` to the text as parameters."""
    prints: PrintedOutput | None = None
    copies_input: bool = False
    """True if the program prints its input unchanged when it has no words."""
    filters: str | None = None
    """Flags with which the program only passes on or omits whole lines of its input."""
    prints_names: bool = False
    """True if the program prints the names among its words, or their content."""
    prints_beginning: bool = False
    """True if the program stops after the first lines of its input."""
    prints_without_end: bool = False
    """True if the program prints until it is stopped."""
    lists_whole_directory: bool = False
    """True if the program lists everything in a directory."""
    damage: Damage | None = None
    """How the program damages the paths among its words."""
    image: str | None = None
    """How the words name a disk to which the program copies an image: options and, after `#`, an operand.

    `2` is the second operand, `*` every operand, `last` the last, `address` an address of `socat`,
    and `command` the last operand of some sub-commands.
    """
    disk: DiskUse | None = None
    output: OtherOutput | None = None
    settings: SettingFiles | None = None
    edits: FileEdits | None = None
    takes_hosts: bool = False
    """True if the operands are hosts and the options name keys; the program changes neither."""
    sends: SentFiles | None = None
    is_copier: bool = False
    """True if the program copies, moves or links files."""
    writes_input_to_operands: bool = False
    """True if the program writes its input to its operands."""
    is_transparent_prefix: bool = False
    """True if the program runs the words after it unchanged, in the same directory."""
    losses_by: LossesBy | None = None
    runs_named_script: bool = False
    """True if the first operand is a script, which rules may also name as a program."""
    brings_files: str = ""
    """Sub-commands with which the program changes files with unknown names; `*` if it always does."""
    code_files: tuple[CodeFile, ...] = ()
    """Files of the workspace that can make the program run code, although it only reads."""
    git_settings: str = ""
    """The groups of Git settings that the program uses because it runs Git."""
    does: str = ""
    """What the program does besides reading, for the question about it; see `actions.py`."""

    @property
    def runs_others(self) -> bool:
        """Whether the words or the input contain the name of a program to run."""
        return self.runs is not None or self.runs_by is not None or self.may_run

    @property
    def takes_files_for_shell_text(self) -> bool:
        """Whether the program runs each file operand as shell text."""
        return self.runs_files or self.runs_by is RunsBy.SHELL


# ---- values that several topics share ----------------------------------------------------------

HELP_FLAGS = " --help --version"
"""Flags that print help or the version, in most programs."""
PYENV_READS: dict[str, ReadEntry] = {
    "versions": Reads("--bare --skip-aliases --skip-envs", NONE),
    "version": Reads("--bare", NONE),
    "version-name": Reads("", NONE),
    "version-origin": Reads("", NONE),
    "which": Reads("", TEXT),
    "whence": Reads("--path", TEXT),
    "root": Reads("", NONE),
    "prefix": Reads("", TEXT),
    "shims": Reads("--short", NONE),
    "commands": Reads("--sh --no-sh", NONE),
    # With a version, these commands set the version; without a flag, `install` installs.
    "local": Reads("", NONE),
    "global": Reads("", NONE),
    "shell": Reads("", NONE),
    "install": Reads("-l --list", NONE, needs="-l --list"),
}
"""Sub-commands of `pyenv` and similar programs that only read."""
PYENV = ReadCommands(PYENV_READS, flags="-v --version", bare=True)
READS_TEXT = Reads("", TEXT)
"""A program whose words are only text."""
