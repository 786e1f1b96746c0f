"""What limits are held against in memory: questions and bytes of an agent with its sub-agents."""

from dataclasses import replace

from assent.gate.approval import State
from assent.gate.pending import PendingBytes
from assent.gate.ports import Limits
from assent.stores.brief import size_of
from assent.stores.memory_limits import load_of
from tests.gate.samples import CALL, an_approval, in_state


def test_questions_and_bytes_are_counted_for_the_agent_that_a_person_started_for_its_user_and_for_all() -> (
    None
):
    own = an_approval("q1")
    helper = an_approval("q2", call=replace(CALL, agent="helper"), lineage=("scout", "clerk"))
    sibling = an_approval("q3", call=replace(CALL, agent="scout"))
    stranger = an_approval("q4", owner="ben")
    sizes = [size_of(one) for one in (own, helper, sibling, stranger)]
    asked = an_approval("q5", args={"command": "x" * 1000})

    found = load_of(asked, [own, helper, sibling, stranger, in_state(State.DENIED, id="q6")], Limits())

    assert found.bytes == PendingBytes(sum(sizes[:2]), sum(sizes[:3]), sum(sizes))
    assert (found.pending, found.size) == (2, size_of(asked))
