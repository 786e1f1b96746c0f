"""Scripts of other languages: the commands that they would start, as far as they spell them out."""

import re
import shlex
from collections.abc import Iterable
from functools import lru_cache
from itertools import chain, islice

from assent.engine.lines.command import Access, Command
from assent.engine.lines.nested import Carried, beside
from assent.engine.lines.option_texts import escape
from assent.engine.programs.word import Word, base_name, versionless
from assent.engine.shell.knowledge.script_shapes import (
    ATTACHED,
    AWKS,
    CALL,
    CLIENTS,
    COMPILERS,
    COMPUTED,
    CRON,
    FROM_FILES,
    KEYS,
    LANGUAGES,
    LISTED,
    LOOSE,
    MAKES,
    MEANS,
    OPENS,
    QUOTE,
    RECIPE,
    REMOVES,
    SCRIPTED,
    SEPARATORS,
    SHAPES,
    STRING,
    TASKS,
)

MOST_LITERALS = 32
"""How many texts are taken for what a script may start."""
MOST_STARTED = 512
"""How many commands of a script are looked at; a line with so many parts is left to a person."""
Vectors = tuple[tuple[Word, ...], ...]
_CRONTABS = frozenset({"crontab"})


def with_started(found: Carried | None, command: Command) -> Carried | None:
    """Add what a script would start."""
    names = _names(command.program)
    return beside(found, commands=started(names, command)) if names else found


def speaks(program: str) -> bool:
    """Whether what a program of this name starts is looked for in its scripts, whatever gives them."""
    return bool(_names(program) - FROM_FILES)


@lru_cache(maxsize=4096)
def _names(program: str) -> frozenset[str]:
    """By which names a program that runs scripts is in our tables, with and without its version."""
    name = base_name(program).removesuffix(".exe")
    return SCRIPTED.intersection({name, versionless(name)})


def started(names: frozenset[str], command: Command) -> Vectors:
    """The commands that a script among the words or in the input of a program would start."""
    words = () if names <= FROM_FILES else command.words[1:]
    texts = dict.fromkeys((*(ATTACHED.sub("", word.text, count=1) for word in words), *_fed(command)))
    found = [start for text in texts for start in spelled_out(names, text)]
    found.extend(_typed(command) if names & LOOSE else ())
    if _spoken(names)[0] and _starts_more(texts, found):
        found.extend(_literals(list(texts)))
    every = dict.fromkeys((*found, *_by_line(names, command)))
    vectors = list(islice((vector for text in every for vector in cut(text)), MOST_STARTED))
    if "bun" in names and [word.text for word in command.words[1:2]] == ["run"] and command.words[2:]:
        # A script of the project's, or else any program there is.
        vectors.append(command.words[2:])
    # What is computed is not spelled out.
    plain = names <= FROM_FILES
    return tuple(dict.fromkeys(one for one in vectors if not (one[0].opaque or (plain and one[0].glob))))


def spelled_out(names: frozenset[str], text: str) -> list[str]:
    """The commands in one text, by the languages that it may be in."""
    found: list[str] = []
    speaks, shapes = _spoken(names)
    if speaks and QUOTE.search(text):
        found.extend(_arguments(text, call.end()) for call in CALL.finditer(text))
        # Breakers know these by the programs that do the same.
        found.extend(f"rimraf {match.group('text')}" for match in REMOVES.finditer(text))
        found.extend(f"tee {match.group('path')}" for match in OPENS.finditer(text))
    for shape in shapes:
        found.extend(match["text"] or match.groupdict().get("more") or "" for match in shape.finditer(text))
    return found


@lru_cache(maxsize=1024)
def _spoken(names: frozenset[str]) -> tuple[bool, tuple[re.Pattern[str], ...]]:
    """Whether a program takes a language with calls, and the other shapes that its commands have."""
    shapes = tuple(shape for known, shape in SHAPES if names & known)
    return bool(names & (LANGUAGES | AWKS | COMPILERS)), shapes


def _starts_more(texts: Iterable[str], found: list[str]) -> bool:
    """Whether scripts start what they do not spell out there."""
    return any(map(COMPUTED.search, texts)) or (not found and any(map(MEANS.search, texts)))


def _literals(texts: list[str]) -> list[str]:
    """The texts in a script and beside it, any of which a variable of the script may hold."""
    inside = [match for text in texts for match in STRING.finditer(text)]
    together = (_arguments(match.string, match.start()) for match in inside)  # On demand: each may be long.
    beside = (text.partition("=")[2] or text for text in texts)
    lists = (" ".join(texts[at:]) for at in range(2, len(texts)))
    found: dict[str, None] = {}
    held = chain((match["text"] for match in inside), together, beside, lists)
    while len(found) < MOST_LITERALS and (text := next(held, None)) is not None:
        found[text] = None
    return list(found)


def _fed(command: Command) -> list[str]:
    """What the line itself gives the program to read."""
    here = [one.target.otherwise or one.target.text for one in command.redirects if one.access is Access.TEXT]
    given = [" ".join(word.text for word in command.given)] if command.given else []
    given = [command.input.text] if command.input is not None and command.input.text else given
    return [*here, *given, *(text for _, one in command.drafts for text in (one.text, one.guessed) if text)]


def _typed(command: Command) -> list[str]:
    """What `tmux send-keys` types, key by key."""
    words = [word.text for word in command.words[1:]]
    at = next((at for at, word in enumerate(words, 1) if word in ("send-keys", "send")), 0)
    keys = [KEYS.get(word, word) for word in words[at:] if word[:1] != "-"]
    return ["".join(keys)] if at else []


def _by_line(names: frozenset[str], command: Command) -> list[str]:
    """The commands in what is fed to clients that take one a line."""
    lines = [line for text in _fed(command) for line in text.splitlines()]
    found: list[str] = []
    if "lftp" in names:
        # It takes its commands as words, too.
        lines = [*lines, *(word.text for word in command.words[1:])]
    if names & MAKES:
        # So does `make`, behind `--eval`.
        given = [word.text.removeprefix("--eval=") for word in command.words[1:]]
        lines = [*lines, *(line for text in given for line in text.splitlines())]
    if names & CLIENTS:
        escapes = (escape(Word(line.lstrip("~"))) for line in lines)
        found.extend(word.text for word in escapes if word is not None)
    for known, shape in ((_CRONTABS, CRON), (MAKES, RECIPE), (TASKS, LISTED)):
        matches = (shape.match(line) for line in lines if names & known)
        found.extend(match.group(1) for match in matches if match is not None)
    return found


def _arguments(code: str, at: int) -> str:
    """Strings that follow each other, as one command."""
    found: list[str] = []
    while (match := STRING.match(code, at)) is not None:
        found.append(match.group("text"))
        at = match.end()
    return " ".join(found)


@lru_cache(maxsize=1024)
def cut(text: str) -> Vectors:
    """The words of each command in a text; where they cannot be told apart, blanks divide them."""
    found: list[tuple[Word, ...]] = []
    for piece in SEPARATORS.split(text):
        try:
            words = shlex.split(piece)
        except ValueError:
            words = piece.split()
        if words:
            found.append(tuple(map(_word, words)))
    return tuple(found)


def _word(text: str) -> Word:
    return Word(text, glob=any(sign in text for sign in "*?["), tilde=text.startswith("~"))
