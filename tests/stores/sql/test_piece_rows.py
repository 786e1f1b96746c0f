"""The pieces of a decision are stored in few bytes and read back unchanged."""

import json

import pytest

from assent.engine.base.reason import Reason, ReasonCode, text_reason
from assent.engine.policy.verdict import Piece, Verdict
from assent.stores.sql.piece_rows import group_piece_reasons, group_pieces, ungroup_pieces

READS = "it only reads"
ASKS = "nothing covers this"
RULE = "sh(npm run *)"
PIECES = (
    Piece(0, Verdict.RUN, text_reason(READS)),
    Piece(10, Verdict.ASK, text_reason(ASKS)),
    Piece(20, Verdict.RUN, text_reason(f"allow rule `{RULE}`"), RULE),
    Piece(41, Verdict.RUN, text_reason(READS)),
    Piece(60, Verdict.ASK, text_reason(READS)),
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


def test_the_codes_of_reasons_are_stored_beside_the_groups() -> None:
    reads = Reason(ReasonCode.ONLY_READS)
    pieces = (
        Piece(0, Verdict.RUN, reads),
        Piece(5, Verdict.ASK, text_reason(ASKS)),
        Piece(9, Verdict.RUN, reads),
    )
    groups, reasons = group_pieces(pieces), group_piece_reasons(pieces)

    assert reasons == [{"code": "only-reads", "values": {}}, {}]
    assert ungroup_pieces(groups, reasons) == pieces
    assert ungroup_pieces(groups)[0].because == READS
