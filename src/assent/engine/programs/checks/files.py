"""What `find` and archivers do: expressions that only print, and archives that are only listed or printed."""

from itertools import pairwise
from typing import NamedTuple

from assent.engine.base.lazy import regex
from assent.engine.programs.catalog import Check
from assent.engine.programs.flags import Scan, may_be_flag, parse_flags
from assent.engine.programs.word import UNKNOWN_MARK, Word

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
    """The start directories of `find`; None when it might do more than print."""
    expression = _parse_expression(words)
    return None if expression is None or expression.commands else expression.paths


def split_exec(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], list[tuple[Word, ...]]] | None:
    """The words without each `-exec … ;`, and what those would run; None when that is not certain."""
    expression = _parse_expression(words)
    return None if expression is None else (expression.rest, expression.commands)


def sought_names(words: tuple[Word, ...]) -> tuple[Word, ...]:
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


def has_filter(words: tuple[Word, ...]) -> bool:
    """Whether the expression filters by name, age, size or similar."""
    return any(_LEAVES_OUT.fullmatch(word.text) for word in words)


def finds_only_files(words: tuple[Word, ...]) -> bool:
    """Whether it finds only regular files, and no links."""
    texts = [word.text for word in words]
    return ("-type", "f") in pairwise(texts) and _MAY_BE_LINKS.isdisjoint(texts)


def _segments(words: tuple[Word, ...]) -> list[tuple[tuple[Word, ...], bool]]:
    """The expression split after each `-prune -o`, and whether the piece only excludes directories."""
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


def _parse_expression(words: tuple[Word, ...]) -> _Expression | None:
    start = next((at for at, word in enumerate(words) if word.text not in _OPTIONS), len(words))
    end = next((at for at in range(start, len(words)) if _begins_expression(words[at])), len(words))
    paths = words[start:end]
    if any(may_be_flag(word) for word in paths):
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
    return at + 2 if at + 1 < len(words) and not _may_be_several(words[at + 1]) else None


def _end_of_command(words: tuple[Word, ...], at: int) -> int | None:
    """The index where the expression continues after `-exec … ;` or `-exec … {} +`."""
    for position in range(at + 2, len(words)):
        text = words[position].text
        if text == ";" or (text == "+" and words[position - 1].text == "{}"):
            return position + 1
        if _may_be_several(words[position - 1]):
            return None
    return None


def _may_be_several(word: Word) -> bool:
    """Whether it may become several words, one of which begins something new."""
    return word.splits or (word.glob and word.text[:1] in ("*", "?", "[", "-"))


_TAR = parse_flags(
    "-t -x -O -v -z -j -J -a -p -P -f=< --list --extract --get --to-stdout --verbose --file=< --gzip --gunzip"
    " --ungzip --bzip2 --xz --zstd --lzma --auto-compress --exclude= --wildcards --no-recursion --numeric-owner"
    " --full-time --utc --strip-components= --force-local --help --version"
)
_LISTS = frozenset({"-t", "--list", "--help", "--version"})
_EXTRACTS = frozenset({"-x", "--extract", "--get"})
_TO_OUTPUT = frozenset({"-O", "--to-stdout"})
_UNPACK = parse_flags(
    "-c -d -f -k -l -n -N -q -t -v -1 -2 -3 -4 -5 -6 -7 -8 -9 --stdout --to-stdout --decompress --uncompress --keep"
    " --list --test --quiet --verbose --help --version"
)
_PRINTS = frozenset({"-c", "--stdout", "--to-stdout", "--help", "--version"})
_TESTS = frozenset({"-l", "--list", "-t", "--test"})
_UNPACKS = frozenset({"-d", "--decompress", "--uncompress"})


def tar(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The archive that `tar` lists or prints, or None when it might write or connect."""
    if words and words[0].text.count("f") > 1 and not words[0].text.startswith("--"):
        return None
    scan = Scan(_TAR, _with_dash(words))
    if scan.operands() is None:
        return None
    # Some of them take what follows the first member for more members.
    needed = _TO_OUTPUT if scan.given.keys() & _EXTRACTS else _LISTS
    if scan.leading_flags().isdisjoint(needed):
        return None
    if len(scan.files) > 1 or any(_may_be_remote(file) for file in scan.files):
        return None
    return tuple(scan.files)


def unpack(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The files that `gzip -c`, `-l` or `-t` read; without these, or with `-d` after them, it replaces them."""
    scan = Scan(_UNPACK, words)
    operands = scan.operands()
    given = scan.leading_flags()
    harmless = given & _PRINTS or (given & _TESTS and not scan.given.keys() & _UNPACKS)
    return tuple(operands) if operands is not None and harmless else None


def jar(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The archive that `jar tf` lists."""
    return _read_letters(words, "tvf", needs="t")


def ar(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The archive that `ar t` lists, or `ar p` prints."""
    return _read_letters(words, "tpvO", needs="tp")


def _with_dash(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """`tzf x` is `-tz -f x`: without a dash, values follow after all letters."""
    if not words or words[0].text.startswith("-"):
        return words
    letters = words[0].text
    file = "f" * letters.count("f")
    return (words[0]._replace(text="-" + letters.replace("f", "") + file), *words[1:])


def _may_be_remote(file: Word) -> bool:
    """`host:file` makes `tar` connect."""
    return UNKNOWN_MARK in file.text or ":" in file.text


def _read_letters(words: tuple[Word, ...], letters: str, *, needs: str) -> tuple[Word, ...] | None:
    given = words[0].text.removeprefix("-") if words else ""
    if not set(given) <= set(letters) or not set(given) & set(needs):
        return None
    files = words[1:]
    # INVARIANT: no word may begin with `@`, which names a file of more flags.
    if any(may_be_flag(word) or word.text.startswith(("-", "@")) for word in files):
        return None
    return files


CHECKS: dict[str, Check] = {
    "find": find,
    "ar": ar,
    "jar": jar,
    "tar": tar,
    "unpack": unpack,
}
