"""What a database allows for longer, read without a gate."""

from pathlib import Path

from assent.engine.policy.rule import RuleList
from assent.gate.grant import Grant, StoredRule
from assent.gate.preset import Lifetime
from assent.stores.connections import read
from assent.stores.patterns import allowed_patterns
from assent.stores.sqlite import open_sqlite


async def test_allow_rules_and_grants_that_nobody_revoked_are_told_once_each(tmp_path: Path) -> None:
    address = str(tmp_path / "assent.db")
    store = await open_sqlite(address)
    texts = ((RuleList.ALLOW, "Bash(a)"), (RuleList.DENY, "Bash(b)"), (RuleList.ALLOW, "Bash(a)"))
    rules = tuple(
        StoredRule(id=f"r{number}", list=kind, text=text, by="ana")
        for number, (kind, text) in enumerate(texts)
    )
    ended = StoredRule(id="ended", list=RuleList.ALLOW, text="Bash(d)", by="ana")
    grants = tuple(
        Grant(id=id, pattern=pattern, lifetime=Lifetime.FOREVER, by="ana")
        for id, pattern in (("g", "Bash(c)"), ("h", "Bash(e)"))
    )
    await store.remember(grants=grants, rules=(*rules, ended))
    for id in ("ended", "h"):
        await store.revoke(id, by="ana")
    await store.close()

    assert await read(address, allowed_patterns) == ("Bash(a)", "Bash(c)")
