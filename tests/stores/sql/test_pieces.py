"""The pieces of a decision are stored in few bytes and read back unchanged."""

import json

import pytest

from assent.engine.policy.verdict import Piece, Verdict
from assent.stores.sql.question_text import group_pieces, ungroup_pieces

READS = "it only reads"
ASKS = "nothing covers this"
RULE = "sh(npm run *)"
PIECES = (
    Piece(0, Verdict.RUN, READS),
    Piece(10, Verdict.ASK, ASKS),
    Piece(20, Verdict.RUN, f"allow rule `{RULE}`", RULE),
    Piece(41, Verdict.RUN, READS),
    Piece(60, Verdict.ASK, READS),
)


def test_pieces_with_the_same_verdict_and_reason_are_grouped() -> None:
    assert group_pieces(PIECES) == [
        ["run", READS, [0, 41]],
        ["ask", ASKS, [10]],
        ["run", f"allow rule `{RULE}`", [20], RULE],
        ["ask", READS, [60]],
    ]


@pytest.mark.parametrize("pieces", [(), PIECES[:1], PIECES])
def test_ungrouped_pieces_are_in_their_original_order(pieces: tuple[Piece, ...]) -> None:
    assert ungroup_pieces(json.loads(json.dumps(group_pieces(pieces)))) == pieces
