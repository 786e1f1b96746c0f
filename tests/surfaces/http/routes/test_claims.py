"""Only a caller that repeats its request with its nonce gets the same claim again."""

import pytest

from assent.engine.policy.snapshot import Tier
from assent.gate.approval import State
from tests.gate.samples import ADA
from tests.surfaces.http.api_server import ASKED, ApiServer

CALLS = "/v1/calls"
NONCE = "b7c1f0e2a94d4d21"


@pytest.mark.proves("R-36")
async def test_a_claim_repeated_with_its_nonce_gets_the_same_claim_until_the_report(
    api: ApiServer,
) -> None:
    id = await api.ask()
    await api.answer(id)
    take = {"seconds": 0, "nonce": NONCE}
    first = await api.post("clerk", f"{CALLS}/{id}/wait", take)
    again = await api.post("clerk", f"{CALLS}/{id}/wait", take)
    submitted = await api.post("clerk", CALLS, {"call": ASKED, "conversation": "c1", "nonce": NONCE})
    reported = await api.post("clerk", f"{CALLS}/{id}/report", {"claim": again.json["claim"]})
    after = await api.post("clerk", f"{CALLS}/{id}/wait", take)

    assert first.json["outcome"] == "run"
    assert (again.json, submitted.json["claim"]) == (first.json, first.json["claim"])
    assert (reported.status, reported.json["state"]) == (200, "done")
    assert (after.json["outcome"], after.json["code"]) == ("refuse", "already_run")


@pytest.mark.proves("R-36", "R-2")
async def test_a_different_nonce_or_token_does_not_get_the_claim(api: ApiServer) -> None:
    id = await api.ask()
    await api.answer(id)
    await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0, "nonce": NONCE})
    bodies = ({"seconds": 0, "nonce": NONCE[::-1]}, {"seconds": 0})
    found = [await api.post("clerk", f"{CALLS}/{id}/wait", body) for body in bodies]
    found.append(await api.post("ana", f"{CALLS}/{id}/wait", {"seconds": 0, "nonce": NONCE}))

    assert [one.json["code"] for one in found] == ["already_run"] * 3


@pytest.mark.proves("R-36")
async def test_a_call_blocked_meanwhile_cannot_be_claimed_again(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    id = await api.ask()
    await api.answer(id)
    take = {"seconds": 0, "nonce": NONCE}
    first = await api.post("clerk", f"{CALLS}/{id}/wait", take)
    await api.service.gate.policy.set_tiers(ADA, "clerk", {ASKED["tool"]: Tier.BLOCKED})
    again = await api.post("clerk", f"{CALLS}/{id}/wait", take)
    third = await api.post("clerk", f"{CALLS}/{id}/wait", take)
    kept = await api.store.approval(id)
    reported = await api.post("clerk", f"{CALLS}/{id}/report", {"claim": first.json["claim"]})

    assert (again.json["outcome"], again.json["code"]) == ("refuse", "permission_denied")
    assert (third.json["outcome"], third.json["code"]) == ("refuse", "already_run")
    assert (kept.state, kept.note.startswith("not handed out again (")) == (State.UNKNOWN, True)
    assert reported.json["state"] == "done"


async def test_a_nonce_is_stored_as_a_digest_only(in_memory: ApiServer) -> None:
    api: ApiServer = in_memory
    id = await api.ask()
    await api.answer(id)
    await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0, "nonce": NONCE})
    kept = await api.store.approval(id)

    assert kept.claim_nonce
    assert NONCE not in repr(kept)
    assert "claim_nonce" not in (await api.get("ana", f"/v1/approvals/{id}")).json


@pytest.mark.parametrize("nonce", ["", "short", "x" * 129, "with a blank in it", "añb7c1f0e2a94d4d21"])
async def test_an_invalid_nonce_is_refused(in_memory: ApiServer, nonce: str) -> None:
    api: ApiServer = in_memory
    id = await api.ask()
    reply = await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0, "nonce": nonce})

    assert reply.status == 400
