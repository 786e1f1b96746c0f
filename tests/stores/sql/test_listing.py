"""Tests of search patterns and of cursors."""

from pathlib import Path

import pytest

from assent.errors import InputError
from assent.gate.conversation import Conversation
from assent.gate.policy import Moment
from assent.stores.sql.listing import (
    conversation_cursor,
    conversation_page,
    like_pattern,
    parse_conversation_cursor,
)
from assent.stores.sql.policy_edits import save_conversation
from tests.gate.samples import NOW
from tests.stores.database import transaction


@pytest.mark.parametrize(
    ("search", "expected"),
    [("Mail", "%Mail%"), ("50%", "%50\\%%"), ("a_b", "%a\\_b%"), ("\\", "%\\\\%"), ("o'hara", "%o'hara%")],
)
def test_wildcards_in_a_search_are_escaped(search: str, expected: str) -> None:
    assert like_pattern(search) == expected


STRANGE = "o'hara. ñ %"


def test_conversations_with_the_same_start_time_are_each_listed_once(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        for id_ in ("b", STRANGE, "a", "c"):
            save_conversation(connection, Moment(NOW, 0), Conversation(id=id_, owner="ana", preset="assent"))
        first = conversation_page(connection, "ana", 3, "")
        rest = conversation_page(connection, "ana", 3, first.after)

    assert [one.id for one in (*first.conversations, *rest.conversations)] == [STRANGE, "c", "b", "a"]
    assert rest.after == ""


def test_a_cursor_is_parsed_to_its_original_values() -> None:
    after = conversation_cursor(Conversation(id=STRANGE, owner="ana", preset="assent", at=NOW))

    assert parse_conversation_cursor(after)[1] == STRANGE


@pytest.mark.parametrize("after", ["x", "-1.a", "1,5.a", "٣.a", "9" * 30 + ".a"])
def test_an_invalid_cursor_is_refused(after: str) -> None:
    with pytest.raises(InputError, match="is not a valid cursor"):
        parse_conversation_cursor(after)
