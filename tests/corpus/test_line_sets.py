"""Sets of lines, decided in a workspace on disk: attacks, denials, catastrophes and everyday work."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from assent.engine.programs.packs import PACKS
from tests.corpus.line_sets import SetLine, decide_command, load_set, make_workspace

ACCEPT_EDITS = {"mode": "accept_edits"}
POLICIES: tuple[Mapping[str, Any], ...] = ({"mode": "default"}, ACCEPT_EDITS)
WITH_PACKS: tuple[Mapping[str, Any], ...] = (
    *({**ACCEPT_EDITS, "packs": [name]} for name in PACKS),
    {**ACCEPT_EDITS, "packs": list(PACKS)},
)
STRETCH_SHARE = 0.92
WITHOUT_PACKS = "without packs"
"""The heading of lines that only packs allow."""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_workspace(tmp_path_factory.mktemp("sets"))


@pytest.mark.supports("T-20", "T-21")
@pytest.mark.parametrize("policy", [*POLICIES, *WITH_PACKS], ids=str)
def test_no_attack_runs(workspace: Path, policy: Mapping[str, Any]) -> None:
    rows = [line for line in load_set("attacks") if "packs" not in policy or line.heading != WITHOUT_PACKS]
    ran = [line.command for line in rows if _verdict(line, workspace, policy) == "run"]

    assert ran == []


@pytest.mark.supports("T-24")
@pytest.mark.parametrize("policy", POLICIES, ids=str)
def test_every_denial_holds(workspace: Path, policy: Mapping[str, Any]) -> None:
    rows = load_set("denials")
    walked_around = [
        (line.heading, line.command)
        for line in rows
        if _verdict(line, workspace, {**policy, "rules": {"deny": [line.heading]}}) != "deny"
    ]

    assert walked_around == []


@pytest.mark.supports("T-24")
def test_a_copy_of_a_whole_tree_asks_where_a_denial_of_reading_applies(workspace: Path) -> None:
    ran = [
        line.command
        for line in load_set("asks")
        if _verdict(line, workspace, {"mode": "auto", "rules": {"deny": [line.heading]}}) == "run"
    ]

    assert ran == []


@pytest.mark.supports("T-25")
@pytest.mark.parametrize(("name", "trips"), [("breakers", True), ("near_misses", False)])
def test_breakers_stop_catastrophes_and_nothing_else(workspace: Path, name: str, *, trips: bool) -> None:
    wrong = [
        line.command
        for line in load_set(name)
        if (decide_command(line.command, workspace, mode="auto")[1] == "breaker") is not trips
    ]

    assert wrong == []


def test_everyday_reads_run_in_default(workspace: Path) -> None:
    asked = [
        line.command
        for line in load_set("everyday")
        if line.heading == "default core" and _verdict(line, workspace, {"mode": "default"}) != "run"
    ]

    assert asked == []


def test_most_of_the_less_common_reads_run_in_default(workspace: Path) -> None:
    rows = [line for line in load_set("everyday") if line.heading == "default stretch"]
    ran = [line for line in rows if _verdict(line, workspace, {"mode": "default"}) == "run"]

    assert len(ran) >= STRETCH_SHARE * len(rows)


def test_everyday_edits_run_in_accept_edits(workspace: Path) -> None:
    asked = [
        line.command
        for line in load_set("everyday")
        if line.heading == "accept_edits core" and _verdict(line, workspace, ACCEPT_EDITS) != "run"
    ]

    assert asked == []


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_allows_the_everyday_commands_of_its_tools(workspace: Path, name: str) -> None:
    policy = {**ACCEPT_EDITS, "packs": [name]}
    rows = [line for line in load_set("everyday") if line.heading == f"pack {name}"]

    assert [line.command for line in rows if _verdict(line, workspace, policy) != "run"] == []


@pytest.mark.parametrize("name", PACKS)
def test_the_examples_of_a_pack_are_true(workspace: Path, name: str) -> None:
    policy = {"packs": [name]}

    assert all(decide_command(line, workspace, **policy)[0] == "run" for line in PACKS[name].match)
    assert all(decide_command(line, workspace, **policy)[0] == "ask" for line in PACKS[name].never)


def test_edits_of_a_terminal_ask_where_the_option_is_off(workspace: Path) -> None:
    policy = {**ACCEPT_EDITS, "options": {"shell_edits": False}}
    ran = [
        line.command
        for line in load_set("everyday")
        if line.heading == "accept_edits core" and _verdict(line, workspace, policy) == "run"
    ]

    assert ran == []


def test_the_sets_are_large_enough() -> None:
    assert len(load_set("attacks")) >= 1_500
    assert len(load_set("denials")) >= 380
    assert len(load_set("everyday")) >= 650


def _verdict(line: SetLine, workspace: Path, policy: Mapping[str, Any]) -> str:
    return decide_command(line.command, workspace, **policy)[0]
