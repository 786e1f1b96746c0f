"""P15: bytes on disk per approval, in a conversation with 40 messages and in an empty one."""

import asyncio
import json
import logging
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Protocol

from assent.engine.base.tool import Call, Dialect, Effect, Tool
from assent.gate.catalog import DeclaredTool
from bench.harness import Effort, Result, goal_at_most
from bench.langgraph_agent import LangGraphAgent
from bench.openai_agent import OpenAiAgent
from bench.pydantic_agents import DeferredAgent, GatedAgent
from bench.stores import MAIL_ARGS, open_bench_gate, temporary_directory

HISTORY_MESSAGES = 40
SHELL_TOOL = Tool(
    name="terminal.exec",
    effect=Effect.EXECUTE,
    dialect=Dialect.SHELL,
    template="{command}",
    description="Runs a command.",
    parameters={"type": "object", "properties": {"command": {"type": "string"}}},
)
SHELL_ARGS = {"command": "cd web && npm ci && npm run build 2>&1 | tail -5"}
WARM_UP_APPROVALS = 5
"""Number of approvals before the measurement, which create tables and fill the first pages."""
PEER_AGENTS: dict[str, Callable[[Path, int], "StoringAgent"]] = {
    "LangGraph, SqliteSaver": LangGraphAgent,
    "OpenAI Agents, run state": OpenAiAgent,
    "Pydantic AI, deferred tools": DeferredAgent,
}


class StoringAgent(Protocol):
    """An agent that stores its approvals in its own file."""

    async def approve(self) -> None: ...
    def close(self) -> None: ...


def measure(effort: Effort) -> Iterator[Result]:
    logging.getLogger("openai.agents").setLevel(logging.ERROR)
    count = 40 if effort.quick else 200
    long, short = (
        asyncio.run(_measure_mail_approvals(HISTORY_MESSAGES, count)),
        asyncio.run(_measure_mail_approvals(0, count)),
    )
    yield Result(
        row="P15",
        what="bytes of an approval after 40 messages, audit included",
        ours=sum(long.values()),
        unit="B",
        peer=sum(short.values()),
        against="after none",
        ratio=round(sum(long.values()) / sum(short.values()), 2),
        goal=goal_at_most(1),
    )
    arguments = len(json.dumps(MAIL_ARGS))
    audit, events = (_total_size_of_tables(long, word) for word in ("audit", "events"))
    yield Result(
        row="P15",
        what="of it the approval and its indexes, without the arguments",
        ours=sum(long.values()) - audit - events - arguments,
        unit="B",
        peer=audit,
        against="three rows of audit",
        goal=goal_at_most(1024, "B"),
    )
    yield Result(row="P15", what="of it the events, which are swept after a week", ours=events, unit="B")
    line = asyncio.run(_measure_shell_approvals(count))
    yield Result(
        row="P15",
        what="the approval of a line of four commands, without the line",
        ours=sum(line.values())
        - _total_size_of_tables(line, "audit")
        - _total_size_of_tables(line, "events")
        - len(json.dumps(SHELL_ARGS)),
        unit="B",
        goal=goal_at_most(1024, "B"),
    )
    for name, peer in PEER_AGENTS.items():
        long_one, short_one = (
            asyncio.run(_measure_peer(peer, said, count // 4)) for said in (HISTORY_MESSAGES, 0)
        )
        yield Result(
            row="P15",
            what=f"the same; theirs are {long_one / short_one:.1f} times those after none",
            ours=sum(long.values()),
            unit="B",
            peer=long_one,
            against=name,
            ratio=sum(long.values()) / long_one,
        )


def _total_size_of_tables(sizes: dict[str, float], word: str) -> float:
    """The total bytes of the tables and indexes whose name contains this word."""
    return sum(size for table, size in sizes.items() if word in table)


async def _measure_mail_approvals(history: int, count: int) -> dict[str, float]:
    """The bytes per approval of a mail, for each table and index of Assent."""
    with temporary_directory() as directory:
        path = directory / "assent.db"
        async with open_bench_gate(str(path), directory) as ours:
            agent = GatedAgent(ours.gate, history)
            for done in range(WARM_UP_APPROVALS + count):
                if done == WARM_UP_APPROVALS:
                    await ours.gate.store.flush_audit()
                    before = _table_sizes(path)
                await agent.approve()
            await ours.gate.store.flush_audit()
            after = _table_sizes(path)
    return {name: (size - before.get(name, 0)) / count for name, size in after.items()}


async def _measure_shell_approvals(count: int) -> dict[str, float]:
    """The bytes per approval of a command line, for each table and index of Assent."""
    with temporary_directory() as directory:
        path = directory / "assent.db"
        async with open_bench_gate(str(path), directory) as ours:
            ours.gate.offer(DeclaredTool(tool=SHELL_TOOL))
            for done in range(WARM_UP_APPROVALS + count):
                if done == WARM_UP_APPROVALS:
                    await ours.gate.store.flush_audit()
                    before = _table_sizes(path)
                await ours.approve_and_claim(Call(tool=SHELL_TOOL.name, args=SHELL_ARGS, id=f"line-{done}"))
            await ours.gate.store.flush_audit()
            after = _table_sizes(path)
    return {name: (size - before.get(name, 0)) / count for name, size in after.items()}


async def _measure_peer(peer: Callable[[Path, int], StoringAgent], history: int, count: int) -> float:
    with temporary_directory() as directory:
        path = directory / "peer.db"
        with closing(peer(path, history)) as agent:
            for done in range(WARM_UP_APPROVALS + count):
                if done == WARM_UP_APPROVALS:
                    before = _table_sizes(path)
                await agent.approve()
            after = _table_sizes(path)
    return (sum(after.values()) - sum(before.values())) / count


def _table_sizes(path: Path) -> dict[str, int]:
    """The used bytes of each table and index of an SQLite file."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sum(pgsize - unused) FROM dbstat GROUP BY name")
        return dict(rows.fetchall())
