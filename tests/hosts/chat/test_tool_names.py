"""A model sees names of tools that every provider accepts; everybody else sees the real names."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelRequest, ModelResponse, ToolCallPart, ToolReturnPart

from assent.config.settings import ChatSettings, ModelSettings
from assent.gate.answer import Answer, Say
from assent.gate.store import AuditFilter
from assent.hosts.chat.models import Models
from assent.hosts.chat.tool_names import ToolNames
from tests.hosts.browser.fake_page import FakePage, page_tool
from tests.hosts.chat.chat_process import open_chat_process
from tests.hosts.chat.endpoint import Call, run_endpoint, tool_results

ACCEPTED = re.compile(r"[a-zA-Z0-9_-]{1,64}")
SET = page_tool("demo.setValue", "value", template="{value}")


def real_names(translated: ToolNames, given: list[str]) -> list[str]:
    """The tools that a model calls when it uses these names."""
    answer = translated.real_response(ModelResponse(parts=[ToolCallPart(one, {}, "c") for one in given]))
    return [part.tool_name for part in answer.parts if isinstance(part, ToolCallPart)]


@pytest.mark.parametrize(
    "names",
    [
        ["demo.setValue", "read_file"],
        ["a.b", "a_b"],
        ["a.b", "a_b", "a-b", "a..b", "a._b"],
        ["a.b_c", "a_b.c", "a_b_c"],
        ["x" * 70, "x" * 71, "x" * 64],
        ["." * 64, "." * 63, "_" * 64],
        [f"{'y' * 63}.", f"{'y' * 63}_"],
        ["größe.lesen", "gr__e_lesen"],
    ],
)
def test_every_tool_has_an_accepted_name_of_its_own(names: list[str]) -> None:
    translated = ToolNames(names)

    given = [translated.for_model(name) for name in names]

    assert all(ACCEPTED.fullmatch(one) for one in given)
    assert len(set(given)) == len(names)
    assert real_names(translated, given) == names
    assert given == [ToolNames(reversed(names)).for_model(name) for name in names]


def test_an_accepted_name_stays_and_a_clash_gets_a_digest() -> None:
    names = ToolNames(["files.list", "files_list", "stub.setValue"])

    assert names.for_model("files_list") == "files_list"
    assert re.fullmatch(r"files_list_[0-9a-f]{8}", names.for_model("files.list"))
    assert names.for_model("stub.setValue") == "stub_setValue"
    assert real_names(names, ["unknown.tool"]) == ["unknown.tool"]


def test_names_in_all_kinds_of_messages_are_translated_in_copies() -> None:
    call = ToolCallPart("demo.get", {}, "c1")
    said = ModelResponse(parts=[call])
    results = ModelRequest(
        parts=[
            ToolReturnPart("demo.get", "1", "c1"),
            ToolReturnPart("demo.get", "again", "c2", outcome="retried"),
        ]
    )
    names = ToolNames(["demo.get"])

    shown: list[Any] = names.messages_for_model([said, results])

    assert [part.tool_name for one in shown for part in one.parts] == ["demo_get"] * 3
    assert names.real_response(shown[0]) == said
    assert call.tool_name == "demo.get"


async def test_a_provider_gets_accepted_names_and_everybody_else_the_real_ones(tmp_path: Path) -> None:
    def script(messages: list[dict[str, Any]]) -> str | list[Call]:
        told = tool_results(messages)
        steps: list[list[Call]] = [
            [("load_tools", {"group": "demo"})],
            [("demo_setValue", {"value": "7"})],
        ]
        return steps[len(told)] if len(told) < len(steps) else "done"

    with run_endpoint(script) as endpoint:
        settings = ModelSettings(model="openai:scripted", base_url=endpoint.url)
        model = Models(ChatSettings(models={"scripted": settings})).get_model("scripted")
        async with open_chat_process(tmp_path, models={"scripted": model}) as chat:
            await chat.open_conversation("workbench")
            page = FakePage(chat.pages, chat.conversation, {"demo.setValue": lambda args: args})
            await page.open(SET)
            task = await chat.send_in_background("set it")
            (asked,) = await chat.wait_for_questions()
            await chat.answer(asked, Answer(say=Say.ONCE))
            chunks = await task
            await chat.send("and again", mode="plan")
            parts = await chat.message_parts()
            audit = await chat.store.audit(AuditFilter(tool="demo.setValue"))

    offered = [{one["function"]["name"] for one in request["tools"]} for request in endpoint.requests]
    earlier = {
        call["function"]["name"]
        for message in endpoint.requests[-1]["messages"]
        for call in message.get("tool_calls", ())
    }
    assert all(ACCEPTED.fullmatch(name) for names in offered for name in names)
    assert "demo_setValue" not in offered[0]
    assert "demo_setValue" in offered[1]
    assert earlier == {"load_tools", "demo_setValue"}
    assert "demo.setValue" not in json.dumps([one.get("tools") for one in endpoint.requests])
    assert asked.call.tool == "demo.setValue"
    assert [one["tool"] for one in page.calls] == ["demo.setValue"]
    assert {one["toolName"] for one in chunks if "toolName" in one} == {"load_tools", "demo.setValue"}
    assert "tool-demo.setValue" in [one["type"] for one in parts]
    assert audit
