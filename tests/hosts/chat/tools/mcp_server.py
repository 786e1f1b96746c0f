"""An MCP server for the tests: it writes to the file of its command line."""

import asyncio
import os
import sys
from pathlib import Path

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("elsewhere")
LOG = Path(sys.argv[1])


@server.tool(description="Look a word up.", annotations={"readOnlyHint": True})
def look_up(word: str) -> str:
    return word.upper()


@server.tool(annotations={"destructiveHint": True})
def drop(name: str) -> str:
    return f"dropped {name}"


@server.tool()
async def note(text: str, context: Context) -> str:
    """Write a line down."""
    await context.report_progress(1, 2, "half of it")
    with LOG.open("a", encoding="utf-8") as file:
        file.write(text + "\n")
    return "noted"


@server.tool()
def boom() -> str:
    """Fail."""
    raise RuntimeError("out of ink")


@server.tool()
def die() -> str:
    """End the server in the middle of a call."""
    with LOG.open("a", encoding="utf-8") as file:
        file.write("dying\n")
    os._exit(1)


@server.tool()
def variables() -> str:
    """Return the names of the environment variables."""
    return " ".join(sorted(os.environ))


@server.tool()
async def wait() -> str:
    """Never finish."""
    await asyncio.sleep(3600)
    return "done"


if __name__ == "__main__":
    server.run()
