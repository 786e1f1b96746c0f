"""What a model is told about the gate in front of its tools."""

import pytest

from assent.engine.model import Effect, Tool
from assent.engine.modes import TABLE, Mode
from assent.engine.prompt import prompt_section

BELT = [Tool(name=f"t.{effect}", effect=effect, description=f"Does {effect}.") for effect in Effect]
MANNERS = {"run": "runs at once", "ask": "asks a person first", "deny": "is refused"}


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.proves("R000-40", "R001-37")
def test_a_model_is_told_its_mode_and_what_it_means_for_each_tool(mode: Mode) -> None:
    section = prompt_section(mode, BELT)

    assert f"The permission mode is `{mode}`." in section
    for tool in BELT:
        manner = MANNERS[TABLE[mode][tool.effect].word]
        assert f"- `{tool.name}` ({tool.effect}, {manner}): {tool.description}" in section


@pytest.mark.proves("R000-41")
def test_in_plan_a_model_is_told_to_plan_and_not_to_act() -> None:
    section = prompt_section(Mode.PLAN, BELT)

    assert "Do not call tools that change anything" in section
    assert "answer with a plan" in section


def test_a_model_without_a_mode_is_told_who_decides() -> None:
    section = prompt_section(None, [Tool(name="t", effect=Effect.READ)])

    assert "An administrator decides" in section
    assert section.endswith("- `t` (read)")
