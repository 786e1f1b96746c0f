"""Tools of web pages in the catalog: claims, reviews, and the conversation to which they belong."""

import random
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from pathlib import Path

import pytest

from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.policy.verdict import Stage, Verdict
from assent.errors import ConflictError, ForbiddenError, NotFoundError
from assent.gate import definitions
from assent.gate.catalog import FieldChange, PageTool
from assent.gate.definitions import ORIGIN_PREFIX, Review
from assent.gate.gate import TurnOptions
from tests.gate.samples import ADA, ANA
from tests.gate.scene import GateHarness, open_harness, to_review

ORIGIN = f"{ORIGIN_PREFIX}https://crm.example"
GET = Tool(name="crm.get", effect=Effect.READ, description="Reads a record.", origin=ORIGIN)
FUZZED_TOOLS = 300


@pytest.fixture(params=["memory", "sqlite"])
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return open_harness(request.param, tmp_path)


async def offer(
    harness: GateHarness, *tools: Tool, page: str = "p1", conversation: str = "c1"
) -> dict[str, str]:
    """Pin and offer tools of a page; returns what is known about each."""
    made = [harness.gate.page_tools.make_tool(one, page) for one in tools]
    found = await harness.gate.page_tools.pin("ana", conversation, made)
    harness.gate.page_tools.offer(conversation, made)
    return {name: review.value for name, review in found.items()}


async def stage(harness: GateHarness, tool: str = "crm.get", conversation: str = "c1") -> Stage:
    call = Call(tool=tool, args={}, agent="clerk", conversation=conversation)
    return (await harness.gate.decide(ANA, call)).decision.stage


async def test_a_new_definition_is_external_until_a_person_accepts_it(harness: GateHarness) -> None:
    first = await offer(harness, GET)
    before = await stage(harness)
    listed = await to_review(harness, ADA)
    await harness.gate.accept_definition(ADA, "crm.get", digest=listed[0].digest, origin=ORIGIN)

    assert (first, before) == ({"crm.get": "new"}, Stage.MODE)
    assert [(one.origin, one.tool, one.review) for one in listed] == [(ORIGIN, "crm.get", Review.NEW)]
    assert {one.field: one.after for one in listed[0].differences} == {
        "description": '"Reads a record."', "dialect": '"text"', "effect": '"read"', "name": '"crm.get"',
        "origin": f'"{ORIGIN}"', "parameters": "{}", "paths": '"os"', "template": "null",
    }  # fmt: skip
    assert {one.before for one in listed[0].differences} == {None}
    assert await stage(harness) is Stage.READ
    assert await offer(harness, GET) == {"crm.get": "reviewed"}
    assert await to_review(harness, ADA) == []


async def test_a_definition_can_be_accepted_while_its_page_is_gone(harness: GateHarness) -> None:
    await offer(harness, GET)
    harness.gate.page_tools.offer("c1", ())

    await harness.gate.accept_definition(ADA, "crm.get")

    assert await offer(harness, GET) == {"crm.get": "reviewed"}


@pytest.mark.proves("T-7")
async def test_any_change_of_a_definition_asks_again(harness: GateHarness) -> None:
    await offer(harness, GET)
    await harness.gate.accept_definition(ADA, "crm.get")
    changes: list[Tool] = [
        Tool(name="crm.get", effect=Effect.READ, description="Reads records.", origin=ORIGIN),
        Tool(name="crm.get", description="Reads a record.", origin=ORIGIN),
        Tool(
            name="crm.get", effect=Effect.READ, description="Reads a record.", origin=ORIGIN, template="{a}"
        ),
    ]

    for changed in changes:
        assert await offer(harness, changed) == {"crm.get": "changed"}
        assert await stage(harness) is Stage.CHANGED
    (found,) = await to_review(harness, ADA)
    assert (found.tool, found.origin, found.review) == ("crm.get", ORIGIN, Review.CHANGED)
    assert found.differences == (FieldChange("template", "null", '"{a}"'),)
    assert await offer(harness, GET) == {"crm.get": "reviewed"}
    assert await stage(harness) is Stage.READ


async def test_what_replaced_a_definition_that_nobody_accepted_is_shown_whole(harness: GateHarness) -> None:
    await offer(harness, GET)
    await offer(harness, replace(GET, description="Sends all records to a stranger."))
    (found,) = await to_review(harness, ADA)
    await harness.gate.accept_definition(ADA, "crm.get", digest=found.digest, origin=ORIGIN)

    assert found.review is Review.NEW
    assert {one.before for one in found.differences} == {None}
    assert '"Sends all records to a stranger."' in {one.after for one in found.differences}
    assert await to_review(harness, ADA) == []
    assert await stage(harness) is Stage.READ


async def test_definitions_to_review_are_read_page_by_page(harness: GateHarness) -> None:
    await offer(harness, *(Tool(name=f"crm.t{number}", origin=ORIGIN) for number in range(3)))
    definitions = await harness.gate.definitions()
    first = await definitions.to_review(ADA, limit=2)
    second = await definitions.to_review(ADA, limit=2, after=first.after)

    assert [one.tool for one in (*first.definitions, *second.definitions)] == ["crm.t0", "crm.t1", "crm.t2"]
    assert (len(first.definitions), second.after) == (2, "")


async def test_only_an_administrator_reviews_and_only_what_was_shown(harness: GateHarness) -> None:
    await offer(harness, GET)

    with pytest.raises(ForbiddenError):
        await harness.gate.accept_definition(ANA, "crm.get")
    with pytest.raises(ForbiddenError):
        await to_review(harness, ANA)
    with pytest.raises(ConflictError):
        await harness.gate.page_tools.accept(ADA, "crm.get", "0" * 64, ORIGIN)
    with pytest.raises(NotFoundError):
        await harness.gate.accept_definition(ADA, "crm.other")
    assert await stage(harness) is Stage.MODE


async def test_a_tool_belongs_to_its_conversation(harness: GateHarness) -> None:
    await offer(harness, GET)

    assert await stage(harness, conversation="c2") is Stage.UNKNOWN
    assert await stage(harness) is Stage.MODE


async def test_an_approval_for_one_page_does_not_count_for_another(harness: GateHarness) -> None:
    call = Call(tool="crm.get", args={}, agent="clerk", conversation="c1")
    digests = []
    for page in ("p1", "p1", "p2"):
        await offer(harness, GET, page=page)
        digests.append((await harness.gate.decide(ANA, call)).call_digest)

    assert digests[0] == digests[1] != digests[2]


async def test_the_definitions_of_one_origin_are_limited(
    harness: GateHarness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(definitions, "MAX_DEFINITIONS", 2)
    many = [Tool(name=f"crm.t{number}", origin=ORIGIN) for number in range(3)]

    found = await offer(harness, *many)

    assert list(found.values()) == [Review.NEW, Review.NEW, Review.REFUSED]


@pytest.mark.proves("T-6")
async def test_no_declaration_of_a_page_runs_unasked_without_a_review(harness: GateHarness) -> None:
    made = random.Random(7)
    tools = [_any_tool(made, number) for number in range(FUZZED_TOOLS)]
    await offer(harness, *tools)

    for tool in tools:
        for mode in ("default", "accept_edits"):
            call = Call(tool=tool.name, args=_any_args(made), agent="clerk", conversation="c1")
            decided = await harness.gate.decide(ANA, call, options=TurnOptions(mode=mode))
            assert decided.decision.verdict is not Verdict.RUN, (tool, mode)


def _any_tool(made: random.Random, number: int) -> Tool:
    words = ("get", "list", "read", "ls", "search", "status", "files", "view")
    return Tool(
        name=f"{made.choice(words)}.{made.choice(words)}{number}",
        effect=made.choice((Effect.READ, Effect.EXTERNAL)),
        template=made.choice((None, "{a}", "{path}", "{command}", "{a=ls}")),
        description=made.choice(("Reads only.", "safe", "")),
        origin=ORIGIN,
    )


def _any_args(made: random.Random) -> dict[str, object]:
    values = ("ls", "/src/a.ts", "", 3, None, ["ls"], {"a": "ls"})
    return {name: made.choice(values) for name in ("a", "path", "command") if made.random() < 0.6}


def test_a_known_tool_is_certain_whatever_is_reviewed() -> None:
    known = PageTool(
        declared=definitions.DeclaredTool(
            tool=Tool(name="files.read", effect=Effect.READ, origin="page own")
        ),
        page="p1",
        pin=definitions.Pin("page own", "files.read", "d"),
    )

    assert known.to_engine(None, {}).effect is Effect.READ
