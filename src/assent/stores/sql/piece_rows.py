"""The pieces of a question as stored in its row: grouped, because most pieces have the same reason."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import cast

from assent.engine.policy.verdict import Piece, Verdict
from assent.wire.reason import reason_from_json, reason_to_json

_PieceGroup = tuple[str, str, list[int], *tuple[str, ...]]
_VERDICTS = {verdict.word: verdict for verdict in Verdict}


def group_pieces(pieces: Sequence[Piece]) -> list[list[object]]:
    """Pieces grouped by verdict, sentence and rule; each group lists the positions where its pieces start."""
    return [
        [word, sentence, found, *([] if rule is None else [rule])]
        for (word, sentence, rule), found in _piece_starts(pieces).items()
    ]


def group_piece_reasons(pieces: Sequence[Piece]) -> list[dict[str, object]]:
    """The code and values of the reason of each group of pieces, which earlier versions did not store."""
    reasons = {(piece.verdict.word, piece.because, piece.rule): piece.reason for piece in reversed(pieces)}
    return [reason_to_json(reasons[group]) for group in _piece_starts(pieces)]


def ungroup_pieces(groups: Sequence[object], reasons: Sequence[object] = ()) -> tuple[Piece, ...]:
    """The pieces of all groups, in the order of their positions."""
    pieces = [
        Piece(start, _VERDICTS[word], reason_from_json(reason, sentence), *rule)
        for (word, sentence, starts, *rule), reason in zip_longest(
            cast("Sequence[_PieceGroup]", groups), reasons[: len(groups)]
        )
        for start in starts
    ]
    return tuple(sorted(pieces, key=lambda piece: piece.start))


def _piece_starts(pieces: Sequence[Piece]) -> Mapping[tuple[str, str, str | None], list[int]]:
    """The positions of the pieces with the same verdict, sentence and rule."""
    starts: dict[tuple[str, str, str | None], list[int]] = {}
    for piece in pieces:
        starts.setdefault((piece.verdict.word, piece.because, piece.rule), []).append(piece.start)
    return starts
