"""What `find` does: an expression of tests and of actions that only print."""

from itertools import pairwise
from typing import NamedTuple

from assent.engine.programs.checks.registry import Check
from assent.engine.programs.checks.scan import unsure
from assent.engine.programs.word import Word
from assent.engine.regex import regex

_OPTIONS = frozenset("-H -L -P -E -X -d -s -x -O0 -O1 -O2 -O3".split())
_OPERATORS = frozenset("( ) ! , -a -and -o -or -not".split())
_ALONE = frozenset(
    "-daystart -depth -d -follow -mount -xdev -noleaf -warn -nowarn -ignore_readdir_race -noignore_readdir_race"
    " -empty -executable -readable -writable -nouser -nogroup -true -false"
    " -print -print0 -ls -prune -quit".split()
)
_WITH_VALUE = frozenset(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname"
    " -type -xtype -size -perm -user -group -uid -gid -links -inum -samefile -fstype -flags -context -used"
    " -mtime -atime -ctime -Bmin -Btime -mmin -amin -cmin -newer -anewer -cnewer -mnewer"
    " -maxdepth -mindepth -printf".split()
)
_NEWER = regex(r"-newer[aBcm][aBcmt]")
_LEAVES_OUT = regex(
    r"-(?:i?name|i?path|i?regex|i?wholename|[acm]time|[acm]min|newer\w*|size|empty|perm|user|group)"
)
_EXEC = frozenset({"-exec", "-execdir"})
_MAY_BE_LINKS = frozenset("-L -follow -o -or , ! -not".split())
_NAMING = frozenset("-name -iname -path -ipath -wholename -iwholename".split())
_ACTS = frozenset("-exec -execdir -ok -okdir -delete -print -print0 -printf -ls -fprint -fprintf".split())


def find(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """Where `find` looks, or None when it might do more than print what it finds."""
    expression = _read(words)
    return None if expression is None or expression.commands else expression.paths


def split_exec(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], list[tuple[Word, ...]]] | None:
    """The words without each `-exec … ;`, and what those would run; None when that is not certain."""
    expression = _read(words)
    return None if expression is None else (expression.rest, expression.commands)


def sought(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The names that an expression looks for: those that it leaves out, or goes past, are not among them."""
    found: list[Word] = []
    for segment, prunes in _segments(words):
        signs = [False]
        negated = False
        for at, word in enumerate(segment):
            if word.text in ("!", "-not"):
                negated = not negated
                continue
            if word.text == "(":
                signs.append(signs[-1] != negated)
            elif word.text == ")" and len(signs) > 1:
                signs.pop()
            elif word.text in _NAMING and (signs[-1] != negated) == prunes:
                found.extend(segment[at + 1 : at + 2])
            negated = False
    return tuple(found)


def leaves_out(words: tuple[Word, ...]) -> bool:
    """Whether a `find` passes over what lacks a name, an age, a size or the like."""
    return any(_LEAVES_OUT.fullmatch(word.text) for word in words)


def only_files(words: tuple[Word, ...]) -> bool:
    """Whether all that is found is sure to be a file, and no link to one."""
    texts = [word.text for word in words]
    return ("-type", "f") in pairwise(texts) and _MAY_BE_LINKS.isdisjoint(texts)


def _segments(words: tuple[Word, ...]) -> list[tuple[tuple[Word, ...], bool]]:
    """The expression cut behind each `-prune -o`, and whether what stands there only says where not to go."""
    texts = [word.text for word in words]
    found: list[tuple[tuple[Word, ...], bool]] = []
    start = 0
    for at, text in enumerate(texts):
        if text == "-prune" and [one for one in texts[at + 1 : at + 3] if one != ")"][:1] in (
            ["-o"],
            ["-or"],
        ):
            segment = words[start:at]
            found.append((segment, not any(word.text in _ACTS for word in segment)))
            start = at + 1
    return [*found, (words[start:], False)]


class _Expression(NamedTuple):
    paths: tuple[Word, ...]
    rest: tuple[Word, ...]
    """Every word but those of the commands it would run."""
    commands: list[tuple[Word, ...]]


def _read(words: tuple[Word, ...]) -> _Expression | None:
    start = next((at for at, word in enumerate(words) if word.text not in _OPTIONS), len(words))
    end = next((at for at in range(start, len(words)) if _begins_expression(words[at])), len(words))
    paths = words[start:end]
    if any(unsure(word) for word in paths):
        return None
    rest = list(words[:end])
    commands: list[tuple[Word, ...]] = []
    at = end
    while at < len(words):
        runs = words[at].text in _EXEC
        after = _end_of_command(words, at) if runs else _end_of_primary(words, at)
        if after is None:
            return None
        if runs:
            commands.append(words[at + 1 : after - 1])
        else:
            rest.extend(words[at:after])
        at = after
    return _Expression(paths, tuple(rest), commands)


def _begins_expression(word: Word) -> bool:
    return word.text.startswith("-") or word.text in _OPERATORS


def _end_of_primary(words: tuple[Word, ...], at: int) -> int | None:
    """Where the next test, action or operator begins, or None when this one is not known."""
    text = words[at].text
    if text in _ALONE or text in _OPERATORS:
        return at + 1
    if not (text in _WITH_VALUE or _NEWER.fullmatch(text)):
        return None
    return at + 2 if at + 1 < len(words) and not _several(words[at + 1]) else None


def _end_of_command(words: tuple[Word, ...], at: int) -> int | None:
    """Where the expression goes on after `-exec … ;` or `-exec … {} +`."""
    for position in range(at + 2, len(words)):
        text = words[position].text
        if text == ";" or (text == "+" and words[position - 1].text == "{}"):
            return position + 1
        if _several(words[position - 1]):
            return None
    return None


def _several(word: Word) -> bool:
    """Whether it may become several words, one of which begins something new."""
    return word.splits or (word.glob and word.text[:1] in ("*", "?", "[", "-"))


CHECKS: dict[str, Check] = {"find": find}
