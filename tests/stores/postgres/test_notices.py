"""Notices contain ids as JSON, as many as the server accepts at once."""

import json

from hypothesis import given
from hypothesis.strategies import lists, text

from assent.stores.postgres import connections as notices
from assent.stores.postgres.connections import parse_notice


def _notices_of(ids: list[str]) -> list[str]:
    return list(notices._notice_texts(ids))


@given(lists(text(max_size=256)))
def test_every_id_is_in_exactly_one_notice(ids: list[str]) -> None:
    assert [id_ for notice in _notices_of(ids) for id_ in parse_notice(notice)] == ids


def test_a_notice_never_exceeds_the_servers_limit() -> None:
    sent = _notices_of([f"{number:032x}" for number in range(5_000)])

    assert max(len(notice.encode()) for notice in sent) < 8_000
    assert len(sent) == 23


def test_an_invalid_notice_contains_no_ids() -> None:
    foreign = ["", "hello", "{}", "17", json.dumps([1, None, {"id": "q"}])]

    assert [parse_notice(notice) for notice in foreign] == [[], [], [], [], []]
