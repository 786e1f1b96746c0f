"""What `tar`, `gzip` and their like do: list an archive, or print what is in it."""

from assent.engine.programs.checks.registry import Check
from assent.engine.programs.checks.scan import Scan, unsure
from assent.engine.programs.flags import parse_flags
from assent.engine.programs.word import HOLE, Word

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
    if scan.leading().isdisjoint(needed):
        return None
    if len(scan.files) > 1 or any(_may_be_remote(file) for file in scan.files):
        return None
    return tuple(scan.files)


def unpack(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The files that `gzip -c`, `-l` or `-t` read; without these, or with `-d` after them, it replaces them."""
    scan = Scan(_UNPACK, words)
    operands = scan.operands()
    given = scan.leading()
    harmless = given & _PRINTS or (given & _TESTS and not scan.given.keys() & _UNPACKS)
    return tuple(operands) if operands is not None and harmless else None


def jar(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The archive that `jar tf` lists."""
    return _by_letters(words, "tvf", needs="t")


def ar(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The archive that `ar t` lists, or `ar p` prints."""
    return _by_letters(words, "tpvO", needs="tp")


def _with_dash(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """`tzf x` is `-tz -f x`: without a dash the values come after all the letters."""
    if not words or words[0].text.startswith("-"):
        return words
    letters = words[0].text
    file = "f" * letters.count("f")
    return (words[0]._replace(text="-" + letters.replace("f", "") + file), *words[1:])


def _may_be_remote(file: Word) -> bool:
    """`host:file` makes `tar` connect."""
    return HOLE in file.text or ":" in file.text


def _by_letters(words: tuple[Word, ...], letters: str, *, needs: str) -> tuple[Word, ...] | None:
    given = words[0].text.removeprefix("-") if words else ""
    if not set(given) <= set(letters) or not set(given) & set(needs):
        return None
    files = words[1:]
    # INVARIANT: no word may begin with `@`, which names a file of more flags.
    if any(unsure(word) or word.text.startswith(("-", "@")) for word in files):
        return None
    return files


CHECKS: dict[str, Check] = {"ar": ar, "jar": jar, "tar": tar, "unpack": unpack}
