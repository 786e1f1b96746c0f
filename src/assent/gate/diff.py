"""A diff of two texts: which lines go, come and stay, with the true line numbers of both."""

from collections.abc import Sequence
from typing import NamedTuple

CONTEXT = 3
"""Lines that are shown around a change."""
MOST_EDITS = 600
"""Lines that may go and come before they are no longer compared one by one."""
UNENDED = "\\ No newline at end of file"


class Block(NamedTuple):
    """A stretch of two texts: `old[a:b]` becomes `new[c:d]`; equal stretches stay."""

    a: int
    b: int
    c: int
    d: int
    stays: bool


class Diff(NamedTuple):
    """A unified diff without its headings, and how many lines it adds and removes."""

    text: str
    added: int
    removed: int


def diff_of(before: str, after: str) -> Diff:
    """The difference of two texts, with a few lines of context and the true line numbers of both."""
    old, new = lines_of(before), lines_of(after)
    blocks = blocks_of(old, new)
    added = sum(one.d - one.c for one in blocks if not one.stays)
    removed = sum(one.b - one.a for one in blocks if not one.stays)
    text = "\n".join(line for hunk in _hunks(blocks) for line in _written(hunk, old, new))
    return Diff(text, added, removed)


def lines_of(text: str) -> list[str]:
    """The lines of a text, each with its end; only a line feed ends one, as in an editor's numbers."""
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def blocks_of(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """What stays and what changes, in reading order; texts with too many differences change as a whole."""
    start = _common(old, new)
    rest = min(len(old), len(new)) - start
    end = _common(old[::-1][:rest], new[::-1][:rest])
    last_old, last_new = len(old) - end, len(new) - end
    pairs = _matches(old[start:last_old], new[start:last_new])
    stays = [(n, n) for n in range(start)]
    stays += [(start + a, start + c) for a, c in pairs]
    stays += [(last_old + n, last_new + n) for n in range(end)]
    return _blocks(stays, len(old), len(new))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many lines two texts begin with alike."""
    count = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        count += 1
    return count


def _matches(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The pairs of lines that stay, by Myers' greedy search; none where it would take too long.

    The work is bounded by `MOST_EDITS` squared, whatever an agent writes.
    """
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), MOST_EDITS) + 1):
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
                return _walked_back(trace, x, y)
    return []


def _walked_back(trace: Sequence[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    """The pairs on the way that was found, first one first."""
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


def _blocks(stays: Sequence[tuple[int, int]], olds: int, news: int) -> list[Block]:
    """Neighbouring pairs as one stretch, and what lies between them as changes."""
    blocks: list[Block] = []
    a = c = 0
    for x, y in (*stays, (olds, news)):
        if (x, y) != (a, c):
            blocks.append(Block(a, x, c, y, stays=False))
        last = blocks[-1] if blocks else None
        if (x, y) == (olds, news):
            break
        if last is not None and last.stays:
            blocks[-1] = last._replace(b=x + 1, d=y + 1)
        else:
            blocks.append(Block(x, x + 1, y, y + 1, stays=True))
        a, c = x + 1, y + 1
    return blocks


def _hunks(blocks: Sequence[Block]) -> list[list[Block]]:
    """Changes with their context; a long stretch that stays parts two hunks."""
    hunks: list[list[Block]] = [[]]
    for place, one in enumerate(blocks):
        if not one.stays:
            hunks[-1].append(one)
            continue
        head = min(CONTEXT, one.b - one.a) if place else 0
        tail = min(CONTEXT, one.b - one.a) if place < len(blocks) - 1 else 0
        if head and tail and head + tail >= one.b - one.a:
            hunks[-1].append(one)
            continue
        hunks[-1].append(one._replace(b=one.a + head, d=one.c + head))
        hunks.append([one._replace(a=one.b - tail, c=one.d - tail)])
    return [hunk for hunk in hunks if any(not one.stays for one in hunk)]


def _written(hunk: Sequence[Block], old: Sequence[str], new: Sequence[str]) -> list[str]:
    a, b, c, d = hunk[0].a, hunk[-1].b, hunk[0].c, hunk[-1].d
    # A side without lines is numbered by the line before it, as `diff -u` does.
    written = [f"@@ -{a + (b > a)},{b - a} +{c + (d > c)},{d - c} @@"]
    for one in hunk:
        if one.stays:
            written += _signed(" ", old[one.a : one.b])
        else:
            written += [*_signed("-", old[one.a : one.b]), *_signed("+", new[one.c : one.d])]
    return written


def _signed(sign: str, lines: Sequence[str]) -> list[str]:
    signed: list[str] = []
    for line in lines:
        signed.append(sign + line.removesuffix("\n"))
        if not line.endswith("\n"):
            signed.append(UNENDED)
    return signed
