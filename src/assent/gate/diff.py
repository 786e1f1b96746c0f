"""A diff of two texts: removed, added and unchanged lines, with the line numbers of both."""

from collections.abc import Sequence
from typing import NamedTuple

CONTEXT_LINES = 3
"""The number of unchanged lines shown around a change."""
MAX_EDITS = 600
"""Above this number of changed lines, the texts are no longer compared line by line."""
NO_NEWLINE = "\\ No newline at end of file"


class Block(NamedTuple):
    """A block of lines of both texts: `old[a:b]` is replaced by `new[c:d]`, or equal to it."""

    a: int
    b: int
    c: int
    d: int
    is_unchanged: bool


class Diff(NamedTuple):
    """A unified diff without file headers, and the numbers of added and removed lines."""

    text: str
    added: int
    removed: int


def text_diff(before: str, after: str) -> Diff:
    """The diff of two texts with context lines."""
    old, new = split_lines(before), split_lines(after)
    blocks = changed_blocks(old, new)
    added = sum(one.d - one.c for one in blocks if not one.is_unchanged)
    removed = sum(one.b - one.a for one in blocks if not one.is_unchanged)
    text = "\n".join(line for hunk in _group_hunks(blocks) for line in _hunk_lines(hunk, old, new))
    return Diff(text, added, removed)


def split_lines(text: str) -> list[str]:
    """The lines of a text with their line ends; only a line feed ends a line, as in editors."""
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def changed_blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """Compare two lists of lines; texts with too many differences become one changed block."""
    start = _common_prefix(old, new)
    rest = min(len(old), len(new)) - start
    end = _common_prefix(old[::-1][:rest], new[::-1][:rest])
    last_old, last_new = len(old) - end, len(new) - end
    pairs = _find_matches(old[start:last_old], new[start:last_new])
    is_unchanged = [(n, n) for n in range(start)]
    is_unchanged += [(start + a, start + c) for a, c in pairs]
    is_unchanged += [(last_old + n, last_new + n) for n in range(end)]
    return _to_blocks(is_unchanged, len(old), len(new))


def _common_prefix(one: Sequence[str], other: Sequence[str]) -> int:
    """The number of equal lines at the beginning."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _find_matches(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The index pairs of equal lines, by Myers' greedy algorithm; none if the comparison takes too long.

    The work is bounded by `MAX_EDITS` squared.
    """
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), MAX_EDITS) + 1):
        trace.append(dict(reach))
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (
                diagonal != edits and reach[diagonal - 1] < reach.get(diagonal + 1, -1)
            )
            x = reach[diagonal + 1] if down else reach[diagonal - 1] + 1
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
            reach[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _backtrack(trace, x, y)
    return []


def _backtrack(trace: Sequence[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    """Follow the trace backwards, and return the index pairs of equal lines in order."""
    pairs: list[tuple[int, int]] = []
    for edits in range(len(trace) - 1, -1, -1):
        reach, diagonal = trace[edits], x - y
        down = diagonal == -edits or (
            diagonal != edits and reach.get(diagonal - 1, -1) < reach.get(diagonal + 1, -1)
        )
        before = diagonal + 1 if down else diagonal - 1
        last_x = reach.get(before, 0) if edits else 0
        last_y = last_x - before if edits else 0
        while x > last_x and y > last_y:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        x, y = last_x, last_y
    pairs.reverse()
    return pairs


def _to_blocks(is_unchanged: Sequence[tuple[int, int]], olds: int, news: int) -> list[Block]:
    """Join adjacent pairs to unchanged blocks, and add the changed blocks between them."""
    blocks: list[Block] = []
    a = c = 0
    for x, y in (*is_unchanged, (olds, news)):
        if (x, y) != (a, c):
            blocks.append(Block(a, x, c, y, is_unchanged=False))
        last = blocks[-1] if blocks else None
        if (x, y) == (olds, news):
            break
        if last is not None and last.is_unchanged:
            blocks[-1] = last._replace(b=x + 1, d=y + 1)
        else:
            blocks.append(Block(x, x + 1, y, y + 1, is_unchanged=True))
        a, c = x + 1, y + 1
    return blocks


def _group_hunks(blocks: Sequence[Block]) -> list[list[Block]]:
    """Group changed blocks with their context lines; a long unchanged block separates two hunks."""
    hunks: list[list[Block]] = [[]]
    for index, one in enumerate(blocks):
        if not one.is_unchanged:
            hunks[-1].append(one)
            continue
        head = min(CONTEXT_LINES, one.b - one.a) if index else 0
        tail = min(CONTEXT_LINES, one.b - one.a) if index < len(blocks) - 1 else 0
        if head and tail and head + tail >= one.b - one.a:
            hunks[-1].append(one)
            continue
        hunks[-1].append(one._replace(b=one.a + head, d=one.c + head))
        hunks.append([one._replace(a=one.b - tail, c=one.d - tail)])
    return [hunk for hunk in hunks if any(not one.is_unchanged for one in hunk)]


def _hunk_lines(hunk: Sequence[Block], old: Sequence[str], new: Sequence[str]) -> list[str]:
    a, b, c, d = hunk[0].a, hunk[-1].b, hunk[0].c, hunk[-1].d
    # An empty side has the number of the line before it, as in `diff -u`.
    written = [f"@@ -{a + (b > a)},{b - a} +{c + (d > c)},{d - c} @@"]
    for one in hunk:
        if one.is_unchanged:
            written += _prefix_lines(" ", old[one.a : one.b])
        else:
            written += [*_prefix_lines("-", old[one.a : one.b]), *_prefix_lines("+", new[one.c : one.d])]
    return written


def _prefix_lines(sign: str, lines: Sequence[str]) -> list[str]:
    signed: list[str] = []
    for line in lines:
        signed.append(sign + line.removesuffix("\n"))
        if not line.endswith("\n"):
            signed.append(NO_NEWLINE)
    return signed
