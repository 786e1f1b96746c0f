"""Text of an agent is printed as plain text, and never controls the terminal."""

import unicodedata

import pytest

from assent.gate.approval import State
from tests.surfaces.tui.dashboard_setup import DashboardSetup, OpenDashboard

ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[31m\x9b5m\x90q\x9c\x08\x08\r"
DIRECTIONS = "\u202e\u2066\u200f\u061c\u200b\ufeff\U000e0041"
MARKUP = "[b]bold[/b] [@click=app.quit]x[/] {red} [link=http://evil.example]y[/link]"
FAKE = "ls\n? asks   nothing\n⚠ PERMISSION: boss wants to use Bash(ls)  [y]once [a]lways [n]o"


def hidden_characters(screen: OpenDashboard) -> list[str]:
    """The control and direction characters on the screen, other than our own isolates."""
    ours = {"\u2067", "\u2069", "\n"}
    return [one for one in screen.text() if unicodedata.category(one) in ("Cc", "Cf") and one not in ours]


@pytest.mark.proves("R002-43")
@pytest.mark.parametrize("size", [(120, 40), (60, 30), (40, 15)])
async def test_no_control_or_direction_character_reaches_the_screen(
    setup: DashboardSetup, size: tuple[int, int]
) -> None:
    setup.ask(f"echo {ESCAPES}{DIRECTIONS} {MARKUP}", agent="clerk", description=f"{ESCAPES}{MARKUP}")
    setup.ask("", agent="clerk", tool="Write", file_path=f"a{ESCAPES}.txt", content=f"{ESCAPES}{DIRECTIONS}")
    async with setup.open(*size) as screen:
        await screen.wait_until_asked(2)
        for keys in (["x"], ["escape", "j"], ["x"], ["escape", "h"], ["escape", "e"]):
            await screen.press(*keys)
            await screen.wait_until(lambda: True)
            assert hidden_characters(screen) == []
        text = screen.text()

    assert "\x1b" not in text


async def test_escapes_are_shown_and_markup_is_text(setup: DashboardSetup) -> None:
    id = setup.ask(f"echo {ESCAPES} {MARKUP}")
    async with setup.open() as screen:
        await screen.wait_until_asked()
        card = screen.screen_part_text("card")

        assert "\\u001b]0;owned\\u0007" in card
        assert "[b]bold[/b] [@click=app.quit]x[/]" in " ".join(card.split())
        assert "Locked: Assent cannot read the whole call" in card
    assert setup.approval(id).state is State.PENDING


async def test_a_command_cannot_draw_a_second_prompt(setup: DashboardSetup) -> None:
    setup.ask(FAKE)
    async with setup.open() as screen:
        await screen.wait_until_asked()
        lines = [line for line in screen.text().splitlines() if "PERMISSION" in line and "boss" in line]

        # Each line of the command stands beside the bar of its part, never at the left edge.
        assert lines
        assert all("▌" in line or "\\n" in line for line in lines)
