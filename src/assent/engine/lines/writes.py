"""The files that a command writes and removes: operands, logs, settings, files in scripts."""

import re
from functools import lru_cache
from typing import NamedTuple

from assent.engine.base.lazy import regex
from assent.engine.lines.embedded_commands import SED_COMMAND
from assent.engine.lines.options import Options, value_after_equals, with_dashes
from assent.engine.programs.catalog import lookup
from assent.engine.programs.checks.files import sought_names
from assent.engine.programs.program import Output, Program, Settings, Target, Writes, WritesBy
from assent.engine.programs.runs import RunCommands, RunEntry, Runs
from assent.engine.programs.word import Word, base_name, without_version

_CURRENT_DIRECTORY = Word(".")
_STREAMS = frozenset({"-", "/dev/null", "/dev/stdout", "/dev/stderr"})


class Changes(NamedTuple):
    """The files that a command changes."""

    paths: tuple[Word, ...] = ()
    """Files and directories that it writes."""
    removed: tuple[Word, ...] = ()
    """Files and directories that it removes or moves away."""
    linked: tuple[Word, ...] = ()
    """Files that get another name, through which they can be changed."""
    known: bool = True
    """False when an option is not understood, so that it may change more."""


def find_changes(words: tuple[Word, ...]) -> Changes | None:
    """What a command would change; None when nothing is known about the program."""
    writer = lookup(base_name(words[0].text)).writes
    if writer is None:
        return None
    match writer.by:
        case None:
            return _changes_by_table(writer, words)
        case WritesBy.ARCHIVE:
            return _tar_changes(writer.options, words)
        case WritesBy.IMAGE:
            return _dd_changes(words)
        case WritesBy.DOWNLOAD:
            return _curl_changes(writer.options, words)
        case WritesBy.SAVED_DOWNLOAD:
            return _wget_changes(writer.options, words)
        case WritesBy.REPOSITORY:
            return _git_changes(writer.options, words)
        case WritesBy.FOUND_FILES:
            return _find_changes_by_find(words)


def _changes_by_table(writer: Writes, words: tuple[Word, ...]) -> Changes | None:
    own = Options(writer.options, words)
    operands = own.operands()
    names = own.names()
    if writer.only and not names.intersection(writer.only.split()):
        return None
    values = _output_values(own)
    if names.intersection(writer.quiet.split()):
        return Changes(values, (), known=own.understood)
    found = _target_changes(writer, own, operands)
    removed = found.removed
    if names.intersection(writer.removing.split()):
        removed = (*removed, *operands)
    kept = names.intersection(writer.keeps.split())
    links = writer.links == "*" or names.intersection(writer.links.split())
    linked = tuple(operands[:-1]) if links else ()
    return Changes((*values, *found.paths), () if kept else removed, linked, own.understood)


def _target_changes(writer: Writes, own: Options, operands: list[Word]) -> Changes:
    into = [option.value for option in own.found if option.name in writer.into.split()]
    given = bool(own.names().intersection(writer.given.split()))
    match writer.target:
        case Target.EVERY:
            return Changes(tuple(operands))
        case Target.REMOVED:
            return Changes((), tuple(operands))
        case Target.LAST | Target.MOVED:
            return _copy_changes(writer, own, operands, into)
        case Target.FIRST:
            return Changes(
                (*operands[:1], *(into or ([_CURRENT_DIRECTORY] if writer.here and not operands else [])))
            )
        case Target.SECOND:
            return Changes(tuple(operands[1:2]))
        case Target.AFTER_FIRST:
            return Changes(tuple(operands if given else operands[1:]))
        case Target.PACKED:
            return Changes(tuple(_packed_files(operands)), tuple(operands))
        case Target.MEMBERS:
            return Changes(_unpacked_paths(into, operands[1:]))
        case _:  # Target.NONE
            return Changes(tuple(into or ([_CURRENT_DIRECTORY] if writer.here else [])))


def _copy_changes(writer: Writes, own: Options, operands: list[Word], into: list[Word]) -> Changes:
    """The destination, and the copies in it if it is a directory."""
    if own.names().intersection(writer.makes.split()):
        return Changes(tuple(operands))
    sources, destination = (operands, into) if into else (operands[:-1], operands[-1:])
    if not sources and writer.here:
        sources, destination = operands, [_CURRENT_DIRECTORY]
    local = [word for word in destination if not _is_remote(word)]
    inside = [_path_of_copy(place, source) for place in local for source in sources]
    emptied = local if any(name.startswith("--del") for name in own.names()) else []
    moved = sources if writer.target is Target.MOVED else []
    return Changes((*local, *inside), (*moved, *emptied))


def _path_of_copy(directory: Word, source: Word) -> Word:
    name = base_name(source.text.rstrip("/")) or "."
    text = f"{directory.text.rstrip('/') or '/'}/{name}".replace("//", "/")
    return directory._replace(
        text=text, glob=directory.glob or source.glob, splits=directory.splits or source.splits
    )


def _packed_files(operands: list[Word]) -> list[Word]:
    """Each file, and the file without its last extension, which unpacking creates."""
    found: list[Word] = []
    for word in operands:
        stem, dot, _ = word.text.rpartition(".")
        found.append(word)
        if dot and stem:
            found.append(word._replace(text=stem))
    return found


def _output_values(own: Options) -> tuple[Word, ...]:
    return tuple(option.value for option in own.with_mark(">") if option.value.text not in ("", *_STREAMS))


def _is_remote(word: Word) -> bool:
    """Whether a path is on another machine: `host:path`, `user@host:path`, `rsync://…`."""
    before, colon, _ = word.text.partition(":")
    return bool(colon) and "/" not in before


def _tar_changes(options: str, words: tuple[Word, ...]) -> Changes:
    words = with_dashes(words)
    own = Options(options, words)
    operands = own.operands()
    names = own.names()
    archives = [option.value for option in own.found if option.name in ("-f", "--file")]
    archives = [word for word in archives if word.text not in _STREAMS and not _is_remote(word)]
    places = [option.value for option in own.found if option.name in ("-C", "--directory")]
    removed = tuple(operands) if "--remove-files" in names else ()
    if names & {"-x", "--extract", "--get"}:
        quiet = bool(names & {"-O", "--to-stdout"})
        return Changes(() if quiet else _unpacked_paths(places, operands), removed, known=own.understood)
    if names & {"-t", "--list", "-d", "--diff", "--compare"}:
        return Changes((), removed, known=own.understood)
    return Changes((*archives, *_output_values(own)), removed, known=own.understood)


def _unpacked_paths(places: list[Word], members: list[Word]) -> tuple[Word, ...]:
    """The directories that an archive is unpacked into, and the named members in them."""
    inside = [_path_below(place, member) for place in places for member in members]
    return (*(places or [_CURRENT_DIRECTORY]), *(inside or members))


def _path_below(place: Word, member: Word) -> Word:
    text = f"{place.text.rstrip('/')}/{member.text}"
    return place._replace(text=text, glob=place.glob or member.glob, splits=place.splits or member.splits)


def _dd_changes(words: tuple[Word, ...]) -> Changes:
    targets = [word._replace(text=word.text[3:]) for word in words[1:] if word.text.startswith("of=")]
    return Changes(tuple(targets))


def _curl_changes(options: str, words: tuple[Word, ...]) -> Changes:
    own = Options(options, words)
    addresses = own.operands()
    addresses += [option.value for option in own.found if option.name == "--url"]
    found = _output_values(own)
    if own.names() & {"-O", "--remote-name", "--remote-name-all"}:
        found = (*found, *(_download_name(address) for address in addresses))
    places = [option.value for option in own.found if option.name == "--output-dir"]
    found = (*found, *(_path_of_copy(place, word) for place in places for word in found))
    # The content of a file with options is not known.
    return Changes((*found, *places), (), known=own.understood and not own.with_mark("<"))


def _wget_changes(options: str, words: tuple[Word, ...]) -> Changes:
    own = Options(options, words)
    addresses = own.operands()
    found = _output_values(own)
    if "--spider" in own.names():
        return Changes(found, (), known=own.understood)
    places = [option.value for option in own.found if option.name in ("-P", "--directory-prefix")] or [
        _CURRENT_DIRECTORY
    ]
    if not own.names() & {"-O", "--output-document"}:
        files = [_path_of_copy(place, _download_name(word)) for place in places for word in addresses]
        found = (*found, *places, *files)
    return Changes(found, (), known=own.understood)


def _download_name(address: Word) -> Word:
    """The name of the file that a download from an address creates."""
    path = address.text.partition("?")[0].partition("#")[0]
    return address._replace(text=path.rstrip("/").rpartition("/")[2] or "index.html")


def _git_changes(options: str, words: tuple[Word, ...]) -> Changes:
    """The files and settings that a Git command changes, apart from the history."""
    own = Options(options, words)
    own.skip_options()
    words = words[own.at :]
    command = words[0].text if words else ""
    names = [word for word in words[1:] if ".git" in word.text.lower().split("/")]
    outputs = [value_after_equals(word) for word in words[1:] if word.text.startswith(_GIT_OUTPUTS)]
    found = (*names, *outputs, *_git_settings(command, words), *_git_files(command, words))
    places = [option.value for option in own.found if option.name == "-C"]
    below = [
        _path_below(place, word) for place in places for word in found if word.text[:1] not in ("/", "~")
    ]
    return Changes(tuple(dict.fromkeys((*found, *below))))


def _git_settings(command: str, words: tuple[Word, ...]) -> list[Word]:
    """The files of Git that contain commands."""
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
    """The operands of Git commands that write files of the work tree."""
    if command not in _GIT_FILES:
        return []
    return [word for word in words[1:] if not word.text.startswith("-") and ":" not in word.text]


def _find_changes_by_find(words: tuple[Word, ...]) -> Changes:
    """The files that `find` may delete or change by an action, or write by `-fprint` and similar actions."""
    end = next((at for at in range(1, len(words)) if words[at].text[:1] in ("-", "(", "!")), len(words))
    files = tuple(words[at + 1] for at in range(1, len(words) - 1) if words[at].text in _FIND_FILES)
    if not any(word.text in _FIND_ACTIONS for word in words):
        return Changes(files)
    return Changes(files, ((words[1:end] or (_CURRENT_DIRECTORY,)) + sought_names(words[end:])))


_GIT_OUTPUTS = ("--output=", "--directory=", "--separate-git-dir=")
_GIT_FILES = frozenset("init checkout restore rm mv clone apply am reset switch worktree".split())
_FIND_ACTIONS = frozenset({"-delete", "-exec", "-execdir", "-ok", "-okdir"})
_FIND_FILES = frozenset({"-fprint", "-fprint0", "-fprintf", "-fls"})


_FILE_ADDRESS = regex(
    r"(?:open|file|creat|create|gopen|pipe|fifo|unix(?:-\w+)?|abstract-\w+)(?::|$)([^,!]+)", re.IGNORECASE
)
"""Addresses of `socat` that are files."""

_SED_WRITE = regex(
    SED_COMMAND + r"[wW]\s*(?P<file>[^\n;}]+)"
    r"|s(?P<mark>[/|,:#@!%])(?:\\.|(?!(?P=mark))[^\\])*(?P=mark)(?:\\.|(?!(?P=mark))[^\\])*(?P=mark)[gpiImM0-9]*w\s*"
    r"(?P<more>[^\n;}]+)"
)
_MARKS = "/|,:#@!%"
_EDITOR_WRITE = regex(r"(?:^|[|:+\s])(?:w|wq|x|sav|saveas|up|update)!?\s+(?:>>\s*)?([^\s|!][^|]*)")
_DATABASE_WRITE = regex(
    r"^\s*(?:\.(?:output|once|backup|save|log|clone|excel)|\\(?:o|out|w|write|g))\s+[\"']?([^\s\"'|]+)"
)
"""Commands of database clients that write output to a file."""
_AWK_STATEMENT = regex(r"[;}\n]")
_AWK_STRING = regex(r'"((?:\\.|[^"\\])*)"')
_OPENED_FILE = regex(
    r"""\b(?:open|fopen|File\.open)\s*\(\s*["']([^"']+)["']\s*,\s*["'][^"']*[wax+]"""
    r"""|\b(?:writeFile|appendFile|copyFile|rename|unlink|symlink|createWriteStream)\w*\s*\(\s*["']([^"']+)"""
    r"""|\b(?:File\.write|IO\.write|file_put_contents|rmtree|rmSync|remove)\s*\(\s*["']([^"']+)"""
    r"""|Path\(\s*["']([^"']+)["']\s*\)\.(?:write|unlink|touch|rename|chmod|symlink|open\(\s*["'][wax])"""
    r"""|open[\s(][^"']{0,80}["']\+?>{1,2}(?:["']\s*,\s*["'])?\s*([^"']+)["']"""
)

_SETTING_GROUPS = frozenset({"config", "c", "mcp", "python"})
_SETTING_COMMANDS = frozenset({"set", "allow", "permit", "grant", "install", "init", "add", "local", "use"})


def find_output_files(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The files that a command writes in addition to the changes of known file programs."""
    known = _lookup_program(words[0].text)
    texts = [word.text for word in words[1:]]
    if known.settings is not None:
        return _setting_files(known.settings, texts)
    match known.output:
        case None:
            return _log_files(known.runs, words, 1)
        case Output.CRONTAB:
            return () if "-l" in texts else (Word("/var/spool/cron"),)
        case Output.ADDRESS:
            return files_in_addresses(words[1:])
        case Output.EDITOR:
            return _find_files(_EDITOR_WRITE, texts)
        case Output.DATABASE:
            return _find_files(_DATABASE_WRITE, texts)
        case Output.SED:
            return _find_files(_SED_WRITE, texts)
        case Output.AWK:
            return tuple(
                Word(text) for one in texts if _prints_to_file(one) for text in _AWK_STRING.findall(one)
            )
        case Output.CODE:
            return _find_files(_OPENED_FILE, texts)
        case Output.FIRST_OPERAND:
            return _log_files(known.runs, words, 1, first_operand=True)
        case Output.SUBCOMMAND:
            return _log_files(known.runs, words, 2)


@lru_cache(maxsize=4096)
def _lookup_program(program: str) -> Program:
    """The entry of a program by its name, or by its name without version."""
    name = base_name(program)
    known = lookup(name)
    plain = lookup(without_version(name))
    return known if known.settings is not None or known.output is not None or plain.output is None else plain


def files_in_addresses(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The files among the addresses of `socat`."""
    found = ((word, match) for word in words for match in _FILE_ADDRESS.finditer(word.text))
    return tuple(word._replace(text=match[1]) for word, match in found)


def _prints_to_file(program: str) -> bool:
    return any(">" in statement.partition("print")[2] for statement in _AWK_STATEMENT.split(program))


def _setting_files(settings: Settings, texts: list[str]) -> tuple[Word, ...]:
    words = set(settings.words.split())
    first = next((text for text in texts if not text.startswith("-")), "")
    changes = words.intersection(texts) if first in _SETTING_GROUPS else {first} & words & _SETTING_COMMANDS
    files = settings.files.split() if changes else ()
    return tuple(Word(file, tilde=file.startswith("~")) for file in files)


def _find_files(shape: re.Pattern[str], texts: list[str]) -> tuple[Word, ...]:
    """The files that any group of a pattern matches in texts."""
    found = [match for text in texts for match in shape.finditer(text)]
    files = (value for match in found for value in match.groups() if value and value not in _MARKS)
    return tuple(Word(file.strip()) for file in files)


def _log_files(
    runs: RunEntry | None, words: tuple[Word, ...], at: int, *, first_operand: bool = False
) -> tuple[Word, ...]:
    """The files that a wrapper writes because of its own options."""
    if isinstance(runs, RunCommands) and at > 1:
        # All sub-commands take the same options.
        runs = next(iter(runs.commands.values()))
    if not isinstance(runs, Runs):
        return ()
    own = Options(runs.options, words, at)
    own.skip_options()
    files = tuple(option.value for option in own.with_mark(">"))
    return (*files, *words[own.at : own.at + 1]) if first_operand else files
