"""One yes to several questions: of one kind, and never to what is answered by itself."""

import pytest

from assent.errors import InputError
from assent.gate.approval import Approval, check_can_batch, check_same_kind
from tests.gate.samples import DECISION, an_approval


def with_batch_key(key: str) -> Approval:
    return an_approval(decision=DECISION._replace(batch_key=key))


@pytest.mark.proves("T-49")
def test_calls_of_one_kind_go_together_and_of_two_do_not() -> None:
    check_same_kind([with_batch_key("a"), with_batch_key("a"), with_batch_key("")])
    with pytest.raises(InputError, match="of one kind"):
        check_same_kind([with_batch_key("a"), with_batch_key("b")])


@pytest.mark.proves("T-49")
def test_what_has_no_kind_is_answered_by_itself() -> None:
    check_can_batch(with_batch_key("a"))
    with pytest.raises(InputError, match="alone"):
        check_can_batch(with_batch_key(""))
