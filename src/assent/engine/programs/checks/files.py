"""Checks of `find` and archivers: `find` only prints, and archives are only listed or printed."""

from itertools import pairwise
from typing import NamedTuple

from assent.engine.base.lazy import regex
from assent.engine.programs.catalog import WordCheck
from assent.engine.programs.flags import FlagScan, may_be_flag, parse_flags
from assent.engine.programs.word import UNKNOWN_MARK, Word

_FIND_OPTIONS = frozenset("-H -L -P -E -X -d -s -x -O0 -O1 -O2 -O3".split())
_FIND_OPERATORS = frozenset("( ) ! , -a -and -o -or -not".split())
_TESTS_WITHOUT_VALUE = frozenset(
    "-daystart -depth -d -follow -mount -xdev -noleaf -warn -nowarn -ignore_readdir_race -noignore_readdir_race"
    " -empty -executable -readable -writable -nouser -nogroup -true -false"
    " -print -print0 -ls -prune -quit".split()
)
_TESTS_WITH_VALUE = frozenset(
    "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname"
    " -type -xtype -size -perm -user -group -uid -gid -links -inum -samefile -fstype -flags -context -used"
    " -mtime -atime -ctime -Bmin -Btime -mmin -amin -cmin -newer -anewer -cnewer -mnewer"
    " -maxdepth -mindepth -printf".split()
)
_NEWER_TEST = regex(r"-newer[aBcm][aBcmt]")
_FILTER_TEST = regex(
    r"-(?:i?name|i?path|i?regex|i?wholename|[acm]time|[acm]min|newer\w*|size|empty|perm|user|group)"
)
_EXEC_ACTIONS = frozenset({"-exec", "-execdir"})
_LINK_TESTS = frozenset("-L -follow -o -or , ! -not".split())
"""Words with which `find` may also find links."""
_NAME_TESTS = frozenset("-name -iname -path -ipath -wholename -iwholename".split())
_ACTIONS = frozenset("-exec -execdir -ok -okdir -delete -print -print0 -printf -ls -fprint -fprintf".split())


def check_find(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The start directories of `find`; None if it may do more than print."""
    expression = _parse_expression(words)
    return None if expression is None or expression.commands else expression.paths


def split_exec_actions(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], list[tuple[Word, ...]]] | None:
    """The words without the `-exec … ;` actions, and the commands of these actions.

    None if the end of an action is unclear.
    """
    expression = _parse_expression(words)
    return None if expression is None else (expression.rest, expression.commands)


def searched_names(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The names that an expression searches for, without the names that it excludes."""
    found: list[Word] = []
    for segment, prunes in _split_at_prune(words):
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
            elif word.text in _NAME_TESTS and (signs[-1] != negated) == prunes:
                found.extend(segment[at + 1 : at + 2])
            negated = False
    return tuple(found)


def has_filter(words: tuple[Word, ...]) -> bool:
    """Whether the expression filters by name, age, size or similar."""
    return any(_FILTER_TEST.fullmatch(word.text) for word in words)


def finds_only_files(words: tuple[Word, ...]) -> bool:
    """Whether the expression finds only regular files, and no links."""
    texts = [word.text for word in words]
    return ("-type", "f") in pairwise(texts) and _LINK_TESTS.isdisjoint(texts)


def _split_at_prune(words: tuple[Word, ...]) -> list[tuple[tuple[Word, ...], bool]]:
    """The expression, split after each `-prune -o`, and whether each piece only excludes directories."""
    texts = [word.text for word in words]
    found: list[tuple[tuple[Word, ...], bool]] = []
    start = 0
    for at, text in enumerate(texts):
        if text == "-prune" and [one for one in texts[at + 1 : at + 3] if one != ")"][:1] in (
            ["-o"],
            ["-or"],
        ):
            segment = words[start:at]
            found.append((segment, not any(word.text in _ACTIONS for word in segment)))
            start = at + 1
    return [*found, (words[start:], False)]


class _FindExpression(NamedTuple):
    """The parsed words of a `find` command."""

    paths: tuple[Word, ...]
    rest: tuple[Word, ...]
    """All words except those of the commands that it runs."""
    commands: list[tuple[Word, ...]]


def _parse_expression(words: tuple[Word, ...]) -> _FindExpression | None:
    """Parse the words of `find`; None if a test or action is unknown."""
    start = next((at for at, word in enumerate(words) if word.text not in _FIND_OPTIONS), len(words))
    end = next((at for at in range(start, len(words)) if _begins_expression(words[at])), len(words))
    paths = words[start:end]
    if any(may_be_flag(word) for word in paths):
        return None
    rest = list(words[:end])
    commands: list[tuple[Word, ...]] = []
    at = end
    while at < len(words):
        runs = words[at].text in _EXEC_ACTIONS
        after = _exec_end(words, at) if runs else _primary_end(words, at)
        if after is None:
            return None
        if runs:
            commands.append(words[at + 1 : after - 1])
        else:
            rest.extend(words[at:after])
        at = after
    return _FindExpression(paths, tuple(rest), commands)


def _begins_expression(word: Word) -> bool:
    """Whether a word begins the expression after the start directories."""
    return word.text.startswith("-") or word.text in _FIND_OPERATORS


def _primary_end(words: tuple[Word, ...], at: int) -> int | None:
    """The index after this test, action or operator; None if it is unknown."""
    text = words[at].text
    if text in _TESTS_WITHOUT_VALUE or text in _FIND_OPERATORS:
        return at + 1
    if not (text in _TESTS_WITH_VALUE or _NEWER_TEST.fullmatch(text)):
        return None
    return at + 2 if at + 1 < len(words) and not _may_become_several_words(words[at + 1]) else None


def _exec_end(words: tuple[Word, ...], at: int) -> int | None:
    """The index after `-exec … ;` or `-exec … {} +`."""
    for position in range(at + 2, len(words)):
        text = words[position].text
        if text == ";" or (text == "+" and words[position - 1].text == "{}"):
            return position + 1
        if _may_become_several_words(words[position - 1]):
            return None
    return None


def _may_become_several_words(word: Word) -> bool:
    """Whether the shell may expand a word to several words, one of which is a new test."""
    return word.splits or (word.glob and word.text[:1] in ("*", "?", "[", "-"))


_TAR_FLAGS = parse_flags(
    "-t -x -O -v -z -j -J -a -p -P -f=< --list --extract --get --to-stdout --verbose --file=< --gzip --gunzip"
    " --ungzip --bzip2 --xz --zstd --lzma --auto-compress --exclude= --wildcards --no-recursion --numeric-owner"
    " --full-time --utc --strip-components= --force-local --help --version"
)
_LIST_FLAGS = frozenset({"-t", "--list", "--help", "--version"})
_EXTRACT_FLAGS = frozenset({"-x", "--extract", "--get"})
_STDOUT_FLAGS = frozenset({"-O", "--to-stdout"})
_UNPACK_FLAGS = parse_flags(
    "-c -d -f -k -l -n -N -q -t -v -1 -2 -3 -4 -5 -6 -7 -8 -9 --stdout --to-stdout --decompress --uncompress --keep"
    " --list --test --quiet --verbose --help --version"
)
_PRINT_FLAGS = frozenset({"-c", "--stdout", "--to-stdout", "--help", "--version"})
_TEST_FLAGS = frozenset({"-l", "--list", "-t", "--test"})
_DECOMPRESS_FLAGS = frozenset({"-d", "--decompress", "--uncompress"})


def check_tar(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The archive that `tar` lists or prints; None if it may write or connect."""
    if words and words[0].text.count("f") > 1 and not words[0].text.startswith("--"):
        return None
    scan = FlagScan(_TAR_FLAGS, _add_dash(words))
    if scan.operands() is None:
        return None
    # Some versions treat all words after the first member as members.
    needed = _STDOUT_FLAGS if scan.given.keys() & _EXTRACT_FLAGS else _LIST_FLAGS
    if scan.leading_flags().isdisjoint(needed):
        return None
    if len(scan.files) > 1 or any(_may_be_remote(file) for file in scan.files):
        return None
    return tuple(scan.files)


def check_unpack(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The files that `gzip -c`, `-l` or `-t` reads; None if it would replace them."""
    scan = FlagScan(_UNPACK_FLAGS, words)
    operands = scan.operands()
    given = scan.leading_flags()
    harmless = given & _PRINT_FLAGS or (given & _TEST_FLAGS and not scan.given.keys() & _DECOMPRESS_FLAGS)
    return tuple(operands) if operands is not None and harmless else None


def check_jar(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The archive that `jar tf` lists."""
    return _files_after_letters(words, "tvf", needs="t")


def check_ar(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The archive that `ar t` lists or `ar p` prints."""
    return _files_after_letters(words, "tpvO", needs="tp")


def _add_dash(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """The words of `tar` with a dash before the first: `-tz -f x` for `tzf x`."""
    if not words or words[0].text.startswith("-"):
        return words
    letters = words[0].text
    file = "f" * letters.count("f")
    return (words[0]._replace(text="-" + letters.replace("f", "") + file), *words[1:])


def _may_be_remote(file: Word) -> bool:
    """Whether `tar` may connect to another machine, because the file is `host:file` or unknown."""
    return UNKNOWN_MARK in file.text or ":" in file.text


def _files_after_letters(words: tuple[Word, ...], letters: str, *, needs: str) -> tuple[Word, ...] | None:
    """The files after a word of option letters.

    None if a letter is not listed or a required letter is missing.
    """
    given = words[0].text.removeprefix("-") if words else ""
    if not set(given) <= set(letters) or not set(given) & set(needs):
        return None
    files = words[1:]
    # INVARIANT: no word may begin with `@`, which names a file of more flags.
    if any(may_be_flag(word) or word.text.startswith(("-", "@")) for word in files):
        return None
    return files


CHECKS: dict[str, WordCheck] = {
    "find": check_find,
    "ar": check_ar,
    "jar": check_jar,
    "tar": check_tar,
    "unpack": check_unpack,
}
