"""Counts for limits and pages of a store in memory."""

from dataclasses import replace

import pytest

from assent.errors import InputError
from assent.gate.approval import State
from assent.gate.question import Limits, PendingBytes
from assent.stores.memory.queries import count_pending_load, take_page
from assent.stores.sql.approval_rows import question_size
from tests.gate.samples import CALL, approval_in_state, sample_approval


def test_pending_approvals_and_bytes_are_counted_for_the_root_agent_its_user_and_the_store() -> None:
    own = sample_approval("q1")
    helper = sample_approval("q2", call=replace(CALL, agent="helper"), lineage=("scout", "clerk"))
    sibling = sample_approval("q3", call=replace(CALL, agent="scout"))
    stranger = sample_approval("q4", owner="ben")
    pending = (own, helper, sibling, stranger)
    sizes = [question_size(one) for one in pending]
    by_id = {one.id: size for one, size in zip(pending, sizes, strict=True)}
    asked = sample_approval("q5", args={"command": "x" * 1000})

    found = count_pending_load(asked, [*pending, approval_in_state(State.DENIED, id="q6")], by_id, Limits())

    assert found.bytes == PendingBytes(sum(sizes[:2]), sum(sizes[:3]), sum(sizes))
    assert (found.pending, found.size) == (2, question_size(asked))


LETTERS = tuple("abcdefg")


def is_even(letter: str) -> bool:
    return LETTERS.index(letter) % 2 == 0


@pytest.mark.parametrize(
    ("newest_first", "pages"), [(False, ["ac", "eg"]), (True, ["ge", "ca"])], ids=["oldest", "newest"]
)
def test_pages_continue_each_other_in_both_orders(newest_first: bool, pages: list[str]) -> None:
    first, after = take_page(LETTERS, is_even, 2, "", newest_first=newest_first)
    second, end = take_page(LETTERS, is_even, 2, after, newest_first=newest_first)

    assert ["".join(first), "".join(second), end] == [*pages, ""]


@pytest.mark.parametrize("after", ["x", "-1", "1.0", "٣", "9" * 30])
def test_an_invalid_cursor_is_refused(after: str) -> None:
    with pytest.raises(InputError, match="is not a valid cursor"):
        take_page(LETTERS, is_even, 2, after, newest_first=False)
