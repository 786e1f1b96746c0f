"""The pieces of a call in few bytes: those of which the same is said stand together."""

from collections.abc import Sequence
from typing import cast

from assent.engine.verdict import Piece, Verdict

_Group = tuple[str, str, list[int], *tuple[str, ...]]
_VERDICTS = {verdict.word: verdict for verdict in Verdict}


def grouped(pieces: Sequence[Piece]) -> list[list[object]]:
    """What is said, where each piece begins of which it is said, and by which rule, if by one."""
    starts: dict[tuple[str, str, str | None], list[int]] = {}
    for start, verdict, reason, rule in pieces:
        starts.setdefault((verdict.word, reason, rule), []).append(start)
    return [
        [word, reason, found, *([] if rule is None else [rule])]
        for (word, reason, rule), found in starts.items()
    ]


def ungrouped(groups: Sequence[object]) -> tuple[Piece, ...]:
    """The pieces in the order in which they stand."""
    pieces = [
        Piece(start, _VERDICTS[word], reason, *rule)
        for word, reason, starts, *rule in cast("Sequence[_Group]", groups)
        for start in starts
    ]
    return tuple(sorted(pieces, key=lambda piece: piece.start))
