"""Which commands of a line print names of files below the workspace, for others to read."""

import posixpath
import re
from itertools import pairwise

from assent.engine.lines.command import Access, Command
from assent.engine.lines.reading import Reading, reading
from assent.engine.programs.catalog import lookup
from assent.engine.programs.checks.find import leaves_out, only_files, sought
from assent.engine.programs.program import LossesBy, Prints, Program, RunsBy
from assent.engine.programs.word import Word, base_name
from assent.engine.regex import regex
from assent.engine.secret_paths import could_be_secret, mentions_secret

_SINGLE = regex(r"\[(.)\]")
"""`[.]`, which is one character as well."""
_PATTERN = regex(r".*[*?\[].*", re.DOTALL)
_TYPES = frozenset({"-type", "-t", "--type"})
_LINK = frozenset({"l", "symlink"})
_LINKS = frozenset({"-lname", "-ilname", "-xtype", "-tl", "-tsymlink", "--type=l", "--type=symlink"})
_REPEATERS = (RunsBy.INPUT_NAMES, RunsBy.ARGUMENTS)
_TAKERS = frozenset({"", "read", "mapfile", "readarray"})
"""What puts the words of a here-document into variables: the shell's own, alone or in a loop."""


def listed(pipeline: list[Command]) -> tuple[Word, ...] | None:
    """The names that a pipeline prints, as far as known: what it looks through; else None.

    Where the names may lead is checked at the lister itself, by the paths that it reads.
    """
    if not pipeline or not pipeline[0].words:
        return None
    lister, *filters = pipeline
    found = reading(lister.words) if not lister.assignments else None
    if found is None or not found.lists:
        return None
    if not all(_only_filters(command) for command in filters):
        return None
    if speaks_of_secrets(lister.words) or any(speaks_of_secrets(command.words) for command in filters):
        return None
    surely = _finds(lookup(base_name(lister.program))) and only_files(lister.words) and not filters
    return tuple(word._replace(surely=surely) for word in found.files)


def swept(lister: Command, taker: Command) -> tuple[Word, ...]:
    """All that a lister names for the next command, `*` of a directory or `**` of all below it.

    Nothing if it leaves something out, or the next command runs none for each of them.
    """
    known = lookup(base_name(lister.program))
    if not any(lookup(word.text).runs_by in _REPEATERS for word in taker.words) or leaves_out(lister.words):
        return ()
    found = reading(lister.words) if _finds(known) or known.sweeps_directory else None
    if found is None:
        return ()
    star = "*" if known.sweeps_directory else "**"
    roots = [word for word in found.files if not word.glob] if found.files else [Word(".")]
    return tuple(word._replace(text=posixpath.join(word.text, star), glob=True) for word in roots)


def speaks_of_secrets(words: tuple[Word, ...]) -> bool:
    """Whether a lister or a filter looks for files that are known to hold secrets, or for links."""
    texts = [_SINGLE.sub(r"\1", word.text) for word in words[1:]]
    types = [text for before, text in pairwise(texts) if before in _TYPES]
    if any(not _LINK.isdisjoint(text.split(",")) for text in types) or not _LINKS.isdisjoint(texts):
        return True
    return any(
        mentions_secret(text) or (_PATTERN.fullmatch(text) and could_be_secret(text)) for text in texts
    )


def _only_filters(command: Command) -> bool:
    """Whether a command passes on some of the lines it gets, each as it is."""
    filters = lookup(command.program).filters
    if filters is None or command.assignments or command.has_input:
        return False
    given = [word.text for word in command.words[1:] if word.text.startswith("-")]
    flags = filters.split()
    if any(flag not in flags and not flag[1:].isdecimal() for flag in given):
        return False
    found = reading(command.words)
    return found is not None and not found.files


def named(command: Command, reads: Reading | None = None) -> tuple[Word, ...]:
    """The places and names that a command lists or spells out for other commands of the line.

    `reads` is what it only reads, if it does just that.
    """
    program = base_name(command.program)
    if program in _TAKERS:
        texts = [one.target.text for one in command.redirects if one.access is Access.TEXT]
        return tuple(Word(text) for one in texts for text in one.split())
    if not command.taken:
        return ()
    known = lookup(program)
    if known.spells_names:
        return command.words[1:]
    if reads is not None and known.losses_by is LossesBy.REPOSITORY:
        return _named_by_git(command.words)
    if reads is None or not reads.lists:
        return ()
    return (*reads.files, *sought(command.words[1:])) if _finds(known) else reads.files


def _finds(program: Program) -> bool:
    return program.runs_by is RunsBy.FOUND_FILES


def _named_by_git(words: tuple[Word, ...]) -> tuple[Word, ...]:
    texts = [word.text for word in words]
    if "rev-parse" in texts:
        return (Word(".git"),) if any("git-" in text for text in texts) else ()
    return words[2:] if "ls-files" in texts or "ls-tree" in texts else ()


def printed(pipeline: list[Command]) -> tuple[Word, ...] | None:
    """The very words that an `echo` or a `printf` prints for the next command; else None."""
    if len(pipeline) != 1 or lookup(pipeline[0].program).prints not in (Prints.WORDS, Prints.FORMAT):
        return None
    words = [word for word in pipeline[0].words[1:] if not word.text.startswith("-") and "%" not in word.text]
    return tuple(
        word._replace(text=piece, quoted=True)
        for word in words
        for piece in word.text.replace("\\n", " ").split()
    )
