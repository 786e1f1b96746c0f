"""What `jq` and `yq` do: a filter over files that reads nothing else."""

import re

from assent.engine.base.lazy import regex
from assent.engine.programs.catalog import Check
from assent.engine.programs.flags import Scan, parse_flags
from assent.engine.programs.word import UNKNOWN_MARK, Word

_JQ = parse_flags(
    "-n -r -c -s -e -S -R -a -j -C -M -h -V --null-input --raw-output --raw-output0 --compact-output --slurp"
    " --exit-status --sort-keys --raw-input --ascii-output --join-output --color-output --monochrome-output"
    " --tab --indent= --unbuffered --stream --stream-errors --seq --args --jsonargs --help --version"
    " --build-configuration"
)
_YQ = parse_flags(
    "-r -P -C -M -N -e -n -c -y -Y -S -o= -p= -I= -w= --unwrapScalar --prettyPrint --colors --no-colors --no-doc"
    " --exit-status --null-input --output-format= --input-format= --indent= --yaml-output --yaml-roundtrip"
    " --width= --raw-output --compact-output --help --version"
)
_TEXT_PAIRS = frozenset({"--arg", "--argjson"})
_FILE_PAIRS = frozenset({"--slurpfile", "--rawfile"})
_YQ_COMMANDS = frozenset({"eval", "e", "eval-all", "ea"})

# Modules and data from other files, and the environment; `.env` and `env:` are only keys.
_JQ_REACHES_OUT = regex(r"""(?<![.\w"$])(?:import|include|modulemeta|env)\b(?!\s*:)|\$\s*(?:ENV|__prog)""")
_YQ_REACHES_OUT = regex(
    r"""(?<![.\w"$])(?:str)?(?:load\w*|env\w*|eval|system|import|include)\b(?!\s*:)|\$\s*ENV"""
)
_ONLY_NUMBERS = regex(r"(?:[^*?\[]|\[[\d:-]*\])*")


def jq(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The files that `jq` reads, or None when its filter might reach out of them."""
    paired = _without_pairs(words)
    if paired is None:
        return None
    rest, files = paired
    # No flag of jq does more than read, so a word that may become one is fine.
    scan = Scan(_JQ, rest, careful=False)
    operands = scan.operands()
    if operands is None or not _are_filters_safe(operands[:1], _JQ_REACHES_OUT):
        return None
    return files if {"--args", "--jsonargs"} & scan.given.keys() else (*files, *operands[1:])


def yq(words: tuple[Word, ...]) -> tuple[Word, ...] | None:
    """The files that `yq` reads, of both programs of that name."""
    operands = Scan(_YQ, words).operands()
    if operands is None:
        return None
    if operands and operands[0].text in _YQ_COMMANDS:
        del operands[0]
    return tuple(operands[1:]) if _are_filters_safe(operands[:1], _YQ_REACHES_OUT) else None


def reaches_out(filter_: str) -> bool:
    """Whether a filter of `jq` takes more than its input: modules, other files, the environment."""
    return _JQ_REACHES_OUT.search(filter_) is not None


def _are_filters_safe(filters: list[Word], reaches_out: re.Pattern[str]) -> bool:
    return not any(
        UNKNOWN_MARK in word.text or _may_change(word) or reaches_out.search(word.text) for word in filters
    )


def _may_change(word: Word) -> bool:
    """Whether file names could make another filter of an unquoted one; of `.[0]` they make a number."""
    return word.glob and _ONLY_NUMBERS.fullmatch(word.text) is None


def _without_pairs(words: tuple[Word, ...]) -> tuple[tuple[Word, ...], tuple[Word, ...]] | None:
    """Take out the flags with two values, and keep the files among these."""
    rest: list[Word] = []
    files: list[Word] = []
    at = 0
    while at < len(words):
        text = words[at].text
        if text not in _TEXT_PAIRS and text not in _FILE_PAIRS:
            rest.append(words[at])
            at += 1
            continue
        pair = words[at + 1 : at + 3]
        if len(pair) < 2 or any(word.splits or word.glob for word in pair):
            return None
        files.extend(pair[1:] if text in _FILE_PAIRS else ())
        at += 3
    return tuple(rest), tuple(files)


CHECKS: dict[str, Check] = {"jq": jq, "yq": yq}
