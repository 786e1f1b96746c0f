"""Packs: shipped sets of commands that a rule such as `Bash(@go)` allows."""

from functools import lru_cache

from assent.engine.base.facts import CallDirectories, is_inside
from assent.engine.base.globs import UNKNOWN_MARK, has_glob
from assent.engine.base.lazy import regex
from assent.engine.base.sensitive_paths import could_be_secret, is_protected, is_secret
from assent.engine.lines.command import Command
from assent.engine.lines.embedded_commands import has_harmless_assignments
from assent.engine.lines.part import Part
from assent.engine.programs.catalog import find_program
from assent.engine.programs.flags import FlagScan, parse_flags
from assent.engine.programs.losses import LossesBy
from assent.engine.programs.packs import PACKS, Pack, PackCommand, PackOperands
from assent.engine.programs.variables import is_harmless_for_builds
from assent.engine.programs.word import Word

PACK_SIGN = "@"
"""The first character of a specifier that names a pack."""
_OUTPUT_FLAGS = ("-o", "--output", "-coverprofile", "--coverprofile")
_TASK = regex(r"[A-Za-z0-9_][\w:.+/-]*")
_WORD_OF_TASK = regex(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
"""A word in the name of a task: `deploy` and `Prod` in `deployProd`."""
_UNSAFE_WORD = regex(
    r"(?:pre|post)?(?:publish|deploy|release|install|uninstall|upload|push|ship|provision|destroy"
    r"|login|logout|upgrade)"
)
"""Words that people use for acts outside of the workspace."""
_NAME = regex(r"[\w@{][^\s]*")
_LEADING_FLAGS = frozenset("-s --silent -q --quiet -r --recursive --no-pager".split())
"""Options that only change how a program prints, or that it runs in all packages of the workspace."""
_NULL_OUTPUT = "/dev/null"


def find_pack(specifier: str) -> Pack | None:
    """The pack that a specifier such as `@go` names; None for other specifiers."""
    return PACKS.get(specifier.removeprefix(PACK_SIGN)) if specifier.startswith(PACK_SIGN) else None


def pack_covers(name: str, part: Part, directories: CallDirectories, *, spelled_out: int) -> bool:
    """Whether a pack allows the command of a part; the command must spell out its first words."""
    command = part.command
    if command is None or not command.words or command.is_function_call or part.input is not None:
        return False
    if not all(_is_harmless_assignment(command, at) for at in range(len(command.assignments))):
        return False
    words = _without_output(command.words)
    return any(
        _covers(one, words, directories) and len(one.words.split()) >= spelled_out
        for one in _commands_by_program(name).get(command.program, ())
    )


@lru_cache(maxsize=64)
def _commands_by_program(name: str) -> dict[str, list[PackCommand]]:
    """The commands of a pack by their program."""
    found: dict[str, list[PackCommand]] = {}
    for one in PACKS[name].commands if name in PACKS else ():
        found.setdefault(one.words.split()[0], []).append(one)
    return found


def _is_harmless_assignment(command: Command, at: int) -> bool:
    """Whether an assignment before the command chooses no program, path or option."""
    one = command.assignments[at]
    return has_harmless_assignments(command._replace(assignments=(one,))) or is_harmless_for_builds(*one)


def _without_output(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words without an option that discards the output of a build."""
    found: list[Word] = []
    at = 0
    while at < len(words):
        flag, equals, value = words[at].text.partition("=")
        if flag in _OUTPUT_FLAGS:
            value = value if equals else words[at + 1].text if at + 1 < len(words) else ""
            if value == _NULL_OUTPUT:
                at += 1 if equals else 2
                continue
        found.append(words[at])
        at += 1
    return tuple(found)


def _covers(one: PackCommand, words: tuple[Word, ...], directories: CallDirectories) -> bool:
    """Whether the words are this command with its options and operands."""
    own = one.words.split()[1:]
    start = _start_of_subcommand(words, directories)
    if start is None or [word.text for word in words[start : start + len(own)]] != own:
        return False
    rest = words[start + len(own) :]
    end = next((at for at, word in enumerate(rest) if word.text == "--"), len(rest))
    tail = rest[end + 1 :]
    scan = FlagScan(parse_flags(one.flags), rest[:end])
    operands = scan.operands()
    if operands is None or any(_is_unsafe_path(file, directories) for file in scan.files):
        return False
    if one.needs and scan.given.keys().isdisjoint(one.needs.split()):
        return False
    return (
        one.least <= len(operands) <= one.most
        and _are_allowed(one, operands, directories)
        and _is_tail(one, tail, directories)
    )


def _start_of_subcommand(words: tuple[Word, ...], directories: CallDirectories) -> int | None:
    """The index after options that may stand before every sub-command; None if one may change its meaning."""
    at = 1
    while at < len(words):
        if words[at].text == "-C" and find_program(words[0].text).losses_by is LossesBy.REPOSITORY:
            if at + 1 >= len(words) or _is_unsafe_path(words[at + 1], directories):
                return None
            at += 2
        elif words[at].text in _LEADING_FLAGS:
            at += 1
        else:
            return at
    return at


def _is_tail(one: PackCommand, tail: tuple[Word, ...], directories: CallDirectories) -> bool:
    """Whether the words after `--` are allowed."""
    if not tail:
        return True
    if not one.tail:
        return False
    scan = FlagScan(parse_flags(one.tail), tail)
    operands = scan.operands()
    return operands is not None and all(
        _is_name(word) and not _is_unsafe_path(word, directories) for word in operands
    )


def _are_allowed(one: PackCommand, operands: list[Word], directories: CallDirectories) -> bool:
    """Whether the operands of a command are allowed."""
    if one.only and any(word.text.rpartition(":")[2] not in one.only.split() for word in operands):
        return False
    match one.operands:
        case PackOperands.NONE:
            return not operands
        case PackOperands.PATHS:
            return not any(_is_unsafe_path(word, directories) for word in operands)
        case PackOperands.TASKS:
            return all(_is_task(word) for word in operands)
        case PackOperands.NAMES:
            return all(_is_name(word) for word in operands)


def _is_unsafe_path(word: Word, directories: CallDirectories) -> bool:
    """Whether a path leaves the workspace, is protected or secret, or names a package or an address."""
    text = word.text
    if not text or UNKNOWN_MARK in text or word.tilde or word.splits or text[0] in "*?[-@+":
        return True
    if "@" in text or ":/" in text or ".." in text.replace("...", "").split("/"):
        return True
    if text[0] == "/" and not is_inside(text, directories):
        return True
    first = text.split("/", maxsplit=1)[0]
    if "/" in text and "." in first.strip(".") and first.rpartition(".")[2].isalpha() and text[0] != ".":
        return True  # `github.com/a/b` is a package
    return is_protected(f"/{text}") or is_secret(f"/{text}") or (has_glob(text) and could_be_secret(text))


def _is_task(word: Word) -> bool:
    """Whether a word is the name of a task that stays in the workspace."""
    text = word.text
    return (
        word.is_known
        and _TASK.fullmatch(text) is not None
        and ":::" not in text
        and not any(_UNSAFE_WORD.fullmatch(one.lower()) for one in _WORD_OF_TASK.findall(text))
    )


def _is_name(word: Word) -> bool:
    """Whether a word is a plain name of a test, a branch or a commit."""
    return word.is_known and _NAME.fullmatch(word.text) is not None and not word.tilde
