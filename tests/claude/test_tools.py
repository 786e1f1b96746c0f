"""The tools of the pinned Claude Code client are known: each has an effect, and rules can name its calls."""

import json
import re

import pytest

from assent.config.tools import TOOLS_BY_BELT
from assent.engine.base.tool import PLACEHOLDER
from tests.claude.driver import require_client
from tools.claude_client import CLIENT_VERSION
from tools.claude_tools import GOLDEN, golden_text, offered_tools

BELT = TOOLS_BY_BELT["claude"]
TOOLS = json.loads(GOLDEN.read_text("utf-8"))["tools"]


def test_the_committed_list_is_what_the_pinned_client_offers() -> None:
    require_client()

    assert golden_text(offered_tools()) == GOLDEN.read_text("utf-8"), "run ./dev claude-tools"


def test_the_list_is_of_the_pinned_client() -> None:
    assert json.loads(GOLDEN.read_text("utf-8"))["client"] == CLIENT_VERSION
    assert re.fullmatch(r"\d+\.\d+\.\d+", CLIENT_VERSION)


def test_the_belt_has_every_tool_that_the_client_offers() -> None:
    assert sorted(TOOLS.keys() - BELT.keys()) == []


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_a_specifier_is_made_of_arguments_that_the_tool_has(name: str) -> None:
    named = {found[1] for found in PLACEHOLDER.finditer(BELT[name].template or "")}

    assert named <= TOOLS[name]["properties"].keys()
