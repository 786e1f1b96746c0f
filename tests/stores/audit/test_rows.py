"""A link of the audit survives its way into a row and back, in characters that every database holds."""

import pytest
from hypothesis import given
from hypothesis.strategies import characters, text

from assent.gate.audit import START, linked
from assent.stores.audit.outbox import LINK_COLUMNS, from_storable, link_from_row, link_to_row, to_storable
from tests.gate.samples import NOW
from tests.stores.promises.given import an_entry

ANYTHING = text(characters(codec=None, exclude_categories=()))


@given(ANYTHING)
def test_any_text_comes_back_as_it_was(written: str) -> None:
    assert from_storable(to_storable(written)) == written


@pytest.mark.proves("R-18", "T-40")
@given(ANYTHING)
def test_what_is_stored_is_unicode_without_nul(written: str) -> None:
    assert "\0" not in to_storable(written).encode().decode()


def test_a_plain_text_is_stored_as_it_is() -> None:
    assert to_storable("not today, ñ 日本") == "not today, ñ 日本"


def test_a_link_comes_back_as_it_was() -> None:
    entry = an_entry(reason="\0\ud800", with_override=True, policy_version=7)
    link = linked(entry, writer="w", number=3, at=NOW, previous=START)
    row = link_to_row(link)

    assert link_from_row([row[column.name] for column in LINK_COLUMNS]) == link


@pytest.mark.proves("R004-32", "T-39")
def test_no_column_is_for_arguments() -> None:
    assert not {"args", "question", "specifier", "part"} & {column.name for column in LINK_COLUMNS}
