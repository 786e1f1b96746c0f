"""Which files a command of a line touches: reads, writes, copies, by its words and redirections."""

from assent.engine.facts import PathUse
from assent.engine.part import Endangered
from assent.engine.shell.command import Access, Command, Redirect, Word, base_name
from assent.engine.shell.dangers import Harm
from assent.engine.shell.writes import Written

_FREE = ("/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty")
_COPIERS = frozenset("cp gcp mv ln install rsync scp tar gtar bsdtar zip dd . source".split())
_FINDERS = frozenset({"find", "gfind", "bfs", "fd", "fdfind"})


def redirections(command: Command) -> tuple[tuple[PathUse, ...], tuple[PathUse, ...]]:
    """The files a command reads and writes by redirection, free ones left out."""
    reads = [one.target for one in command.redirects if one.access is Access.READ and not _free(one)]
    writes = [one.target for one in command.redirects if one.access is Access.WRITE and not _free(one)]
    return uses(reads, command.directories), uses(writes, command.directories)


def _free(redirect: Redirect) -> bool:
    text = redirect.target.text
    return text in _FREE or (text.startswith("/dev/fd/") and text[8:].isdecimal())


def uses(words: tuple[Word, ...] | list[Word], directories: tuple[str, ...]) -> tuple[PathUse, ...]:
    """Words as paths, seen from each directory that the line may be in."""
    return tuple(
        PathUse(word.text, directory, word.tilde, word.glob, word.listed, word.otherwise)
        for word in words
        for directory in (directories if not (word.tilde or word.text.startswith("/")) else ("",))
    )


def overwritten(changes: Written | None, directories: tuple[str, ...]) -> tuple[Endangered, ...]:
    """What known programs would write over, for breakers to judge."""
    paths = () if changes is None else uses(changes.paths, directories)
    return tuple(Endangered(Harm.OVERWRITES, use) for use in paths)


def changed(words: tuple[Word, ...], changes: Written | None, *, carries: bool) -> tuple[Word, ...]:
    """The paths a command may change; of a program we do not know, every operand may be one."""
    if changes is not None:
        return (*changes.paths, *changes.removed)
    if carries and base_name(words[0].text) not in _FINDERS:
        return ()
    return tuple(
        word if not word.text.startswith("-") else word._replace(text=word.text.partition("=")[2])
        for word in words[1:]
        if not word.text.startswith("-") or "=" in word.text
    )


def copied(words: tuple[Word, ...], changes: Written | None) -> tuple[Word, ...]:
    """The files that a command copies, links or sends: it reads them, whatever else it does."""
    name = base_name(words[0].text)
    if name in ("curl", "wget"):
        return tuple(
            word._replace(text=word.text.partition("@")[2])
            for word in words[1:]
            if "@" in word.text and "://" not in word.text
        )
    if name not in _COPIERS:
        return ()
    written = () if changes is None else changes.paths
    named = (word._replace(text=word.text.removeprefix("if=")) for word in words[1:])
    return tuple(
        word for word in named if word not in written and word.text[:1] != "-" and "of=" not in word.text
    )
