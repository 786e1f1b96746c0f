"""Benchmark of a chat turn beside a page with a thousand tools, compared with ten."""

import asyncio
import time
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack

from assent.compose import open_gate_on_store, open_store
from assent.config.paths import find_config_paths
from assent.config.policy_loader import PolicyLoader
from assent.gate.access import Principal
from assent.gate.conversations import ConversationChanges, Conversations, NewConversation
from assent.hosts.browser.connection import DEFAULT_LIMITS, PageConnection
from assent.hosts.browser.manifest import SerializedTool, ToolKind
from assent.hosts.browser.pages import PageIdentity, Pages
from assent.hosts.chat.chat import open_chat
from assent.hosts.chat.request import parse_request
from assent.wire.fields import Fields
from bench.harness import MILLISECONDS, Effort, Result, freeze_heap, goal_at_most
from bench.stores import temporary_directory

FEW, MANY = 10, 1000
DESCRIPTION_CHARACTERS = 900
"""A manifest with a thousand such tools has about one megabyte."""
TURNS = 60
UNCOUNTED_TURNS = 3
SAMPLE_PERSON = Principal(id="ana")
CALL = '/call demo.tool0 {"value": "1"}'


def measure(effort: Effort) -> Iterator[Result]:
    turns = TURNS // 4 if effort.quick else TURNS
    few, many = (asyncio.run(_measure_turns(tools, turns)) for tools in (FEW, MANY))
    for what, part, goal in (("p50", 0.5, None), ("p95", 0.95, goal_at_most(2))):
        ours, peer = (sorted(times)[int(len(times) * part)] * MILLISECONDS for times in (many, few))
        yield Result(
            row="pages",
            what=f"processor time of a turn with {MANY:,} page tools, {what}",
            ours=ours,
            unit="ms",
            peer=peer,
            against=f"{FEW} tools",
            ratio=ours / peer,
            goal=goal,
        )


async def _measure_turns(tools: int, turns: int) -> list[float]:
    """The seconds of processor time of each turn that calls one tool of the page."""
    with temporary_directory() as directory:
        async with AsyncExitStack() as stack:
            work = directory / "work"
            work.mkdir()
            environ = {"XDG_CONFIG_HOME": str(directory / "c"), "XDG_DATA_HOME": str(directory / "d")}
            where = find_config_paths(str(work), environ)
            files = PolicyLoader(where, environ)
            store = await open_store(str(directory / "assent.db"))
            gate = await stack.enter_async_context(open_gate_on_store(store, files, where))
            pages = Pages(gate.page_tools)
            stack.callback(pages.close)
            chat = await stack.enter_async_context(
                open_chat(gate, store, where, files, pages, environ=environ)
            )
            opened = await Conversations(store, files).open(
                SAMPLE_PERSON, NewConversation(preset="workbench"), ConversationChanges()
            )
            await _open_page(pages, opened.id, tools)
            message = {"role": "user", "parts": [{"type": "text", "text": CALL}]}
            times: list[float] = []
            for number in range(turns + UNCOUNTED_TURNS):
                if number == UNCOUNTED_TURNS:
                    freeze_heap()
                # Each parsed request has a message id of its own: the same one would show the same run again.
                request = parse_request({"message": message, "mode": "autonomous"})
                start = time.process_time()
                results = [
                    one["type"]
                    async for one in await chat.send(SAMPLE_PERSON, opened.id, request)
                    if one["type"].startswith("tool-output")
                ]
                times.append(time.process_time() - start)
                if results != ["tool-output-available"]:
                    raise RuntimeError(f"the call did not run: {results}")
            return times[UNCOUNTED_TURNS:]


async def _open_page(pages: Pages, conversation: str, count: int) -> None:
    """Connect a page that declares this number of tools and answers every call."""

    async def answer_call(frame: Mapping[str, object]) -> None:
        if frame["type"] == "tool_call":
            reply = {"type": "tool_result", "id": frame["id"], "ok": True, "value": "done"}
            connection.receive(Fields(reply, "message"))

    connection = PageConnection(answer_call, DEFAULT_LIMITS)
    identity = PageIdentity("page-000000000001", conversation, "chat", "ana", "http://own.test", is_own=True)
    pages.open(identity, connection)
    params = {"type": "object", "properties": {"value": {"type": "string"}}}
    text = "d" * DESCRIPTION_CHARACTERS
    tools = (
        SerializedTool(
            f"demo.tool{number}", text, params, side_effect=True, template=None, kind=ToolKind.AGENT_TOOL
        )
        for number in range(count)
    )
    await pages.declare(identity, connection, tuple(tools))
