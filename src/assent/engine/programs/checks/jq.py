"""Checks of `jq` and `yq`: a filter over files that reads nothing else."""

import re

from assent.engine.base.lazy import regex
from assent.engine.programs.catalog import WordCheck
from assent.engine.programs.flags import FlagScan, parse_flags
from assent.engine.programs.word import UNKNOWN_MARK, Word

_JQ_FLAGS = parse_flags(
    "-n -r -c -s -e -S -R -a -j -C -M -h -V --null-input --raw-output --raw-output0 --compact-output --slurp"
    " --exit-status --sort-keys --raw-input --ascii-output --join-output --color-output --monochrome-output"
    " --tab --indent= --unbuffered --stream --stream-errors --seq --args --jsonargs --help --version"
    " --build-configuration"
)
_YQ_FLAGS = parse_flags(
    "-r -P -C -M -N -e -n -c -y -Y -S -o= -p= -I= -w= --unwrapScalar --prettyPrint --colors --no-colors --no-doc"
    " --exit-status --null-input --output-format= --input-format= --indent= --yaml-output --yaml-roundtrip"
    " --width= --raw-output --compact-output --help --version"
)
_TEXT_PAIR_FLAGS = frozenset({"--arg", "--argjson"})
"""Flags with a name and a text as values."""
_FILE_PAIR_FLAGS = frozenset({"--slurpfile", "--rawfile"})
"""Flags with a name and a file as values."""
_YQ_COMMANDS = frozenset({"eval", "e", "eval-all", "ea"})

# `.env` and `env:` are only keys.
_JQ_OTHER_SOURCE = regex(r"""(?<![.\w"$])(?:import|include|modulemeta|env)\b(?!\s*:)|\$\s*(?:ENV|__prog)""")
"""Code with which a filter of `jq` reads modules, other files or the environment."""
_YQ_OTHER_SOURCE = regex(
    r"""(?<![.\w"$])(?:str)?(?:load\w*|env\w*|eval|system|import|include)\b(?!\s*:)|\$\s*ENV"""
)
"""Code with which a filter of `yq` reads other files or the environment."""
_NUMBER_INDEXES = regex(r"(?:[^*?\[]|\[[\d:-]*\])*")


def check_jq(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The files that `jq` reads; None if its filter may read anything else."""
    paired = _split_two_value_flags(words)
    if paired is None:
        return None
    rest, files = paired
    # No flag of jq does more than read, so a word that may become one is fine.
    scan = FlagScan(_JQ_FLAGS, rest, careful=False)
    operands = scan.operands()
    if operands is None or not _are_filters_safe(operands[:1], _JQ_OTHER_SOURCE):
        return None
    return files if {"--args", "--jsonargs"} & scan.given.keys() else (*files, *operands[1:])


def check_yq(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The files that `yq` reads, for both programs of that name.

    None if its filter may read anything else.
    """
    operands = FlagScan(_YQ_FLAGS, words).operands()
    if operands is None:
        return None
    if operands and operands[0].text in _YQ_COMMANDS:
        del operands[0]
    return tuple(operands[1:]) if _are_filters_safe(operands[:1], _YQ_OTHER_SOURCE) else None


def reads_other_sources(filter_: str) -> bool:
    """Whether a filter of `jq` reads more than its input: modules, other files or the environment."""
    return _JQ_OTHER_SOURCE.search(filter_) is not None


def _are_filters_safe(filters: list[Word], other_source: re.Pattern[str]) -> bool:
    """Whether all filters are known and read only their input."""
    return not any(
        UNKNOWN_MARK in word.text or _may_be_expanded(word) or other_source.search(word.text)
        for word in filters
    )


def _may_be_expanded(word: Word) -> bool:
    """Whether the shell may replace an unquoted filter by file names; `.[0]` can only become a number."""
    return word.glob and _NUMBER_INDEXES.fullmatch(word.text) is None


def _split_two_value_flags(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], tuple[Word, ...]] | None:
    """The words without flags that have two values, and the files among these values."""
    rest: list[Word] = []
    files: list[Word] = []
    at = 0
    while at < len(words):
        text = words[at].text
        if text not in _TEXT_PAIR_FLAGS and text not in _FILE_PAIR_FLAGS:
            rest.append(words[at])
            at += 1
            continue
        pair = words[at + 1 : at + 3]
        if len(pair) < 2 or any(word.splits or word.glob for word in pair):
            return None
        files.extend(pair[1:] if text in _FILE_PAIR_FLAGS else ())
        at += 3
    return tuple(rest), tuple(files)


CHECKS: dict[str, WordCheck] = {"jq": check_jq, "yq": check_yq}
