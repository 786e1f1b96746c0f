"""One of two pods is killed before or after a store operation: the other pod finishes, and nothing runs twice or is lost."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from assent.gate.approval import State
from tests.faults.boundaries import ARMED_VARIABLE, BOUNDARIES, BOUNDARY_VARIABLE, Boundary, kill_at_boundary
from tests.faults.callers import Caller
from tests.serving import RunningServer, server


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("boundaries")


@pytest.fixture(scope="module")
def steady_pod(home: Path, database: str) -> Iterator[RunningServer]:
    """A pod that is not killed."""
    with server(home, "--database", database, name="steady") as running:
        yield running


@pytest.mark.proves("R-1", "R-2", "R-25")
@pytest.mark.parametrize("boundary", BOUNDARIES, ids=str)
def test_nothing_is_lost_and_nothing_runs_twice(
    home: Path, steady_pod: RunningServer, database: str, boundary: Boundary
) -> None:
    armed = home / f"armed {boundary}"
    env = {BOUNDARY_VARIABLE: " ".join(map(str, boundary)), ARMED_VARIABLE: str(armed)}
    with server(home, "--database", database, name="dying", env=env, change=kill_at_boundary) as dead:
        armed.touch()
        caller = Caller([dead, steady_pod])
        asked = caller.complete_call(f"call {boundary}", agent="clerk")
        status = dead.wait_for_exit()
    caller.close()
    state = steady_pod.client().approval(asked).state
    taken = boundary == Boundary("change_approval", 2, "after")

    assert status == -9
    assert caller.refused == []
    # The pod died after the claim, before its reply: it is unknown whether the call runs, so it never runs again.
    assert (caller.ran, caller.unknown) == (([], [asked]) if taken else ([asked], []))
    assert state is (State.RUNNING if taken else State.DONE)
