"""If the server cannot be reached, a person cannot answer, no answer is queued, and questions are loaded again afterwards."""

import pytest

from assent.gate.approval import State
from tests.serving import start_server
from tests.surfaces.tui.dashboard_setup import DashboardSetup


@pytest.mark.proves("R002-40")
async def test_an_unreachable_server_turns_answers_off_and_the_question_stays_open(
    own_setup: DashboardSetup,
) -> None:
    setup = own_setup
    id = setup.ask("make build")
    async with setup.open() as screen:
        await screen.wait_until_asked()
        region = screen.app.query_one("#bar").region
        setup.server.kill()
        await screen.wait_until(lambda: not screen.dashboard.connection.is_up)
        await screen.press("y", "n", "a", "m", "l")

        assert "answers are off: no server" in screen.screen_part_text("bar")
        assert f"Cannot reach {setup.server.url} since" in screen.screen_part_text("head")
        assert "as of" in screen.text()
        assert screen.app.query_one("#bar").region == region
        assert screen.question.is_open
        home, port = setup.server.data.parents[1], setup.server.url.rpartition(":")[2]
        again = start_server(home, "--port", port)
        try:
            await screen.press("r")
            await screen.wait_until(lambda: screen.dashboard.connection.is_up)
            await screen.wait_until_asked()
            assert again.client().approval(id).state is State.PENDING
            await screen.press("y")
            await screen.wait_until_over()
            assert again.client().approval(id).state is State.APPROVED
        finally:
            again.close()


async def test_a_token_that_was_revoked_turns_answers_off(own_setup: DashboardSetup) -> None:
    setup = own_setup
    made = setup.client.request(
        "POST", "/v1/tokens", {"kind": "person", "name": setup.client.request("GET", "/v1/me")["id"]}
    )  # type: ignore[index]
    assert isinstance(made, dict)
    setup.server.token = made["secret"]
    async with setup.open() as screen:
        setup.client.request("DELETE", f"/v1/tokens/{made['id']}")
        setup.ask("make build")
        await screen.wait_until(lambda: not screen.dashboard.connection.is_up)

        assert "unknown, expired or revoked token" in screen.dashboard.connection.why
