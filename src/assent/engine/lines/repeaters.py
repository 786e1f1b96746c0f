"""Programs that run a command once for each of many names: `xargs`, `find`, `fd`, `parallel`."""

import re
import shlex

from assent.engine.lines.command import Command
from assent.engine.lines.listing import speaks_of_secrets
from assent.engine.lines.nested import Carried, guess
from assent.engine.lines.options import Options, join
from assent.engine.lines.reading import reading
from assent.engine.lines.shells import from_input
from assent.engine.programs.checks.find import only_files, split_exec
from assent.engine.programs.program import Input
from assent.engine.programs.word import HOLE, Word
from assent.engine.regex import regex

_PLACES = ("{}", "{.}", "{/}", "{//}", "{/.}")
"""What `fd` and `parallel` replace by a name, or by a part of one."""
_FD_SWITCHES = "HIusigFlLpaq01"
"""The short options of `fd` without a value, after which `x` in the same word still means `-x`."""
MOST_ACTIONS = 16
"""How many `-exec` of one `find` are looked at."""
_REPLACES = frozenset({"-I", "-i", "--replace", "-J"})
_COUNTS = frozenset({"-n", "--max-args", "-L", "-l", "--max-lines"})
_LINES = frozenset({"\\n", "\n", "\\0", "\\x00"})
_FIND_EXEC = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_FIND_OPTIONS = frozenset({"-H", "-L", "-P", "-E", "-X", "-d", "-s", "-x", "-O0", "-O1", "-O2", "-O3"})
_EXPRESSION = ("-", "(", "!", ",", ")")
_LINKS = regex(r"-\w*L\w*")
_ELSEWHERE = ("--follow", "--base-directory", "--search-path")
_FD_EXEC = frozenset({"-x", "-X", "--exec", "--exec-batch"})
_FD_BUNDLE = regex(f"-[{_FD_SWITCHES}]*[xX](.*)", re.DOTALL)
_PLAIN_WORD = regex(r"[\w./:=@%+,{}-]+")
_ARGUMENTS = frozenset({":::", ":::+", "::::", "::::+"})


def xargs(command: Command, options: str) -> Carried | None:
    """The command that `xargs` completes with names from its input."""
    if len(command.words) == 2 and command.words[1].text in ("--help", "--version"):
        return None
    own = Options(options, command.words)
    own.skip()
    files = tuple(option.value for option in own.values("<"))
    if not own.sure:
        return guess(command.words, own.at)._replace(files=files)
    cut = [option.value.text for option in own.found if option.name in ("-d", "--delimiter")]
    listed = command.fed is not None and not files and _LINES.issuperset(cut)
    surely = all(word.surely for word in command.fed or ()) and bool(own.names() & {"-0", "--null"})
    name = Word(HOLE, listed=listed, surely=surely and bool(command.fed))
    rest = command.words[own.at :] or (Word("echo"),)
    for option in own.found:
        if option.name in _REPLACES:
            rest = _replaced(rest, (option.value.text or "{}",), name._replace(splits=option.name == "-J"))
    if not own.names() & _REPLACES or own.names() & _COUNTS:
        rest = (*rest, name._replace(splits=True))
    commands: tuple[tuple[Word, ...], ...] = (rest,)
    if command.given and command.words[own.at :] and not files:
        commands = (rest, *_for_each(command.words[own.at :], ("{}",), command.given))
    return Carried(commands, at=own.at, transparent=not own.values("~"), files=files)


def find(command: Command) -> Carried | None:
    """What `find` runs for what it finds."""
    words = command.words
    if sum(word.text in _FIND_EXEC for word in words) > MOST_ACTIONS:
        return Carried(at=1, computed=True)
    listed = _below(_roots(words)) and not speaks_of_secrets(_own(words))
    certain = listed and not any(word.text.startswith("@") for word in words)
    name = Word(HOLE, listed=listed, surely=only_files(words), operand=certain)
    commands: list[tuple[Word, ...]] = []
    first = at = next((at for at, word in enumerate(words) if word.text in _FIND_EXEC), len(words))
    while at < len(words):
        end = _end_of_exec(words, at + 1)
        if words[at + 1 : end]:
            several = words[end - 1].text == "{}" and [word.text for word in words[end : end + 1]] == ["+"]
            commands.append(_replaced(words[at + 1 : end], ("{}",), name._replace(splits=several)))
        at = next((place for place in range(end, len(words)) if words[place].text in _FIND_EXEC), len(words))
    if not commands:
        return None
    split = split_exec(words[1:])
    reads = None if split is None else reading((words[0], *split[0]))
    return Carried(
        tuple(commands),
        at=first + 1,
        transparent=reads is not None,
        files=() if reads is None else reads.files,
    )


def fd(command: Command) -> Carried | None:
    """What `fd` runs for what it finds: all words after `-x`, up to a `;`."""
    words = command.words
    for at, word in enumerate(words):
        flag, equals, value = word.text.partition("=")
        bundle = None if word.text.startswith("--") else _FD_BUNDLE.fullmatch(word.text)
        if not (flag in _FD_EXEC or bundle):
            continue
        attached = bundle.group(1) if bundle else value if equals else ""
        end = next((place for place in range(at + 1, len(words)) if words[place].text == ";"), len(words))
        rest = (*((Word(attached),) if attached else ()), *words[at + 1 : end])
        if not rest:
            return None
        plain = (*words[:at], *words[end + 1 :])
        reads = reading(plain)
        name = Word(HOLE, listed=_below(plain) and not speaks_of_secrets(plain), splits=True)
        whole = _replaced(rest, _PLACES, name)
        return Carried(
            (whole if whole != rest else (*rest, name),),
            at=min(at if attached else at + 1, len(words) - 1),
            transparent=reads is not None,
            files=() if reads is None else reads.files,
        )
    return None


def parallel(command: Command, options: str) -> Carried | None:
    """The command that `parallel` completes with arguments after `:::` or with names from its input."""
    words = command.words
    end = next((at for at, word in enumerate(words) if word.text in _ARGUMENTS), len(words))
    own = Options(options, words[:end])
    own.skip()
    if not own.sure:
        return guess(words, own.at, texts=True)
    arguments = words[end + 1 :]
    if not words[own.at : end]:
        return Carried(texts=arguments, at=end + 1) if arguments else from_input(command, Input.SHELL)
    marks = (*_PLACES, *(option.value.text for option in own.found if option.name == "-I"))
    several = words[end : end + 1] != () and words[end].text != ":::"
    several = several or bool(_ARGUMENTS.intersection(word.text for word in arguments))
    names = (arguments and not several and arguments) or command.given or (Word(HOLE, splits=True),)
    rest = words[own.at : end]
    if all(_PLAIN_WORD.fullmatch(word.text) for word in rest):
        return Carried(_for_each(rest, marks, names), at=own.at)
    # `parallel` hands its words to a shell, so they are text, and what it fills in is quoted there.
    return Carried(texts=tuple(map(join, _for_each(rest, marks, tuple(map(_quoted, names))))), at=own.at)


def _replaced(words: tuple[Word, ...], places: tuple[str, ...], name: Word) -> tuple[Word, ...]:
    """The words with the name, often a hole, in each place where it will stand."""
    found: list[Word] = []
    for word in words:
        text = word.text
        for place in places:
            text = text.replace(place, name.text)
        # Only what begins with the name and goes no way up is still where the name is.
        begins = text.startswith(name.text)
        below = name.listed and begins and ".." not in text
        replaced = word._replace(text=text, listed=below, surely=below and name.surely, splits=name.splits)
        replaced = replaced._replace(operand=begins and name.operand)
        found.append(word if text == word.text else replaced)
    return tuple(found)


def _for_each(
    words: tuple[Word, ...], places: tuple[str, ...], arguments: tuple[Word, ...]
) -> tuple[tuple[Word, ...], ...]:
    """The command for each of the arguments, where they have places; else with them all at its end."""
    if len(arguments) == 1 or not any(word.text in places for word in words):
        return (_completed(words, places, arguments),)
    several = arguments if len(arguments) <= MOST_ACTIONS else (*arguments[:MOST_ACTIONS], Word(HOLE))
    return tuple(_completed(words, places, (argument,)) for argument in several)


def _completed(
    words: tuple[Word, ...], places: tuple[str, ...], arguments: tuple[Word, ...]
) -> tuple[Word, ...]:
    """The words with the arguments in their places, or else at the end."""
    if not any(place in word.text for word in words for place in places):
        return (*words, *arguments)
    found: list[Word] = []
    for word in words:
        if word.text in places:
            found.extend(arguments)
        else:
            name = arguments[0] if len(arguments) == 1 else Word(HOLE, splits=True)
            found.extend(_replaced((word,), places, name))
    return tuple(found)


def _quoted(word: Word) -> Word:
    return word if word.opaque else word._replace(text=shlex.quote(word.text))


def _end_of_exec(words: tuple[Word, ...], start: int) -> int:
    """Where the command after `-exec` ends: at a `;`, or at a `+` after `{}`."""
    for at in range(start, len(words)):
        if words[at].text == ";" or (words[at].text == "+" and words[at - 1].text == "{}"):
            return at
    return len(words)


def _roots(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The options of `find` that matter here, and where it looks."""
    start = next((at for at in range(1, len(words)) if words[at].text not in _FIND_OPTIONS), len(words))
    end = next((at for at in range(start, len(words)) if words[at].text[:1] in _EXPRESSION), len(words))
    others = tuple(word for word in words[end:] if word.text in ("-follow", "-files0-from"))
    return (*words[:end], *others)


def _own(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words of `find` itself, without those of what it runs."""
    split = split_exec(words[1:])
    return words if split is None else (words[0], *split[0])


def _below(words: tuple[Word, ...]) -> bool:
    """Whether all that is looked through lies below the working directory, links not followed."""
    return not any(_leads_out(word) for word in words[1:])


def _leads_out(word: Word) -> bool:
    text = word.text
    if text[:1] == "-":
        return (
            text in ("-follow", "-files0-from") or text.startswith(_ELSEWHERE) or bool(_LINKS.fullmatch(text))
        )
    return word.tilde or word.opaque or text[:1] == "/" or ".." in text.split("/")
