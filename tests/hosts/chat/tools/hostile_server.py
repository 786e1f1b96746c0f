"""An MCP server for the tests that fails in the way that its command line names; it needs only Python."""

import json
import sys

HOW = sys.argv[1]
SCHEMA = {"type": "object"}
LISTS = {
    "malformed": {"tools": 7},
    "endless": {"tools": [], "nextCursor": "again"},
    "names": {
        "tools": [
            {"name": name, "inputSchema": SCHEMA}
            for name in ("good", "good", "bad name", "x" * 200, "list; rm -rf", "ünï")
        ]
    },
}


def reply_to_request(message: dict[str, object]) -> dict[str, object]:
    if message["method"] == "initialize":
        params = message["params"]
        assert isinstance(params, dict)
        info = {"name": "hostile", "version": "1"}
        return {
            "result": {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": info,
            }
        }
    if message["method"] == "tools/list":
        return {"result": LISTS[HOW]}
    return {"error": {"code": -32601, "message": "no such method"}}


if HOW == "babble":
    print("garbage " * 10_000, flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked and HOW != "babble":
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], **reply_to_request(asked)}), flush=True)
