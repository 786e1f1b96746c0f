"""An MCP server for the tests: two tools and its hints about them."""

import sys

from mcp.server.mcpserver import MCPServer

server = MCPServer("elsewhere")
DESCRIPTION = sys.argv[1] if len(sys.argv) > 1 else "Look a word up."


@server.tool(description=DESCRIPTION, annotations={"readOnlyHint": True})
def look_up(word: str) -> str:
    return word.upper()


@server.tool(annotations={"destructiveHint": True})
def drop(name: str) -> str:
    return f"dropped {name}"


if __name__ == "__main__":
    server.run()
