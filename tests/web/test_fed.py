"""What a command is fed is on its card: a text, a file with its digest, a pipe, and a tool's own argument."""

import hashlib

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import DESK, PHONE, Open, armed
from tests.web.house import House
from tests.web.test_files import pictured

SIZES = pytest.mark.parametrize("viewport", [DESK, PHONE], ids=["desk", "phone"])
PROGRAM = "import json\nrows = json.load(open('late.json'))\nprint(len(rows), 'late orders')\n"
NOT_REMEMBERED = "so a yes cannot be remembered"


def fed(page: Page) -> str:
    """Which command the card says is fed, and by what."""
    return " ".join(page.locator(".card .fed-head").inner_text().split())


@pytest.mark.proves("T-49")
@SIZES
def test_a_file_is_shown_with_its_path_and_a_short_digest(
    house: House, open_page: Open, viewport: dict[str, int]
) -> None:
    (house.directory / "seed.sql").write_text("insert into shop values (1);\n", "utf-8")
    digest = hashlib.sha256((house.directory / "seed.sql").read_bytes()).hexdigest()
    id = house.ask("psql shop < seed.sql")
    page = open_page(f"#/inbox/{id}", viewport=viewport)
    armed(page)

    assert fed(page) == f"Fed to psql shop: seed.sql sha256 {digest[:12]}…"
    expect(page.locator(".card")).to_contain_text("If the file changes before the call runs, it is refused.")
    pictured(page, f"fed-file-{viewport['width']}")


@pytest.mark.proves("T-49")
@SIZES
def test_a_program_in_the_command_is_shown_in_its_place(
    house: House, open_page: Open, viewport: dict[str, int]
) -> None:
    id = house.ask(f"python3 - <<'EOF'\n{PROGRAM}EOF")
    page = open_page(f"#/inbox/{id}", viewport=viewport)
    armed(page)

    assert fed(page) == "Fed to python3 -: 3 lines"
    assert page.locator(".card .command .fed-text").inner_text().rstrip() == PROGRAM.rstrip()
    expect(page.locator(".card")).to_contain_text("A yes that lasts is for exactly this text.")
    pictured(page, f"fed-text-{viewport['width']}")


@pytest.mark.proves("T-49")
def test_of_a_pipe_no_yes_can_be_remembered(house: House, open_page: Open) -> None:
    id = house.ask("cat a.sql | psql shop")
    page = open_page(f"#/inbox/{id}")
    armed(page)

    assert fed(page) == "Fed to psql shop: a pipe, or the input of a group or loop around it"
    expect(page.locator(".card")).to_contain_text(NOT_REMEMBERED)
    expect(page.get_by_role("button", name="Allow once")).to_be_enabled()
    expect(page.get_by_role("button", name="Always…")).to_have_count(0)
    pictured(page, "fed-pipe")


@pytest.mark.proves("T-49")
@SIZES
def test_a_tools_own_input_is_shown_and_a_long_one_is_opened_before_it_is_allowed(
    house: House, open_page: Open, viewport: dict[str, int]
) -> None:
    id = house.ask("python3 -", stdin="x = 1\n" * 500 + "remove_all()\n", timeout=60)
    page = open_page(f"#/inbox/{id}", viewport=viewport)
    armed(page)
    allow = page.get_by_role("button", name="Allow once")

    assert fed(page) == "Fed to python3 -: the argument stdin, 501 lines"
    expect(page.locator(".card .fed-text")).to_contain_text("remove_all()")
    expect(page.locator(".card .arguments")).to_have_text("timeout60")
    expect(allow).to_be_disabled()
    pictured(page, f"fed-argument-{viewport['width']}")
    page.keyboard.press("x")
    expect(allow).to_be_enabled()


def test_it_is_said_in_spanish_too(house: House, open_page: Open) -> None:
    id = house.ask("cat a.sql | psql shop")
    page = open_page(f"#/inbox/{id}")
    page.evaluate("localStorage.setItem('assent.language', 'es')")
    page.reload()
    armed(page)

    assert fed(page).startswith("Entrada de psql shop: una tubería")
