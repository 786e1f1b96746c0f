"""Rules that lose reach because they say nothing of what is fed."""

import pytest

from assent.engine.model import Dialect
from assent.engine.rule import parse_rule
from assent.engine.unfed import leaves_input_open


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("Bash(python3 -)", True),
        ("Bash(psql *)", True),
        ("Bash(xargs rm *)", True),
        ("Bash(timeout 5 bash)", True),
        ("Bash(terraform apply)", True),
        ("Bash(npm test)", False),
        ("Bash(python3 tool.py *)", False),
        ("Bash(frobnicate *)", False),
        ("Bash(*)", False),
        ("Bash", False),
        (f"Bash(python3 - << sha256:{'0' * 64})", False),
    ],
)
def test_a_rule_that_names_a_feeder_by_its_words_leaves_its_input_open(rule: str, expected: bool) -> None:
    assert leaves_input_open(parse_rule(rule), Dialect.SHELL) is expected


def test_rules_for_other_tools_have_no_input() -> None:
    assert not leaves_input_open(parse_rule("mail.send(psql)"), Dialect.TEXT)
    assert leaves_input_open(parse_rule("pwsh(python -)"), Dialect.POWERSHELL)
