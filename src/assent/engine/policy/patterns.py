"""Patterns of rules: for command lines, for PowerShell, and for named arguments of a call."""

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import ahocorasick

from assent.engine.base.globs import UNKNOWN_MARK, Glob, parse_glob
from assent.engine.base.lazy import regex
from assent.engine.base.tool import as_list, as_object
from assent.engine.lines.specifier import pattern_words
from assent.engine.policy.rule import Rule

MAX_CANDIDATES = 512
"""The maximal number of rules that are tried one by one; after that, a rule is assumed to match."""
MAX_COMPARED_CHARACTERS = 65_536
"""The maximal number of characters that are compared per call; after that, a rule is assumed to match."""
_NAMED_ARGUMENT = regex(r"\s*([A-Za-z_][\w.-]*)\s*=\s*(.*?)\s*", re.DOTALL)
"""An argument `name=pattern` of a specifier."""
_BLANK = regex(r"\s")
_ARGUMENT_SEPARATOR = regex(r",\s*(?=[A-Za-z_][\w.-]*\s*=)")
"""The comma between two named arguments."""
_PATH_BACKSLASH = regex(r"(?<!')\\|\\(?!'')")
"""A backslash in a path, and not one of `'\\''`, which rules write for a quote between quotes."""
_CMDLET = regex(r"[A-Za-z*]+-[A-Za-z*]+")
_DRIVE = regex(
    r"(?:[A-Za-z]|hk\w+|registry|env|cert|wsman|alias|function|variable|(?:[\w.]+/)?filesystem):",
    re.IGNORECASE,
)


class StrictPatterns:
    """The patterns of deny and ask rules, in which `*` matches across words."""

    def __init__(self, patterns: Iterable[tuple[str, Rule]]) -> None:
        self._globs = [(parse_glob(pattern), rule) for pattern, rule in patterns]
        self._exact: dict[str, Rule] = {}
        self._unindexed: list[tuple[Glob, Rule]] = []
        self._candidates: list[list[tuple[Glob, Rule]]] = []
        self._automaton: ahocorasick.Automaton[int] | None = None
        self._build_index()
        self._by_head: dict[str, list[tuple[Glob, Rule]]] = {}
        for glob, rule in self._globs:
            self._by_head.setdefault(glob.pieces[0], []).append((glob, rule))
        self._heads = sorted(self._by_head)
        self._head_lengths = sorted({len(head) for head in self._heads})

    def __bool__(self) -> bool:
        """Whether there are any patterns."""
        return bool(self._globs)

    def match(self, text: str) -> Rule | None:
        """The rule that matches the text; None if there is none."""
        if (rule := self._exact.get(text)) is not None:
            return rule
        if self._automaton is not None:
            # A piece can occur several times, but its rules are tried only once.
            for number in dict.fromkeys([number for _, number in self._automaton.iter(text)]):
                for glob, rule in self._candidates[number]:
                    if glob.matches(text):
                        return rule
        for glob, rule in self._unindexed:
            if glob.matches(text):
                return rule
        return None

    def could_match(self, text: str, steps_left: list[int] | None = None) -> Rule | None:
        """A rule that matches for some value of the unknown texts; None if there is none.

        `steps_left` holds the remaining number of characters to compare for the call.
        """
        steps_left = [MAX_COMPARED_CHARACTERS] if steps_left is None else steps_left
        head = text.partition(UNKNOWN_MARK)[0]
        for tried, (glob, rule) in enumerate(self._patterns_with_common_head(head), start=1):
            if tried > MAX_CANDIDATES:
                return rule
            if not glob.could_match_ends(text):
                continue
            steps_left[0] -= len(text)
            if steps_left[0] < 0 or glob.could_match(text):
                return rule
        return None

    def _patterns_with_common_head(self, head: str) -> Iterator[tuple[Glob, Rule]]:
        """The patterns that begin with this text, or whose literal beginning is a prefix of it."""
        for length in self._head_lengths:
            if length <= len(head):
                yield from self._by_head.get(head[:length], ())
        yield from self._by_head.get(head + " ", ())
        at = bisect_left(self._heads, head)
        while at < len(self._heads) and self._heads[at].startswith(head):
            if len(self._heads[at]) > len(head) and self._heads[at] != head + " ":
                yield from self._by_head[self._heads[at]]
            at += 1

    def _build_index(self) -> None:
        """Index each pattern by the rarest of its literal pieces, which every matching text contains."""
        spread = Counter(piece for glob, _ in self._globs for piece in set(_literal_pieces(glob)))
        found: dict[str, list[tuple[Glob, Rule]]] = {}
        for glob, rule in self._globs:
            if len(glob.pieces) == 1:
                self._exact.setdefault(glob.pieces[0], rule)
                continue
            pieces = _literal_pieces(glob)
            if pieces:
                rarest = min(pieces, key=lambda piece: (spread[piece], -len(piece)))
                found.setdefault(rarest, []).append((glob, rule))
            else:
                self._unindexed.append((glob, rule))
        if found:
            self._automaton = ahocorasick.Automaton()
            for number, piece in enumerate(found):
                self._automaton.add_word(piece, number)
            self._candidates = list(found.values())
            self._automaton.make_automaton()


class AllowPatterns:
    """The patterns of allow rules, matched word by word.

    A `*` matches inside one word; a last `*` matches all other words.
    """

    def __init__(self, patterns: Iterable[tuple[Sequence[str], Rule]]) -> None:
        self._unindexed: list[tuple[WordPattern, Rule]] = []
        index: dict[tuple[int, int | None], dict[str, list[tuple[WordPattern, Rule]]]] = {}
        parsed = [(WordPattern(words), rule) for words, rule in patterns]
        spread = Counter(key for pattern, _ in parsed for key in pattern.keys)
        for pattern, rule in parsed:
            if pattern.keys:
                rarest = min(pattern.keys, key=lambda key: (spread[key], -len(key.text)))
                alike = index.setdefault((rarest.position, rarest.length), {})
                alike.setdefault(rarest.text, []).append((pattern, rule))
            else:
                self._unindexed.append((pattern, rule))
        self._index = tuple((position, length, alike) for (position, length), alike in index.items())

    def __bool__(self) -> bool:
        """Whether there are any patterns."""
        return bool(self._index or self._unindexed)

    def match(self, words: Sequence[str], *, spelled_out: int = 0, open_ended: bool = False) -> Rule | None:
        """The rule that covers these words and contains the first `spelled_out` words literally.

        With `open_ended`, only a rule that ends in a star.
        """
        count = len(words)
        for position, length, alike in self._index:
            if position < count:
                for pattern, rule in alike.get(words[position][:length], ()):
                    if pattern.matches(words, spelled_out) and (pattern.open_ended or not open_ended):
                        return rule
        for pattern, rule in self._unindexed:
            if pattern.matches(words, spelled_out) and (pattern.open_ended or not open_ended):
                return rule
        return None


class _IndexKey(NamedTuple):
    """A word, or the beginning of a word, that every match has at this position."""

    position: int
    text: str
    length: int | None
    """The number of characters of the beginning; None for the whole word."""


class WordPattern:
    """The pattern of one allow rule, split into words."""

    __slots__ = ("_globs", "keys", "open_ended")

    def __init__(self, words: Sequence[str]) -> None:
        self.open_ended = bool(words) and words[-1] == "*"
        self._globs = tuple(parse_glob(word) for word in (words[:-1] if self.open_ended else words))
        self.keys = tuple(
            _IndexKey(position, glob.pieces[0], None if len(glob.pieces) == 1 else len(glob.pieces[0]))
            for position, glob in enumerate(self._globs)
            if glob.pieces[0]
        )

    def matches(self, words: Sequence[str], spelled_out: int = 0) -> bool:
        """Whether the words match, and the pattern contains the first `spelled_out` words literally."""
        count = len(self._globs)
        if len(words) < count or (len(words) > count and not self.open_ended):
            return False
        if spelled_out > count or any(len(glob.pieces) > 1 for glob in self._globs[:spelled_out]):
            return False
        return all(map(_matches_word, self._globs, words)) and not self._matches_refspec(words)

    def _matches_refspec(self, words: Sequence[str]) -> bool:
        """Whether a star matched the colon of a refspec, after which Git names another branch."""
        if not words or words[0] != "git" or "push" not in words[1:3]:
            return False
        pairs = zip(self._globs, words, strict=False)
        return any(":" in word and not any(":" in piece for piece in glob.pieces) for glob, word in pairs)


class NamedArgument(NamedTuple):
    """The name of an argument, and the pattern that its value must match."""

    name: str
    pattern: str


def parse_named_arguments(specifier: str) -> tuple[NamedArgument, ...] | None:
    """The named arguments of a specifier; None if it has another form."""
    found = [_NAMED_ARGUMENT.fullmatch(piece) for piece in _ARGUMENT_SEPARATOR.split(specifier)]
    if any(match is None or not match[2] for match in found):
        return None
    return tuple(NamedArgument(match[1], match[2]) for match in found if match is not None)


def some_value_matches(wanted: tuple[NamedArgument, ...], args: Mapping[str, object]) -> bool:
    """Whether every named argument has a value that matches, for deny and ask rules."""
    return all(
        any(parse_glob(argument.pattern).matches(value) for value in _all_texts(args.get(argument.name)))
        for argument in wanted
    )


def all_values_match(wanted: tuple[NamedArgument, ...], args: Mapping[str, object]) -> bool:
    """Whether all values of every named argument match, for allow rules; an object never matches."""
    return all(_value_matches(argument.pattern, args.get(argument.name)) for argument in wanted)


def any_argument_matches(pattern: str, args: Mapping[str, object]) -> bool:
    """Whether any value of any argument matches, for deny and ask rules without argument names."""
    glob = parse_glob(pattern)
    return any(glob.matches(value) for argument in args.values() for value in _all_texts(argument))


def powershell_strict_pattern(specifier: str) -> str:
    """The pattern of a deny or ask rule in lower case, because Windows ignores the case even of paths."""
    return " ".join(_words_with_slashes(specifier)).lower()


def normalize_powershell_texts(texts: Iterable[str]) -> Iterable[str]:
    """The texts with which a deny or ask pattern is compared."""
    return dict.fromkeys(text.replace("\\", "/").lower() for text in texts)


def powershell_allow_pattern(specifier: str) -> tuple[str, ...]:
    """The words of an allow rule; the case of command and parameter names is ignored."""
    return _lowercase_names(_words_with_slashes(specifier))


def normalize_powershell_words(words: Sequence[str]) -> tuple[str, ...]:
    """The words with which an allow pattern is compared."""
    return _lowercase_names(tuple(word.replace("\\", "/") for word in words))


def _matches_word(glob: Glob, word: str) -> bool:
    """Whether a word matches and its star means no flag, no other root and no `..`."""
    if len(glob.pieces) == 1:
        return word == glob.pieces[0]
    if not glob.matches(word):
        return False
    if not glob.pieces[0] and word[:1] in ("-", "/", "~"):
        return False
    return ".." not in word.split("/")


def _literal_pieces(glob: Glob) -> tuple[str, ...]:
    """The literal pieces that every matching text contains."""
    pieces = glob.without_arguments.pieces if glob.without_arguments is not None else glob.pieces
    return tuple(piece for piece in pieces if piece)


def _value_matches(pattern: str, value: object) -> bool:
    """Whether a value, or each item of a list, matches the pattern."""
    listed = as_list(value)
    items = (value,) if listed is None else listed
    if any(isinstance(item, (Mapping, list, tuple)) or item is None for item in items):
        return False
    words = WordPattern(pattern.split(" "))
    literal = parse_glob(pattern).pieces
    texts = [_to_text(item) for item in items]
    return bool(texts) and all((text,) == literal or words.matches(_BLANK.split(text)) for text in texts)


def _all_texts(value: object) -> list[str]:
    """The texts of a value and of all its items or members."""
    if value is None:
        return []
    members = as_object(value)
    items = as_list(value) if members is None else members.values()
    return [_to_text(value), *(text for item in items or () for text in _all_texts(item))]


def _to_text(value: object) -> str:
    """A value as text; other types than strings become JSON."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)


def _words_with_slashes(specifier: str) -> tuple[str, ...]:
    """The words of a PowerShell specifier, with slashes instead of backslashes."""
    return pattern_words(_PATH_BACKSLASH.sub("/", specifier))


def _lowercase_names(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words with command and parameter names in lower case, and with a slash before drives."""
    found = tuple(f"/{word}" if _DRIVE.match(word) else word for word in words)
    if not found or _CMDLET.fullmatch(found[0]) is None:
        return found
    return (found[0].lower(), *(word.lower() if word[:1] == "-" else word for word in found[1:]))
