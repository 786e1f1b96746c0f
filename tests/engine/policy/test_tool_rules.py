"""The rules of one tool: those that name an input, and those that name none."""

import pytest

from assent.engine.lines.input_names import Fed
from assent.engine.lines.part import Part
from assent.engine.model import Tool
from assent.engine.policy.rule import RuleList, parse_rule
from assent.engine.policy.tool_rules import AllowQuery, ToolRules
from tests.engine import given

ONE = "1" * 64
FACTS = given.Facts(place=given.PLACE)
PLAIN, NAMING, OPEN = "sh(psql shop)", f"sh(psql shop << sha256:{ONE})", "sh(psql *)"


def covering(rule: str, fed: Fed | None, *names: str, tool: Tool = given.SHELL) -> str | None:
    rules = ToolRules([parse_rule(rule)], tool, RuleList.ALLOW)
    part = Part("psql shop", covers=(("psql", "shop"),), fed=fed)
    found = rules.covering_rule(AllowQuery(part, FACTS, 0, names))
    return None if found is None else found.text


@pytest.mark.proves("T-44")
@pytest.mark.parametrize("tool", [given.SHELL, given.POWERSHELL], ids=["bash", "powershell"])
def test_a_rule_covers_a_fed_command_only_by_the_name_of_its_input(tool: Tool) -> None:
    named, must, may = f"text sha256:{ONE}", Fed(text="a"), Fed(text="a", must=False)

    assert covering(PLAIN, None, tool=tool) == PLAIN
    assert covering(PLAIN, must, named, tool=tool) is None
    assert covering(OPEN, must, named, tool=tool) is None
    assert covering(PLAIN, may, named, tool=tool) is None
    assert covering(OPEN, may, named, tool=tool) == OPEN
    assert covering(NAMING, must, named, tool=tool) == NAMING
    assert covering(NAMING, may, named, tool=tool) == NAMING
    assert covering(NAMING, must, "text sha256:2", tool=tool) is None
    assert covering(NAMING, None, tool=tool) is None


def test_for_a_tool_that_runs_no_lines_the_mark_is_text() -> None:
    tool = Tool(name="t", template="{a}")
    rules = ToolRules([parse_rule(f"t(a << sha256:{ONE})")], tool, RuleList.ALLOW)
    part = Part("", covers=(("a", "<<", f"sha256:{ONE}"),))

    assert rules.covering_rule(AllowQuery(part, FACTS, 0, ())) is not None
