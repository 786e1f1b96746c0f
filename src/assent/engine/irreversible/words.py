"""Read the words of a command: its sub-command, flags, operands and option values."""

from collections.abc import Sequence
from functools import lru_cache

from assent.engine.base.globs import Glob, parse_glob

MAX_WORDS = 256
"""The maximal number of words of a command that are read."""

_ANY_WORDS = "**"
_MAX_BUNDLE_LENGTH = len("-abcde")
_DRY_RUN_VALUES = frozenset({"", "true", "1", "client", "server", "yes"})


def is_flag(text: str) -> bool:
    """Whether a word is an option."""
    return text[:1] == "-" and len(text) > 1


def find_sub_command_end(texts: Sequence[str], path: Sequence[str]) -> int | None:
    """The index after the words of a sub-command; options and their values are skipped.

    The word after an unknown option may or may not be its value, so both possibilities are tried.
    """
    reached: list[set[int]] = [set() for _ in range(len(texts) + 2)]
    reached[0].add(0)
    for at in range(len(texts) + 1):
        states = reached[at]
        for state in range(len(path) + 1):
            if state not in states:
                continue
            if state == len(path):
                return at
            if at < len(texts):
                _add_next_states(texts, path, at, state, reached)
    return None


def _add_next_states(
    texts: Sequence[str], path: Sequence[str], at: int, state: int, reached: list[set[int]]
) -> None:
    """Add the states that are reached after one more word."""
    text, wanted = texts[at], path[state]
    if wanted == _ANY_WORDS:
        reached[at].add(state + 1)
    if is_flag(text):
        reached[at + 1].add(state)
        if "=" not in text and at + 1 < len(texts) and not is_flag(texts[at + 1]):
            reached[at + 2].add(state)
    elif wanted == _ANY_WORDS:
        reached[at + 1].add(state)
    elif any(one.matches(text) for one in _word_globs(wanted)):
        reached[at + 1].add(state + 1)


@lru_cache(maxsize=512)
def _word_globs(wanted: str) -> tuple[Glob, ...]:
    """The globs of a word with alternatives, such as `a|b*`."""
    return tuple(map(parse_glob, wanted.split("|")))


def has_flag(texts: Sequence[str], flags: Sequence[str]) -> bool:
    """Whether one of the flags is given: short, bundled, long, abbreviated or with a value."""
    for text in texts:
        if text == "--":
            return False
        if is_flag(text) and any(_matches_flag(text, flag) for flag in flags):
            return True
    return False


def _matches_flag(text: str, flag: str) -> bool:
    """Whether a word means the flag."""
    if text == flag:
        return True
    name = text.partition("=")[0]
    if flag.startswith("--"):
        return name == flag or (len(name) > len("--ab") and flag.startswith(name))
    bundle = len(flag) == len("-f") and len(text) <= _MAX_BUNDLE_LENGTH and text[1:].isalpha()
    return name == flag or (bundle and flag[1] in text[1:])


def is_dry_run(texts: Sequence[str]) -> bool:
    """Whether the command is a dry run or prints help."""
    for text in texts:
        if text == "--":
            return False
        name, _, value = text.partition("=")
        if name in ("--dry-run", "--dryrun") and value.lower() in _DRY_RUN_VALUES:
            return True
        if text == "--help":
            return True
    return False


def find_operands(texts: Sequence[str], valued: frozenset[str]) -> list[str]:
    """The words that are neither options nor values of options."""
    found: list[str] = []
    at = 0
    while at < len(texts):
        text = texts[at]
        if text == "--":
            return [*found, *texts[at + 1 :]]
        if not is_flag(text):
            found.append(text)
        elif text in valued:
            at += 1
        at += 1
    return found


def find_option_values(texts: Sequence[str], options: frozenset[str]) -> list[str]:
    """The values of these options, attached or as the next word."""
    found: list[str] = []
    for at, text in enumerate(texts):
        name, equals, value = text.partition("=")
        if equals and name in options:
            found.append(value)
        elif text in options:
            found += texts[at + 1 : at + 2]
    return found
