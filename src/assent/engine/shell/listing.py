"""Which commands of a line print names of files below the workspace, for others to read."""

import re
from itertools import pairwise

from assent.engine.places import could_be_secret, mentions_secret
from assent.engine.shell.command import Command, Word
from assent.engine.shell.readonly import reading

_SINGLE = re.compile(r"\[(.)\]")
"""`[.]`, which is one character as well."""
_PATTERN = re.compile(r".*[*?\[].*", re.DOTALL).fullmatch
_TYPES = frozenset({"-type", "-t", "--type"})
_LINK = frozenset({"l", "symlink"})
_LINKS = frozenset({"-lname", "-ilname", "-xtype", "-tl", "-tsymlink", "--type=l", "--type=symlink"})
_FILTERS = {
    "head": frozenset({"-n"}),
    "tail": frozenset({"-n"}),
    "sort": frozenset({"-u", "-r", "-f"}),
    "uniq": frozenset[str](),
    "tac": frozenset[str](),
    **dict.fromkeys(
        ("grep", "egrep", "fgrep"), frozenset({"-v", "-i", "-E", "-F", "-w", "-e", "-vE", "-iE"})
    ),
}
"""Programs that pass whole lines on or leave them out, and the flags with which they do just that."""


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
    return found.files


def speaks_of_secrets(words: tuple[Word, ...]) -> bool:
    """Whether a lister or a filter looks for files that are known to hold secrets, or for links."""
    texts = [_SINGLE.sub(r"\1", word.text) for word in words[1:]]
    types = [text for before, text in pairwise(texts) if before in _TYPES]
    if any(not _LINK.isdisjoint(text.split(",")) for text in types) or not _LINKS.isdisjoint(texts):
        return True
    return any(mentions_secret(text) or (_PATTERN(text) and could_be_secret(text)) for text in texts)


def _only_filters(command: Command) -> bool:
    """Whether a command passes on some of the lines it gets, each as it is."""
    flags = _FILTERS.get(command.program)
    if flags is None or command.assignments or command.has_input:
        return False
    given = [word.text for word in command.words[1:] if word.text.startswith("-")]
    if any(flag not in flags and not flag[1:].isdecimal() for flag in given):
        return False
    found = reading(command.words)
    return found is not None and not found.files


def printed(pipeline: list[Command]) -> tuple[Word, ...] | None:
    """The very words that an `echo` or a `printf` prints for the next command; else None."""
    if len(pipeline) != 1 or pipeline[0].program not in ("echo", "printf"):
        return None
    words = [word for word in pipeline[0].words[1:] if not word.text.startswith("-") and "%" not in word.text]
    return tuple(
        word._replace(text=piece, quoted=True)
        for word in words
        for piece in word.text.replace("\\n", " ").split()
    )
