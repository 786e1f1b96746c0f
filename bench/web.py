"""web: the browser's cost of scrolling and answering with a thousand questions, by its own trace."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from assent.client.client import Client
from bench.harness import Effort, Result, at_most
from bench.served import start_server
from tools.chromium import FLAGS, chromium
from tools.trace import Tasks, trace_page

QUESTIONS = 1000
AGENTS = 10
SCROLLS = 40
TITLE = "({}) Inbox · Assent"
_NODES = "document.querySelectorAll('*').length"
_LOOK = 100
"""Milliseconds between two looks at the title; looking at every frame would be work of its own."""


def measure(effort: Effort) -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as directory, start_server(Path(directory)) as server:
        client = Client(server.url, server.token)
        for at in range(QUESTIONS):
            args = {"command": f"make part-{at}"}
            client.submit("terminal.exec", args, id=f"call-{at}", agent=f"agent-{at % AGENTS}")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium(), args=list(FLAGS))
            page = _open_page(browser, client)
            first = int(page.evaluate(_NODES))
            scrolled = trace_page(page, lambda: _scroll(page))
            nodes = max(first, int(page.evaluate(_NODES)))
            answers = [_answer_next(page, QUESTIONS - at) for at in range(effort.rounds)]
            browser.close()
        client.close()
    yield from _results(nodes, scrolled, answers)


def _results(nodes: int, scrolled: Tasks, answers: list[Tasks]) -> Iterator[Result]:
    said = f"{QUESTIONS:,} pending:"
    yield Result(
        row="web", what=f"{said} nodes of the page", ours=nodes, unit="nodes", goal=at_most(1500, "nodes")
    )
    yield Result(
        row="web",
        what=f"{said} longest task of {SCROLLS} scrolls",
        ours=max(scrolled.busy),
        unit="ms",
        goal=at_most(50, "ms"),
    )
    yield Result(
        row="web", what="the same by the clock, on this machine", ours=max(scrolled.lasted), unit="ms"
    )
    yield Result(
        row="web",
        what=f"{said} main thread's time for an answer",
        ours=median(sum(one.busy) for one in answers),
        unit="ms",
        goal=at_most(100, "ms"),
    )
    yield Result(
        row="web", what="the worst of these answers", ours=max(sum(one.busy) for one in answers), unit="ms"
    )


def _open_page(browser: Browser, client: Client) -> Page:
    me: Any = client.request("GET", "/v1/me")
    made: Any = client.request("POST", f"/v1/people/{me['id']}/link", tries=1)
    page = browser.new_page(viewport={"width": 1440, "height": 900}, locale="en-GB")
    page.goto(f"{client.url}/login#{made['link']}")
    _wait_for_title(page, QUESTIONS)
    page.locator(".card[data-armed=true]").wait_for()
    page.wait_for_timeout(1000)  # finish loading
    return page


def _wait_for_title(page: Page, waiting: int) -> None:
    page.wait_for_function("title => document.title === title", arg=TITLE.format(waiting), polling=_LOOK)


def _scroll(page: Page) -> None:
    page.get_by_role("list", name="Waiting questions").hover()
    for _ in range(SCROLLS):
        page.mouse.wheel(0, 1500)
        page.wait_for_timeout(30)


def _answer_next(page: Page, waiting: int) -> Tasks:
    """One answer, from the key press to the next question."""
    page.locator(".card[data-armed=true]").wait_for()

    def answer() -> None:
        page.keyboard.press("n")
        _wait_for_title(page, waiting - 1)
        page.wait_for_timeout(400)  # wait until the next question is fetched and painted

    return trace_page(page, answer)
