"""Measures the work of a page's main thread during an action, from the trace of the browser."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from playwright.sync_api import Page

_TRACE_CATEGORIES = ["toplevel", "__metadata"]
_MS_PER_MICROSECOND = 1e-3

TraceEvent = dict[str, Any]
ThreadId = tuple[int, int]


class EmptyTraceError(Exception):
    """The trace contains no task of the page."""


class MainThreadTasks(NamedTuple):
    """The CPU time and the wall time of each task of a page's main thread."""

    cpu_milliseconds: list[float]
    wall_milliseconds: list[float]


def trace_page(page: Page, act: Callable[[], object]) -> MainThreadTasks:
    """Call `act`, and return the tasks of the page's main thread meanwhile."""
    browser = page.context.browser
    assert browser is not None
    browser.start_tracing(page=page, categories=_TRACE_CATEGORIES)
    act()
    events: list[TraceEvent] = json.loads(browser.stop_tracing())["traceEvents"]
    ours = _tasks_of_busiest_thread(_tasks_by_thread(events))
    return MainThreadTasks(
        [_cpu_microseconds(one) * _MS_PER_MICROSECOND for one in ours],
        [one["dur"] * _MS_PER_MICROSECOND for one in ours],
    )


def _tasks_by_thread(events: list[TraceEvent]) -> dict[ThreadId, list[TraceEvent]]:
    found: dict[ThreadId, list[TraceEvent]] = {
        _thread_of(one): [] for one in events if _is_main_thread_name(one)
    }
    for one in events:
        if one.get("ph") == "X" and one["name"].endswith("RunTask") and _thread_of(one) in found:
            found[_thread_of(one)].append(one)
    return found


def _tasks_of_busiest_thread(threads: dict[ThreadId, list[TraceEvent]]) -> list[TraceEvent]:
    """The tasks of the busiest main thread, which is that of the page under test."""
    if not any(threads.values()):
        raise EmptyTraceError("the trace holds no task of the page")
    return max(threads.values(), key=lambda tasks: sum(one["dur"] for one in tasks))


def _cpu_microseconds(event: TraceEvent) -> float:
    """The CPU time of a task; for short tasks, which have none, the wall time."""
    return float(event["tdur"] if "tdur" in event else event["dur"])


def _thread_of(event: TraceEvent) -> ThreadId:
    return event["pid"], event["tid"]


def _is_main_thread_name(event: TraceEvent) -> bool:
    return bool(event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain")
