"""The card of an irreversible call shows the loss first, and its button must be held to allow it."""

import re

import pytest
from playwright.sync_api import expect

from tests.web.conftest import PHONE_VIEWPORT, OpenPage, wait_until_armed
from tests.web.server import WebServer

IRREVERSIBLE_COMMANDS = {
    "terraform destroy -auto-approve": "destroys everything that terraform manages here",
    "kubectl delete namespace prod": "deletes the namespace prod",
    "git push --force": "overwrites what others pushed",
    "git reset --hard": "discards uncommitted changes",
    "psql -c 'DROP TABLE users'": "deletes the table users",
    "npm publish": "publishes a release with npm",
    "gh repo delete acme/site": "deletes the repository acme/site",
}


@pytest.mark.proves("T-49")
@pytest.mark.parametrize(("command", "told"), IRREVERSIBLE_COMMANDS.items(), ids=[*IRREVERSIBLE_COMMANDS])
def test_the_card_shows_what_is_lost_and_a_key_does_not_allow_it(
    server: WebServer, open_page: OpenPage, command: str, told: str
) -> None:
    id = server.ask(command)
    page = open_page(f"#/inbox/{id}")
    wait_until_armed(page)
    expect(page.locator(".irreversible")).to_have_text(f"Cannot be undone: {told}")
    expect(page.get_by_role("button", name="Hold to allow once")).to_be_visible()
    for name in (re.compile("^Allow once"), "For this conversation", re.compile("^Always")):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    page.keyboard.press("y")
    page.keyboard.press("a")
    page.keyboard.press("n")
    page.get_by_text("You denied this").wait_for()

    assert server.approval(id)["answer"]["say"] == "deny"


@pytest.mark.proves("T-49")
def test_holding_the_button_to_the_end_allows_the_call(server: WebServer, open_page: OpenPage) -> None:
    id = server.ask("git push --force origin main")
    page = open_page(f"#/inbox/{id}", viewport=PHONE_VIEWPORT)
    wait_until_armed(page)
    hold = page.get_by_role("button", name="Hold to allow once")
    hold.focus()
    page.keyboard.down("Enter")
    page.get_by_text("You allowed this once").wait_for()
    page.keyboard.up("Enter")

    assert server.state(id) == "approved"


@pytest.mark.proves("T-49")
def test_edited_arguments_of_an_irreversible_call_also_need_holding(
    server: WebServer, open_page: OpenPage
) -> None:
    id = server.ask("git push --force")
    page = open_page(f"#/inbox/{id}")
    wait_until_armed(page)
    page.keyboard.press("e")
    page.get_by_label("Arguments as JSON").fill('{"command": "git push --force origin dev"}')
    page.keyboard.press("Control+Enter")
    allow = page.get_by_role("button", name="Allow once with these arguments")
    allow.click()
    assert server.state(id) == "pending"

    allow.focus()
    page.keyboard.down("Enter")
    page.get_by_text("You allowed this once").wait_for()
    page.keyboard.up("Enter")
    assert server.approval(id)["answer"]["args"] == {"command": "git push --force origin dev"}


@pytest.mark.proves("T-49")
def test_the_loss_is_described_in_spanish(server: WebServer, open_page: OpenPage) -> None:
    id = server.ask("kubectl delete namespace prod")
    page = open_page(f"#/inbox/{id}")
    page.evaluate("localStorage.setItem('assent.language', 'es')")
    page.reload()
    page.locator(".irreversible").wait_for()

    expect(page.locator(".irreversible")).to_have_text(
        "No se puede deshacer: elimina prod (espacio de nombres)"
    )
