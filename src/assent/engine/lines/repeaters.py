"""Programs that run a command for each of several names: `xargs`, `find`, `fd`, `parallel`."""

import re
import shlex

from assent.engine.base.lazy import regex
from assent.engine.lines.command import Command, NestedCode, guess_nested_commands
from assent.engine.lines.options import OptionParser, join_words
from assent.engine.lines.output import looks_for_secrets
from assent.engine.lines.reading import find_reads
from assent.engine.lines.shells import nested_in_input
from assent.engine.programs.checks.files import finds_only_files, split_exec_actions
from assent.engine.programs.runs import CodeInput
from assent.engine.programs.word import UNKNOWN_MARK, Word

_PLACEHOLDERS = ("{}", "{.}", "{/}", "{//}", "{/.}")
"""Placeholders that `fd` and `parallel` replace by a name or a part of a name."""
_FD_SWITCHES = "HIusigFlLpaq01"
"""The short options of `fd` without a value; an `x` after them in the same word means `-x`."""
MAX_ACTIONS = 16
"""The maximal number of `-exec` actions that are read from one `find` command."""
_REPLACE_OPTIONS = frozenset({"-I", "-i", "--replace", "-J"})
"""Options of `xargs` that set the placeholder for a name."""
_COUNT_OPTIONS = frozenset({"-n", "--max-args", "-L", "-l", "--max-lines"})
"""Options of `xargs` that limit the names per command."""
_LINE_DELIMITERS = frozenset({"\\n", "\n", "\\0", "\\x00"})
_FIND_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FIND_OPTIONS = frozenset({"-H", "-L", "-P", "-E", "-X", "-d", "-s", "-x", "-O0", "-O1", "-O2", "-O3"})
_HARMLESS_FIND_OPTIONS = frozenset({"-P", "-O0", "-O1", "-O2", "-O3"})
_EXPRESSION_STARTS = ("-", "(", "!", ",", ")")
"""Beginnings of the words after the directories of `find`."""
_FOLLOW_LINKS_OPTION = regex(r"-\w*L\w*")
"""An option of `find` that follows links."""
_OTHER_DIRECTORY_OPTIONS = ("--follow", "--base-directory", "--search-path")
_FD_EXEC = frozenset({"-x", "-X", "--exec", "--exec-batch"})
_FD_BUNDLE = regex(f"-[{_FD_SWITCHES}]*[xX](.*)", re.DOTALL)
"""Short options of `fd` in one word that ends in `-x` or `-X` and perhaps the command."""
_PLAIN_WORD = regex(r"[\w./:=@%+,{}-]+")
_ARGUMENT_SEPARATORS = frozenset({":::", ":::+", "::::", "::::+"})
"""Words after which the arguments of `parallel` follow."""


def nested_in_xargs(command: Command, options: str) -> NestedCode | None:
    """The command that `xargs` runs with names from its input."""
    if len(command.words) == 2 and command.words[1].text in ("--help", "--version"):
        return None
    own = OptionParser(options, command.words)
    own.skip_options()
    files = tuple(option.value for option in own.options_with_mark("<"))
    if not own.understood:
        return guess_nested_commands(command.words, own.at)._replace(files=files)
    cut = [option.value.text for option in own.found if option.name in ("-d", "--delimiter")]
    listed = command.listing_roots is not None and not files and _LINE_DELIMITERS.issuperset(cut)
    surely = all(word.certain for word in command.listing_roots or ()) and bool(
        own.option_names() & {"-0", "--null"}
    )
    name = Word(UNKNOWN_MARK, listed=listed, certain=surely and bool(command.listing_roots))
    rest = command.words[own.at :] or (Word("echo"),)
    for option in own.found:
        if option.name in _REPLACE_OPTIONS:
            rest = _insert_name(rest, (option.value.text or "{}",), name._replace(splits=option.name == "-J"))
    if not own.option_names() & _REPLACE_OPTIONS or own.option_names() & _COUNT_OPTIONS:
        rest = (*rest, name._replace(splits=True))
    commands: tuple[tuple[Word, ...], ...] = (rest,)
    if command.input_words and command.words[own.at :] and not files:
        commands = (rest, *_commands_for_each_argument(command.words[own.at :], ("{}",), command.input_words))
    return NestedCode(commands, at=own.at, transparent=not own.options_with_mark("~"), files=files)


def nested_in_find(command: Command) -> NestedCode | None:
    """The commands that `find` runs for the files that it finds."""
    words = command.words
    if sum(word.text in _FIND_EXEC for word in words) > MAX_ACTIONS:
        return NestedCode(at=1, computed=True)
    roots = _search_roots(words)
    below = _absolute_start(roots)
    listed = below is not None or _stays_in_directory(roots)
    listed = listed and not looks_for_secrets(_own_words_of_find(words))
    certain = listed and not any(word.text.startswith("@") for word in words)
    text = f"{below or ''}{UNKNOWN_MARK}" if listed else UNKNOWN_MARK
    name = Word(text, listed=listed, certain=finds_only_files(words), operand=certain)
    commands: list[tuple[Word, ...]] = []
    first = at = next((at for at, word in enumerate(words) if word.text in _FIND_EXEC), len(words))
    while at < len(words):
        end = _exec_end(words, at + 1)
        if words[at + 1 : end]:
            several = words[end - 1].text == "{}" and [word.text for word in words[end : end + 1]] == ["+"]
            commands.append(_insert_name(words[at + 1 : end], ("{}",), name._replace(splits=several)))
        at = next((index for index in range(end, len(words)) if words[index].text in _FIND_EXEC), len(words))
    if not commands:
        return None
    split = split_exec_actions(words[1:])
    reads = None if split is None else find_reads((words[0], *split[0]))
    return NestedCode(
        tuple(commands),
        at=first + 1,
        transparent=reads is not None,
        files=() if reads is None else reads.files,
    )


def nested_in_fd(command: Command) -> NestedCode | None:
    """The command that `fd` runs for the files that it finds: all words after `-x`, up to a `;`."""
    words = command.words
    for at, word in enumerate(words):
        flag, equals, value = word.text.partition("=")
        bundle = None if word.text.startswith("--") else _FD_BUNDLE.fullmatch(word.text)
        if not (flag in _FD_EXEC or bundle):
            continue
        attached = bundle.group(1) if bundle else value if equals else ""
        end = next((index for index in range(at + 1, len(words)) if words[index].text == ";"), len(words))
        rest = (*((Word(attached),) if attached else ()), *words[at + 1 : end])
        if not rest:
            return None
        plain = (*words[:at], *words[end + 1 :])
        reads = find_reads(plain)
        name = Word(
            UNKNOWN_MARK, listed=_stays_in_directory(plain) and not looks_for_secrets(plain), splits=True
        )
        whole = _insert_name(rest, _PLACEHOLDERS, name)
        return NestedCode(
            (whole if whole != rest else (*rest, name),),
            at=min(at if attached else at + 1, len(words) - 1),
            transparent=reads is not None,
            files=() if reads is None else reads.files,
        )
    return None


def nested_in_parallel(command: Command, options: str) -> NestedCode | None:
    """The command that `parallel` runs with the arguments after `:::` or with names from its input."""
    words = command.words
    end = next((at for at, word in enumerate(words) if word.text in _ARGUMENT_SEPARATORS), len(words))
    own = OptionParser(options, words[:end])
    own.skip_options()
    if not own.understood:
        return guess_nested_commands(words, own.at, texts=True)
    arguments = words[end + 1 :]
    if not words[own.at : end]:
        return (
            NestedCode(texts=arguments, at=end + 1)
            if arguments
            else nested_in_input(command, CodeInput.SHELL)
        )
    marks = (*_PLACEHOLDERS, *(option.value.text for option in own.found if option.name == "-I"))
    several = words[end : end + 1] != () and words[end].text != ":::"
    several = several or bool(_ARGUMENT_SEPARATORS.intersection(word.text for word in arguments))
    names = (
        (arguments and not several and arguments) or command.input_words or (Word(UNKNOWN_MARK, splits=True),)
    )
    rest = words[own.at : end]
    if all(_PLAIN_WORD.fullmatch(word.text) for word in rest):
        return NestedCode(_commands_for_each_argument(rest, marks, names), at=own.at)
    # `parallel` passes its words to a shell as text, and quotes the names that it inserts.
    return NestedCode(
        texts=tuple(
            map(join_words, _commands_for_each_argument(rest, marks, tuple(map(_quote_word, names))))
        ),
        at=own.at,
    )


def _insert_name(words: tuple[Word, ...], placeholders: tuple[str, ...], name: Word) -> tuple[Word, ...]:
    """Replace each placeholder in the words by the name, which is often unknown."""
    found: list[Word] = []
    for word in words:
        text = word.text
        for placeholder in placeholders:
            text = text.replace(placeholder, name.text)
        # A path is below the name only if it begins with the name and has no `..`.
        begins = text.startswith(name.text)
        below = name.listed and begins and ".." not in text
        replaced = word._replace(text=text, listed=below, certain=below and name.certain, splits=name.splits)
        replaced = replaced._replace(operand=begins and name.operand)
        found.append(word if text == word.text else replaced)
    return tuple(found)


def _commands_for_each_argument(
    words: tuple[Word, ...], placeholders: tuple[str, ...], arguments: tuple[Word, ...]
) -> tuple[tuple[Word, ...], ...]:
    """One command per argument. Without placeholders, a single command with all arguments at its end."""
    if len(arguments) == 1 or not any(word.text in placeholders for word in words):
        return (_insert_arguments(words, placeholders, arguments),)
    several = arguments if len(arguments) <= MAX_ACTIONS else (*arguments[:MAX_ACTIONS], Word(UNKNOWN_MARK))
    return tuple(_insert_arguments(words, placeholders, (argument,)) for argument in several)


def _insert_arguments(
    words: tuple[Word, ...], placeholders: tuple[str, ...], arguments: tuple[Word, ...]
) -> tuple[Word, ...]:
    """Replace the placeholders by the arguments; without placeholders, append the arguments."""
    if not any(placeholder in word.text for word in words for placeholder in placeholders):
        return (*words, *arguments)
    found: list[Word] = []
    for word in words:
        if word.text in placeholders:
            found.extend(arguments)
        else:
            name = arguments[0] if len(arguments) == 1 else Word(UNKNOWN_MARK, splits=True)
            found.extend(_insert_name((word,), placeholders, name))
    return tuple(found)


def _quote_word(word: Word) -> Word:
    """Quote a word for a shell, unless it is plain."""
    return word if word.is_opaque else word._replace(text=shlex.quote(word.text))


def _exec_end(words: tuple[Word, ...], start: int) -> int:
    """The index at which the command after `-exec` ends: at a `;`, or at a `+` after `{}`."""
    for at in range(start, len(words)):
        if words[at].text == ";" or (words[at].text == "+" and words[at - 1].text == "{}"):
            return at
    return len(words)


def _search_roots(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The directories that `find` searches, and options that change where it searches."""
    start = next((at for at in range(1, len(words)) if words[at].text not in _FIND_OPTIONS), len(words))
    end = next(
        (at for at in range(start, len(words)) if words[at].text[:1] in _EXPRESSION_STARTS), len(words)
    )
    others = tuple(word for word in words[end:] if word.text in ("-follow", "-files0-from"))
    return (*words[:end], *others)


def _own_words_of_find(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words of `find` itself, without the commands that it runs."""
    split = split_exec_actions(words[1:])
    return words if split is None else (words[0], *split[0])


def _absolute_start(roots: tuple[Word, ...]) -> str | None:
    """The only directory that `find` searches, with a slash at its end, if its path is absolute and plain."""
    options, starts = roots[1:-1], roots[-1:]
    if len(roots) < 2 or any(word.text not in _HARMLESS_FIND_OPTIONS for word in options):
        return None
    word = starts[0]
    plain = word.text[:1] == "/" and not (word.tilde or word.is_opaque or ".." in word.text.split("/"))
    return f"{word.text.rstrip('/')}/" if plain and word.text.strip("/") else None


def _stays_in_directory(words: tuple[Word, ...]) -> bool:
    """Whether `find` searches only below the working directory and follows no links."""
    return not any(_may_leave_directory(word) for word in words[1:])


def _may_leave_directory(word: Word) -> bool:
    """Whether a path may lead out of the working directory."""
    text = word.text
    if text[:1] == "-":
        return (
            text in ("-follow", "-files0-from")
            or text.startswith(_OTHER_DIRECTORY_OPTIONS)
            or bool(_FOLLOW_LINKS_OPTION.fullmatch(text))
        )
    return word.tilde or word.is_opaque or text[:1] == "/" or ".." in text.split("/")
