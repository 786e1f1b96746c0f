"""Small terminals: less is shown, the bar stays, and nothing is allowed that was not on the screen."""

import pytest

from assent.gate.approval import State
from tests.surfaces.tui.desk import Desk

LINE = "cd web && curl https://api.example.com | jq .routes > routes.json"


async def test_on_a_narrow_terminal_the_queue_opens_over_the_card(desk: Desk) -> None:
    desk.ask(LINE, agent="dev-1")
    second = desk.ask("make two", agent="dev-2")
    async with desk.open(60, 30) as screen:
        await screen.until_asked(2)
        assert "◆ 2 waits" in screen.part("agents")
        assert screen.app.query_one("#queue").display is False
        await screen.press("tab")
        assert "make two" in screen.part("card")
        await screen.press("j", "enter")
        await screen.until(lambda: screen.question.id == second and screen.question.is_loaded)
        await screen.press("y")
        await screen.until_over()
    assert desk.approval(second).state is State.APPROVED


async def test_on_forty_columns_the_part_that_asks_comes_first(desk: Desk) -> None:
    desk.ask(LINE)
    async with desk.open(40, 15) as screen:
        await screen.until_asked()
        card = screen.part("card").splitlines()

        assert "curl https://api.example.com" in card[0]
        assert any("+ 1 more part runs" in line for line in card)
        assert "[y]once [a]lways [n]o" in screen.part("bar")


async def test_the_asking_part_must_be_seen_whole(desk: Desk) -> None:
    id = desk.ask("curl " + " ".join(f"https://host{n}.example.com/path" for n in range(20)))
    async with desk.open(40, 15) as screen:
        await screen.until_asked()
        await screen.press("y")
        assert desk.approval(id).state is State.PENDING
        while not screen.model.scroll.is_read:
            await screen.press("space")
        await screen.press("y")
        await screen.until_over()
    assert desk.approval(id).state is State.APPROVED


@pytest.mark.parametrize("size", [(19, 20), (60, 7)])
async def test_a_terminal_that_is_too_small_takes_no_answers(desk: Desk, size: tuple[int, int]) -> None:
    id = desk.ask("make one")
    async with desk.open(*size) as screen:
        await screen.until(lambda: screen.model.question is not None and screen.question.is_loaded)
        await screen.press("y", "n")

        assert "too small" in screen.text()
        assert desk.approval(id).state is State.PENDING
        await screen.pilot.resize_terminal(120, 40)
        await screen.until_asked()
        await screen.press("y")
        await screen.until_over()


async def test_a_lower_terminal_has_one_line_for_all_agents(desk: Desk) -> None:
    desk.ask("make one")
    async with desk.open(120, 30) as screen:
        await screen.until_asked()

        assert screen.part("agents").strip().startswith("◆ 1 waits")
        assert len(screen.part("agents").splitlines()) == 1
