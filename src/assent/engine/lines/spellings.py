"""The forms of a command that rules are compared with."""

import re
from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter

from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.lazy import regex
from assent.engine.lines.command import Command, RedirectAccess
from assent.engine.programs.catalog import find_program
from assent.engine.programs.word import Word, base_name

FormFinder = Callable[[tuple[Word, ...]], tuple[tuple[str, ...], ...]]
"""A function that returns every normal form of the words of a command."""

MAX_FORMS = 64
"""The maximal number of normal forms; a command with more forms is unreadable."""
_EXECUTABLE_EXTENSION = regex(r"\.(?:exe|com|bat|cmd)$", re.IGNORECASE)
"""The file extension of a program of Windows."""
_OPTION = regex(r"[-+]")
_match_dot_path = regex(r"\./+[^/]").match
_match_option_or_dot_path = regex(r"[-+]|\./+[^/]").match
"""Matches an option or a path that starts with `./`; most words are neither."""
_OPTION_SIGNS = ("-", "+")
_MAX_OPTION_WORDS = 8
"""How many words are searched for the options of an interpreter."""
_match_module_option = regex(r"-[A-VY-Zabd-z]*?m(.*)", re.DOTALL).fullmatch
"""Matches the option `-m` of Python with other options before it and the module after it: `-Impip`."""
_is_opaque = attrgetter("is_opaque")
_GLOB = regex(r"[*?]+|\[[^]]*\]?")


def are_literal(words: tuple[Word, ...]) -> bool:
    """Whether the shell passes each word to the program as written."""
    for word in words:  # noqa: SIM110 - `all` and a generator would take twice as long, for every command
        if word.glob or word.splits or UNKNOWN_MARK in word.text:
            return False
    return True


def normal_forms(command: Command, find_forms: FormFinder) -> tuple[str, ...]:
    """The normal forms of a command, for deny and ask rules: words joined by single blanks."""
    spelled = find_forms(command.words)
    if command.words[0].if_unset:
        # `${X:-rm} a` is also matched as `rm a`.
        program = command.words[0]._replace(text=command.words[0].if_unset)
        spelled = (*spelled, *find_forms((program, *command.words[1:])))
    if command.redirects and find_program(base_name(command.program)).takes_files_for_shell_text:
        spelled = (*spelled, *_input_script_forms(command, find_forms))
    if len(spelled) == 1 and not command.assignments:
        return (" ".join(spelled[0]),)
    found = [" ".join(words) for words in spelled]
    if command.assignments:
        names = [f"{name}={value.text}" for name, value in command.assignments]
        found.append(" ".join([*names, *(word.text for word in command.words)]))
    return tuple(dict.fromkeys(found))


def possible_forms(command: Command, find_forms: FormFinder) -> tuple[str, ...]:
    """The normal forms with a wildcard for each word that the shell may expand; empty without such words."""
    if are_literal(command.words):
        return ()
    words = tuple(_mark_expansions(word) for word in command.words)
    return tuple(dict.fromkeys(" ".join(form) for form in find_forms(words)))


def _mark_expansions(word: Word) -> Word:
    """Replace the globs of a word by the mark for unknown text."""
    if word.splits:
        return word._replace(text=UNKNOWN_MARK)
    return word._replace(text=_GLOB.sub(UNKNOWN_MARK, word.text)) if word.glob else word


def written_forms(
    command: Command, *, harmless_assignments: bool, known: bool = False
) -> tuple[tuple[str, ...], ...]:
    """The forms that an allow rule must match; none for a command with unknown words."""
    if command.is_function_call or (not known and any(map(_is_opaque, command.words))):
        return ()
    words = tuple([word.text for word in command.words])
    if not command.assignments:
        return (words,)
    if any(value.is_opaque for _, value in command.assignments):
        return ()
    whole = (*(f"{name}={value.text}" for name, value in command.assignments), *words)
    return (words, whole) if harmless_assignments else (whole,)


def find_bash_forms(words: tuple[Word, ...]) -> tuple[tuple[str, ...], ...]:
    """The normal forms of a bash command: with base name and as written, with and without options."""
    texts = tuple([word.text for word in words])
    names, rest = _program_names(texts[0]), texts[1:]
    runs = _runs_scripts(names[0])
    resources = find_program(names[0]).has_resources and any("," in text or "/" in text for text in rest)
    if not runs and not resources and len(names) == 1 and not any(map(_match_option_or_dot_path, rest)):
        return ((*names, *rest),)
    optional, dotted = any(map(_OPTION.match, rest)), any(map(_match_dot_path, rest))
    found: list[tuple[str, ...]] = [(name, *rest) for name in names]
    if runs:
        found.extend(_script_forms(rest))
        found.extend(_module_forms(names[0], rest))
    if resources:
        found.extend(_resource_forms(names[0], rest))
    if dotted:
        plain = tuple(map(_remove_dot_prefix, rest))
        found.append((names[0], *plain))
        found.extend((names[0], *some) for some in (_words_without_options(plain) if optional else ()))
    if optional:
        found.extend(
            [(names[0], *some) for some in (*_words_after_options(texts), *_words_without_options(rest))]
        )
    return tuple(dict.fromkeys(found))


def _input_script_forms(command: Command, find_forms: FormFinder) -> tuple[tuple[str, ...], ...]:
    """The forms of a shell that runs the file at its input as if the file were an operand."""
    files = [one.target for one in command.redirects if one.access is RedirectAccess.READ]
    return tuple(form for file in files for form in find_forms((command.words[0], file)))


def _resource_forms(name: str, rest: tuple[str, ...]) -> list[tuple[str, ...]]:
    """A form of the command for each kind of resource in a list: `pods,svc x` and `svc/y pod/x`."""
    plain = tuple(text for text in rest if text[:1] != "-")
    found: list[tuple[str, ...]] = []
    for at, text in enumerate(plain[1:], 1):
        found += [(name, *plain[:at], kind, *plain[at + 1 :]) for kind in text.split(",") if "," in text]
        if "/" in text and at > 1:
            found.append((name, plain[0], text))
    return found[:MAX_FORMS]


@lru_cache(maxsize=4096)
def _program_names(program: str) -> tuple[str, ...]:
    """The names of a program: base name, name as written, and lower-case name without extension."""
    name = base_name(program)
    plain = _EXECUTABLE_EXTENSION.sub("", name).lower()
    package = name[: name.find("@", 1)] if "@" in name[1:] else name
    return tuple(dict.fromkeys((name, program, plain or name, _remove_dot_prefix(program), package)))


@lru_cache(maxsize=4096)
def _runs_scripts(name: str) -> bool:
    """Whether a program runs a script whose name is among its words."""
    runs_files = find_program(name).takes_files_for_shell_text
    return runs_files or find_program(name.rstrip("0123456789.")).runs_named_script


def _script_forms(rest: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The forms of a command in which the script of a shell or interpreter is the program itself."""
    first = next((at for at, text in enumerate(rest) if text[:1] not in ("-", "+")), None)
    if first is None or " " in rest[first] or UNKNOWN_MARK in rest[first]:
        return []
    script = _remove_dot_prefix(rest[first])
    return [(name, *rest[first + 1 :]) for name in dict.fromkeys((script, base_name(script), f"./{script}"))]


def _module_forms(name: str, rest: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The form of a Python command in which `-m` and the module are separate words."""
    for at, text in enumerate(rest[:_MAX_OPTION_WORDS]):
        if text != "-m" and (found := _match_module_option(text)) is not None:
            return [(name, "-m", *((found[1],) if found[1] else ()), *rest[at + 1 :])]
    return []


def _remove_dot_prefix(text: str) -> str:
    """A relative path without the leading `./`."""
    return text[2:].lstrip("/") or text if text.startswith("./") else text


def _words_after_options(texts: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The words from a possible sub-command on, after options that may take values."""
    found: list[tuple[str, ...]] = []
    if not texts[1].startswith("-"):
        return found
    for position in range(2, len(texts)):
        if texts[position].startswith("-"):
            continue
        found.append(texts[position:])
        if not texts[position - 1].startswith("-") or "=" in texts[position - 1] or len(found) > MAX_FORMS:
            break
    return found


def _words_without_options(texts: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The words without options; several results, because it is unknown which words are values of options."""
    plain = tuple([text for text in texts if text[:1] not in _OPTION_SIGNS])
    found = [plain]
    rest: list[str] = []
    skips = False
    for text in texts:
        if text[:1] in _OPTION_SIGNS:
            skips = text[0] == "-" and "=" not in text
        elif skips:
            skips = False
        else:
            rest.append(text)
    if rest and rest[-1] == plain[-1]:
        found.append(tuple(rest))
    # Perhaps only the first option takes a value: `gh pr -R o/r merge --squash 5`.
    first = [text[:1] in _OPTION_SIGNS for text in texts].index(True)
    if len(texts) > first + 2:
        after = texts[first + 2 :]
        found.append((*texts[:first], *[text for text in after if text[:1] not in _OPTION_SIGNS]))
    return [words for words in found if words]
