"""Small terminals: less is shown, the bar stays, and nothing is allowed that was not on the screen."""

import pytest

from assent.gate.approval import State
from tests.surfaces.tui.dashboard_setup import DashboardSetup

LINE = "cd web && curl https://api.example.com | jq .routes > routes.json"


async def test_on_a_narrow_terminal_the_queue_opens_over_the_card(setup: DashboardSetup) -> None:
    setup.ask(LINE, agent="dev-1")
    second = setup.ask("make two", agent="dev-2")
    async with setup.open(60, 30) as screen:
        await screen.wait_until_asked(2)
        assert "Agents  ◆ 2 waiting" in screen.screen_part_text("agents")
        assert screen.app.query_one("#queue").display is False
        await screen.press("tab")
        queue = [line.strip() for line in screen.screen_part_text("card").splitlines()]
        assert any(line.startswith("▌curl https://api.example.com  ") for line in queue)
        assert any(line.startswith("make two") for line in queue)
        await screen.press("j", "enter")
        await screen.wait_until(lambda: screen.question.id == second and screen.question.is_loaded)
        await screen.press("y")
        await screen.wait_until_over()
    assert setup.approval(second).state is State.APPROVED


async def test_on_forty_columns_the_part_that_asks_comes_first(setup: DashboardSetup) -> None:
    setup.ask(LINE)
    async with setup.open(40, 15) as screen:
        await screen.wait_until_asked()
        card = screen.screen_part_text("card").splitlines()

        assert "curl https://api.example.com" in card[0]
        assert any("+ 1 more part runs" in line for line in card)
        assert "[y]once [a]lways [n]o" in screen.screen_part_text("bar")


async def test_the_asking_part_must_be_seen_whole(setup: DashboardSetup) -> None:
    id = setup.ask("curl " + " ".join(f"https://host{n}.example.com/path" for n in range(20)))
    async with setup.open(40, 15) as screen:
        await screen.wait_until_asked()
        await screen.press("y")
        assert setup.approval(id).state is State.PENDING
        while not screen.dashboard.scroll.is_call_read:
            await screen.press("space")
        await screen.press("y")
        await screen.wait_until_over()
    assert setup.approval(id).state is State.APPROVED


@pytest.mark.parametrize("size", [(19, 20), (60, 7)])
async def test_a_terminal_that_is_too_small_takes_no_answers(
    setup: DashboardSetup, size: tuple[int, int]
) -> None:
    id = setup.ask("make one")
    async with setup.open(*size) as screen:
        await screen.wait_until(
            lambda: screen.dashboard.selected_question is not None and screen.question.is_loaded
        )
        await screen.press("y", "n")

        assert "too small" in screen.text()
        assert setup.approval(id).state is State.PENDING
        await screen.pilot.resize_terminal(120, 40)
        await screen.wait_until_asked()
        await screen.press("y")
        await screen.wait_until_over()


async def test_a_lower_terminal_has_one_line_for_all_agents(setup: DashboardSetup) -> None:
    setup.ask("make one")
    async with setup.open(120, 30) as screen:
        await screen.wait_until_asked()

        assert screen.screen_part_text("agents").strip().startswith("Agents  ◆ 1 waiting")
        assert len(screen.screen_part_text("agents").splitlines()) == 1


async def test_on_forty_columns_each_field_of_the_rule_editor_comes_onto_the_screen(
    setup: DashboardSetup,
) -> None:
    setup.ask("npm run build")
    async with setup.open(40, 15) as screen:
        await screen.wait_until_asked()
        await screen.press("a")
        found = []
        for label in ("Width", "Rule", "Scope", "Lifetime"):
            found.append(label in screen.screen_part_text("card"))
            await screen.press("tab")

        assert found == [True] * 4
