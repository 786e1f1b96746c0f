"""A link of the audit can be stored as a row and read back, with any characters."""

import pytest
from hypothesis import given
from hypothesis.strategies import characters, text

from assent.gate.audit import CHAIN_START_HASH, link_entry
from assent.stores.audit.outbox import LINK_COLUMNS, escape_text, link_from_row, link_to_row, unescape_text
from tests.gate.samples import NOW
from tests.stores.promises.given import sample_entry

ANYTHING = text(characters(codec=None, exclude_categories=()))


@given(ANYTHING)
def test_any_text_is_unescaped_to_the_original(written: str) -> None:
    assert unescape_text(escape_text(written)) == written


@pytest.mark.proves("R-18", "T-40")
@given(ANYTHING)
def test_an_escaped_text_is_valid_unicode_without_nul(written: str) -> None:
    assert "\0" not in escape_text(written).encode().decode()


def test_an_ordinary_text_is_stored_unchanged() -> None:
    assert escape_text("not today, ñ 日本") == "not today, ñ 日本"


def test_a_link_is_read_back_unchanged() -> None:
    entry = sample_entry(reason="\0\ud800", with_override=True, policy_version=7)
    link = link_entry(entry, writer="w", number=3, at=NOW, previous=CHAIN_START_HASH)

    assert link_from_row(link_to_row(link)) == link


@pytest.mark.proves("R004-32", "T-39")
def test_no_column_contains_arguments() -> None:
    assert not {"args", "question", "specifier", "part"} & {column.name for column in LINK_COLUMNS}
