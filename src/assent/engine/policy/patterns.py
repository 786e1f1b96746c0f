"""Match one text against many patterns, at a cost that does not grow with their number."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import ahocorasick

from assent.engine.globs import HOLE, Glob, parse_glob
from assent.engine.policy.rule import Rule

MOST_CANDIDATES = 512
"""How many rules are tried one by one; after that, a possible match is assumed."""
MOST_STEPS = 65_536
"""How many characters are compared for all texts of a call; after that, a possible match is assumed."""


class StrictPatterns:
    """Patterns of deny and ask rules: `*` matches across words."""

    def __init__(self, patterns: Iterable[tuple[str, Rule]]) -> None:
        self._globs = [(parse_glob(pattern), rule) for pattern, rule in patterns]
        self._exact: dict[str, Rule] = {}
        self._unindexed: list[tuple[Glob, Rule]] = []
        self._candidates: list[list[tuple[Glob, Rule]]] = []
        self._automaton: ahocorasick.Automaton[int] | None = None
        self._index()
        self._by_head: dict[str, list[tuple[Glob, Rule]]] = {}
        for glob, rule in self._globs:
            self._by_head.setdefault(glob.pieces[0], []).append((glob, rule))
        self._heads = sorted(self._by_head)
        self._head_lengths = sorted({len(head) for head in self._heads})

    def __bool__(self) -> bool:
        return bool(self._globs)

    def match(self, text: str) -> Rule | None:
        """The rule that matches the text; None when no rule does."""
        if (rule := self._exact.get(text)) is not None:
            return rule
        if self._automaton is not None:
            # A piece can occur several times; its rules are tried once.
            for number in dict.fromkeys([number for _, number in self._automaton.iter(text)]):
                for glob, rule in self._candidates[number]:
                    if glob.matches(text):
                        return rule
        for glob, rule in self._unindexed:
            if glob.matches(text):
                return rule
        return None

    def could_match(self, text: str, left: list[int] | None = None) -> Rule | None:
        """A rule that matches for some value of the holes in the text; None when there is none.

        `left` holds the number of steps that are left for the call.
        """
        left = [MOST_STEPS] if left is None else left
        head = text.partition(HOLE)[0]
        for tried, (glob, rule) in enumerate(self._sharing_head(head), start=1):
            if tried > MOST_CANDIDATES:
                return rule
            if not glob.may_match(text):
                continue
            left[0] -= len(text)
            if left[0] < 0 or glob.could_match(text):
                return rule
        return None

    def _sharing_head(self, head: str) -> Iterator[tuple[Glob, Rule]]:
        """The patterns whose head is a prefix of this head, or the reverse."""
        for length in self._head_lengths:
            if length <= len(head):
                yield from self._by_head.get(head[:length], ())
        yield from self._by_head.get(head + " ", ())
        at = bisect_left(self._heads, head)
        while at < len(self._heads) and self._heads[at].startswith(head):
            if len(self._heads[at]) > len(head) and self._heads[at] != head + " ":
                yield from self._by_head[self._heads[at]]
            at += 1

    def _index(self) -> None:
        """Index each pattern by the rarest of its literal pieces, which every match holds."""
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
    """Patterns of allow rules: matched word by word; `*` stays in its word, a last `*` matches the rest."""

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
        return bool(self._index or self._unindexed)

    def match(self, words: Sequence[str], *, spelled_out: int = 0, open_ended: bool = False) -> Rule | None:
        """The rule that covers these words and spells out the first `spelled_out` of them.

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


class _Key(NamedTuple):
    """What every match has: a whole word in its position, or the beginning of one."""

    position: int
    text: str
    length: int | None
    """How many characters of the word; None for the whole word."""


class WordPattern:
    """An allow pattern, split into words."""

    __slots__ = ("_globs", "keys", "open_ended")

    def __init__(self, words: Sequence[str]) -> None:
        self.open_ended = bool(words) and words[-1] == "*"
        self._globs = tuple(parse_glob(word) for word in (words[:-1] if self.open_ended else words))
        self.keys = tuple(
            _Key(position, glob.pieces[0], None if len(glob.pieces) == 1 else len(glob.pieces[0]))
            for position, glob in enumerate(self._globs)
            if glob.pieces[0]
        )

    def matches(self, words: Sequence[str], spelled_out: int = 0) -> bool:
        """Whether the words match, and the pattern has no star in the first `spelled_out` of them."""
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


def _matches_word(glob: Glob, word: str) -> bool:
    """Whether a word matches without its star becoming a flag, another root or `..`."""
    if len(glob.pieces) == 1:
        return word == glob.pieces[0]
    if not glob.matches(word):
        return False
    if not glob.pieces[0] and word[:1] in ("-", "/", "~"):
        return False
    return ".." not in word.split("/")


def _literal_pieces(glob: Glob) -> tuple[str, ...]:
    """The pieces that every match holds; with ` *` at the end, the last one has no blank."""
    pieces = glob.without_arguments.pieces if glob.without_arguments is not None else glob.pieces
    return tuple(piece for piece in pieces if piece)
