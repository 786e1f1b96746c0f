"""Rules that lose reach because they say nothing of what is fed are listed, each with one sentence."""

from pathlib import Path

import pytest

from assent.cli.unfed import WHAT_IT_MEANS, open_rules, open_rules_in, sentences
from assent.engine.policy.rule import RuleList
from assent.gate.access import Principal
from assent.gate.preset import Lifetime
from assent.gate.stored_policy import StoredGrant, StoredRule
from tests.cli.asking import gate_at
from tests.cli.running import Command, Place

ADA = Principal(id="ada", administrator=True)


async def remembered(place: Place) -> None:
    """A database as an earlier version left it."""
    async with gate_at(place) as gate:
        for number, text in enumerate(("Bash(python3 -)", "Bash(npm test)")):
            rule = StoredRule(id=f"rule-{number}", list=RuleList.ALLOW, text=text, by="")
            await gate.policy.add_rule(ADA, rule)
        denied = StoredRule(id="denied", list=RuleList.DENY, text="Bash(psql *)", by="")
        await gate.policy.add_rule(ADA, denied)
        grant = StoredGrant(id="grant", pattern="Bash(xargs rm -f)", lifetime=Lifetime.FOREVER, by="ana")
        await gate.store.add_policy(grants=(grant,))


@pytest.mark.proves("T-44")
async def test_an_upgrade_lists_the_rules_that_lose_reach(place: Place, command: Command) -> None:
    await remembered(place)

    ran = command("db", "upgrade")

    assert ran.lines[1:] == [
        f"note  `Bash(python3 -)` {WHAT_IT_MEANS}",
        f"note  `Bash(xargs rm -f)` {WHAT_IT_MEANS}",
    ]


async def test_the_doctor_lists_those_of_files_and_of_the_database(place: Place, command: Command) -> None:
    await remembered(place)
    (place.root / ".assent").mkdir(exist_ok=True)
    (place.root / ".assent" / "config.local.toml").write_text('allow = ["Bash(psql *)"]\n')

    ran = command("doctor")

    assert f"note  `Bash(python3 -)` {WHAT_IT_MEANS}" in ran.out
    assert ran.status == 0


def test_a_rule_that_cannot_be_read_or_a_database_that_is_not_there_lists_nothing(tmp_path: Path) -> None:
    assert open_rules(["Bash(psql", "mail.send(to=ana)", "my.shell(psql)"]) == ["my.shell(psql)"]
    assert open_rules_in(str(tmp_path / "none.db")) == []
    assert not (tmp_path / "none.db").exists()
    (tmp_path / "broken.db").write_bytes(b"no database at all, but long enough to be looked at" * 40)
    assert open_rules_in(str(tmp_path / "broken.db")) == []
    assert sentences(["Bash(psql)"]) == [f"`Bash(psql)` {WHAT_IT_MEANS}"]
