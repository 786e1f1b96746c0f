"""Starts other processes on a store, and reads their output."""

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.contracts.tree import ROOT


@asynccontextmanager
async def start_process(
    address: str, command: str, *ids: str, module: str = "tests.stores.worker"
) -> AsyncIterator[Process]:
    """Start a process that runs a command, and kill it after the block."""
    words = ("-m", module, address, command, *ids)
    process = await asyncio.create_subprocess_exec(sys.executable, *words, cwd=ROOT, stdout=PIPE)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def read_word(process: Process) -> str:
    """Read the next line of another process."""
    assert process.stdout is not None
    return (await asyncio.wait_for(process.stdout.readline(), 60)).decode().strip()
