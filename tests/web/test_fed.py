"""A card shows the input of a command: a text, a file with its digest, a pipe, or an argument."""

import hashlib

import pytest
from playwright.sync_api import Page, expect

from tests.web.conftest import DESKTOP_VIEWPORT, PHONE_VIEWPORT, OpenPage, wait_until_armed
from tests.web.server import WebServer
from tests.web.test_files import save_screenshot

BOTH_VIEWPORTS = pytest.mark.parametrize(
    "viewport", [DESKTOP_VIEWPORT, PHONE_VIEWPORT], ids=["desk", "phone"]
)
PYTHON_PROGRAM = "import json\nrows = json.load(open('late.json'))\nprint(len(rows), 'late orders')\n"
NOT_REMEMBERED_NOTE = "so a yes cannot be remembered"


def input_heading(page: Page) -> str:
    """The heading of the card's input: the command and the source."""
    return " ".join(page.locator(".card .fed-head").inner_text().split())


@pytest.mark.proves("T-49")
@BOTH_VIEWPORTS
def test_an_input_file_is_shown_with_its_path_and_a_short_digest(
    server: WebServer, open_page: OpenPage, viewport: dict[str, int]
) -> None:
    (server.directory / "seed.sql").write_text("insert into shop values (1);\n", "utf-8")
    digest = hashlib.sha256((server.directory / "seed.sql").read_bytes()).hexdigest()
    id = server.ask("psql shop < seed.sql")
    page = open_page(f"#/inbox/{id}", viewport=viewport)
    wait_until_armed(page)

    assert input_heading(page) == f"Input to psql shop: seed.sql sha256 {digest[:12]}…"
    expect(page.locator(".card")).to_contain_text(
        "If the file changes before the call runs, the call is refused."
    )
    save_screenshot(page, f"fed-file-{viewport['width']}")


@pytest.mark.proves("T-49")
@BOTH_VIEWPORTS
def test_a_program_in_a_here_document_is_shown_as_input(
    server: WebServer, open_page: OpenPage, viewport: dict[str, int]
) -> None:
    id = server.ask(f"python3 - <<'EOF'\n{PYTHON_PROGRAM}EOF")
    page = open_page(f"#/inbox/{id}", viewport=viewport)
    wait_until_armed(page)

    assert input_heading(page) == "Input to python3 -: 3 lines"
    assert page.locator(".card .command .fed-text").inner_text().rstrip() == PYTHON_PROGRAM.rstrip()
    expect(page.locator(".card")).to_contain_text("A remembered yes applies to exactly this text.")
    save_screenshot(page, f"fed-text-{viewport['width']}")


@pytest.mark.proves("T-49")
def test_an_answer_for_a_pipe_cannot_be_remembered(server: WebServer, open_page: OpenPage) -> None:
    id = server.ask("cat a.sql | psql shop")
    page = open_page(f"#/inbox/{id}")
    wait_until_armed(page)

    assert input_heading(page) == "Input to psql shop: a pipe, or the input of the group or loop around it"
    expect(page.locator(".card")).to_contain_text(NOT_REMEMBERED_NOTE)
    expect(page.get_by_role("button", name="Allow once")).to_be_enabled()
    expect(page.get_by_role("button", name="Always…")).to_have_count(0)
    save_screenshot(page, "fed-pipe")


@pytest.mark.proves("T-49")
@BOTH_VIEWPORTS
def test_a_long_input_argument_must_be_opened_before_it_is_allowed(
    server: WebServer, open_page: OpenPage, viewport: dict[str, int]
) -> None:
    id = server.ask("python3 -", stdin="x = 1\n" * 500 + "remove_all()\n", timeout=60)
    page = open_page(f"#/inbox/{id}", viewport=viewport)
    wait_until_armed(page)
    allow = page.get_by_role("button", name="Allow once")

    assert input_heading(page) == "Input to python3 -: the argument stdin, 501 lines"
    expect(page.locator(".card .fed-text")).to_contain_text("remove_all()")
    expect(page.locator(".card .arguments")).to_have_text("timeout60")
    expect(allow).to_be_disabled()
    save_screenshot(page, f"fed-argument-{viewport['width']}")
    page.keyboard.press("x")
    expect(allow).to_be_enabled()


def test_the_input_is_described_in_spanish(server: WebServer, open_page: OpenPage) -> None:
    id = server.ask("cat a.sql | psql shop")
    page = open_page(f"#/inbox/{id}")
    page.evaluate("localStorage.setItem('assent.language', 'es')")
    page.reload()
    wait_until_armed(page)

    assert input_heading(page).startswith("Entrada de psql shop: una tubería")
