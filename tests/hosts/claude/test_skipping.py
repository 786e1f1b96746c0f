"""Agents that skip permissions: deny rules, breakers, unreadable commands and pauses stop their calls."""

import asyncio
import json
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import cast

import pytest

from tests.hosts.claude.running_fleet import RunningFleet, run_fleet
from tests.hosts.claude.test_agent_calls import hook_event, monitor_event, send_hook_event
from tests.serving import RunningServer

SPELLINGS = json.loads((Path(__file__).parents[2] / "claude" / "spellings.json").read_text("utf-8"))


@pytest.fixture
def fleet(
    fleet_server: RunningServer, repository: Path, tmp_path: Path
) -> AbstractAsyncContextManager[RunningFleet]:
    return run_fleet(fleet_server, repository, tmp_path)


async def audit_rows(fleet: RunningFleet) -> list[dict[str, object]]:
    found = await asyncio.to_thread(fleet.owner.request, "GET", "/v1/audit?agent=bold")
    rows = cast("dict[str, list[dict[str, dict[str, object]]]]", found)["items"]
    return [row["entry"] for row in rows]


@pytest.mark.proves("R002-34")
@pytest.mark.supports("R002-33")
@pytest.mark.supports("R002-35")
async def test_an_agent_that_skips_permissions_is_stopped_by_deny_rules_and_breakers_only(
    fleet: RunningFleet,
) -> None:
    plain = await fleet.host.spawn("qa", "test", "", skip=True)
    bold = await fleet.host.spawn("bold", "test", "", skip=True)
    assert (plain["skip_permissions"], bold["skip_permissions"]) == (False, True)
    assert "is ignored" in str(plain["warning"])
    assert [text for text in fleet.reports if text.startswith("warning: skip_permissions of `qa`")]
    assert await send_hook_event(fleet, hook_event(fleet, "make one", "a"), "bold") == (204, "")
    assert await send_hook_event(fleet, hook_event(fleet, "touch x", "b"), "bold") == (200, "deny")
    assert await send_hook_event(fleet, hook_event(fleet, "rm -rf /", "c"), "bold") == (200, "deny")
    rows = [row for row in await audit_rows(fleet) if row["tool"] == "fleet.skip_permissions"]
    newest = [row["decision"] for row in rows if row["decision"]][:3]
    assert newest == ["executed", "claimed", "approved"]


async def test_a_rule_for_a_kind_of_sub_agent_holds_also_for_an_agent_that_skips_permissions(
    fleet: RunningFleet,
) -> None:
    await fleet.host.spawn("bold", "test", "", skip=True)
    body = {"list": "deny", "text": "Bash(make *)", "agent": "bold/Explore"}
    await asyncio.to_thread(fleet.owner.request, "POST", "/v1/rules", body)
    sub = {"agent_id": "a1b2", "agent_type": "Explore"}

    assert await send_hook_event(fleet, hook_event(fleet, "make one", "a", **sub), "bold") == (200, "deny")
    assert await send_hook_event(fleet, hook_event(fleet, "make one", "b"), "bold") == (204, "")


async def test_no_spelling_of_a_denied_command_runs_in_an_agent_that_skips_permissions(
    fleet: RunningFleet,
) -> None:
    await fleet.host.spawn("bold", "test", "", skip=True)
    texts = [text.replace("@", "x") for text in SPELLINGS]

    ran = [
        text
        for number, text in enumerate(texts)
        if (await send_hook_event(fleet, hook_event(fleet, text, f"s{number}"), "bold"))[1] != "deny"
    ]

    assert ran == []


@pytest.mark.parametrize("command", ["touch x", "eval 'touch x'", "x=touch; $x a", "rm -rf /"])
async def test_rules_for_the_shell_also_stop_the_command_of_another_tool(
    fleet: RunningFleet, command: str
) -> None:
    await fleet.host.spawn("bold", "test", "", skip=True)

    assert await send_hook_event(fleet, monitor_event(fleet, command, "a"), "bold") == (200, "deny")
    assert await send_hook_event(fleet, monitor_event(fleet, "make one", "b"), "bold") == (204, "")


async def test_an_ask_rule_does_not_hide_what_stops_an_agent_that_skips_permissions(
    fleet: RunningFleet,
) -> None:
    await fleet.host.spawn("bold", "test", "", skip=True)
    for text in ("Bash(rm *)", "Bash(make *)"):
        body = {"list": "ask", "text": text, "agent": "bold"}
        await asyncio.to_thread(fleet.owner.request, "POST", "/v1/rules", body)

    assert await send_hook_event(fleet, hook_event(fleet, "make one", "a"), "bold") == (204, "")
    assert await send_hook_event(fleet, hook_event(fleet, "make one; x=touch; $x a", "b"), "bold") == (
        200,
        "deny",
    )
    assert await send_hook_event(fleet, hook_event(fleet, "rm -rf /", "c"), "bold") == (200, "deny")


async def test_a_pause_stops_an_agent_that_skips_permissions(fleet: RunningFleet) -> None:
    await fleet.host.spawn("bold", "test", "", skip=True)
    await asyncio.to_thread(fleet.owner.set_paused, paused=True)
    paused = await send_hook_event(fleet, hook_event(fleet, "make one", "a"), "bold")
    await asyncio.to_thread(fleet.owner.set_paused, paused=False)

    assert paused == (200, "deny")
    assert await send_hook_event(fleet, hook_event(fleet, "make one", "b"), "bold") == (204, "")
