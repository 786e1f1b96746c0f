"""`remembered` of an outcome: the rules that an answer wrote for later calls."""

from tests.surfaces.http.api_server import ASKED, ApiServer

CALLS = "/v1/calls"


async def test_the_claim_of_an_always_lists_its_rules(api: ApiServer) -> None:
    id = await api.ask()
    await api.answer(id, "always", rules=["note.put(key=a)"])
    taken = await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0})
    eased = await api.post("clerk", CALLS, {"call": {**ASKED, "id": "next"}, "conversation": "c1"})

    assert taken.json["remembered"] == [
        {
            "rule": "note.put(key=a)",
            "scope": "user_agent",
            "lifetime": "forever",
            "until": None,
            "uses": None,
        }
    ]
    assert (eased.json["outcome"], eased.json["remembered"]) == ("run", [])


async def test_the_claim_of_a_yes_once_lists_no_rule(api: ApiServer) -> None:
    id = await api.ask()
    await api.answer(id)
    taken = await api.post("clerk", f"{CALLS}/{id}/wait", {"seconds": 0})

    assert taken.json["remembered"] == []
