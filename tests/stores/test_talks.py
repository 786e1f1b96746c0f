"""Conversations come page by page, the newest first, and those of one moment in one order."""

from pathlib import Path

import pytest

from assent.errors import InputError
from assent.gate.conversation import Conversation
from assent.gate.store import Moment
from assent.stores.policy import saved
from assent.stores.talks import after_of, place_of, talks_of
from tests.gate.samples import NOW
from tests.stores.database import transaction

STRANGE = "o'hara. ñ %"


def test_those_of_one_moment_come_each_once(tmp_path: Path) -> None:
    with transaction(tmp_path / "a.db") as connection:
        for id_ in ("b", STRANGE, "a", "c"):
            saved(connection, Moment(NOW, 0), Conversation(id=id_, owner="ana", preset="assent"))
        first = talks_of(connection, "ana", 3, "")
        rest = talks_of(connection, "ana", 3, first.after)

    assert [one.id for one in (*first.conversations, *rest.conversations)] == [STRANGE, "c", "b", "a"]
    assert rest.after == ""


def test_a_place_is_read_as_it_was_written() -> None:
    after = after_of(Conversation(id=STRANGE, owner="ana", preset="assent", at=NOW))

    assert place_of(after)[1] == STRANGE


@pytest.mark.parametrize("after", ["x", "-1.a", "1,5.a", "٣.a", "9" * 30 + ".a"])
def test_what_is_no_place_is_refused(after: str) -> None:
    with pytest.raises(InputError, match="is not where a page begins"):
        place_of(after)
