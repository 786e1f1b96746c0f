"""The files that a command reads, writes or copies, by its words and redirections."""

import re
from collections.abc import Sequence

from assent.engine.facts import PathUse
from assent.engine.globs import HOLE
from assent.engine.lines.command import Access, Command, Redirect
from assent.engine.lines.dangers import Dangers, Harm
from assent.engine.lines.options import Options
from assent.engine.lines.part import Endangered
from assent.engine.lines.writes import Written, outputs
from assent.engine.programs.catalog import lookup
from assent.engine.programs.program import RunsBy, Sends, WritesBy
from assent.engine.programs.word import Word, base_name
from assent.engine.regex import regex

_HARMLESS_TARGETS = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")
_EXCLUDES = regex(r"--?(?:extend-)?(?:exclude|ignore|skip|omit)[\w-]*")
_UPLOADS = frozenset(
    "-T --upload-file --post-file --body-file -i --input-file -K --config -b --cookie --load-cookies".split()
)
_BODIES = frozenset(
    "-d --data --data-ascii --data-binary --data-urlencode --json -F --form -H --header -w --variable".split()
)
_FROM_FILE = regex(r"[^@=/:]*(?:=?@|=<)(?!.*://)([^;,]+).*")
_FILE_ADDRESS = regex(r"file:(?://[^/]*)?(/.*)", re.IGNORECASE)
_FINDERS = (RunsBy.FOUND_FILES, RunsBy.FOUND_NAMES)


def redirections(command: Command) -> tuple[tuple[PathUse, ...], tuple[PathUse, ...]]:
    """The files that a command reads and writes by redirection, without `/dev/null` and similar ones."""
    if not command.redirects:
        return (), ()
    reads = [one.target for one in command.redirects if one.access is Access.READ and not _is_harmless(one)]
    writes = [one.target for one in command.redirects if one.access is Access.WRITE and not _is_harmless(one)]
    return path_uses(reads, command.directories), path_uses(
        _with_listed(command, writes), command.directories
    )


def _is_harmless(redirect: Redirect) -> bool:
    text = redirect.target.text
    return text in _HARMLESS_TARGETS or (text.startswith("/dev/fd/") and text[8:].isdecimal())


def path_uses(words: tuple[Word, ...] | list[Word], directories: tuple[str, ...]) -> tuple[PathUse, ...]:
    """Words as paths, relative to each directory that the line may be in."""
    if not words:
        return ()
    return tuple(
        [
            PathUse(word.text, directory, word.tilde, word.glob, word.listed, word.otherwise, word.surely)
            for word in words
            for directory in (directories if not (word.tilde or word.text.startswith("/")) else ("",))
        ]
    )


def endangered_paths(
    dangers: Dangers, directories: tuple[str, ...], changes: Written | None = None
) -> tuple[Endangered, ...]:
    """The paths that a command harms by its words, and other paths that it overwrites."""
    if not dangers.paths and (changes is None or not changes.paths):
        return ()
    found = [Endangered(harm, use) for harm, path in dangers.paths for use in path_uses((path,), directories)]
    if changes is not None and changes.paths:
        known = {one.use for one in found}
        more = [use for use in path_uses(changes.paths, directories) if use not in known]
        found.extend([Endangered(Harm.OVERWRITES, use) for use in more])
    return tuple(found)


def changed_paths(command: Command, changes: Written | None, *, carries: bool) -> tuple[Word, ...]:
    """The paths that a command may change, by its words."""
    return _with_listed(command, _changed(command.words, changes, carries=carries))


def _with_listed(command: Command, changes: Sequence[Word]) -> tuple[Word, ...]:
    """The changed paths; if a listing provides unknown names, also the directories that it lists."""
    if command.fed and any(HOLE in word.text for word in changes):
        return (*changes, *command.fed)
    return tuple(changes)


def _changed(words: tuple[Word, ...], changes: Written | None, *, carries: bool) -> tuple[Word, ...]:
    """The changed paths among the words; for an unknown program, every operand may be one."""
    besides = outputs(words)
    if changes is not None:
        return (*changes.paths, *changes.removed, *changes.linked, *besides)
    name = base_name(words[0].text)
    known = lookup(name)
    if known.takes_hosts or (carries and known.runs_by not in _FINDERS):
        return besides
    return (*besides, *_operands(words[1:]))


def _operands(words: tuple[Word, ...]) -> list[Word]:
    """Operands and option values, without those of options that exclude files."""
    found: list[Word] = []
    excluded = False
    for word in words:
        if word.text[:1] != "-":
            if not excluded:
                found.append(word)
            excluded = False
            continue
        name, equals, value = word.text.partition("=")
        excludes = _EXCLUDES.fullmatch(name) is not None
        if not equals:
            excluded = excludes
        elif not excludes:
            found.append(word._replace(text=value))
    return found


def _sent(options: str, words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The local files that a transfer program sends or reads."""
    own = Options(options, words)
    operands = own.operands()
    found = [option.value for option in own.found if option.name in _UPLOADS]
    # `@file`, `name=@file`, `name=<file` and `name@file` mean the content of the file.
    given = [*(option.value for option in own.found if option.name in _BODIES), *operands]
    found.extend(
        word._replace(text=match[1])
        for word in given
        if (match := _FROM_FILE.fullmatch(word.text)) is not None
    )
    addresses = [*operands, *(option.value for option in own.found if option.name == "--url")]
    found.extend(
        word._replace(text=match[1])
        for word in addresses
        if (match := _FILE_ADDRESS.fullmatch(word.text)) is not None
    )
    # A list in braces is not expanded, so the file is not known.
    return tuple(word._replace(text=HOLE) if "{" in word.text else word for word in found)


def copied_paths(words: tuple[Word, ...], changes: Written | None) -> tuple[Word, ...]:
    """The files that a command copies, links or sends, and therefore reads."""
    known = lookup(base_name(words[0].text))
    if known.writes is not None and known.writes.by in (WritesBy.DOWNLOAD, WritesBy.SAVED_DOWNLOAD):
        return _sent(known.writes.options, words)
    match known.sends:
        case None:
            return ()
        case Sends.INPUT_OPTION:
            return tuple(words[at + 1] for at in range(len(words) - 1) if words[at].text == "-in")
        case Sends.EVERY_WORD:
            return tuple(
                word._replace(text=word.text.removeprefix("@")) for word in words[1:] if not word.opaque
            )
        case Sends.OPERANDS:
            return _unwritten(words, changes)


def _unwritten(words: tuple[Word, ...], changes: Written | None) -> tuple[Word, ...]:
    """The operands that are not written."""
    written = () if changes is None else changes.paths
    named = (word._replace(text=word.text.removeprefix("if=")) for word in words[1:])
    return tuple(
        word for word in named if word not in written and word.text[:1] != "-" and "of=" not in word.text
    )
