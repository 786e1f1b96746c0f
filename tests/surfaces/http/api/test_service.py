"""The limit of long requests: a poll that would wait is refused, an answered one is served."""

import pytest

from assent.surfaces.http.api.service import LongRequestLimit
from tests.surfaces.http.api_server import ApiServer


def test_a_slot_is_free_again_when_its_long_request_ends() -> None:
    room = LongRequestLimit(1)
    with room.count_open_request():
        assert not room.can_start_request

    assert room.can_start_request


@pytest.mark.proves("R-28")
async def test_under_load_a_poll_that_would_wait_is_refused_and_an_answered_one_is_served(
    in_memory: ApiServer,
) -> None:
    api: ApiServer = in_memory
    id = await api.ask()
    object.__setattr__(api.service, "long_requests", LongRequestLimit(0))
    refused = await api.post("clerk", f"/v1/calls/{id}/wait", {"seconds": 30})
    await api.answer(id)
    taken = await api.post("clerk", f"/v1/calls/{id}/wait", {"seconds": 30})

    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    assert taken.json["outcome"] == "run"
