"""What programs write and remove: the paths among their words, logs, settings, files that a script names."""

import re
from functools import lru_cache
from typing import NamedTuple

from assent.engine.lines.options import Options, dashed, value_in
from assent.engine.lines.scripts import SED_COMMAND
from assent.engine.programs.catalog import lookup
from assent.engine.programs.checks.find import sought
from assent.engine.programs.program import (
    Output,
    Program,
    RunCommands,
    RunEntry,
    Runs,
    Settings,
    Target,
    Writes,
    WritesBy,
)
from assent.engine.programs.word import Word, base_name, versionless
from assent.engine.regex import regex

_HERE = Word(".")
_STREAMS = frozenset({"-", "/dev/null", "/dev/stdout", "/dev/stderr"})


class Written(NamedTuple):
    """What a command changes."""

    paths: tuple[Word, ...] = ()
    """Files and directories that it writes."""
    removed: tuple[Word, ...] = ()
    """Files and directories that are gone afterwards."""
    linked: tuple[Word, ...] = ()
    """Files that get another name, by which they can be changed."""
    known: bool = True
    """False when an option was not understood: it may change more."""


def written(words: tuple[Word, ...]) -> Written | None:
    """What these words would change, or None when nothing is known of the program."""
    writer = lookup(base_name(words[0].text)).writes
    if writer is None:
        return None
    match writer.by:
        case None:
            return _by_table(writer, words)
        case WritesBy.ARCHIVE:
            return _tar(writer.options, words)
        case WritesBy.IMAGE:
            return _dd(words)
        case WritesBy.DOWNLOAD:
            return _curl(writer.options, words)
        case WritesBy.SAVED_DOWNLOAD:
            return _wget(writer.options, words)
        case WritesBy.REPOSITORY:
            return _git(writer.options, words)
        case WritesBy.FOUND_FILES:
            return _find(words)


def _by_table(writer: Writes, words: tuple[Word, ...]) -> Written | None:
    own = Options(writer.options, words)
    operands = own.operands()
    names = own.names()
    if writer.only and not names.intersection(writer.only.split()):
        return None
    values = _values(own)
    if names.intersection(writer.quiet.split()):
        return Written(values, (), known=own.sure)
    found = _targets(writer, own, operands)
    removed = found.removed
    if names.intersection(writer.removing.split()):
        removed = (*removed, *operands)
    kept = names.intersection(writer.keeps.split())
    links = writer.links == "*" or names.intersection(writer.links.split())
    linked = tuple(operands[:-1]) if links else ()
    return Written((*values, *found.paths), () if kept else removed, linked, own.sure)


def _targets(writer: Writes, own: Options, operands: list[Word]) -> Written:
    into = [option.value for option in own.found if option.name in writer.into.split()]
    given = bool(own.names().intersection(writer.given.split()))
    match writer.target:
        case Target.EVERY:
            return Written(tuple(operands))
        case Target.REMOVED:
            return Written((), tuple(operands))
        case Target.LAST | Target.MOVED:
            return _copied(writer, own, operands, into)
        case Target.FIRST:
            return Written((*operands[:1], *(into or ([_HERE] if writer.here and not operands else []))))
        case Target.SECOND:
            return Written(tuple(operands[1:2]))
        case Target.AFTER_FIRST:
            return Written(tuple(operands if given else operands[1:]))
        case Target.PACKED:
            return Written(tuple(_packed(operands)), tuple(operands))
        case Target.MEMBERS:
            return Written(_unpacked(into, operands[1:]))
        case _:  # Target.NONE
            return Written(tuple(into or ([_HERE] if writer.here else [])))


def _copied(writer: Writes, own: Options, operands: list[Word], into: list[Word]) -> Written:
    """The destination, and what would lie in it if it is a directory."""
    if own.names().intersection(writer.makes.split()):
        return Written(tuple(operands))
    sources, destination = (operands, into) if into else (operands[:-1], operands[-1:])
    if not sources and writer.here:
        sources, destination = operands, [_HERE]
    local = [word for word in destination if not _remote(word)]
    inside = [_inside(place, source) for place in local for source in sources]
    emptied = local if any(name.startswith("--del") for name in own.names()) else []
    moved = sources if writer.target is Target.MOVED else []
    return Written((*local, *inside), (*moved, *emptied))


def _inside(directory: Word, source: Word) -> Word:
    name = base_name(source.text.rstrip("/")) or "."
    text = f"{directory.text.rstrip('/') or '/'}/{name}".replace("//", "/")
    return directory._replace(
        text=text, glob=directory.glob or source.glob, splits=directory.splits or source.splits
    )


def _packed(operands: list[Word]) -> list[Word]:
    """Each file itself, and the one without its last ending, which unpacking makes."""
    found: list[Word] = []
    for word in operands:
        stem, dot, _ = word.text.rpartition(".")
        found.append(word)
        if dot and stem:
            found.append(word._replace(text=stem))
    return found


def _values(own: Options) -> tuple[Word, ...]:
    return tuple(option.value for option in own.values(">") if option.value.text not in ("", *_STREAMS))


def _remote(word: Word) -> bool:
    """`host:path`, `user@host:path`, `rsync://…`: not here."""
    before, colon, _ = word.text.partition(":")
    return bool(colon) and "/" not in before


def _tar(options: str, words: tuple[Word, ...]) -> Written:
    words = dashed(words)
    own = Options(options, words)
    operands = own.operands()
    names = own.names()
    archives = [option.value for option in own.found if option.name in ("-f", "--file")]
    archives = [word for word in archives if word.text not in _STREAMS and not _remote(word)]
    places = [option.value for option in own.found if option.name in ("-C", "--directory")]
    removed = tuple(operands) if "--remove-files" in names else ()
    if names & {"-x", "--extract", "--get"}:
        quiet = bool(names & {"-O", "--to-stdout"})
        return Written(() if quiet else _unpacked(places, operands), removed, known=own.sure)
    if names & {"-t", "--list", "-d", "--diff", "--compare"}:
        return Written((), removed, known=own.sure)
    return Written((*archives, *_values(own)), removed, known=own.sure)


def _unpacked(places: list[Word], members: list[Word]) -> tuple[Word, ...]:
    """Where an archive is unpacked, and the members of it that are named."""
    inside = [_below(place, member) for place in places for member in members]
    return (*(places or [_HERE]), *(inside or members))


def _below(place: Word, member: Word) -> Word:
    text = f"{place.text.rstrip('/')}/{member.text}"
    return place._replace(text=text, glob=place.glob or member.glob, splits=place.splits or member.splits)


def _dd(words: tuple[Word, ...]) -> Written:
    targets = [word._replace(text=word.text[3:]) for word in words[1:] if word.text.startswith("of=")]
    return Written(tuple(targets))


def _curl(options: str, words: tuple[Word, ...]) -> Written:
    own = Options(options, words)
    addresses = own.operands()
    addresses += [option.value for option in own.found if option.name == "--url"]
    found = _values(own)
    if own.names() & {"-O", "--remote-name", "--remote-name-all"}:
        found = (*found, *(_download(address) for address in addresses))
    places = [option.value for option in own.found if option.name == "--output-dir"]
    found = (*found, *(_inside(place, word) for place in places for word in found))
    # What a file of options says is not known.
    return Written((*found, *places), (), known=own.sure and not own.values("<"))


def _wget(options: str, words: tuple[Word, ...]) -> Written:
    own = Options(options, words)
    addresses = own.operands()
    found = _values(own)
    if "--spider" in own.names():
        return Written(found, (), known=own.sure)
    places = [option.value for option in own.found if option.name in ("-P", "--directory-prefix")] or [_HERE]
    if not own.names() & {"-O", "--output-document"}:
        files = [_inside(place, _download(word)) for place in places for word in addresses]
        found = (*found, *places, *files)
    return Written(found, (), known=own.sure)


def _download(address: Word) -> Word:
    """The file that takes its name from an address."""
    path = address.text.partition("?")[0].partition("#")[0]
    return address._replace(text=path.rstrip("/").rpartition("/")[2] or "index.html")


def _git(options: str, words: tuple[Word, ...]) -> Written:
    """What a Git command changes besides the history: files it brings back or takes away, and settings."""
    own = Options(options, words)
    own.skip()
    words = words[own.at :]
    command = words[0].text if words else ""
    names = [word for word in words[1:] if ".git" in word.text.lower().split("/")]
    outputs = [value_in(word) for word in words[1:] if word.text.startswith(_GIT_OUTPUTS)]
    found = (*names, *outputs, *_git_settings(command, words), *_git_files(command, words))
    places = [option.value for option in own.found if option.name == "-C"]
    below = [_below(place, word) for place in places for word in found if word.text[:1] not in ("/", "~")]
    return Written(tuple(dict.fromkeys((*found, *below))))


def _git_settings(command: str, words: tuple[Word, ...]) -> list[Word]:
    """The files in which Git keeps what it runs."""
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
    """The operands of commands that write files of the work tree."""
    if command not in _GIT_FILES:
        return []
    return [word for word in words[1:] if not word.text.startswith("-") and ":" not in word.text]


def _find(words: tuple[Word, ...]) -> Written:
    """What `find` may delete or change by an action, and the files that `-fprint` and its like write."""
    end = next((at for at in range(1, len(words)) if words[at].text[:1] in ("-", "(", "!")), len(words))
    files = tuple(words[at + 1] for at in range(1, len(words) - 1) if words[at].text in _FIND_FILES)
    if not any(word.text in _FIND_ACTIONS for word in words):
        return Written(files)
    return Written(files, ((words[1:end] or (_HERE,)) + sought(words[end:])))


_GIT_OUTPUTS = ("--output=", "--directory=", "--separate-git-dir=")
_GIT_FILES = frozenset("init checkout restore rm mv clone apply am reset switch worktree".split())
_FIND_ACTIONS = frozenset({"-delete", "-exec", "-execdir", "-ok", "-okdir"})
_FIND_FILES = frozenset({"-fprint", "-fprint0", "-fprintf", "-fls"})


_ADDRESSED = regex(
    r"(?:open|file|creat|create|gopen|pipe|fifo|unix(?:-\w+)?|abstract-\w+)(?::|$)([^,!]+)", re.IGNORECASE
)
"""Addresses of `socat` that are files."""

_SED_WRITES = regex(
    SED_COMMAND + r"[wW]\s*(?P<file>[^\n;}]+)"
    r"|s(?P<mark>[/|,:#@!%])(?:\\.|(?!(?P=mark))[^\\])*(?P=mark)(?:\\.|(?!(?P=mark))[^\\])*(?P=mark)[gpiImM0-9]*w\s*"
    r"(?P<more>[^\n;}]+)"
)
_MARKS = "/|,:#@!%"
_EDITOR_WRITES = regex(r"(?:^|[|:+\s])(?:w|wq|x|sav|saveas|up|update)!?\s+(?:>>\s*)?([^\s|!][^|]*)")
_DATABASE_WRITES = regex(
    r"^\s*(?:\.(?:output|once|backup|save|log|clone|excel)|\\(?:o|out|w|write|g))\s+[\"']?([^\s\"'|]+)"
)
"""How clients of databases are told to write what they print to a file."""
_AWK_STATEMENT = regex(r"[;}\n]")
_AWK_STRING = regex(r'"((?:\\.|[^"\\])*)"')
_OPENS = regex(
    r"""\b(?:open|fopen|File\.open)\s*\(\s*["']([^"']+)["']\s*,\s*["'][^"']*[wax+]"""
    r"""|\b(?:writeFile|appendFile|copyFile|rename|unlink|symlink|createWriteStream)\w*\s*\(\s*["']([^"']+)"""
    r"""|\b(?:File\.write|IO\.write|file_put_contents|rmtree|rmSync|remove)\s*\(\s*["']([^"']+)"""
    r"""|Path\(\s*["']([^"']+)["']\s*\)\.(?:write|unlink|touch|rename|chmod|symlink|open\(\s*["'][wax])"""
    r"""|open[\s(][^"']{0,80}["']\+?>{1,2}(?:["']\s*,\s*["'])?\s*([^"']+)["']"""
)

_GROUPS = frozenset({"config", "c", "mcp", "python"})
_ALONE = frozenset({"set", "allow", "permit", "grant", "install", "init", "add", "local", "use"})


def outputs(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The files that a command writes besides those that writers of files are known to write."""
    known = _known(words[0].text)
    texts = [word.text for word in words[1:]]
    if known.settings is not None:
        return _settings(known.settings, texts)
    match known.output:
        case None:
            return _logs(known.runs, words, 1)
        case Output.CRONTAB:
            return () if "-l" in texts else (Word("/var/spool/cron"),)
        case Output.ADDRESS:
            return addressed(words[1:])
        case Output.EDITOR:
            return _named(_EDITOR_WRITES, texts)
        case Output.DATABASE:
            return _named(_DATABASE_WRITES, texts)
        case Output.SED:
            return _named(_SED_WRITES, texts)
        case Output.AWK:
            return tuple(
                Word(text) for one in texts if _prints_to_file(one) for text in _AWK_STRING.findall(one)
            )
        case Output.CODE:
            return _named(_OPENS, texts)
        case Output.FIRST_OPERAND:
            return _logs(known.runs, words, 1, first_operand=True)
        case Output.SUBCOMMAND:
            return _logs(known.runs, words, 2)


@lru_cache(maxsize=4096)
def _known(program: str) -> Program:
    """What is known about a program by its name, or else by its name without a version."""
    name = base_name(program)
    known = lookup(name)
    plain = lookup(versionless(name))
    return known if known.settings is not None or known.output is not None or plain.output is None else plain


def addressed(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The files among the addresses of `socat`."""
    found = ((word, match) for word in words for match in _ADDRESSED.finditer(word.text))
    return tuple(word._replace(text=match[1]) for word, match in found)


def _prints_to_file(program: str) -> bool:
    return any(">" in statement.partition("print")[2] for statement in _AWK_STATEMENT.split(program))


def _settings(settings: Settings, texts: list[str]) -> tuple[Word, ...]:
    words = set(settings.words.split())
    first = next((text for text in texts if not text.startswith("-")), "")
    changes = words.intersection(texts) if first in _GROUPS else {first} & words & _ALONE
    files = settings.files.split() if changes else ()
    return tuple(Word(file, tilde=file.startswith("~")) for file in files)


def _named(shape: re.Pattern[str], texts: list[str]) -> tuple[Word, ...]:
    """The files that a pattern finds in texts, by whichever of its groups."""
    found = [match for text in texts for match in shape.finditer(text)]
    files = (value for match in found for value in match.groups() if value and value not in _MARKS)
    return tuple(Word(file.strip()) for file in files)


def _logs(
    runs: RunEntry | None, words: tuple[Word, ...], at: int, *, first_operand: bool = False
) -> tuple[Word, ...]:
    """What a program that runs another one writes itself: its own options, not those of what it runs."""
    if isinstance(runs, RunCommands) and at > 1:
        # All sub-commands take the same options.
        runs = next(iter(runs.commands.values()))
    if not isinstance(runs, Runs):
        return ()
    own = Options(runs.options, words, at)
    own.skip()
    files = tuple(option.value for option in own.values(">"))
    return (*files, *words[own.at : own.at + 1]) if first_operand else files
