"""Find the files that a command writes and removes: operands, logs, settings, files named in scripts."""

import re
from functools import lru_cache
from typing import NamedTuple

from assent.engine.base.lazy import regex
from assent.engine.lines.embedded_commands import SED_COMMAND
from assent.engine.lines.options import OptionParser, split_tar_options, value_after_equals
from assent.engine.programs.catalog import find_program
from assent.engine.programs.checks.files import searched_names
from assent.engine.programs.program import OtherOutput, Program, SettingFiles, Writes, WritesBy, WriteTarget
from assent.engine.programs.runs import RunCommands, RunEntry, Runs
from assent.engine.programs.word import Word, base_name, without_version

_CURRENT_DIRECTORY = Word(".")
_STREAM_NAMES = frozenset({"-", "/dev/null", "/dev/stdout", "/dev/stderr"})


class FileChanges(NamedTuple):
    """The files that a command changes."""

    paths: tuple[Word, ...] = ()
    """Files and directories that the command writes."""
    removed: tuple[Word, ...] = ()
    """Files and directories that the command removes or moves away."""
    linked: tuple[Word, ...] = ()
    """Files that get a second name, under which they can be changed later."""
    known: bool = True
    """False if an option is unknown, so that the command may change more files."""


def find_changes(words: tuple[Word, ...]) -> FileChanges | None:
    """The files that a command changes; None if nothing is known about the program."""
    entry = find_program(base_name(words[0].text)).writes
    if entry is None:
        return None
    match entry.by:
        case None:
            return _changes_by_table(entry, words)
        case WritesBy.ARCHIVE:
            return _tar_changes(entry.options, words)
        case WritesBy.IMAGE:
            return _dd_changes(words)
        case WritesBy.DOWNLOAD:
            return _curl_changes(entry.options, words)
        case WritesBy.SAVED_DOWNLOAD:
            return _wget_changes(entry.options, words)
        case WritesBy.REPOSITORY:
            return _git_changes(entry.options, words)
        case WritesBy.FOUND_FILES:
            return _changes_made_by_find(words)


def _changes_by_table(entry: Writes, words: tuple[Word, ...]) -> FileChanges | None:
    """The changes of a program that the catalog describes by options and operands."""
    parser = OptionParser(entry.options, words)
    operands = parser.parse_operands()
    names = parser.option_names()
    if entry.only and not names.intersection(entry.only.split()):
        return None
    values = _output_values(parser)
    if names.intersection(entry.quiet.split()):
        return FileChanges(values, (), known=parser.understood)
    found = _target_changes(entry, parser, operands)
    removed = found.removed
    if names.intersection(entry.removing.split()):
        removed = (*removed, *operands)
    kept = names.intersection(entry.keeps.split())
    links = entry.links == "*" or names.intersection(entry.links.split())
    linked = tuple(operands[:-1]) if links else ()
    return FileChanges((*values, *found.paths), () if kept else removed, linked, parser.understood)


def _target_changes(entry: Writes, parser: OptionParser, operands: list[Word]) -> FileChanges:
    """The changes of the operands, by the position of the target."""
    into = [option.value for option in parser.found if option.name in entry.into.split()]
    given = bool(parser.option_names().intersection(entry.given.split()))
    match entry.target:
        case WriteTarget.EVERY:
            return FileChanges(tuple(operands))
        case WriteTarget.REMOVED:
            return FileChanges((), tuple(operands))
        case WriteTarget.LAST | WriteTarget.MOVED:
            return _copy_changes(entry, parser, operands, into)
        case WriteTarget.FIRST:
            return FileChanges(
                (*operands[:1], *(into or ([_CURRENT_DIRECTORY] if entry.here and not operands else [])))
            )
        case WriteTarget.SECOND:
            return FileChanges(tuple(operands[1:2]))
        case WriteTarget.AFTER_FIRST:
            return FileChanges(tuple(operands if given or not parser.understood else operands[1:]))
        case WriteTarget.PACKED:
            return FileChanges(tuple(_packed_files(operands)), tuple(operands))
        case WriteTarget.MEMBERS:
            return FileChanges(_unpacked_paths(into, operands[1:]))
        case _:  # no operand is written
            return FileChanges(tuple(into or ([_CURRENT_DIRECTORY] if entry.here else [])))


def _copy_changes(entry: Writes, parser: OptionParser, operands: list[Word], into: list[Word]) -> FileChanges:
    """The destination of a copy, and the copied files in it if it is a directory."""
    if parser.option_names().intersection(entry.makes.split()):
        return FileChanges(tuple(operands))
    sources, destination = (operands, into) if into else (operands[:-1], operands[-1:])
    if not sources and entry.here:
        sources, destination = operands, [_CURRENT_DIRECTORY]
    local = [word for word in destination if not _is_remote(word)]
    inside = [_path_of_copy(directory, source) for directory in local for source in sources]
    emptied = local if any(name.startswith("--del") for name in parser.option_names()) else []
    moved = sources if entry.target is WriteTarget.MOVED else []
    return FileChanges((*local, *inside), (*moved, *emptied))


def _path_of_copy(directory: Word, source: Word) -> Word:
    """The path that a source gets in the destination directory."""
    name = base_name(source.text.rstrip("/")) or "."
    text = f"{directory.text.rstrip('/') or '/'}/{name}".replace("//", "/")
    return directory._replace(
        text=text, glob=directory.glob or source.glob, splits=directory.splits or source.splits
    )


def _packed_files(operands: list[Word]) -> list[Word]:
    """Each packed file, and its name without the last extension, which unpacking creates."""
    found: list[Word] = []
    for word in operands:
        stem, dot, _ = word.text.rpartition(".")
        found.append(word)
        if dot and stem:
            found.append(word._replace(text=stem))
    return found


def _output_values(parser: OptionParser) -> tuple[Word, ...]:
    """The values of options that name an output file."""
    values = [option.value for option in parser.options_with_mark(">")]
    return tuple(value for value in values if value.text not in ("", *_STREAM_NAMES))


def _is_remote(word: Word) -> bool:
    """Whether a path is on another machine: `host:path`, `user@host:path`, `rsync://…`."""
    before, colon, _ = word.text.partition(":")
    return bool(colon) and "/" not in before


def _tar_changes(options: str, words: tuple[Word, ...]) -> FileChanges:
    """The files that `tar` writes or removes."""
    words = split_tar_options(words)
    parser = OptionParser(options, words)
    operands = parser.parse_operands()
    names = parser.option_names()
    archives = [option.value for option in parser.found if option.name in ("-f", "--file")]
    archives = [word for word in archives if word.text not in _STREAM_NAMES and not _is_remote(word)]
    directories = [option.value for option in parser.found if option.name in ("-C", "--directory")]
    removed = tuple(operands) if "--remove-files" in names else ()
    if names & {"-x", "--extract", "--get"}:
        quiet = bool(names & {"-O", "--to-stdout"})
        unpacked = () if quiet else _unpacked_paths(directories, operands)
        return FileChanges(unpacked, removed, known=parser.understood)
    if names & {"-t", "--list", "-d", "--diff", "--compare"}:
        return FileChanges((), removed, known=parser.understood)
    return FileChanges((*archives, *_output_values(parser)), removed, known=parser.understood)


def _unpacked_paths(directories: list[Word], members: list[Word]) -> tuple[Word, ...]:
    """The directories into which an archive is unpacked, and the named members in them."""
    inside = [_path_below(directory, member) for directory in directories for member in members]
    return (*(directories or [_CURRENT_DIRECTORY]), *(inside or members))


def _path_below(directory: Word, member: Word) -> Word:
    """The path of an archive member in the target directory."""
    text = f"{directory.text.rstrip('/')}/{member.text}"
    return directory._replace(
        text=text, glob=directory.glob or member.glob, splits=directory.splits or member.splits
    )


def _dd_changes(words: tuple[Word, ...]) -> FileChanges:
    """The file that `dd` writes."""
    targets = [word._replace(text=word.text[3:]) for word in words[1:] if word.text.startswith("of=")]
    return FileChanges(tuple(targets))


def _curl_changes(options: str, words: tuple[Word, ...]) -> FileChanges:
    """The files that `curl` writes."""
    parser = OptionParser(options, words)
    addresses = parser.parse_operands()
    addresses += [option.value for option in parser.found if option.name == "--url"]
    found = _output_values(parser)
    if parser.option_names() & {"-O", "--remote-name", "--remote-name-all"}:
        found = (*found, *(_download_name(address) for address in addresses))
    directories = [option.value for option in parser.found if option.name == "--output-dir"]
    found = (*found, *(_path_of_copy(directory, word) for directory in directories for word in found))
    # The options in a configuration file are unknown.
    return FileChanges(
        (*found, *directories), (), known=parser.understood and not parser.options_with_mark("<")
    )


def _wget_changes(options: str, words: tuple[Word, ...]) -> FileChanges:
    """The files that `wget` writes."""
    parser = OptionParser(options, words)
    addresses = parser.parse_operands()
    found = _output_values(parser)
    if "--spider" in parser.option_names():
        return FileChanges(found, (), known=parser.understood)
    directories = [
        option.value for option in parser.found if option.name in ("-P", "--directory-prefix")
    ] or [_CURRENT_DIRECTORY]
    if not parser.option_names() & {"-O", "--output-document"}:
        files = [
            _path_of_copy(directory, _download_name(word)) for directory in directories for word in addresses
        ]
        found = (*found, *directories, *files)
    return FileChanges(found, (), known=parser.understood)


def _download_name(address: Word) -> Word:
    """The name of the file that a download from an address creates."""
    path = address.text.partition("?")[0].partition("#")[0]
    return address._replace(text=path.rstrip("/").rpartition("/")[2] or "index.html")


def _git_changes(options: str, words: tuple[Word, ...]) -> FileChanges:
    """The files and settings that a Git command changes, without the history."""
    parser = OptionParser(options, words)
    parser.skip_options()
    words = words[parser.at :]
    command = words[0].text if words else ""
    names = [word for word in words[1:] if ".git" in word.text.lower().split("/")]
    outputs = [value_after_equals(word) for word in words[1:] if word.text.startswith(_GIT_OUTPUT_OPTIONS)]
    found = (*names, *outputs, *_git_settings(command, words), *_git_files(command, words))
    directories = [option.value for option in parser.found if option.name == "-C"]
    below = [
        _path_below(directory, word)
        for directory in directories
        for word in found
        if word.text[:1] not in ("/", "~")
    ]
    return FileChanges(tuple(dict.fromkeys((*found, *below))))


def _git_settings(command: str, words: tuple[Word, ...]) -> list[Word]:
    """The files of Git that contain commands to run, such as hooks and the configuration."""
    texts = [word.text for word in words]
    if command == "config":
        named = [word._replace(text=word.text[7:]) for word in words if word.text.startswith("--file=")]
        home = Word("~/.gitconfig", tilde=True)
        return [*named, home] if {"--global", "--system"} & set(texts) else [*named, Word(".git/config")]
    if command == "submodule" and "add" in texts:
        return [Word(".gitmodules")]
    if (command == "init" and any(text.startswith("--template") for text in texts)) or texts[:2] == [
        "lfs",
        "install",
    ]:
        return [Word(".git/hooks")]
    return []


def _git_files(command: str, words: tuple[Word, ...]) -> list[Word]:
    """The operands of Git commands that change files of the work tree."""
    if command not in _GIT_FILE_COMMANDS:
        return []
    return [word for word in words[1:] if not word.text.startswith("-") and ":" not in word.text]


def _changes_made_by_find(words: tuple[Word, ...]) -> FileChanges:
    """The files that `find` may delete or change by an action, or write by `-fprint` and similar actions."""
    end = next((at for at in range(1, len(words)) if words[at].text[:1] in ("-", "(", "!")), len(words))
    files = tuple(words[at + 1] for at in range(1, len(words) - 1) if words[at].text in _FIND_OUTPUT_ACTIONS)
    if not any(word.text in _FIND_ACTIONS for word in words):
        return FileChanges(files)
    return FileChanges(files, ((words[1:end] or (_CURRENT_DIRECTORY,)) + searched_names(words[end:])))


_GIT_OUTPUT_OPTIONS = ("--output=", "--directory=", "--separate-git-dir=")
_GIT_FILE_COMMANDS = frozenset("init checkout restore rm mv clone apply am reset switch worktree".split())
_FIND_ACTIONS = frozenset({"-delete", "-exec", "-execdir", "-ok", "-okdir"})
_FIND_OUTPUT_ACTIONS = frozenset({"-fprint", "-fprint0", "-fprintf", "-fls"})


_FILE_ADDRESS = regex(
    r"(?:open|file|creat|create|gopen|pipe|fifo|unix(?:-\w+)?|abstract-\w+)(?::|$)([^,!]+)", re.IGNORECASE
)
"""An address of `socat` that is a file."""

_SED_WRITE = regex(
    SED_COMMAND + r"[wW]\s*(?P<file>[^\n;}]+)"
    r"|s(?P<mark>[/|,:#@!%])(?:\\.|(?!(?P=mark))[^\\])*(?P=mark)(?:\\.|(?!(?P=mark))[^\\])*(?P=mark)[gpiImM0-9]*w\s*"
    r"(?P<more>[^\n;}]+)"
)
"""A command of `sed` that writes a file."""
_SED_DELIMITERS = "/|,:#@!%"
_EDITOR_WRITE = regex(r"(?:^|[|:+\s])(?:w|wq|x|sav|saveas|up|update)!?\s+(?:>>\s*)?([^\s|!][^|]*)")
"""A command of an editor that writes a file, such as `:w file`."""
_DATABASE_WRITE = regex(
    r"^\s*(?:\.(?:output|once|backup|save|log|clone|excel)|\\(?:o|out|w|write|g))\s+[\"']?([^\s\"'|]+)"
)
"""A command of a database client that writes its output to a file."""
_AWK_STATEMENT = regex(r"[;}\n]")
_AWK_STRING = regex(r'"((?:\\.|[^"\\])*)"')
_OPENED_FILE = regex(
    r"""\b(?:open|fopen|File\.open)\s*\(\s*["']([^"']+)["']\s*,\s*["'][^"']*[wax+]"""
    r"""|\b(?:writeFile|appendFile|copyFile|rename|unlink|symlink|createWriteStream)\w*\s*\(\s*["']([^"']+)"""
    r"""|\b(?:File\.write|IO\.write|file_put_contents|rmtree|rmSync|remove)\s*\(\s*["']([^"']+)"""
    r"""|Path\(\s*["']([^"']+)["']\s*\)\.(?:write|unlink|touch|rename|chmod|symlink|open\(\s*["'][wax])"""
    r"""|open[\s(][^"']{0,80}["']\+?>{1,2}(?:["']\s*,\s*["'])?\s*([^"']+)["']"""
)
"""A function call in a script that opens a file for writing."""

_SETTING_GROUPS = frozenset({"config", "c", "mcp", "python"})
"""Sub-commands that change settings."""
_SETTING_COMMANDS = frozenset({"set", "allow", "permit", "grant", "install", "init", "add", "local", "use"})
"""Words after which a setting is changed."""


def find_output_files(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Other files that a command writes, such as logs, settings and files named in scripts."""
    known = _lookup_program(words[0].text)
    texts = [word.text for word in words[1:]]
    if known.settings is not None:
        return _setting_files(known.settings, texts)
    match known.output:
        case None:
            return _log_files(known.runs, words, 1)
        case OtherOutput.CRONTAB:
            return () if "-l" in texts else (Word("/var/spool/cron"),)
        case OtherOutput.ADDRESS:
            return files_in_addresses(words[1:])
        case OtherOutput.EDITOR:
            return _file_names_matching(_EDITOR_WRITE, texts)
        case OtherOutput.DATABASE:
            return _file_names_matching(_DATABASE_WRITE, texts)
        case OtherOutput.SED:
            return _file_names_matching(_SED_WRITE, texts)
        case OtherOutput.AWK:
            return tuple(
                Word(text) for one in texts if _prints_to_file(one) for text in _AWK_STRING.findall(one)
            )
        case OtherOutput.CODE:
            return _file_names_matching(_OPENED_FILE, texts)
        case OtherOutput.FIRST_OPERAND:
            return _log_files(known.runs, words, 1, first_operand=True)
        case OtherOutput.SUBCOMMAND:
            return _log_files(known.runs, words, 2)


@lru_cache(maxsize=4096)
def _lookup_program(program: str) -> Program:
    """The catalog entry of a program, by its name with or without version."""
    name = base_name(program)
    known = find_program(name)
    plain = find_program(without_version(name))
    return known if known.settings is not None or known.output is not None or plain.output is None else plain


def files_in_addresses(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The files among the addresses of `socat`."""
    found = ((word, match) for word in words for match in _FILE_ADDRESS.finditer(word.text))
    return tuple(word._replace(text=match[1]) for word, match in found)


def _prints_to_file(program: str) -> bool:
    """Whether an `awk` script prints to a file."""
    return any(">" in statement.partition("print")[2] for statement in _AWK_STATEMENT.split(program))


def _setting_files(settings: SettingFiles, texts: list[str]) -> tuple[Word, ...]:
    """The setting files that a command changes."""
    words = set(settings.words.split())
    first = next((text for text in texts if not text.startswith("-")), "")
    changes = words.intersection(texts) if first in _SETTING_GROUPS else {first} & words & _SETTING_COMMANDS
    files = settings.files.split() if changes else ()
    return tuple(Word(file, tilde=file.startswith("~")) for file in files)


def _file_names_matching(shape: re.Pattern[str], texts: list[str]) -> tuple[Word, ...]:
    """The file names in the texts that any group of a pattern matches."""
    found = [match for text in texts for match in shape.finditer(text)]
    files = (value for match in found for value in match.groups() if value and value not in _SED_DELIMITERS)
    return tuple(Word(file.strip()) for file in files)


def _log_files(
    runs: RunEntry | None, words: tuple[Word, ...], at: int, *, first_operand: bool = False
) -> tuple[Word, ...]:
    """The files that a wrapper writes because of its own options."""
    if isinstance(runs, RunCommands) and at > 1:
        # All sub-commands accept the same options.
        runs = next(iter(runs.commands.values()))
    if not isinstance(runs, Runs):
        return ()
    parser = OptionParser(runs.options, words, at)
    parser.skip_options()
    files = tuple(option.value for option in parser.options_with_mark(">"))
    return (*files, *words[parser.at : parser.at + 1]) if first_operand else files
