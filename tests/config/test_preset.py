"""Presets are data: the five ways of working, ours, and whatever anyone adds in a file."""

from pathlib import Path

import pytest

from assent.config.preset import SHIPPED, load_preset, preset_names, read_preset
from assent.config.source import Source
from assent.config.tools import BELTS, KNOWN
from assent.engine.model import Effect
from assent.engine.modes import Mode
from assent.engine.policy.rule import RuleList
from assent.engine.verdict import Verdict
from assent.errors import AssentError, ConfigError
from assent.gate.preset import Always, Becomes, Delivery, FirstOffer, Lifetime, Preset, Scope

DAY = 86_400


def facts(preset: Preset) -> tuple[object, ...]:
    always = preset.always
    return (
        preset.modes, preset.mode, preset.fallback, preset.delivery, preset.expires_after,
        always.becomes, always.width, always.scope, always.lifetime,
    )  # fmt: skip


TABLE = {
    "assent": (
        ("default", "plan", "accept_edits", "auto"), Mode.DEFAULT, Verdict.ASK, Delivery.WAIT, DAY,
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
@pytest.mark.parametrize("name", TABLE)
def test_each_shipped_preset_says_what_its_way_of_working_is(name: str) -> None:
    assert facts(load_preset(name)) == TABLE[name]


def test_there_are_six_and_each_says_what_it_is_for() -> None:
    assert preset_names() == sorted(TABLE)
    assert [name for name in TABLE if not load_preset(name).purpose] == []


def test_ours_knows_every_well_known_tool() -> None:
    assert load_preset("assent").tools == KNOWN


@pytest.mark.proves("R000-13", "R000-52")
def test_the_chat_has_its_own_belt_and_three_modes() -> None:
    chat = load_preset("chat")

    assert chat.tools == BELTS["chat"]
    assert "accept_edits" not in chat.modes


FOR_ALL = [
    "mcp__arch__send_message", "mcp__arch__get_messages", "mcp__arch__update_status",
    "mcp__arch__save_progress", "mcp__arch__report_completion",
    "Bash(git status)", "Bash(git diff *)", "Bash(git add *)", "Bash(git commit *)", "Bash(git log *)",
    "Bash(git branch *)", "Bash(git checkout *)",
]  # fmt: skip
FOR_THE_LEAD = [
    f"mcp__arch__{name}"
    for name in """spawn_agent teardown_agent list_agents escalate_to_user request_merge get_project_context
    close_project update_brief gh_create_issue gh_list_issues gh_close_issue gh_update_issue gh_add_comment
    gh_create_milestone gh_list_milestones""".split()
]


@pytest.mark.proves("R002-4")
def test_every_agent_of_a_fleet_starts_with_the_same_twelve() -> None:
    assert list(load_preset("fleet").allowed()) == FOR_ALL
    assert len(FOR_ALL) == 12


@pytest.mark.proves("R002-3", "R002-7")
def test_the_lead_gets_fifteen_more_and_a_worker_does_not() -> None:
    fleet = load_preset("fleet")

    assert list(fleet.allowed("lead")) == FOR_ALL + FOR_THE_LEAD
    assert len(FOR_THE_LEAD) == 15
    assert list(fleet.allowed("worker")) == FOR_ALL


@pytest.mark.proves("R002-8")
@pytest.mark.parametrize("role", ["lead", "worker"])
def test_a_list_of_ones_own_extends_the_rest_and_repeats_nothing(role: str) -> None:
    fleet = load_preset("fleet")
    own = ["Bash(npm *)", "Bash(git status)", "Bash(npm *)"]

    assert fleet.allowed(role, own) == (*fleet.allowed(role), "Bash(npm *)")


def test_a_seventh_needs_no_code(tmp_path: Path) -> None:
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
def test_a_preset_that_others_may_write_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    (tmp_path / "mine.toml").write_text('fallback = "run"\n')
    (tmp_path / "mine.toml").chmod(0o666)

    with pytest.raises(ConfigError, match="other users may write"):
        load_preset("mine", str(tmp_path))


@pytest.mark.parametrize("name", ["chta", "../chat", "", "chat.toml"])
def test_a_preset_that_nobody_knows_is_an_error(name: str) -> None:
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
def test_a_preset_is_read_as_strictly_as_any_policy(text: str, reason: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_preset(Source("mine.toml", text.encode()), "mine")

    assert caught.value.reason.startswith(reason)
    assert caught.value.line == text.count("\n") + 1


def test_a_preset_that_says_little_is_careful() -> None:
    preset = read_preset(Source("mine.toml", b'purpose = "x"'), "mine")

    assert (preset.mode, preset.fallback, preset.always) == (None, Verdict.ASK, Always())


def test_the_shipped_files_are_found_beside_the_code() -> None:
    assert sorted(path.stem for path in Path(SHIPPED).glob("*.toml")) == sorted(TABLE)
