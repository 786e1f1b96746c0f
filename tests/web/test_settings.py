"""The settings page: people, log-in links, tokens, theme and language."""

import re
import struct
import urllib.request

import pytest
from playwright.sync_api import expect

from tests.web.conftest import OpenPage
from tests.web.server import WebServer
from tests.web.test_files import save_screenshot


def test_a_person_is_added_logs_in_by_the_link_and_is_disabled(
    server: WebServer, open_page: OpenPage
) -> None:
    page = open_page("#/settings")
    page.get_by_label("Name").first.fill("mia")
    page.get_by_role("button", name="Add a person").click()
    link = page.get_by_text(re.compile(r"/login#assent_l_")).inner_text()
    theirs = open_page("", state=None)
    theirs.goto(link)
    expect(theirs.get_by_role("heading", name="Inbox")).to_be_visible()
    theirs.goto(f"{server.url}/#/settings")
    expect(theirs.get_by_role("heading", name="Settings")).to_be_visible()
    expect(theirs.get_by_role("button", name="Add a person")).to_have_count(0)

    page.get_by_role("button", name="Done").click()
    page.get_by_role("listitem").filter(has_text="mia").get_by_role("button", name="Disable").click()
    expect(theirs.get_by_role("heading", name="Sign in")).to_be_visible()


def test_a_login_link_works_once(server: WebServer, open_page: OpenPage) -> None:
    link = server.login_link()
    first, second = open_page("", state=None), open_page("", state=None)
    first.goto(link)
    expect(first.get_by_role("heading", name="Inbox")).to_be_visible()
    second.goto(link)

    expect(second.get_by_text("This link was already used, has expired, or was mistyped.")).to_be_visible()
    assert "assent_l_" not in first.url


def test_a_token_is_shown_once_works_and_is_revoked(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/settings")
    page.get_by_label("Name").last.fill("robin")
    page.get_by_role("button", name="New token").click()
    secret = page.get_by_text(re.compile(r"^assent_a_")).inner_text()
    call = {"call": {"tool": "terminal.exec", "args": {"command": "ls"}}}
    assert server.send_request("POST", "calls", call, token=secret)["outcome"] == "run"

    page.reload()
    page.get_by_role("listitem").filter(has_text="robin").get_by_role("button", name="Revoke").click()
    expect(page.get_by_role("listitem").filter(has_text="robin")).to_have_count(0)
    assert secret not in page.content()
    request = urllib.request.Request(f"{server.url}/v1/me", headers={"authorization": f"Bearer {secret}"})
    try:
        urllib.request.urlopen(request)
        raise AssertionError("the token still works")
    except urllib.error.HTTPError as refused:
        assert refused.code == 401  # noqa: PT017 - what is caught is what is expected


def test_the_theme_is_stored_and_follows_the_system_by_default(open_page: OpenPage) -> None:
    page = open_page("#/settings", color_scheme="dark")
    page.get_by_role("heading", name="Settings").wait_for()
    background = "getComputedStyle(document.querySelector('main')).backgroundColor"
    dark = page.evaluate(background)
    page.get_by_role("radio", name="Light").click()
    light = page.evaluate(background)
    page.reload()
    page.get_by_role("heading", name="Settings").wait_for()

    assert light != dark
    assert page.evaluate(background) == light
    page.get_by_role("radio", name="System").click()
    assert page.evaluate(background) == dark


def test_the_language_is_stored(open_page: OpenPage) -> None:
    page = open_page("#/settings")
    page.get_by_role("radio", name="Español").click()
    page.reload()

    expect(page.get_by_role("heading", name="Ajustes")).to_be_visible()
    assert page.evaluate("document.documentElement.lang") == "es"


def test_after_signing_out_no_question_is_shown(server: WebServer, open_page: OpenPage) -> None:
    server.ask("make secret-thing")
    page = open_page("", state=None)
    page.goto(server.login_link())
    page.get_by_text("make secret-thing").first.wait_for()
    page.goto(f"{server.url}/#/settings")
    page.get_by_role("button", name="Sign out").click()

    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    page.goto(f"{server.url}/#/inbox")
    expect(page.get_by_role("heading", name="Sign in")).to_be_visible()
    expect(page.get_by_text("make secret-thing")).to_have_count(0)


def test_the_page_can_be_installed_as_an_app(server: WebServer, open_page: OpenPage) -> None:
    page = open_page()
    address = page.locator("link[rel=manifest]").get_attribute("href")
    manifest = page.request.get(f"{server.url}/{address}").json()

    assert (manifest["name"], manifest["display"]) == ("Assent", "standalone")
    drawn = {}
    for icon in manifest["icons"]:
        reply = page.request.get(f"{server.url}/{icon['src']}")
        assert reply.ok
        if icon["type"] == "image/png":
            drawn[icon["purpose"], icon["sizes"]] = "x".join(
                map(str, struct.unpack(">2I", reply.body()[16:24]))
            )
    assert drawn == {(purpose, size): size for purpose, size in drawn}
    assert set(drawn) == {("any", "192x192"), ("any", "512x512"), ("maskable", "512x512")}


def test_a_new_secret_stays_visible_until_it_is_dismissed(
    open_page: OpenPage,
) -> None:
    page = open_page("#/settings", permissions=["clipboard-read", "clipboard-write"])
    page.get_by_label("Name").first.fill("noa")
    page.get_by_role("button", name="Add a person").click()
    shown = page.get_by_role("dialog", name="A link for noa")
    link = shown.get_by_text(re.compile(r"/login#assent_l_"))
    shown.get_by_role("button", name="Copy").click()
    expect(shown.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("navigator.clipboard.readText()") == link.inner_text()
    page.mouse.click(5, 5)
    expect(link).to_be_visible()
    assert link.evaluate(IS_ON_TOP)

    shown.get_by_role("button", name="Done").click()
    expect(link).to_have_count(0)


IS_ON_TOP = """(element) => {
  const { left, top, width, height } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
}"""


def test_people_cannot_disable_themselves(server: WebServer, open_page: OpenPage) -> None:
    me = server.send_request("GET", "me")["id"]
    page = open_page("#/settings")
    row = (
        page.get_by_role("listitem")
        .filter(has=page.get_by_role("button", name="New link"))
        .filter(has_text=me)
    )

    expect(row).to_be_visible()
    expect(row.get_by_role("button", name="Disable")).to_have_count(0)


def test_a_disabled_person_is_marked_and_can_be_enabled_again(server: WebServer, open_page: OpenPage) -> None:
    server.send_request("POST", "people", {"id": "gwen"})
    server.send_request("POST", "people/gwen/disable", {})
    page = open_page("#/settings")
    row = page.get_by_role("listitem").filter(has_text="gwen")
    expect(row).to_contain_text("disabled")
    row.get_by_role("button", name="Enable").click()
    page.get_by_role("dialog").wait_for()

    gwen = next(one for one in server.send_request("GET", "people")["items"] if one["id"] == "gwen")
    assert gwen["disabled_at"] is None
    page.keyboard.press("Escape")
    expect(row).not_to_contain_text("disabled")


@pytest.mark.proves("R-35")
def test_differences_between_servers_are_shown_to_administrators(
    server: WebServer, open_page: OpenPage
) -> None:
    difference = {"what": "workspace", "here": "/srv/a", "there": "/srv/b", "sentence": "pods differ"}
    page = open_page("#/settings")
    page.route("**/v1/pods", lambda route: route.fulfill(json={"differences": [difference]}))
    page.goto(f"{server.url}/#/inbox")
    page.reload()

    banner = page.get_by_role("status").filter(
        has_text="The servers of this database do not match. Workspace."
    )
    banner.get_by_role("link", name="What to do").click()
    section = page.locator("section", has=page.get_by_role("heading", name="Servers"))
    expect(section).to_contain_text("/srv/a on this server, /srv/b on another.")
    expect(section).to_contain_text("Start all servers in the same directory.")
    save_screenshot(page, "servers")
    page.get_by_role("radio", name="Español").click()
    expect(page.get_by_role("status").filter(has_text="no coinciden")).to_be_visible()
    expect(page.get_by_text("Inicia todos los servidores en el mismo directorio.")).to_be_visible()


def test_equal_servers_are_not_mentioned(server: WebServer, open_page: OpenPage) -> None:
    page = open_page("#/settings")
    expect(page.get_by_role("button", name="Add a person")).to_be_visible()

    assert server.send_request("GET", "pods") == {"differences": []}
    expect(page.get_by_role("heading", name="Servers")).to_have_count(0)
