"""Nobody waits where there is no room for it; whoever only takes an answer is served."""

import pytest

from assent.surfaces.http.api.service import LongRequests
from tests.surfaces.http.house import House


def test_a_place_is_free_again_when_its_holder_leaves() -> None:
    room = LongRequests(1)
    with room.count():
        assert not room.has_room

    assert room.has_room


@pytest.mark.proves("R-28")
async def test_a_poll_that_would_wait_is_refused_and_one_that_takes_an_answer_is_not(
    in_memory: House,
) -> None:
    house: House = in_memory
    id = await house.asks()
    object.__setattr__(house.service, "long_requests", LongRequests(0))
    refused = await house.posts("clerk", f"/v1/calls/{id}/wait", {"seconds": 30})
    await house.answers(id)
    taken = await house.posts("clerk", f"/v1/calls/{id}/wait", {"seconds": 30})

    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    assert taken.json["outcome"] == "run"
