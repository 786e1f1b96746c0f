"""Shells and interpreters: what they run when it is given by an option, a file or their input."""

from typing import NamedTuple

from assent.engine.lines.command import Access, Command
from assent.engine.lines.nested import Carried
from assent.engine.lines.options import anywhere, join, vague
from assent.engine.lines.scripts import speaks
from assent.engine.programs.catalog import lookup
from assent.engine.programs.program import Input
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

_INPUT_FILES = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
LONGEST_FILLED = 16_384
"""A longer text is not filled in, or a few words would grow without end."""
_PLAIN = regex(r"[\w./~@%+=:,-]+")
_EVERY = regex(r"\"\$\{?[@*]\}?\"|\$\{?[@*]\}?")
_PARAMETER = regex(r"\$\{?([0-9@*])\}?")
_LONG_OPTIONS = frozenset(
    """--login --norc --noprofile --posix --restricted --verbose --noediting --no-rcs --no-globalrcs
    --debugger --debug --dump-strings --dump-po-strings --protected --wordexp""".split()
)
_POWERSHELL_VALUES = frozenset(
    """executionpolicy ep ex file f version outputformat inputformat of if windowstyle w configurationname
    workingdirectory wd""".split()
)


def shell(name: str, command: Command) -> Carried | None:
    """What `sh`, `bash` and their like would run."""
    words = command.words
    own = _own(words)
    if not own.text and own.odd:
        return _guess_text(command, own)
    if not own.text:
        at = len(words) if own.reads_input else own.at
        return script(command, at, reads=Input.SHELL, computed=own.computed)
    if own.at >= len(words):
        return None
    alone = words[1].text in ("-c", "-lc") and own.at == 2
    texts = words[own.at : own.at + own.uncertain + 1]
    return Carried(
        texts=(*texts, *_with_arguments(words[own.at], words[own.at + 1 :])),
        at=own.at,
        transparent=alone and lookup(name).is_plain_shell,
        certain=not own.odd,
        computed=own.computed,
    )


def _with_arguments(text: Word, arguments: tuple[Word, ...]) -> tuple[Word, ...]:
    """The text with its parameters filled in, where the arguments are plain; it stands beside the first."""
    given = [word.text for word in arguments]
    if not given or _PARAMETER.search(text.text) is None or not all(map(_PLAIN.fullmatch, given)):
        return ()
    every = " ".join(given[1:])
    filled = _EVERY.sub(lambda _: every, text.text)
    filled = _PARAMETER.sub(lambda found: "".join(given[int(found[1]) :][:1]), filled)
    return (text._replace(text=filled),) if len(filled) <= LONGEST_FILLED else ()


def script(
    command: Command, at: int, *, reads: Input, unknown: int = 0, computed: bool = False
) -> Carried | None:
    """What runs where a program's own words end: a file, or else the input.

    Of `unknown` options it is not known whether the next word is their value.
    """
    files = command.words[at : at + unknown + 1]
    if len(files) > unknown and not any(word.text in _INPUT_FILES for word in files):
        computed = computed or any(_comes_from_elsewhere(word) for word in files)
        return Carried(at=at, computed=True) if computed else None
    return from_input(command, reads, computed=computed)


def _comes_from_elsewhere(file: Word) -> bool:
    """A script that is unknown, or is what another command of the line prints."""
    return file.text.startswith(("/dev/fd/", "/proc/self/fd/")) or (file.text == HOLE and not file.listed)


def from_input(command: Command, reads: Input, *, computed: bool = False) -> Carried | None:
    """What a program runs that takes its standard input for code."""
    if reads is Input.DATA:
        return None
    texts = [redirect.target for redirect in command.redirects if redirect.access is Access.TEXT]
    texts.extend(text._replace(text=text.otherwise) for text in texts[:] if text.otherwise)
    files = [redirect.target for redirect in command.redirects if redirect.access is Access.READ]
    if command.input is not None and command.input.text.strip():
        texts.append(Word(command.input.text.replace(HOLE, "${_}"), quoted=True))
    elif command.given:
        texts.append(join(command.given))
    found = Carried(
        texts=tuple(texts) if reads is Input.SHELL else (),
        at=len(command.words),
        computed=computed or command.piped or any(HOLE in word.text for word in files),
    )
    return found if found.texts or found.computed else None


def with_program_file(found: Carried | None, command: Command, options: str) -> Carried | None:
    """Add that an option names the input, or another command's output, as the file with the program."""
    if "#" not in options:
        return found
    files = [one.value for one in anywhere(options, command.words, 1) if "#" in one.option.marks]
    elsewhere = any(_comes_from_elsewhere(file) and file.text not in _INPUT_FILES for file in files)
    fed = any(file.text in _INPUT_FILES for file in files)
    spelled_out = from_input(command, Input.CODE) is None and speaks(command.program)
    if not elsewhere and (not fed or spelled_out):
        return found
    return (found or Carried(at=len(command.words)))._replace(computed=True)


def powershell(command: Command) -> Carried | None:
    """What `pwsh` would run; its options may be abbreviated and spelled in any case."""
    words = command.words
    at = 1
    while at < len(words):
        flag = words[at].text.lower().lstrip("-/")
        if words[at].text[:1] not in ("-", "/"):
            return Carried(texts=(join(words[at:]),), at=at, certain=False)
        rest = words[at + 1 :]
        if flag and "command".startswith(flag) and rest and rest[0].text != "-":
            return Carried(texts=(join(rest),), at=at + 1)
        if flag == "ec" or (flag and "encodedcommand".startswith(flag)):
            return Carried(at=at, computed=True)
        at += 2 if flag in _POWERSHELL_VALUES else 1
    return from_input(command, Input.SHELL)


def windows(command: Command) -> Carried | None:
    """What `cmd /c` would run."""
    words = command.words
    for at, word in enumerate(words):
        if word.text[:2].lower() in ("/c", "/k", "/r") and at:
            attached = (word._replace(text=word.text[2:]),) if word.text[2:] else ()
            rest = (*attached, *words[at + 1 :])
            return Carried(texts=(join(rest),), at=min(at + 1, len(words) - 1)) if rest else None
    return from_input(command, Input.SHELL)


class _Own(NamedTuple):
    """The options of a shell."""

    at: int
    text: bool = False
    """`-c` was among them: the next word is shell text."""
    reads_input: bool = False
    odd: bool = False
    """One was not understood."""
    computed: bool = False
    """A file that is run at the start is unknown."""
    uncertain: int = 0
    """How many words may be values of options that stand before others in one word: `-oc pipefail`."""


def _own(words: tuple[Word, ...]) -> _Own:
    own = _Own(1)
    while own.at < len(words):
        word = words[own.at]
        if word.text in ("-", "--"):
            return own._replace(at=own.at + 1)
        if word.text[:1] not in ("-", "+") or vague(word):
            return own._replace(odd=own.odd or (vague(word) and not own.text))
        own = _long(own, words) if word.text.startswith("--") else _letters(own, word.text)
    return own


def _long(own: _Own, words: tuple[Word, ...]) -> _Own:
    text = words[own.at].text
    if text not in ("--rcfile", "--init-file"):
        return own._replace(at=own.at + 1, odd=own.odd or text not in _LONG_OPTIONS)
    value = words[own.at + 1 : own.at + 2]
    unknown = any(HOLE in word.text or _comes_from_elsewhere(word) for word in value)
    return own._replace(at=own.at + 2, computed=own.computed or unknown)


def _letters(own: _Own, text: str) -> _Own:
    """`-ec`, `-euo pipefail`, `+x`; an `o` takes the next word, but shells differ unless it is last."""
    letters = text[1:]
    return own._replace(
        at=own.at + (2 if letters[-1:] in ("o", "O") else 1),
        text=own.text or (text[0] == "-" and "c" in letters),
        reads_input=own.reads_input or (text[0] == "-" and "s" in letters),
        odd=own.odd or HOLE in letters or any(letter in "oO" for letter in letters[:-1]),
        uncertain=own.uncertain + sum(letter in "oO" for letter in letters[:-1]),
    )


def _guess_text(command: Command, own: _Own) -> Carried | None:
    """Look for a later `-c` where an option before it was not understood."""
    words = command.words
    for at in range(own.at, len(words) - 1):
        text = words[at].text
        if text[:1] == "-" and text[:2] != "--" and "c" in text:
            return Carried(texts=(words[at + 1],), at=at + 1, certain=False, computed=own.computed)
    strange = own.at >= len(words) or not vague(words[own.at])
    return script(command, own.at, reads=Input.SHELL, unknown=int(strange), computed=own.computed)
