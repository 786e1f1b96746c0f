"""Writes tests/claude/tools.json: the tools that the pinned Claude Code client offers to its model.

The file has the name and the argument schema of each tool, without the texts for the model.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import cast

from tools.claude_client import (
    CLIENT_VERSION,
    OPENING,
    ROOT,
    ClientMissingError,
    client_command,
    offline_environment,
)
from tools.scripted_model import Json, ScriptedModel

GOLDEN = ROOT / "tests" / "claude" / "tools.json"


def offered_tools() -> Json:
    """The schema of every tool, by name, as the client sends them to its model."""
    # By default the client hides most tools behind `ToolSearch`; without it, it sends all of them.
    found = dict(_sent_tools("false"))
    found |= {name: schema for name, schema in _sent_tools("true") if name == "ToolSearch"}
    return dict(sorted(found.items()))


def _sent_tools(search: str) -> Iterator[tuple[str, object]]:
    lines = "".join(json.dumps(message) + "\n" for message in OPENING)
    with ScriptedModel({"main": ["done"]}) as model, tempfile.TemporaryDirectory() as directory:
        home, project = Path(directory, "home"), Path(directory, "project")
        home.mkdir()
        project.mkdir()
        environment = {**offline_environment(home, model.url), "ENABLE_TOOL_SEARCH": search}
        command = client_command(prompts=True)
        subprocess.run(
            command, cwd=project, env=environment, input=lines, text=True, capture_output=True, check=True
        )
    tools = next(cast("list[Json]", request["tools"]) for request in model.requests if request.get("tools"))
    for tool in tools:
        yield str(tool["name"]), _without_texts(tool.get("input_schema"))


def _without_texts(schema: object) -> object:
    """A schema without the descriptions of its properties; a property may itself be called `description`."""
    if isinstance(schema, list):
        return [_without_texts(item) for item in cast("list[object]", schema)]
    if not isinstance(schema, dict):
        return schema
    members = cast("Json", schema)
    return {
        key: _without_texts(value)
        for key, value in members.items()
        if not (key == "description" and isinstance(value, str))
    }


def golden_text(tools: Json) -> str:
    """The text of the committed file."""
    return json.dumps({"client": CLIENT_VERSION, "tools": tools}, indent=1, ensure_ascii=True) + "\n"


if __name__ == "__main__":
    try:
        GOLDEN.write_text(golden_text(offered_tools()), "utf-8")
    except ClientMissingError as error:
        sys.exit(f"claude-tools: {error}")
    print(f"claude-tools: wrote {GOLDEN.relative_to(ROOT)}")
