"""The forms of a command that rules are compared with."""

import re
from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter

from assent.engine.base.globs import HOLE
from assent.engine.base.lazy import regex
from assent.engine.lines.command import Command
from assent.engine.programs.catalog import lookup
from assent.engine.programs.word import Word, base_name

FormFinder = Callable[[tuple[Word, ...]], tuple[tuple[str, ...], ...]]
"""Returns every normal form that the words can have."""

MOST_FORMS = 64
"""A command with more forms is left to a person."""
_EXECUTABLE = regex(r"\.(?:exe|com|bat|cmd)$", re.IGNORECASE)
_OPTION = regex(r"[-+]")
_DOTTED = regex(r"\./+[^/]").match
_OPTION_OR_DOTTED = regex(r"[-+]|\./+[^/]").match
"""Matches either of the two; most words match neither."""
_SIGNS = ("-", "+")
_MOST_OPTION_WORDS = 8
"""How many words are searched for the options of an interpreter."""
_MODULE_OPTION = regex(r"-[A-VY-Zabd-z]*?m(.*)", re.DOTALL).fullmatch
"""The module option of Python, with other options before it and the module after it: `-Impip`."""
_OPAQUE = attrgetter("opaque")
_GLOB = regex(r"[*?]+|\[[^]]*\]?")


def are_literal(words: tuple[Word, ...]) -> bool:
    """Whether the shell leaves each word as it is written."""
    for word in words:  # noqa: SIM110 - `all` and a generator would take twice as long, for every command
        if word.glob or word.splits or HOLE in word.text:
            return False
    return True


def normal_forms(command: Command, find_forms: FormFinder) -> tuple[str, ...]:
    """The normal forms of a command, for deny and ask rules: words joined by one blank."""
    spelled = find_forms(command.words)
    if command.words[0].if_unset:
        # `${X:-rm} a` is also compared with its default value.
        program = command.words[0]._replace(text=command.words[0].if_unset)
        spelled = (*spelled, *find_forms((program, *command.words[1:])))
    if len(spelled) == 1 and not command.assignments:
        return (" ".join(spelled[0]),)
    found = [" ".join(words) for words in spelled]
    if command.assignments:
        names = [f"{name}={value.text}" for name, value in command.assignments]
        found.append(" ".join([*names, *(word.text for word in command.words)]))
    return tuple(dict.fromkeys(found))


def possible_forms(command: Command, find_forms: FormFinder) -> tuple[str, ...]:
    """The normal forms with a hole for each word that the shell may expand."""
    if are_literal(command.words):
        return ()
    words = tuple(_with_holes(word) for word in command.words)
    return tuple(dict.fromkeys(" ".join(form) for form in find_forms(words)))


def _with_holes(word: Word) -> Word:
    if word.splits:
        return word._replace(text=HOLE)
    return word._replace(text=_GLOB.sub(HOLE, word.text)) if word.glob else word


def written_forms(
    command: Command, *, harmless_assignments: bool, known: bool = False
) -> tuple[tuple[str, ...], ...]:
    """The forms that an allow rule must spell; none for a command with words that are not known."""
    if command.is_function_call or (not known and any(map(_OPAQUE, command.words))):
        return ()
    words = tuple([word.text for word in command.words])
    if not command.assignments:
        return (words,)
    if any(value.opaque for _, value in command.assignments):
        return ()
    whole = (*(f"{name}={value.text}" for name, value in command.assignments), *words)
    return (words, whole) if harmless_assignments else (whole,)


def find_bash_forms(words: tuple[Word, ...]) -> tuple[tuple[str, ...], ...]:
    """The normal forms of a command of bash: by base name and as written, with and without options."""
    texts = tuple([word.text for word in words])
    names, rest = _program_names(texts[0]), texts[1:]
    runs = _runs_scripts(names[0])
    if not runs and len(names) == 1 and not any(map(_OPTION_OR_DOTTED, rest)):
        return ((*names, *rest),)
    optional, dotted = any(map(_OPTION.match, rest)), any(map(_DOTTED, rest))
    found: list[tuple[str, ...]] = [(name, *rest) for name in names]
    if runs:
        found.extend(_script_forms(rest))
        found.extend(_module_forms(names[0], rest))
    if dotted:
        plain = tuple(map(_without_dot, rest))
        found.append((names[0], *plain))
        found.extend((names[0], *some) for some in (_without_options(plain) if optional else ()))
    if optional:
        found.extend([(names[0], *some) for some in (*_after_options(texts), *_without_options(rest))])
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=4096)
def _program_names(program: str) -> tuple[str, ...]:
    """A program by its base name, as written, and without its ending and letter case."""
    name = base_name(program)
    plain = _EXECUTABLE.sub("", name).lower()
    return tuple(dict.fromkeys((name, program, plain or name, _without_dot(program))))


@lru_cache(maxsize=4096)
def _runs_scripts(name: str) -> bool:
    runs_files = lookup(name).takes_files_for_shell_text
    return runs_files or lookup(name.rstrip("0123456789.")).runs_named_script


def _script_forms(rest: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The script of a shell or interpreter, as if it were called as a program."""
    first = next((at for at, text in enumerate(rest) if text[:1] not in ("-", "+")), None)
    if first is None or " " in rest[first] or HOLE in rest[first]:
        return []
    script = _without_dot(rest[first])
    return [(name, *rest[first + 1 :]) for name in dict.fromkeys((script, base_name(script), f"./{script}"))]


def _module_forms(name: str, rest: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The module of Python as its own word, when it shares a word with other options."""
    for at, text in enumerate(rest[:_MOST_OPTION_WORDS]):
        if text != "-m" and (found := _MODULE_OPTION(text)) is not None:
            return [(name, "-m", *((found[1],) if found[1] else ()), *rest[at + 1 :])]
    return []


def _without_dot(text: str) -> str:
    """A relative path without a leading `./`."""
    return text[2:].lstrip("/") or text if text.startswith("./") else text


def _after_options(texts: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The words after the options before a sub-command, some of which may take a value."""
    found: list[tuple[str, ...]] = []
    if not texts[1].startswith("-"):
        return found
    for position in range(2, len(texts)):
        if texts[position].startswith("-"):
            continue
        found.append(texts[position:])
        if not texts[position - 1].startswith("-") or "=" in texts[position - 1] or len(found) > MOST_FORMS:
            break
    return found


def _without_options(texts: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The words without options, and without words that may be option values."""
    plain = tuple([text for text in texts if text[:1] not in _SIGNS])
    found = [plain]
    rest: list[str] = []
    skips = False
    for text in texts:
        if text[:1] in _SIGNS:
            skips = text[0] == "-" and "=" not in text
        elif skips:
            skips = False
        else:
            rest.append(text)
    if rest and rest[-1] == plain[-1]:
        found.append(tuple(rest))
    # The first option may take a value where the others do not: `gh pr -R o/r merge --squash 5`.
    first = [text[:1] in _SIGNS for text in texts].index(True)
    if len(texts) > first + 2:
        after = texts[first + 2 :]
        found.append((*texts[:first], *[text for text in after if text[:1] not in _SIGNS]))
    return [words for words in found if words]
