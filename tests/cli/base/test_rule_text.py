"""The generated examples of every rule contain calls that it matches and calls that it does not."""

from pathlib import Path

import pytest

from assent.cli.base.command import run_async
from assent.cli.base.rule_text import (
    example_specifiers,
    missing_input_warnings,
    rule_sentences,
    rules_missing_input,
    stored_rules_missing_input,
)
from assent.config.tools import KNOWN_TOOLS
from assent.config.written_calls import does_rule_match
from assent.engine.policy.rule import RuleList, parse_rule
from assent.gate.access import Principal
from assent.gate.policy import StoredGrant, StoredRule
from assent.gate.preset import Lifetime
from tests.cli.questions import open_gate_at
from tests.cli.running import Command, CommandSandbox

WARNING = "covers this program only without input: a rule must name the input to cover it"
SAMPLE_RULES = [
    "Bash(npm run *)", "Bash(git push*)", "Bash(git * main)", "Bash(make)", "Bash(echo '*')",
    "files.write(/src/**)", "Read(//etc/**)", "Read(~/notes/**)", "Read(.env)", "Edit(src/*.ts)", "Read(./x)",
    "Agent(Explore)", "TodoWrite(list=x)", "WebFetch(domain:*.example.com)",
]  # fmt: skip


@pytest.mark.parametrize("text", SAMPLE_RULES)
def test_some_examples_match_the_rule_and_some_do_not(text: str) -> None:
    rule = parse_rule(text)
    examples = example_specifiers(rule, KNOWN_TOOLS[rule.tool])

    judged = {does_rule_match(rule, RuleList.DENY, example, KNOWN_TOOLS) for example in examples}

    assert judged == {True, False}
    assert len(set(examples)) == len(examples)


@pytest.mark.parametrize("text", SAMPLE_RULES)
def test_an_allow_rule_never_covers_more_than_the_same_rule_would_deny(text: str) -> None:
    rule = parse_rule(text)

    for example in example_specifiers(rule, KNOWN_TOOLS[rule.tool]):
        if does_rule_match(rule, RuleList.ALLOW, example, KNOWN_TOOLS):
            assert does_rule_match(rule, RuleList.DENY, example, KNOWN_TOOLS)


def test_a_rule_for_a_whole_tool_needs_no_examples() -> None:
    assert example_specifiers(parse_rule("Bash"), KNOWN_TOOLS["Bash"]) == []


def test_an_unknown_tool_is_described_by_its_name() -> None:
    assert list(rule_sentences(parse_rule("db.query(select *)"), None)) == [
        "applies to the tool `db.query`, which is not a well-known tool",
        "with the specifier `select *`, whose meaning depends on the tool's dialect",
    ]


ADMINISTRATOR = Principal(id="ada", administrator=True)


async def store_rules_of_older_version(sandbox: CommandSandbox) -> None:
    """Store rules that are valid in an earlier version of the database."""
    async with open_gate_at(sandbox) as gate:
        for number, text in enumerate(("Bash(python3 -)", "Bash(npm test)")):
            rule = StoredRule(id=f"rule-{number}", list=RuleList.ALLOW, text=text, by="")
            await gate.policy.add_rule(ADMINISTRATOR, rule)
        denied = StoredRule(id="denied", list=RuleList.DENY, text="Bash(psql *)", by="")
        await gate.policy.add_rule(ADMINISTRATOR, denied)
        grant = StoredGrant(id="grant", pattern="Bash(xargs rm -f)", lifetime=Lifetime.FOREVER, by="ana")
        await gate.store.add_policy(grants=(grant,))


@pytest.mark.proves("T-44")
async def test_an_upgrade_lists_the_rules_that_cover_less(sandbox: CommandSandbox, command: Command) -> None:
    await store_rules_of_older_version(sandbox)

    ran = command("db", "upgrade")

    assert ran.lines[1:] == [
        f"note  `Bash(python3 -)` {WARNING}",
        f"note  `Bash(xargs rm -f)` {WARNING}",
    ]


async def test_doctor_lists_the_rules_of_files_and_database_that_need_an_input(
    sandbox: CommandSandbox, command: Command
) -> None:
    await store_rules_of_older_version(sandbox)
    (sandbox.root / ".assent").mkdir(exist_ok=True)
    (sandbox.root / ".assent" / "config.local.toml").write_text('allow = ["Bash(psql *)"]\n')

    ran = command("doctor")

    assert f"note  `Bash(python3 -)` {WARNING}" in ran.out
    assert ran.status == 0


def test_invalid_rules_and_missing_databases_are_not_listed(tmp_path: Path) -> None:
    assert rules_missing_input(["Bash(psql", "mail.send(to=ana)", "my.shell(psql)"]) == ["my.shell(psql)"]
    assert run_async(stored_rules_missing_input(str(tmp_path / "none.db"))) == []
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "broken.db").write_bytes(b"no database at all, but long enough to be looked at" * 40)
    assert run_async(stored_rules_missing_input(str(tmp_path / "broken.db"))) == []
    assert missing_input_warnings(["Bash(psql)"]) == [f"`Bash(psql)` {WARNING}"]
