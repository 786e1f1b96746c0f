"""The tools that a model sees; they do not change what the model may do."""

import pytest

from assent.engine.base.tool import Effect, Tool
from assent.engine.disclosure import MAX_SHOWN_TOOLS, disclose_tools, prompt_section, tool_group
from assent.engine.policy.modes import MODE_VERDICTS, Mode

EXAMPLE_TOOLS = tuple(
    Tool(name=name)
    for name in (
        "look_up",
        "files.read",
        "files.save",
        "mail.send",
        "mcp__github__list",
        "mcp__github__create",
    )
)


@pytest.mark.parametrize(
    ("tool", "group"),
    [
        (Tool(name="files.read"), "files"),
        (Tool(name="files.read", group="mine"), "mine"),
        (Tool(name="mcp__github__list"), "mcp__github"),
        (Tool(name="look_up"), ""),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_tool_belongs_to_the_group_it_declares_or_is_named_after(tool: Tool, group: str) -> None:
    assert tool_group(tool) == group


@pytest.mark.proves("R003-15")
def test_a_model_sees_the_core_and_what_it_loaded() -> None:
    before = disclose_tools(EXAMPLE_TOOLS, core=frozenset({"mail.send"}))
    after = disclose_tools(EXAMPLE_TOOLS, core=frozenset({"mail.send"}), loaded=["files", "mail", "nothing"])

    assert [tool.name for tool in before.shown] == ["look_up", "mail.send"]
    assert [tool.name for tool in after.shown] == ["look_up", "mail.send", "files.read", "files.save"]
    assert before.groups == after.groups == ("files", "mail", "mcp__github")


@pytest.mark.proves("R003-18")
def test_a_cap_keeps_the_core_and_names_what_it_drops() -> None:
    belt = [
        *(Tool(name=f"core{number}") for number in range(3)),
        *(Tool(name=f"g.t{number}") for number in range(4)),
    ]

    shown = disclose_tools(belt, loaded=["g"], max_tools=5)
    tight = disclose_tools(belt, loaded=["g"], max_tools=2)

    assert [tool.name for tool in shown.shown] == ["core0", "core1", "core2", "g.t0", "g.t1"]
    assert shown.dropped == ("g.t2", "g.t3")
    assert [tool.name for tool in tight.shown] == ["core0", "core1", "core2"]
    assert len(tight.dropped) == 4
    assert MAX_SHOWN_TOOLS == 38


@pytest.mark.proves("R003-19")
def test_an_agent_scoped_to_groups_is_shown_no_others() -> None:
    shown = disclose_tools(EXAMPLE_TOOLS, loaded=["files", "mail"], scope=frozenset({"mail"}))

    assert [tool.name for tool in shown.shown] == ["look_up", "mail.send"]
    assert shown.groups == ("mail",)


EACH_EFFECT = [Tool(name=f"t.{effect}", effect=effect, description=f"Does {effect}.") for effect in Effect]
RESULTS_BY_VERDICT = {"run": "runs at once", "ask": "asks a person first", "deny": "is refused"}


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.proves("R000-40", "R001-37")
def test_a_model_is_told_its_mode_and_what_it_means_for_each_tool(mode: Mode) -> None:
    section = prompt_section(mode, EACH_EFFECT)

    assert f"The permission mode is `{mode}`." in section
    for tool in EACH_EFFECT:
        manner = RESULTS_BY_VERDICT[MODE_VERDICTS[mode][tool.effect].word]
        assert f"- `{tool.name}` ({tool.effect}, {manner}): {tool.description}" in section


@pytest.mark.proves("R000-41")
def test_in_plan_a_model_is_told_to_plan_and_not_to_act() -> None:
    section = prompt_section(Mode.PLAN, EACH_EFFECT)

    assert "Do not call tools that change anything" in section
    assert "answer with a plan" in section


def test_a_model_without_a_mode_is_told_who_decides() -> None:
    section = prompt_section(None, [Tool(name="t", effect=Effect.READ)])

    assert "An administrator decides" in section
    assert section.endswith("- `t` (read)")
