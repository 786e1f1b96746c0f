"""Find the code that shells and interpreters run from an option, a file or their input."""

from typing import NamedTuple

from assent.engine.base.lazy import regex
from assent.engine.lines.command import Command, NestedCode, RedirectAccess
from assent.engine.lines.embedded_commands import has_searchable_scripts
from assent.engine.lines.options import find_options, join_words, may_be_option
from assent.engine.programs.catalog import find_program
from assent.engine.programs.runs import CodeInput
from assent.engine.programs.word import UNKNOWN_MARK, Word

_INPUT_FILES = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
"""File names that mean the standard input."""
MAX_FILLED_TEXT = 16_384
"""The maximal length of a shell text with inserted arguments; a longer text is used without them."""
_PLAIN_ARGUMENT = regex(r"[\w./~@%+=:,-]+")
_ALL_PARAMETERS = regex(r"\"\$\{?[@*]\}?\"|\$\{?[@*]\}?")
"""`$@` or `$*`, with or without quotes."""
_PARAMETER = regex(r"\$\{?([0-9@*])\}?")
"""A positional parameter, such as `$1`."""
_LONG_OPTIONS = frozenset(
    """--login --norc --noprofile --posix --restricted --verbose --noediting --no-rcs --no-globalrcs
    --debugger --debug --dump-strings --dump-po-strings --protected --wordexp""".split()
)
"""Long options of shells that take no value."""
_POWERSHELL_VALUE_OPTIONS = frozenset(
    """executionpolicy ep ex file f version outputformat inputformat of if windowstyle w configurationname
    workingdirectory wd""".split()
)
"""Options of `pwsh` that take a value."""


def nested_in_shell(name: str, command: Command) -> NestedCode | None:
    """The code that `sh`, `bash` and similar shells run."""
    words = command.words
    own = _parse_shell_options(words)
    if not own.has_text and own.has_unknown:
        return _guess_shell_text(command, own)
    if not own.has_text:
        at = len(words) if own.reads_input else own.at
        return nested_in_script(command, at, reads=CodeInput.SHELL, computed=own.computed)
    if own.at >= len(words):
        return None
    alone = words[1].text in ("-c", "-lc") and own.at == 2
    texts = words[own.at : own.at + own.possible_values + 1]
    return NestedCode(
        texts=(*texts, *_insert_arguments(words[own.at], words[own.at + 1 :])),
        at=own.at,
        transparent=alone and find_program(name).is_plain_shell,
        certain=not own.has_unknown,
        computed=own.computed,
    )


def _insert_arguments(text: Word, arguments: tuple[Word, ...]) -> tuple[Word, ...]:
    """The shell text with its parameters replaced by plain arguments, in addition to the text itself."""
    given = [word.text for word in arguments]
    if not given or _PARAMETER.search(text.text) is None or not all(map(_PLAIN_ARGUMENT.fullmatch, given)):
        return ()
    every = " ".join(given[1:])
    filled = _ALL_PARAMETERS.sub(lambda _: every, text.text)
    filled = _PARAMETER.sub(lambda found: "".join(given[int(found[1]) :][:1]), filled)
    return (text._replace(text=filled),) if len(filled) <= MAX_FILLED_TEXT else ()


def nested_in_script(
    command: Command, at: int, *, reads: CodeInput, unknown: int = 0, computed: bool = False
) -> NestedCode | None:
    """The code that a program runs from a script file or, without a file, from its input.

    `unknown` counts the unknown options, whose value may be the next word.
    """
    files = command.words[at : at + unknown + 1]
    if len(files) > unknown and not any(word.text in _INPUT_FILES for word in files):
        computed = computed or any(_is_unknown_file(word) for word in files)
        return NestedCode(at=at, computed=True) if computed else None
    return nested_in_input(command, reads, computed=computed)


def _is_unknown_file(file: Word) -> bool:
    """Whether a script file is unknown, or is the output of another command of the line."""
    return file.text.startswith(("/dev/fd/", "/proc/self/fd/")) or (
        file.text == UNKNOWN_MARK and not file.listed
    )


def nested_in_input(command: Command, reads: CodeInput, *, computed: bool = False) -> NestedCode | None:
    """The code that a program runs from its standard input."""
    if reads is CodeInput.DATA:
        return None
    texts = [redirect.target for redirect in command.redirects if redirect.access is RedirectAccess.TEXT]
    texts.extend(text._replace(text=text.if_unset) for text in texts[:] if text.if_unset)
    files = [redirect.target for redirect in command.redirects if redirect.access is RedirectAccess.READ]
    if command.input is not None and command.input.text.strip():
        texts.append(Word(command.input.text.replace(UNKNOWN_MARK, "${_}"), quoted=True))
    elif command.input_words:
        texts.append(join_words(command.input_words))
    found = NestedCode(
        texts=tuple(texts) if reads is CodeInput.SHELL else (),
        at=len(command.words),
        computed=computed or command.piped or any(UNKNOWN_MARK in word.text for word in files),
    )
    return found if found.texts or found.computed else None


def mark_unknown_program_file(found: NestedCode | None, command: Command, options: str) -> NestedCode | None:
    """Mark the nested code as computed if an option reads it from the input or from another command."""
    if "#" not in options:
        return found
    files = [one.value for one in find_options(options, command.words, 1) if "#" in one.option.marks]
    elsewhere = any(_is_unknown_file(file) and file.text not in _INPUT_FILES for file in files)
    fed = any(file.text in _INPUT_FILES for file in files)
    spelled_out = nested_in_input(command, CodeInput.CODE) is None and has_searchable_scripts(command.program)
    if not elsewhere and (not fed or spelled_out):
        return found
    return (found or NestedCode(at=len(command.words)))._replace(computed=True)


def nested_in_powershell(command: Command) -> NestedCode | None:
    """The code that `pwsh` runs; its options may be abbreviated, in upper or lower case."""
    words = command.words
    at = 1
    while at < len(words):
        flag = words[at].text.lower().lstrip("-/")
        if words[at].text[:1] not in ("-", "/"):
            return NestedCode(texts=(join_words(words[at:]),), at=at, certain=False)
        rest = words[at + 1 :]
        if flag and "command".startswith(flag) and rest and rest[0].text != "-":
            return NestedCode(texts=(join_words(rest),), at=at + 1)
        if flag == "ec" or (flag and "encodedcommand".startswith(flag)):
            return NestedCode(at=at, computed=True)
        at += 2 if flag in _POWERSHELL_VALUE_OPTIONS else 1
    return nested_in_input(command, CodeInput.SHELL)


def nested_in_cmd(command: Command) -> NestedCode | None:
    """The code that `cmd /c` runs."""
    words = command.words
    for at, word in enumerate(words):
        if word.text[:2].lower() in ("/c", "/k", "/r") and at:
            attached = (word._replace(text=word.text[2:]),) if word.text[2:] else ()
            rest = (*attached, *words[at + 1 :])
            return NestedCode(texts=(join_words(rest),), at=min(at + 1, len(words) - 1)) if rest else None
    return nested_in_input(command, CodeInput.SHELL)


class _ShellOptions(NamedTuple):
    """The options of a shell, up to its first operand."""

    at: int
    """The index of the next word."""
    has_text: bool = False
    """True if `-c` is among the options: the next word is shell text."""
    reads_input: bool = False
    has_unknown: bool = False
    """True if an option is unknown."""
    computed: bool = False
    """True if a file that the shell runs at its start is unknown."""
    possible_values: int = 0
    """How many of the next words may be values of options such as the `o` in `-oc pipefail`."""


def _parse_shell_options(words: tuple[Word, ...]) -> _ShellOptions:
    """Parse the options of a shell up to its first operand."""
    own = _ShellOptions(1)
    while own.at < len(words):
        word = words[own.at]
        if word.text in ("-", "--"):
            return own._replace(at=own.at + 1)
        if word.text[:1] not in ("-", "+") or may_be_option(word):
            return own._replace(has_unknown=own.has_unknown or (may_be_option(word) and not own.has_text))
        own = (
            _parse_long_option(own, words)
            if word.text.startswith("--")
            else _parse_short_options(own, word.text)
        )
    return own


def _parse_long_option(options: _ShellOptions, words: tuple[Word, ...]) -> _ShellOptions:
    """Parse a long option, such as `--rcfile file`."""
    text = words[options.at].text
    if text not in ("--rcfile", "--init-file"):
        return options._replace(
            at=options.at + 1, has_unknown=options.has_unknown or text not in _LONG_OPTIONS
        )
    value = words[options.at + 1 : options.at + 2]
    unknown = any(UNKNOWN_MARK in word.text or _is_unknown_file(word) for word in value)
    return options._replace(at=options.at + 2, computed=options.computed or unknown)


def _parse_short_options(options: _ShellOptions, text: str) -> _ShellOptions:
    """Parse short options such as `-ec`, `-euo pipefail` or `+x`.

    An `o` takes the next word as its value; if the `o` is not the last letter, shells differ.
    """
    letters = text[1:]
    return options._replace(
        at=options.at + (2 if letters[-1:] in ("o", "O") else 1),
        has_text=options.has_text or (text[0] == "-" and "c" in letters),
        reads_input=options.reads_input or (text[0] == "-" and "s" in letters),
        has_unknown=options.has_unknown
        or UNKNOWN_MARK in letters
        or any(letter in "oO" for letter in letters[:-1]),
        possible_values=options.possible_values + sum(letter in "oO" for letter in letters[:-1]),
    )


def _guess_shell_text(command: Command, options: _ShellOptions) -> NestedCode | None:
    """Find the shell text after a later `-c`, because an option before it is unknown."""
    words = command.words
    for at in range(options.at, len(words) - 1):
        text = words[at].text
        if text[:1] == "-" and text[:2] != "--" and "c" in text:
            return NestedCode(texts=(words[at + 1],), at=at + 1, certain=False, computed=options.computed)
    strange = options.at >= len(words) or not may_be_option(words[options.at])
    return nested_in_script(
        command, options.at, reads=CodeInput.SHELL, unknown=int(strange), computed=options.computed
    )
