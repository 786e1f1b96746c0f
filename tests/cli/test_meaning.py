"""A rule's examples lie on both sides of its edges, whatever the rule."""

import pytest

from assent.cli.meaning import examples_of, in_words
from assent.config.examples import applies
from assent.config.tools import KNOWN
from assent.engine.policy.rule import RuleList, parse_rule

RULES = [
    "Bash(npm run *)", "Bash(git push*)", "Bash(git * main)", "Bash(make)", "Bash(echo '*')",
    "files.write(/src/**)", "Read(//etc/**)", "Read(~/notes/**)", "Read(.env)", "Edit(src/*.ts)", "Read(./x)",
    "Agent(Explore)", "TodoWrite(list=x)", "WebFetch(domain:*.example.com)",
]  # fmt: skip


@pytest.mark.parametrize("text", RULES)
def test_some_examples_are_hit_and_some_are_not(text: str) -> None:
    rule = parse_rule(text)
    examples = examples_of(rule, KNOWN[rule.tool])

    judged = {applies(rule, RuleList.DENY, example, KNOWN) for example in examples}

    assert judged == {True, False}
    assert len(set(examples)) == len(examples)


@pytest.mark.parametrize("text", RULES)
def test_an_allow_rule_never_covers_more_than_the_same_rule_would_deny(text: str) -> None:
    rule = parse_rule(text)

    for example in examples_of(rule, KNOWN[rule.tool]):
        if applies(rule, RuleList.ALLOW, example, KNOWN):
            assert applies(rule, RuleList.DENY, example, KNOWN)


def test_a_rule_for_a_whole_tool_needs_no_examples() -> None:
    assert examples_of(parse_rule("Bash"), KNOWN["Bash"]) == []


def test_a_tool_that_nobody_knows_is_described_by_its_name() -> None:
    assert list(in_words(parse_rule("db.query(select *)"), None)) == [
        "is about the tool `db.query`, which is not one of the well-known ones",
        "and its specifier `select *`, which only the tool's dialect gives a meaning",
    ]
