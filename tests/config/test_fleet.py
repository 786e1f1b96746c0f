"""A fleet's own file extends the defaults, for the lead as well as for each agent of the pool."""

from dataclasses import replace
from pathlib import Path

import pytest

from assent.config.fleet import Fleet, read_fleet
from assent.config.layers import from_preset
from assent.config.policy import Origin
from assent.config.preset import load_preset
from assent.config.source import Source
from assent.config.workspace import gather, place_on_disk
from assent.config.written import written_call
from assent.engine.decide import decide, paths_to_resolve
from assent.engine.policy.rule import Layer, RuleList, parse_rule
from assent.errors import ConfigError

FLEET = load_preset("fleet")
SOURCE = Source("arch.yaml", b"archie:\n  permissions:\n    allowed_tools: 3\nagent_pool: []\n")
DOCUMENT = {
    "archie": {"persona": "a.md", "permissions": {"allowed_tools": ["Bash(npm *)", "Bash(git status)"]}},
    "agent_pool": [
        {"id": "frontend", "permissions": {"allowed_tools": ["Bash(npm *)", "Bash(npx *)"]}},
        {"id": "qa", "permissions": {}},
        {"id": "docs"},
    ],
}


@pytest.mark.proves("R002-10", "R002-11")
def test_the_lists_of_the_lead_and_of_each_agent_are_read() -> None:
    assert read_fleet(SOURCE, DOCUMENT) == Fleet(
        lead=("Bash(npm *)", "Bash(git status)"),
        agents={"frontend": ("Bash(npm *)", "Bash(npx *)"), "qa": (), "docs": ()},
    )


@pytest.mark.proves("R002-3", "R002-8")
def test_they_extend_the_defaults_and_repeat_nothing() -> None:
    fleet = read_fleet(SOURCE, DOCUMENT)

    assert fleet.allowed_to_lead(FLEET) == (*FLEET.allowed("lead"), "Bash(npm *)")
    assert fleet.allowed_to("frontend", FLEET) == (*FLEET.allowed(), "Bash(npm *)", "Bash(npx *)")
    assert fleet.allowed_to("qa", FLEET) == fleet.allowed_to("nobody", FLEET) == FLEET.allowed()


@pytest.mark.proves("R002-10")
@pytest.mark.parametrize(
    "document", [{}, {"archie": {}}, {"agent_pool": []}, {"archie": {"permissions": {}}}]
)
def test_a_missing_section_means_the_defaults(document: object) -> None:
    assert read_fleet(SOURCE, document) == Fleet()


@pytest.mark.proves("R002-10")
@pytest.mark.parametrize(
    ("document", "key"),
    [
        ({"archie": []}, "`archie` must be a table, not a list"),
        ({"archie": {"permissions": []}}, "`archie.permissions` must be a table"),
        (
            {"archie": {"permissions": {"allowed_tools": "Bash"}}},
            "`archie.permissions.allowed_tools` must be a list",
        ),
        (
            {"archie": {"permissions": {"allowed_tools": None}}},
            "`archie.permissions.allowed_tools` must be a list",
        ),
        (
            {"archie": {"permissions": {"allowed_tools": [1]}}},
            "`archie.permissions.allowed_tools` must be a list of",
        ),
        ({"archie": {"permissions": {"allowed_tools": ["Bash("]}}}, "invalid rule `Bash(`"),
        ({"agent_pool": {}}, "`agent_pool` must be a list, not a table"),
        ({"agent_pool": ["x"]}, "entry 1 of `agent_pool` must be a table"),
        ({"agent_pool": [{}]}, "entry 1 of `agent_pool` has no `id`"),
        ({"agent_pool": [{"id": 3}]}, "`agent_pool[1].id` must be a text"),
        (
            {"agent_pool": [{"id": "a", "permissions": {"allowed_tools": {}}}]},
            "`agent_pool[1].permissions.allowed_tools` must be a list, not a table",
        ),
        ([], "it must hold a mapping"),
    ],
)
def test_a_wrong_type_stops_the_start_with_the_name_of_the_key(document: object, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_fleet(SOURCE, document)

    assert caught.value.reason.startswith(key)
    assert caught.value.path == "arch.yaml"


# ---- what the lists mean ------------------------------------------------------------------------


def verdict(root: Path, text: str, *allowed: str) -> str:
    policy = from_preset(FLEET, Origin(Layer.SHIPPED))
    rules = {RuleList.ALLOW: tuple(parse_rule(rule) for rule in allowed or FLEET.allowed())}
    snapshot = replace(policy, rules=rules).snapshot()
    call, tools = written_call(text, snapshot.tools)
    snapshot = replace(snapshot, tools=tools)
    place = place_on_disk(str(root), [str(root)], "/home/user")
    facts = gather(place, paths_to_resolve(call, snapshot, place), trusts=lambda _: True)
    decision = decide(call, snapshot, facts)
    return f"{decision.verdict.word} {decision.stage}"


@pytest.mark.supports("R002-2")
@pytest.mark.parametrize("tool", ["Read", "Edit", "Write", "Glob", "Grep", "NotebookEdit"])
def test_file_tools_run_unasked_in_the_workspace(tmp_path: Path, tool: str) -> None:
    assert verdict(tmp_path, f"{tool}(notes.txt)").startswith("run")


@pytest.mark.supports("R002-2")
def test_except_for_what_a_floor_holds_back(tmp_path: Path) -> None:
    assert verdict(tmp_path, "Edit(.git/config)") == "ask protected-path"
    assert verdict(tmp_path, "Read(/etc/shadow)") == "ask outside"


@pytest.mark.proves("R002-5")
@pytest.mark.parametrize(
    "call",
    [
        "mcp__arch__send_message(to=x)",
        "Bash(git add .)",
        "Bash(git commit -m 'x; y')",
        "Bash(git checkout main)",
    ],
)
def test_a_call_that_the_list_covers_makes_no_question(tmp_path: Path, call: str) -> None:
    assert verdict(tmp_path, call) == "run allow-rule"


@pytest.mark.proves("R002-9")
@pytest.mark.parametrize(
    "call",
    [
        "Bash(git push)", "Bash(git add . && curl x)", "Bash(git commit -m $(curl x))",
        "Bash(git add . > out)",
        "mcp__arch__spawn_agent", "WebFetch(domain:example.com)", "Bash(gitadd .)",
    ],
)  # fmt: skip
def test_a_call_with_a_part_that_the_list_does_not_cover_asks(tmp_path: Path, call: str) -> None:
    assert verdict(tmp_path, call).startswith("ask")


@pytest.mark.proves("R002-9")
def test_a_pattern_without_a_star_matches_only_itself(tmp_path: Path) -> None:
    assert verdict(tmp_path, "Bash(make dist)", "Bash(make dist)") == "run allow-rule"
    assert verdict(tmp_path, "Bash(make dist now)", "Bash(make dist)") == "ask mode"


@pytest.mark.proves("R002-7")
def test_the_lead_may_do_what_a_worker_may_not(tmp_path: Path) -> None:
    assert verdict(tmp_path, "mcp__arch__spawn_agent", *FLEET.allowed("lead")) == "run allow-rule"
    assert verdict(tmp_path, "mcp__arch__spawn_agent", *FLEET.allowed("worker")) == "ask mode"
