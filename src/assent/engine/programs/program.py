"""What is known about a program: one entry with named fields, in one file of this folder.

To teach Assent a program, write a `Program(...)` into the file of its topic and run `./dev programs`, which
writes `index.py`. `flags.py` explains how options are spelled; `runs.py` and `losses.py` hold more of the fields.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from assent.engine.programs.losses import Losses, LossesBy
from assent.engine.programs.runs import InputRule, RunEntry, RunsBy, Script

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
    """There are no operands."""


FILES, PATTERN_FILES, NAMES, TEXT = Operands.FILES, Operands.PATTERN_FILES, Operands.NAMES, Operands.TEXT
SINGLE, BINARIES, NONE = Operands.SINGLE, Operands.BINARIES, Operands.NONE


class Reads(NamedTuple):
    """A program or sub-command that only reads when it is used with these flags alone."""

    flags: str = ""
    operands: Operands = Operands.FILES
    every_flag: bool = False
    """No flag, listed or not, writes, runs or connects; unknown operands are harmless."""
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
    """One of these flags must be given before any operand, like `-l` of `unzip`."""
    only: bool = False
    """One of its flags alone, with nothing else, as in `node --version`."""
    bare: bool = True
    """It only reads without any operand, too."""


class ReadCommands(NamedTuple):
    """A program whose first operand is a sub-command with its own entry."""

    commands: "Mapping[str, ReadEntry]"
    flags: str = ""
    """Flags that are allowed before the sub-command."""
    trust: bool = False
    bare: bool = False
    """It only reads when it has flags but no sub-command: `git --version`."""
    empty: bool = False
    """It only reads when it has no words."""
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
    known = {name: _add_help(entry, flag) for name, entry in commands.items()}
    return {**dict.fromkeys(more.split(), Reads(flag, Operands.NONE, only=True)), **known}


def _add_help(entry: ReadEntry, flag: str) -> ReadEntry:
    if isinstance(entry, ReadCommands):
        inner = with_help(entry.commands, flag=flag)
        return entry._replace(commands=inner, flags=f"{entry.flags} {flag}", bare=True)
    # An entry that has a check and no flags is read by that check alone.
    return entry if entry.check and not entry.flags else entry._replace(flags=f"{entry.flags} {flag}")


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
    """`curl`, which prints what it downloads unless an option names a file."""
    SAVED_DOWNLOAD = "saved download"
    """`wget`, which saves what it downloads unless an option prevents that."""
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


# ---- what it prints, and what it does besides ---------------------------------------------------


class Prints(StrEnum):
    """What a program prints."""

    PASSES = "passes"
    """What it reads, or some of it."""
    CHANGES = "changes"
    """A changed form of what it reads, which may still contain some of it."""
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
    """It removes directories without needing a flag."""
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
    """Words that are allowed together with `shows`; None allows any."""
    destroys: str | None = None
    """Words with which it destroys a volume or a disk; empty when it always does."""
    wipes: str = ""
    """Flags without which a tool that formats only looks."""


class Output(StrEnum):
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


# ---- the entry ----------------------------------------------------------------------------------


class Program(NamedTuple):
    """One entry: everything that is known about the programs of these names."""

    names: str
    """The names that the program is called by."""
    reads: ReadEntry | None = None
    runs: RunEntry | None = None
    runs_by: RunsBy | None = None
    runs_options: str = ""
    """The options of a program with `runs_by`, before the command that it runs."""
    is_interpreter: bool = False
    """It runs a file, or else takes its input for code."""
    may_run: bool = False
    """Its words or its input may name a program, in ways that no field describes."""
    never_suggest: bool = False
    """A rule `name *` is never suggested, although no field above states that it runs its words."""
    never_suggest_commands: str = ""
    """Sub-commands for which the same holds."""
    can_suggest_commands: bool = False
    """A rule `name command *` may be suggested, although some of its sub-commands run what they are given."""
    text_options: str | None = None
    """Options whose value is shell text or a program, in any position."""
    text_words: tuple[str, ...] = ()
    """How words begin whose remainder is shell text."""
    writes: Writes | None = None
    input: tuple[InputRule, ...] = ()
    """The ways in which it reads its input; the first rule that fits its words applies."""
    takes_data: bool = False
    """Its input is data unless one of its words changes that."""
    attaches_with: str = ""
    """It passes its input on only with one of these words."""
    dash_is_data: str = ""
    """Sub-commands for which a word `-` is data or does not mean the input; `*` for all."""
    losses: Losses | None = None
    options: Mapping[str, str] | None = None
    """Short options and their long names, by sub-command: `{"push": "f=force d=delete"}`."""
    shortens_options: bool = False
    """It accepts abbreviated long options."""
    same_as: tuple[str, ...] = ()
    """Commands with several names: `"git add = git stage"`."""
    is_versioned: bool = False
    """Its name can have a version: `python3.12`."""
    has_resources: bool = False
    """Its words name resources of a cluster, which have short and long names."""
    runs_scripts_by_name: bool = False
    """It runs a script of the project with and without `run` before its name."""
    runs_modules: bool = False
    """It runs a module of Python that the word after `-m` names."""
    is_module: bool = False
    """Python runs it as a module, too."""
    takes_assignments: bool = False
    """It takes `NAME=value` words for variables that it sets."""
    project_files: tuple[str, ...] = ()
    """Names or patterns of files that it runs without naming them in its words."""
    runs_files: bool = False
    """It reads each file operand as shell text."""
    downloads: bool = False
    """It writes files with unknown content."""
    scripts: tuple[Script, ...] = ()
    is_plain_shell: bool = False
    """A shell with the syntax of bash."""
    passes_arguments: bool = False
    """A shell that passes the words after `-c text` to the text as its parameters."""
    prints: Prints | None = None
    filters: str | None = None
    """With these flags alone it passes whole lines on or leaves them out."""
    spells_names: bool = False
    """It prints the names among its words, or their content."""
    sweeps_directory: bool = False
    """It lists everything in a directory."""
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


# ---- values that several topics share ----------------------------------------------------------

HELP = " --help --version"
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
    # With a version these set it; without a flag `install` installs.
    "local": Reads("", NONE),
    "global": Reads("", NONE),
    "shell": Reads("", NONE),
    "install": Reads("-l --list", NONE, needs="-l --list"),
}
PYENV = ReadCommands(PYENV_READS, flags="-v --version", bare=True)
READS_TEXT = Reads("", TEXT)
