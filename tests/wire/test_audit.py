"""The audit as JSON."""

from assent.gate.audit import START, Entry, Link, breaks, linked
from assent.wire.audit import entry_from_json, entry_to_json, link_from_json, link_to_json
from tests.gate.samples import NOW
from tests.wire.spoiling import demanded, through_json, unnoticed

ENTRY = Entry(
    id="e1",
    user="ana",
    agent="clerk",
    conversation="c1",
    call="call-1",
    tool="t",
    verdict="ask",
    stage="mode",
    rule="r1",
    decision="approved",
    with_override=True,
    reason="as agreed",
    mode="default",
    policy_version=7,
    approval="q1",
)
LINK = linked(ENTRY, writer="b1", number=1, at=NOW, previous=START)


def test_a_link_comes_back_as_it_was_and_its_chain_still_holds() -> None:
    read = link_from_json(through_json(link_to_json(LINK)))

    assert read == LINK
    assert list(breaks([read])) == []


def test_every_field_is_written_under_its_own_name() -> None:
    assert list(entry_to_json(ENTRY)) == list(Entry.__dataclass_fields__)
    assert list(link_to_json(LINK)) == list(Link.__dataclass_fields__)


def test_a_wrong_type_is_an_error_that_names_the_field() -> None:
    assert unnoticed(entry_to_json(ENTRY), "entry", entry_from_json) == []
    assert unnoticed(link_to_json(LINK), "link", link_from_json) == []


def test_a_link_needs_all_of_its_fields() -> None:
    assert demanded(link_to_json(LINK), "link", link_from_json) == set(Link.__dataclass_fields__)
