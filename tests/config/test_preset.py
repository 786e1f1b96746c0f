"""Presets are files: the six shipped presets, presets of users, and fleet files."""

from dataclasses import replace
from pathlib import Path

import pytest

from assent.config.files import Source
from assent.config.layers import policy_from_preset
from assent.config.policy import Origin
from assent.config.preset import SHIPPED_DIRECTORY, Fleet, load_preset, preset_names, read_fleet, read_preset
from assent.config.tools import KNOWN_TOOLS, TOOLS_BY_BELT
from assent.config.workspace import gather_facts, place_on_disk
from assent.config.written_calls import parse_call
from assent.engine.base.tool import Effect
from assent.engine.decide import decide, paths_to_resolve
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import Layer, RuleList, parse_rule
from assent.engine.policy.verdict import Verdict
from assent.errors import AssentError, ConfigError
from assent.gate.preset import Always, Becomes, Delivery, FirstOffer, Lifetime, Preset, Scope

SECONDS_PER_DAY = 86_400


def preset_facts(preset: Preset) -> tuple[object, ...]:
    always = preset.always
    return (
        preset.modes, preset.mode, preset.fallback, preset.delivery, preset.expires_after,
        always.becomes, always.width, always.scope, always.lifetime,
    )  # fmt: skip


EXPECTED_PRESETS = {
    "assent": (
        ("default", "plan", "accept_edits", "auto"), Mode.DEFAULT, Verdict.ASK, Delivery.WAIT, SECONDS_PER_DAY,
        Becomes.RULE, FirstOffer.EXACT, None, None,
    ),
    "chat": (
        ("default", "plan", "auto"), Mode.DEFAULT, Verdict.ASK, Delivery.WAIT, None,
        Becomes.GRANT, FirstOffer.TOOL, Scope.CONVERSATION, Lifetime.RESTART,
    ),
    "propose": (
        ("approve", "auto"), Mode.DEFAULT, Verdict.ASK, Delivery.PROPOSE, 600,
        Becomes.NOTHING, FirstOffer.EXACT, None, None,
    ),
    "fleet": (
        ("accept_edits",), Mode.ACCEPT_EDITS, Verdict.ASK, Delivery.WAIT, None,
        Becomes.GRANT, FirstOffer.COMMAND, Scope.AGENT, Lifetime.RESTART,
    ),
    "workbench": (
        ("default", "plan", "accept_edits", "autonomous"), Mode.DEFAULT, Verdict.ASK, Delivery.WAIT, 300,
        Becomes.RULE, FirstOffer.EXACT, Scope.USER, Lifetime.FOREVER,
    ),
    "tiers": (
        (), None, Verdict.RUN, Delivery.SUSPEND, None,
        Becomes.OVERRIDE, FirstOffer.TOOL, Scope.USER_AGENT, Lifetime.FOREVER,
    ),
}  # fmt: skip


@pytest.mark.proves("R001-1", "R001-2", "R004-13")
@pytest.mark.supports("R002-2")
@pytest.mark.parametrize("name", EXPECTED_PRESETS)
def test_each_shipped_preset_has_its_documented_settings(name: str) -> None:
    assert preset_facts(load_preset(name)) == EXPECTED_PRESETS[name]


def test_there_are_six_shipped_presets_with_a_purpose() -> None:
    assert preset_names() == sorted(EXPECTED_PRESETS)
    assert [name for name in EXPECTED_PRESETS if not load_preset(name).purpose] == []


def test_the_preset_assent_has_every_known_tool() -> None:
    assert load_preset("assent").tools == KNOWN_TOOLS


@pytest.mark.proves("R000-52")
@pytest.mark.supports("R000-13")
def test_the_chat_has_its_own_belt_and_three_modes() -> None:
    chat = load_preset("chat")

    assert chat.tools == TOOLS_BY_BELT["chat"]
    assert "accept_edits" not in chat.modes


TOOLS_OF_ALL_AGENTS = [
    "mcp__arch__send_message", "mcp__arch__get_messages", "mcp__arch__update_status",
    "mcp__arch__save_progress", "mcp__arch__report_completion",
    "Bash(git status)", "Bash(git diff *)", "Bash(git add *)", "Bash(git commit *)", "Bash(git log *)",
    "Bash(git branch *)", "Bash(git checkout *)",
]  # fmt: skip
TOOLS_OF_THE_LEAD = [
    f"mcp__arch__{name}"
    for name in """spawn_agent teardown_agent list_agents escalate_to_user request_merge get_project_context
    close_project update_brief gh_create_issue gh_list_issues gh_close_issue gh_update_issue gh_add_comment
    gh_create_milestone gh_list_milestones""".split()
]


@pytest.mark.proves("R002-4")
def test_every_agent_of_a_fleet_has_twelve_default_tools() -> None:
    assert list(load_preset("fleet").allowed()) == TOOLS_OF_ALL_AGENTS
    assert len(TOOLS_OF_ALL_AGENTS) == 12


@pytest.mark.proves("R002-3", "R002-7")
def test_only_the_lead_has_fifteen_more_tools() -> None:
    fleet = load_preset("fleet")

    assert list(fleet.allowed("lead")) == TOOLS_OF_ALL_AGENTS + TOOLS_OF_THE_LEAD
    assert len(TOOLS_OF_THE_LEAD) == 15
    assert list(fleet.allowed("worker")) == TOOLS_OF_ALL_AGENTS


@pytest.mark.proves("R002-8")
@pytest.mark.parametrize("role", ["lead", "worker"])
def test_an_own_list_extends_the_defaults_without_duplicates(role: str) -> None:
    fleet = load_preset("fleet")
    own = ["Bash(npm *)", "Bash(git status)", "Bash(npm *)"]

    assert fleet.allowed(role, own) == (*fleet.allowed(role), "Bash(npm *)")


def test_a_new_preset_needs_only_a_file(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "mine.toml").write_text(
        'modes = ["plan"]\nbelts = ["chat"]\ndeny = ["browser"]\n[tools.mail]\neffect = "destructive"\n'
    )

    preset = load_preset("mine", str(tmp_path))

    assert (preset.name, preset.mode) == ("mine", Mode.PLAN)
    assert preset.tools["mail"].effect is Effect.DESTRUCTIVE
    assert [rule.text for rule in preset.rules[RuleList.DENY]] == ["browser"]


def test_a_shipped_preset_cannot_be_replaced(tmp_path: Path) -> None:
    (tmp_path / "assent.toml").write_text('fallback = "run"\n')

    assert load_preset("assent", str(tmp_path)).fallback is Verdict.ASK


@pytest.mark.proves("T-19")
def test_a_preset_that_other_users_can_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "mine.toml").write_text('fallback = "run"\n')
    (tmp_path / "mine.toml").chmod(0o666)

    with pytest.raises(ConfigError, match="other users may write"):
        load_preset("mine", str(tmp_path))


@pytest.mark.parametrize("name", ["chta", "../chat", "", "chat.toml"])
def test_an_unknown_preset_is_an_error(name: str) -> None:
    with pytest.raises(AssentError, match="expected one of assent, chat, fleet, propose, tiers, workbench"):
        load_preset(name)


@pytest.mark.proves("R-13")
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('mode = "plan"', "unknown key `mode`; did you mean `modes`?"),
        ('modes = ["turbo"]', "unknown mode `turbo`"),
        ('modes = "plan"', "`modes` must be a list, not a text"),
        ('belts = ["belt"]', "unknown belt `belt`: expected one of claude, workbench, chat, fleet"),
        ('delivery = "pigeon"', "unknown delivery `pigeon`: expected one of wait, suspend, propose"),
        ("expires_after = 0", "`expires_after` must be a whole number above zero"),
        ('[always]\nwidth = "wide"', "unknown width `wide`"),
        (
            '[always]\nscope = "all"',
            "unknown scope `all`: expected one of conversation, agent, user_agent, user, everyone, choice",
        ),
        (
            '[always]\nlifetime = "day"',
            "unknown lifetime `day`: expected one of restart, until, uses, forever, choice",
        ),
        ("[always]\nscop = 1", "unknown key `scop`; did you mean `scope`?"),
        ('[roles.lead]\ndeny = ["x"]', "unknown key `deny`"),
    ],
)
def test_a_mistake_in_a_preset_is_an_error(text: str, reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_preset(Source("mine.toml", text.encode()), "mine")

    assert caught.value.reason.startswith(reason)
    assert caught.value.line == text.count("\n") + 1


def test_the_defaults_of_a_preset_are_strict() -> None:
    preset = read_preset(Source("mine.toml", b'purpose = "x"'), "mine")

    assert (preset.mode, preset.fallback, preset.always) == (None, Verdict.ASK, Always())


def test_the_shipped_presets_are_in_the_package() -> None:
    assert sorted(path.stem for path in Path(SHIPPED_DIRECTORY).glob("*.toml")) == sorted(EXPECTED_PRESETS)


FLEET_PRESET = load_preset("fleet")
FLEET_SOURCE = Source("arch.yaml", b"archie:\n  permissions:\n    allowed_tools: 3\nagent_pool: []\n")
FLEET_DOCUMENT = {
    "archie": {"persona": "a.md", "permissions": {"allowed_tools": ["Bash(npm *)", "Bash(git status)"]}},
    "agent_pool": [
        {"id": "frontend", "permissions": {"allowed_tools": ["Bash(npm *)", "Bash(npx *)"]}},
        {"id": "qa", "permissions": {}},
        {"id": "docs"},
    ],
}


@pytest.mark.proves("R002-10", "R002-11")
def test_the_tools_of_the_lead_and_of_each_agent_are_read() -> None:
    assert read_fleet(FLEET_SOURCE, FLEET_DOCUMENT) == Fleet(
        lead=("Bash(npm *)", "Bash(git status)"),
        agents={"frontend": ("Bash(npm *)", "Bash(npx *)"), "qa": (), "docs": ()},
    )


@pytest.mark.proves("R002-3", "R002-8")
def test_tools_of_a_fleet_file_extend_the_defaults_without_duplicates() -> None:
    fleet = read_fleet(FLEET_SOURCE, FLEET_DOCUMENT)

    assert fleet.allowed_tools_of_lead(FLEET_PRESET) == (*FLEET_PRESET.allowed("lead"), "Bash(npm *)")
    assert fleet.allowed_tools_of("frontend", FLEET_PRESET) == (
        *FLEET_PRESET.allowed(),
        "Bash(npm *)",
        "Bash(npx *)",
    )
    assert (
        fleet.allowed_tools_of("qa", FLEET_PRESET)
        == fleet.allowed_tools_of("nobody", FLEET_PRESET)
        == FLEET_PRESET.allowed()
    )


@pytest.mark.proves("R002-10")
@pytest.mark.parametrize(
    "document", [{}, {"archie": {}}, {"agent_pool": []}, {"archie": {"permissions": {}}}]
)
def test_a_missing_section_means_the_defaults(document: object) -> None:
    assert read_fleet(FLEET_SOURCE, document) == Fleet()


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
        ([], "it must be a mapping"),
    ],
)
def test_the_error_for_a_wrong_type_names_the_key(document: object, key: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_fleet(FLEET_SOURCE, document)

    assert caught.value.reason.startswith(key)
    assert caught.value.path == "arch.yaml"


# ---- decisions with the tool lists of a fleet ---------------------------------------------------


def decide_in_fleet(root: Path, text: str, *allowed: str) -> str:
    policy = policy_from_preset(FLEET_PRESET, Origin(Layer.SHIPPED))
    rules = {RuleList.ALLOW: tuple(parse_rule(rule) for rule in allowed or FLEET_PRESET.allowed())}
    snapshot = replace(policy, rules=rules).snapshot()
    call, tools = parse_call(text, snapshot.tools)
    snapshot = replace(snapshot, tools=tools)
    place = place_on_disk(str(root), [str(root)], "/home/user")
    facts = gather_facts(place, paths_to_resolve(call, snapshot, place), trusts=lambda _: True)
    decision = decide(call, snapshot, facts)
    return f"{decision.verdict.word} {decision.stage}"


@pytest.mark.supports("R002-2")
@pytest.mark.parametrize("tool", ["Read", "Edit", "Write", "Glob", "Grep", "NotebookEdit"])
def test_file_tools_run_without_asking_in_the_workspace(tmp_path: Path, tool: str) -> None:
    assert decide_in_fleet(tmp_path, f"{tool}(notes.txt)").startswith("run")


@pytest.mark.supports("R002-2")
def test_file_tools_ask_if_a_floor_applies(tmp_path: Path) -> None:
    assert decide_in_fleet(tmp_path, "Edit(.git/config)") == "ask protected-path"
    assert decide_in_fleet(tmp_path, "Read(/etc/shadow)") == "ask outside"


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
def test_a_call_that_the_list_covers_does_not_ask(tmp_path: Path, call: str) -> None:
    assert decide_in_fleet(tmp_path, call) == "run allow-rule"


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
    assert decide_in_fleet(tmp_path, call).startswith("ask")


@pytest.mark.proves("R002-9")
def test_a_pattern_without_a_star_matches_only_itself(tmp_path: Path) -> None:
    assert decide_in_fleet(tmp_path, "Bash(make dist)", "Bash(make dist)") == "run allow-rule"
    assert decide_in_fleet(tmp_path, "Bash(make dist now)", "Bash(make dist)") == "ask mode"


@pytest.mark.proves("R002-7")
def test_the_lead_may_do_what_a_worker_may_not(tmp_path: Path) -> None:
    assert (
        decide_in_fleet(tmp_path, "mcp__arch__spawn_agent", *FLEET_PRESET.allowed("lead")) == "run allow-rule"
    )
    assert decide_in_fleet(tmp_path, "mcp__arch__spawn_agent", *FLEET_PRESET.allowed("worker")) == "ask mode"
