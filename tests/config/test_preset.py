"""Presets are files: the six shipped presets, and presets of users."""

from pathlib import Path

import pytest

from assent.config.files import Source
from assent.config.preset import SHIPPED_DIRECTORY, load_preset, preset_names, read_preset
from assent.config.tools import KNOWN_TOOLS, TOOLS_BY_BELT
from assent.engine.base.tool import Effect
from assent.engine.policy.modes import Mode
from assent.engine.policy.rule import RuleList
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
    assert list(load_preset("fleet").allow_rule_texts()) == TOOLS_OF_ALL_AGENTS
    assert len(TOOLS_OF_ALL_AGENTS) == 12


@pytest.mark.proves("R002-3", "R002-7")
def test_only_the_lead_has_fifteen_more_tools() -> None:
    fleet = load_preset("fleet")

    assert list(fleet.allow_rule_texts("lead")) == TOOLS_OF_ALL_AGENTS + TOOLS_OF_THE_LEAD
    assert len(TOOLS_OF_THE_LEAD) == 15
    assert list(fleet.allow_rule_texts("worker")) == TOOLS_OF_ALL_AGENTS


@pytest.mark.proves("R002-8")
@pytest.mark.parametrize("role", ["lead", "worker"])
def test_an_own_list_extends_the_defaults_without_duplicates(role: str) -> None:
    fleet = load_preset("fleet")
    own = ["Bash(npm *)", "Bash(git status)", "Bash(npm *)"]

    assert fleet.allow_rule_texts(role, own) == (*fleet.allow_rule_texts(role), "Bash(npm *)")


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
