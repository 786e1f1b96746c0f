"""`/v1/proposals`: a person applies what an agent proposed."""

import pytest

from tests.gate.test_proposals import NotesRunner
from tests.surfaces.http.api_server import ASKED, ApiServer


async def _propose_note(api: ApiServer) -> tuple[NotesRunner, str]:
    notes = NotesRunner()
    api.scene.gate.offer(runners={"note.put": notes})
    begun = await api.post("ana", "/v1/conversations", {"preset": "propose", "agent": "clerk"})
    reply = await api.post("clerk", "/v1/calls", {"call": ASKED, "conversation": begun.json["id"]})
    return notes, str(reply.json["token"])


@pytest.mark.proves("R001-4", "R001-14")
async def test_a_proposal_runs_once_when_a_person_applies_it(api: ApiServer) -> None:
    notes, token = await _propose_note(api)
    before = list(notes.ran)
    applied = await api.post("ana", "/v1/proposals/apply", {"token": token})
    twice = await api.post("ana", "/v1/proposals/apply", {"token": token})

    assert (before, len(notes.ran)) == ([], 1)
    assert (applied.json["outcome"], twice.json["outcome"], twice.json["code"]) == (
        "applied",
        "refuse",
        "already_run",
    )


@pytest.mark.proves("R001-17", "T-5")
@pytest.mark.supports("R001-11")
async def test_only_a_person_with_the_right_can_apply_a_proposal(api: ApiServer) -> None:
    notes, token = await _propose_note(api)
    ben = await api.post("ben", "/v1/proposals/apply", {"token": token})
    agent = await api.post("clerk", "/v1/proposals/apply", {"token": token})
    service = await api.post("robot", "/v1/proposals/apply", {"token": token})
    wrong = await api.post(
        "ana", "/v1/proposals/apply", {"token": token[:-1] + ("A" if token[-1] != "A" else "B")}
    )
    nonsense = await api.post("ana", "/v1/proposals/apply", {"token": "propose:x"})

    assert (ben.status, agent.status, service.status) == (404, 403, 403)
    assert (
        (wrong.status, wrong.json["detail"])
        == (nonsense.status, nonsense.json["detail"])
        == (422, "invalid token")
    )
    assert notes.ran == []
