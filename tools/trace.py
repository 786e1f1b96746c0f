"""What a page's main thread did while something was done to it, by the browser's own trace."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from playwright.sync_api import Page

_CATEGORIES = ["toplevel", "__metadata"]
_MILLI = 1e-3

Event = dict[str, Any]
Thread = tuple[int, int]


class EmptyTraceError(Exception):
    """The trace holds no task of the page."""


class Tasks(NamedTuple):
    """The tasks of the page's main thread: milliseconds by the processor and by the clock."""

    busy: list[float]
    lasted: list[float]


def traced(page: Page, act: Callable[[], object]) -> Tasks:
    """What `act` cost the page."""
    browser = page.context.browser
    assert browser is not None
    browser.start_tracing(page=page, categories=_CATEGORIES)
    act()
    events: list[Event] = json.loads(browser.stop_tracing())["traceEvents"]
    ours = _busiest(_tasks_by_thread(events))
    return Tasks([_busy(one) * _MILLI for one in ours], [one["dur"] * _MILLI for one in ours])


def _tasks_by_thread(events: list[Event]) -> dict[Thread, list[Event]]:
    found: dict[Thread, list[Event]] = {_thread(one): [] for one in events if _is_main(one)}
    for one in events:
        if one.get("ph") == "X" and one["name"].endswith("RunTask") and _thread(one) in found:
            found[_thread(one)].append(one)
    return found


def _busiest(threads: dict[Thread, list[Event]]) -> list[Event]:
    """Other pages of the browser have main threads too: the page that was used is the busiest."""
    if not any(threads.values()):
        raise EmptyTraceError("the trace holds no task of the page")
    return max(threads.values(), key=lambda tasks: sum(one["dur"] for one in tasks))


def _busy(event: Event) -> float:
    """Short tasks carry no time of the processor's: the clock stands for it."""
    return float(event["tdur"] if "tdur" in event else event["dur"])


def _thread(event: Event) -> Thread:
    return event["pid"], event["tid"]


def _is_main(event: Event) -> bool:
    return bool(event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain")
