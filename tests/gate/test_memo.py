"""What was computed from an immutable object is remembered with that object."""

from dataclasses import replace

import pytest

from assent.gate.approval import Approval
from assent.gate.memo import IdentityMemo
from tests.gate.samples import sample_approval


def test_a_memo_computes_a_value_once_for_each_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assent.gate.memo._MAX_OBJECTS", 2)
    made: list[str] = []

    def note_id(approval: Approval) -> int:
        made.append(approval.id)
        return len(made)

    memo = IdentityMemo(note_id)
    a, b, c = (replace(sample_approval(), id=id_) for id_ in "abc")

    assert [memo(a), memo(a), memo(b), memo(c), memo(a)] == [1, 1, 2, 3, 4]
