"""Web benchmark: the browser's work for scrolling and answering with 1,000 questions, from its trace."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from assent.client.client import Client
from bench.harness import Effort, Result, goal_at_most
from bench.served import start_server
from tools.chromium import HEADLESS_FLAGS, find_chromium
from tools.trace import MainThreadTasks, trace_page

QUESTION_COUNT = 1000
AGENT_COUNT = 10
SCROLL_COUNT = 40
PAGE_TITLE = "({}) Inbox · Assent"
_COUNT_NODES = "document.querySelectorAll('*').length"
_TITLE_POLL_MS = 100
"""Milliseconds between two reads of the page title; more reads would disturb the measurement."""


def measure(effort: Effort) -> Iterator[Result]:
    with tempfile.TemporaryDirectory() as directory, start_server(Path(directory)) as server:
        client = Client(server.url, server.token)
        for at in range(QUESTION_COUNT):
            args = {"command": f"make part-{at}"}
            client.submit("terminal.exec", args, id=f"call-{at}", agent=f"agent-{at % AGENT_COUNT}")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(HEADLESS_FLAGS))
            page = _open_page(browser, client)
            first = int(page.evaluate(_COUNT_NODES))
            scrolled = trace_page(page, lambda: _scroll_list(page))
            nodes = max(first, int(page.evaluate(_COUNT_NODES)))
            answers = [_answer_next(page, QUESTION_COUNT - at) for at in range(effort.rounds)]
            browser.close()
        client.close()
    yield from _to_results(nodes, scrolled, answers)


def _to_results(nodes: int, scrolled: MainThreadTasks, answers: list[MainThreadTasks]) -> Iterator[Result]:
    said = f"{QUESTION_COUNT:,} pending:"
    yield Result(
        row="web",
        what=f"{said} nodes of the page",
        ours=nodes,
        unit="nodes",
        goal=goal_at_most(1500, "nodes"),
    )
    yield Result(
        row="web",
        what=f"{said} longest task of {SCROLL_COUNT} scrolls",
        ours=max(scrolled.cpu_milliseconds),
        unit="ms",
        goal=goal_at_most(50, "ms"),
    )
    yield Result(
        row="web",
        what="the same by the clock, on this machine",
        ours=max(scrolled.wall_milliseconds),
        unit="ms",
    )
    yield Result(
        row="web",
        what=f"{said} main thread's time for an answer",
        ours=median(sum(one.cpu_milliseconds) for one in answers),
        unit="ms",
        goal=goal_at_most(100, "ms"),
    )
    yield Result(
        row="web",
        what="the worst of these answers",
        ours=max(sum(one.cpu_milliseconds) for one in answers),
        unit="ms",
    )


def _open_page(browser: Browser, client: Client) -> Page:
    me: Any = client.request("GET", "/v1/me")
    made: Any = client.request("POST", f"/v1/people/{me['id']}/link", tries=1)
    page = browser.new_page(viewport={"width": 1440, "height": 900}, locale="en-GB")
    page.goto(f"{client.url}/login#{made['link']}")
    _wait_for_title(page, QUESTION_COUNT)
    page.locator(".card[data-armed=true]").wait_for()
    page.wait_for_timeout(1000)  # Let the page finish loading.
    return page


def _wait_for_title(page: Page, waiting: int) -> None:
    page.wait_for_function(
        "title => document.title === title", arg=PAGE_TITLE.format(waiting), polling=_TITLE_POLL_MS
    )


def _scroll_list(page: Page) -> None:
    page.get_by_role("list", name="Waiting questions").hover()
    for _ in range(SCROLL_COUNT):
        page.mouse.wheel(0, 1500)
        page.wait_for_timeout(30)


def _answer_next(page: Page, waiting: int) -> MainThreadTasks:
    """Answer a question by key, and return the browser's tasks until the next question is shown."""
    page.locator(".card[data-armed=true]").wait_for()

    def answer() -> None:
        page.keyboard.press("n")
        _wait_for_title(page, waiting - 1)
        page.wait_for_timeout(400)  # Wait until the next question is loaded and drawn.

    return trace_page(page, answer)
