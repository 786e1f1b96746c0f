"""Words of the shell that change what follows them, and so have to be plain to see.

What a line does to its variables and its directory is followed by the names in its text.
A name or a word that is put together from pieces stands nowhere in it, and is refused.
"""

from collections.abc import Sequence

from assent.engine.lines.command import Command
from assent.engine.programs.word import Word
from assent.engine.regex import regex

_MOVERS = frozenset({"cd", "pushd", "popd"})
_READERS = frozenset({"read", "mapfile", "readarray", "getopts"})
_DECLARERS = frozenset({"declare", "typeset", "local", "readonly", "export"})
_LASTING = _MOVERS | _READERS | _DECLARERS | {"set", "shift", "unset", "let", "printf"}
_LATER = frozenset({"eval", "trap", "alias"})
_WRAPPERS = frozenset({"builtin", "command", "time"})
_FILLED = regex(r"_|REPLY|MAPFILE|COPROC|OPTARG|PWD|OLDPWD|DIRSTACK|FUNCNAME|BASH_\w+")
_NAME = regex(r"[A-Za-z_]\w*")
_ATTACHED = regex(r"-\w*a\w+")
"""`read -aname`, which hides the name behind the flag."""


def unwrapped(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words without those before them that leave a word of the shell in this very shell."""
    if not words or words[0].text not in _WRAPPERS:
        return words
    for at, word in enumerate(words):
        if word.text not in _WRAPPERS and word.text not in ("-p", "--"):
            return words[at:]
    return ()


def feeds_the_rest(command: Command) -> bool:
    """Whether a command gives the shell itself another input: `exec < f`, or a text that says so later."""
    inner = unwrapped(command.words)
    program = inner[0].text if inner else ""
    if program == "exec":
        return command.has_input
    return program in _LATER and any("exec" in word.text and "<" in word.text for word in inner[1:])


def filled_by_the_shell(name: str) -> bool:
    """Whether the shell itself fills this variable with words of the line, or with what it reads."""
    return _FILLED.fullmatch(name) is not None


def problem(words: tuple[Word, ...], written: Sequence[str], functions: frozenset[str]) -> str | None:
    """Why a command cannot be followed that says something about those behind it, or None."""
    inner = unwrapped(words)
    program = inner[0].text if inner else ""
    if program not in _LASTING and program not in functions:
        return None
    spelled = {_bare(text) for text in written}
    if program not in spelled:
        return "spells a word that changes what follows so that it is hard to see"
    if program in _DECLARERS:
        return "declares variables in a way that we do not follow"
    names = [word.text for word in inner[1:] if _NAME.fullmatch(word.text) or _ATTACHED.fullmatch(word.text)]
    if program in _READERS and any(name not in spelled or _ATTACHED.fullmatch(name) for name in names):
        return "sets a variable whose name is hard to see"
    return None


def _bare(written: str) -> str:
    """A word as typed, without quotes around all of it or a backslash before it."""
    if len(written) > 1 and written[0] == written[-1] and written[0] in "'\"":
        return written[1:-1]
    return written.removeprefix("\\")
