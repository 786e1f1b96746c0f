"""The values of an act have a limited length, and unknown pieces are marked."""

from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.irreversible.act import MAX_NAME_LENGTH, join_names


def test_a_name_is_cut_at_its_limit() -> None:
    assert join_names(["a" * MAX_NAME_LENGTH]) == "a" * MAX_NAME_LENGTH
    assert join_names(["a" * (MAX_NAME_LENGTH + 1)]) == "a" * (MAX_NAME_LENGTH - 1) + "…"


def test_an_unknown_piece_of_a_name_is_an_ellipsis() -> None:
    assert join_names([f"web-{UNKNOWN_MARK}", "", "db"]) == "web-… db"
