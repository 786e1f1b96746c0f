"""`/healthz`, `/readyz` and `/metrics`: without a token."""

from tests.surfaces.http.house import House


async def test_a_server_says_how_it_is(house: House) -> None:
    replies = [await house.gets(None, path) for path in ("/healthz", "/readyz", "/metrics")]

    assert [one.status for one in replies] == [200, 200, 200]
    assert (replies[0].json, replies[1].json) == ({"ok": True}, {"ok": True, "differs": []})
    assert replies[2].headers["content-type"].startswith("text/plain; version=0.0.4")
    assert "assent_approvals_pending 0.0\n" in replies[2].json


async def test_a_server_that_stops_or_has_no_store_is_not_ready(house: House) -> None:
    house.service.stopping.set()
    stopping = await house.gets(None, "/readyz")
    await house.store.close()
    healthy = await house.gets(None, "/healthz")
    house.service.stopping.clear()
    without = await house.gets(None, "/readyz")

    assert (stopping.status, healthy.status) == (503, 200)
    assert (without.status, without.headers["retry-after"]) == (503, "1")
