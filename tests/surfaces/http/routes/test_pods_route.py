"""What differs between the servers of a database is for administrators to see."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from assent.door.hosts import AllowedHosts
from assent.door.middleware import Door
from assent.gate.pods import Aspect, PodDifference
from assent.surfaces.http.app import create_app
from tests.surfaces.http.house import HERE, House

MOVED = PodDifference(Aspect.WORKSPACE, "/srv/a", "/srv/b")


class Compared:
    """Pods that were compared."""

    def __init__(self, *differences: PodDifference) -> None:
        self.differences: Sequence[PodDifference] = differences

    async def compare(self) -> None:
        """Nothing new."""


def serve(house: House, pods: Compared | None) -> None:
    app = create_app(replace(house.service, pods=pods))
    house.asgi = Door(app, house.keeper, AllowedHosts(public_url=HERE))


@pytest.mark.proves("R-35")
async def test_an_administrator_is_told_what_differs_here_and_there(in_memory: House) -> None:
    serve(in_memory, Compared(MOVED))
    reply = await in_memory.gets("ada", "/v1/pods")

    assert reply.json == {
        "differences": [
            {"what": "workspace", "here": "/srv/a", "there": "/srv/b", "sentence": MOVED.sentence}
        ]
    }


@pytest.mark.parametrize("pods", [None, Compared()])
async def test_servers_that_are_alike_or_alone_have_nothing_to_tell(
    in_memory: House, pods: Compared | None
) -> None:
    serve(in_memory, pods)

    assert (await in_memory.gets("ada", "/v1/pods")).json == {"differences": []}


@pytest.mark.parametrize("name", ["ana", "clerk", "robot"])
async def test_nobody_else_is_told_where_files_are(in_memory: House, name: str) -> None:
    assert (await in_memory.gets(name, "/v1/pods")).status == 403
