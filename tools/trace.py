"""The work of a page's main thread during an action, by the browser's own trace."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from playwright.sync_api import Page

_CATEGORIES = ["toplevel", "__metadata"]
_MILLI = 1e-3

Event = dict[str, Any]
Thread = tuple[int, int]


class EmptyTraceError(Exception):
    """The trace contains no task of the page."""


class Tasks(NamedTuple):
    """The tasks of the page's main thread: CPU and wall milliseconds."""

    busy: list[float]
    lasted: list[float]


def trace_page(page: Page, act: Callable[[], object]) -> Tasks:
    """Trace the page during `act`."""
    browser = page.context.browser
    assert browser is not None
    browser.start_tracing(page=page, categories=_CATEGORIES)
    act()
    events: list[Event] = json.loads(browser.stop_tracing())["traceEvents"]
    ours = _busiest(_tasks_by_thread(events))
    return Tasks([_busy_milliseconds(one) * _MILLI for one in ours], [one["dur"] * _MILLI for one in ours])


def _tasks_by_thread(events: list[Event]) -> dict[Thread, list[Event]]:
    found: dict[Thread, list[Event]] = {_thread(one): [] for one in events if _is_main(one)}
    for one in events:
        if one.get("ph") == "X" and one["name"].endswith("RunTask") and _thread(one) in found:
            found[_thread(one)].append(one)
    return found


def _busiest(threads: dict[Thread, list[Event]]) -> list[Event]:
    """Other pages of the browser also have main threads: the page under test is the busiest."""
    if not any(threads.values()):
        raise EmptyTraceError("the trace holds no task of the page")
    return max(threads.values(), key=lambda tasks: sum(one["dur"] for one in tasks))


def _busy_milliseconds(event: Event) -> float:
    """Short tasks have no CPU time: use the wall time."""
    return float(event["tdur"] if "tdur" in event else event["dur"])


def _thread(event: Event) -> Thread:
    return event["pid"], event["tid"]


def _is_main(event: Event) -> bool:
    return bool(event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain")
