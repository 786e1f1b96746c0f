"""P15: bytes on disk per approval, with forty messages before it and with none."""

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
from bench.harness import Effort, Result, at_most
from bench.langgraph_agent import LangGraphAgent
from bench.openai_agent import OpenAiAgent
from bench.pydantic_agents import DeferredAgent, GatedAgent
from bench.stores import ARGS, open_bench_gate, temporary_directory

HISTORY = 40
SHELL = Tool(
    name="terminal.exec",
    effect=Effect.EXECUTE,
    dialect=Dialect.SHELL,
    template="{command}",
    description="Runs a command.",
    parameters={"type": "object", "properties": {"command": {"type": "string"}}},
)
LINE = {"command": "cd web && npm ci && npm run build 2>&1 | tail -5"}
FIRST = 5
"""Approvals before the clock, so to speak: tables are made, and first pages filled."""
PEERS: dict[str, Callable[[Path, int], "StoringAgent"]] = {
    "LangGraph, SqliteSaver": LangGraphAgent,
    "OpenAI Agents, run state": OpenAiAgent,
    "Pydantic AI, deferred tools": DeferredAgent,
}


class StoringAgent(Protocol):
    """An agent with its own file."""

    async def approve(self) -> None: ...
    def close(self) -> None: ...


def measure(effort: Effort) -> Iterator[Result]:
    logging.getLogger("openai.agents").setLevel(logging.ERROR)
    many = 40 if effort.quick else 200
    long, short = asyncio.run(_ours(HISTORY, many)), asyncio.run(_ours(0, many))
    yield Result(
        row="P15",
        what="bytes of an approval after 40 messages, audit included",
        ours=sum(long.values()),
        unit="B",
        peer=sum(short.values()),
        against="after none",
        ratio=round(sum(long.values()) / sum(short.values()), 2),
        goal=at_most(1),
    )
    arguments = len(json.dumps(ARGS))
    audit, events = (_bytes_of(long, word) for word in ("audit", "events"))
    yield Result(
        row="P15",
        what="of it the approval and its indexes, without the arguments",
        ours=sum(long.values()) - audit - events - arguments,
        unit="B",
        peer=audit,
        against="three rows of audit",
        goal=at_most(1024, "B"),
    )
    yield Result(row="P15", what="of it the events, which are swept after a week", ours=events, unit="B")
    line = asyncio.run(_line(many))
    yield Result(
        row="P15",
        what="the approval of a line of four commands, without the line",
        ours=sum(line.values())
        - _bytes_of(line, "audit")
        - _bytes_of(line, "events")
        - len(json.dumps(LINE)),
        unit="B",
        goal=at_most(1024, "B"),
    )
    for name, peer in PEERS.items():
        long_one, short_one = (asyncio.run(_theirs(peer, said, many // 4)) for said in (HISTORY, 0))
        yield Result(
            row="P15",
            what=f"the same; theirs are {long_one / short_one:.1f} times those after none",
            ours=sum(long.values()),
            unit="B",
            peer=long_one,
            against=name,
            ratio=sum(long.values()) / long_one,
        )


def _bytes_of(sizes: dict[str, float], word: str) -> float:
    """The bytes of the tables and indexes whose name contains this word."""
    return sum(size for table, size in sizes.items() if word in table)


async def _ours(history: int, many: int) -> dict[str, float]:
    """Bytes per approval, by table and index."""
    with temporary_directory() as directory:
        path = directory / "assent.db"
        async with open_bench_gate(str(path), directory) as ours:
            agent = GatedAgent(ours.gate, history)
            for done in range(FIRST + many):
                if done == FIRST:
                    await ours.gate.store.flush_audit()
                    before = _sizes(path)
                await agent.approve()
            await ours.gate.store.flush_audit()
            after = _sizes(path)
    return {name: (size - before.get(name, 0)) / many for name, size in after.items()}


async def _line(many: int) -> dict[str, float]:
    """The same for a command line with an explanation of each part."""
    with temporary_directory() as directory:
        path = directory / "assent.db"
        async with open_bench_gate(str(path), directory) as ours:
            ours.gate.offer(DeclaredTool(tool=SHELL))
            for done in range(FIRST + many):
                if done == FIRST:
                    await ours.gate.store.flush_audit()
                    before = _sizes(path)
                await ours.approve_and_claim(Call(tool=SHELL.name, args=LINE, id=f"line-{done}"))
            await ours.gate.store.flush_audit()
            after = _sizes(path)
    return {name: (size - before.get(name, 0)) / many for name, size in after.items()}


async def _theirs(peer: Callable[[Path, int], StoringAgent], history: int, many: int) -> float:
    with temporary_directory() as directory:
        path = directory / "peer.db"
        with closing(peer(path, history)) as agent:
            for done in range(FIRST + many):
                if done == FIRST:
                    before = _sizes(path)
                await agent.approve()
            after = _sizes(path)
    return (sum(after.values()) - sum(before.values())) / many


def _sizes(path: Path) -> dict[str, int]:
    """The bytes of each table and index, without free space in its pages."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sum(pgsize - unused) FROM dbstat GROUP BY name")
        return dict(rows.fetchall())
