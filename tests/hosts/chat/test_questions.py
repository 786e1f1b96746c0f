"""Which open questions are a run's: its own, and those of its helpers."""

from dataclasses import replace

import pytest

from assent.gate.approval import Approval
from assent.gate.preset import Delivery
from assent.gate.transcript import ChatRun
from assent.hosts.chat.questions import asks
from tests.gate.samples import CALL, an_approval

RUN = ChatRun(id="r1", conversation="c1", owner="ana", agent="chat", message="{}")


def asked(*, conversation: str = "c1", **changes: object) -> Approval:
    return an_approval(call=replace(CALL, conversation=conversation), **changes)


def test_a_run_asks_what_was_asked_in_its_turn_or_by_a_helper_of_its() -> None:
    assert asks(RUN, asked(turn="r1"))
    assert asks(RUN, asked(turn="h1", lineage=("chat",)))
    assert not asks(RUN, asked(turn="r2"))
    assert not asks(RUN, asked(turn="h1", lineage=("other",)))


@pytest.mark.proves("T-38")
def test_a_helper_in_another_conversation_asks_for_another_run() -> None:
    assert not asks(RUN, asked(conversation="c2", turn="h1", lineage=("chat",)))


def test_what_a_helper_of_an_earlier_run_proposed_holds_no_later_run_up() -> None:
    assert not asks(RUN, asked(turn="h1", lineage=("chat",), delivery=Delivery.PROPOSE))
