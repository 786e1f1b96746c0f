"""Several approvals can be allowed together only if they are of one kind."""

import pytest

from assent.errors import InputError
from assent.gate.approval import Approval
from assent.gate.batch import check_can_batch, check_same_kind
from tests.gate.samples import DECISION, sample_approval


def with_batch_key(key: str) -> Approval:
    return sample_approval(decision=DECISION._replace(batch_key=key))


@pytest.mark.proves("T-49")
def test_only_calls_of_one_kind_can_be_allowed_together() -> None:
    check_same_kind([with_batch_key("a"), with_batch_key("a"), with_batch_key("")])
    with pytest.raises(InputError, match="of one kind"):
        check_same_kind([with_batch_key("a"), with_batch_key("b")])


@pytest.mark.proves("T-49")
def test_a_call_without_a_batch_key_must_be_answered_alone() -> None:
    check_can_batch(with_batch_key("a"))
    with pytest.raises(InputError, match="alone"):
        check_can_batch(with_batch_key(""))
