"""Tests that policy is stored, versioned, selected by scope, used up and revoked."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

import pytest

from assent.engine.policy.rule import RuleList
from assent.engine.policy.snapshot import Tier, TierSetting
from assent.errors import ConflictError, NotFoundError
from assent.gate.catalog import Pin
from assent.gate.conversation import Conversation
from assent.gate.policy import PolicyKey, StoredRule
from assent.gate.preset import Lifetime
from assent.gate.store import Store, ToolTier
from tests.gate.samples import ALWAYS, ANA, make_question, sample_grant
from tests.stores.promises.given import (
    HOUR,
    MANY,
    POLICY_KEY,
    SetClock,
    StorePromises,
    answer_change,
    claim_change,
    sample_entry,
    sample_rule,
    without_creation_time,
)


class PolicyPromises(StorePromises):
    """Tests that policy is stored, versioned, selected by scope, used up and revoked."""

    async def test_every_change_of_policy_increments_the_version(self, store: Store) -> None:
        await store.add_approval("q1", make_question("q1"), MANY)
        await store.add_approval("q2", make_question("q2"), MANY)
        await store.save_conversation(Conversation(id="c1", owner="ana", preset="assent", mode="default"))
        pin = Pin("shop", "mail.send", "a" * 64)
        counted = sample_grant("g2", lifetime=Lifetime.USES, uses=1)
        writes = [
            lambda: store.set_tiers([ToolTier("clerk", "mail.send", TierSetting(Tier.BLOCKED))]),
            lambda: store.set_tiers([], replace_agent="clerk"),
            lambda: store.add_policy([sample_grant("g1"), counted]),
            lambda: store.add_policy(rules=[sample_rule("r1")]),
            lambda: store.change_approval("q1", answer_change(ALWAYS, ANA, sample_grant("g3"))),
            lambda: store.change_approval("q2", answer_change(ALWAYS, ANA, rules=(sample_rule("r2"),))),
            lambda: store.use_grants(["g2"]),
            lambda: store.revoke("g1", by="ana"),
            lambda: store.revoke("r1", by="ana"),
            lambda: store.pin_definitions([pin]),
            lambda: store.pin_definitions([pin._replace(digest="b" * 64)], accept=True),
            lambda: store.save_conversation(Conversation(id="c1", owner="ana", preset="assent", mode="plan")),
        ]

        for number, write in enumerate(writes):
            before = (await store.moment()).version
            await write()
            assert (await store.moment()).version > before, number
            assert (await store.stored_policy(POLICY_KEY)).version == (await store.moment()).version

    async def test_other_changes_do_not_increment_the_version(self, store: Store) -> None:
        before = (await store.moment()).version

        await store.add_approval("q1", make_question(), MANY)
        await store.change_approval("q1", answer_change())
        await store.change_approval("q1", claim_change("claim-1", store.boot))
        store.record(sample_entry())
        await store.flush_audit()
        await store.record_heartbeat()
        await store.check_writable()
        await store.sweep(HOUR)

        assert (await store.moment()).version == before

    async def test_the_stored_policy_contains_only_what_applies_to_the_user_agent_and_conversation(
        self, store: Store
    ) -> None:
        scopes: list[dict[str, object]] = [
            {},
            {"user": "ana"},
            {"agent": "clerk"},
            {"conversation": "c1"},
            {"user": "ana", "agent": "clerk", "conversation": "c1"},
            {"user": "ben"},
            {"agent": "cook"},
            {"conversation": "c2"},
            {"user": "ana", "agent": "cook"},
            {"user": ""},
        ]
        await store.add_policy(
            [sample_grant(f"g{at}", **scope) for at, scope in enumerate(scopes)],
            [sample_rule(f"r{at}", list=RuleList.DENY, **scope) for at, scope in enumerate(scopes)],
        )

        current = await store.stored_policy(POLICY_KEY)

        assert [one.id for one in current.grants] == ["g0", "g1", "g2", "g3", "g4"]
        assert [one.id for one in current.rules] == ["r0", "r1", "r2", "r3", "r4"]

    async def test_the_stored_policy_contains_tiers_pins_and_the_conversation(self, store: Store) -> None:
        blocked = TierSetting(Tier.BLOCKED, explicit=False)
        await store.set_tiers(
            [
                ToolTier("clerk", "mail.send", blocked),
                ToolTier("cook", "mail.send", TierSetting(Tier.ALWAYS_ALLOW)),
            ]
        )
        await store.pin_definitions([Pin("shop", "mail.send", "a" * 64), Pin("shop", "mail.read", "b" * 64)])
        saved = await store.save_conversation(
            Conversation(id="c1", owner="ana", preset="assent", mode="plan")
        )

        current = await store.stored_policy(POLICY_KEY)
        elsewhere = await store.stored_policy(PolicyKey("ben", "nobody", "c9"))

        assert current.tiers == {"mail.send": blocked}
        assert current.pins == {("shop", "mail.send"): "a" * 64, ("shop", "mail.read"): "b" * 64}
        assert current.conversation == saved
        assert (elsewhere.tiers, elsewhere.conversation) == ({}, None)

    async def test_an_empty_store_has_an_empty_policy(self, store: Store) -> None:
        current = await store.stored_policy(POLICY_KEY)

        assert (current.tiers, current.rules, current.grants, current.pins) == ({}, (), (), {})
        assert current.conversation is None

    async def test_grants_and_rules_are_stored_unchanged_with_the_stores_time(
        self, store: Store, clock: SetClock
    ) -> None:
        grants = [
            sample_grant(
                "g1",
                lifetime=Lifetime.UNTIL,
                until=clock.now + HOUR,
                user="ana",
                agent="clerk",
                override=True,
            ),
            sample_grant("g2", lifetime=Lifetime.USES, uses=3, conversation="c1", approval="q7"),
            sample_grant("g3", lifetime=Lifetime.RESTART, boot="boot-1", pattern="files.write(ñ/**)"),
        ]
        rules = [
            sample_rule("r1", list=RuleList.ASK, user="ana", why="careful", approval="q7"),
            sample_rule("r2"),
        ]

        await store.add_policy(grants, rules)

        assert without_creation_time(*await store.grants()) == grants
        assert without_creation_time(*await store.rules()) == rules
        now = (await store.moment()).at
        assert all(
            one.at is not None and now - one.at < HOUR
            for one in [*await store.grants(), *await store.rules()]
        )

    async def test_a_grant_or_rule_that_is_added_twice_is_stored_once(self, store: Store) -> None:
        await store.add_policy([sample_grant()], [sample_rule()])
        await store.add_policy([sample_grant()], [sample_rule()])

        assert (len(await store.grants()), len(await store.rules())) == (1, 1)

    async def test_a_revoked_grant_or_rule_no_longer_applies(self, store: Store) -> None:
        await store.add_policy(
            [sample_grant("g1"), sample_grant("g2", override=True, user="ana", agent="clerk")],
            [sample_rule("r1")],
        )

        await store.revoke("g2", by="ada")
        await store.revoke("r1", by="ada")
        current = await store.stored_policy(POLICY_KEY)

        assert ([one.id for one in current.grants], current.rules) == (["g1"], ())
        assert [one.id for one in [*await store.grants(), *await store.rules()]] == ["g1"]

    async def test_revoking_twice_changes_nothing_and_an_unknown_id_is_not_found(self, store: Store) -> None:
        await store.add_policy([sample_grant()])
        await store.revoke("g1", by="ada")
        version = (await store.moment()).version

        await store.revoke("g1", by="ada")

        assert (await store.moment()).version == version
        with pytest.raises(NotFoundError):
            await store.revoke("g9", by="ada")

    async def test_a_replaced_rule_keeps_its_unchanged_fields(self, store: Store, clock: SetClock) -> None:
        given = sample_rule("r1", user="ana", agent="clerk", why="old", approval="q7")
        await store.add_policy(rules=[given, sample_rule("r2")])
        (before, other) = await store.rules()
        version = (await store.moment()).version
        clock.advance(HOUR)

        new = await store.replace_rule("r1", lambda rule: replace(rule, id="r3", why="new"), by="ada")

        assert new == replace(before, id="r3", why="new")
        assert sorted(await store.rules(), key=lambda one: one.id) == [other, new]
        assert [one.id for one in (await store.stored_policy(POLICY_KEY)).rules] == ["r2", "r3"]
        assert (await store.moment()).version > version

    async def test_replacing_a_rule_by_itself_changes_nothing(self, store: Store) -> None:
        await store.add_policy(rules=[sample_rule("r1")])
        before = (await store.moment()).version

        await store.replace_rule("r1", lambda rule: rule, by="ada")

        assert (await store.moment()).version == before
        assert [one.id for one in await store.rules()] == ["r1"]

    async def test_of_several_concurrent_replacements_of_a_rule_one_succeeds(self, store: Store) -> None:
        await store.add_policy(rules=[sample_rule("r1")])

        def change_text(id: str) -> Callable[[StoredRule], StoredRule]:
            return lambda rule: replace(rule, id=id)

        tries = await asyncio.gather(
            *(store.replace_rule("r1", change_text(f"new-{number}"), by="ada") for number in range(5)),
            return_exceptions=True,
        )

        assert sum(isinstance(one, ConflictError) for one in tries) == 4
        assert len(await store.rules()) == 1
        with pytest.raises(NotFoundError):
            await store.replace_rule("r9", change_text("r10"), by="ada")

    async def test_tiers_are_set_and_cleared_one_by_one(self, store: Store) -> None:
        tiers = [ToolTier("clerk", tool, TierSetting(Tier.BLOCKED), "mcp", "ada") for tool in ("a", "b", "c")]
        await store.set_tiers([*tiers, ToolTier("cook", "a", TierSetting(Tier.BLOCKED))])

        allowed = ToolTier("clerk", "b", TierSetting(Tier.ALWAYS_ALLOW), "mcp", "ada")
        await store.set_tiers([allowed], cleared=[("clerk", "a")])

        assert list(await store.tiers("clerk")) == [allowed, tiers[2]]
        assert len(await store.tiers("cook")) == 1

    async def test_a_repeated_answer_does_not_restore_a_revoked_grant_or_rule(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        await store.change_approval(
            "q1", answer_change(ALWAYS, ANA, sample_grant("g1"), rules=(sample_rule("r1"),))
        )
        await store.revoke("g1", by="ada")
        await store.revoke("r1", by="ada")

        await store.change_approval(
            "q1", answer_change(ALWAYS, ANA, sample_grant("g1"), rules=(sample_rule("r1"),))
        )

        assert [*await store.grants(), *await store.rules()] == []

    async def test_a_counted_grant_can_be_used_exactly_as_often_as_it_allows(self, store: Store) -> None:
        await store.add_policy([sample_grant(lifetime=Lifetime.USES, uses=7)])

        used = await asyncio.gather(*(store.use_grants(["g1"]) for _ in range(50)))

        assert sum(used) == 7
        assert [one.uses for one in await store.grants()] == [0]

    async def test_several_grants_are_used_together_or_not_at_all(self, store: Store) -> None:
        counted = [sample_grant(id, lifetime=Lifetime.USES, uses=uses) for id, uses in (("g1", 5), ("g2", 1))]
        await store.add_policy(counted)

        used = [
            await store.use_grants(["g1", "g2"]),
            await store.use_grants(["g1", "g2"]),
            await store.use_grants(["g1"]),
        ]

        assert used == [True, False, True]
        assert {one.id: one.uses for one in await store.grants()} == {"g1": 3, "g2": 0}

    async def test_a_repeated_answer_does_not_restore_uses_of_a_grant(self, store: Store) -> None:
        counted = sample_grant(lifetime=Lifetime.USES, uses=1)
        await store.add_approval("q1", make_question(), MANY)
        await store.change_approval("q1", answer_change(ALWAYS, ANA, counted))
        await store.use_grants(["g1"])

        await store.change_approval("q1", answer_change(ALWAYS, ANA, counted))
        await store.add_policy([counted])

        assert await store.use_grants(["g1"]) is False
        assert [one.uses for one in await store.grants()] == [0]

    async def test_unknown_revoked_and_uncounted_grants_cannot_be_used(self, store: Store) -> None:
        await store.add_policy([sample_grant("g1", lifetime=Lifetime.USES, uses=5), sample_grant("g2")])
        await store.revoke("g1", by="ada")

        assert [await store.use_grants([id]) for id in ("g1", "g2", "g9")] == [False, False, False]

    @pytest.mark.proves("R004-1", "R004-9")
    async def test_an_agent_and_a_tool_have_one_tier(self, store: Store) -> None:
        allowed = ToolTier("clerk", "mail.send", TierSetting(Tier.ALWAYS_ALLOW), "mcp", "ana")
        other = ToolTier("clerk", "a.tool", TierSetting(Tier.BLOCKED, explicit=False), "rag", "ana")
        cook = ToolTier("cook", "mail.send", TierSetting(Tier.NEEDS_APPROVAL))
        await store.set_tiers([allowed, cook])

        blocked = allowed._replace(assignment=TierSetting(Tier.BLOCKED), by="ada")
        await store.set_tiers([blocked, other])

        assert list(await store.tiers()) == [other, blocked, cook]
        assert list(await store.tiers("clerk")) == [other, blocked]
        assert list(await store.tiers("nobody")) == []

    async def test_the_tiers_of_an_agent_can_be_replaced_together(self, store: Store) -> None:
        old = [ToolTier("clerk", f"tool.{n}", TierSetting(Tier.BLOCKED)) for n in range(3)]
        cook = ToolTier("cook", "mail.send", TierSetting(Tier.NEEDS_APPROVAL))
        new = ToolTier("clerk", "tool.1", TierSetting(Tier.ALWAYS_ALLOW))
        await store.set_tiers([*old, cook])

        await store.set_tiers([new], replace_agent="clerk")
        replaced = list(await store.tiers())
        await store.set_tiers([], replace_agent="clerk")

        assert replaced == [new, cook]
        assert list(await store.tiers()) == [cook]

    async def test_the_first_definition_stays_pinned_until_another_is_accepted(self, store: Store) -> None:
        first, changed = Pin("shop", "mail.send", "a" * 64), Pin("shop", "mail.send", "b" * 64)
        await store.pin_definitions([first])

        await store.pin_definitions([changed])
        held = (await store.stored_policy(POLICY_KEY)).pins
        await store.pin_definitions([changed], by="ada", accept=True)

        assert held == {("shop", "mail.send"): "a" * 64}
        assert (await store.stored_policy(POLICY_KEY)).pins == {("shop", "mail.send"): "b" * 64}

    async def test_only_a_definition_that_a_person_accepted_is_reviewed(self, store: Store) -> None:
        pin, key = Pin("page https://a.test", "crm.get", "a" * 64), ("page https://a.test", "crm.get")
        await store.pin_definitions([pin])
        first = await store.stored_policy(POLICY_KEY)

        await store.pin_definitions([pin], by="ada", accept=True)
        accepted = await store.stored_policy(POLICY_KEY)
        await store.pin_definitions([pin])

        assert (first.pins, first.reviewed) == ({key: "a" * 64}, {})
        assert (accepted.pins, accepted.reviewed) == ({key: "a" * 64}, {key: "a" * 64})
        assert accepted.version > first.version
        assert (await store.stored_policy(POLICY_KEY)).reviewed == {key: "a" * 64}
        assert [one.accepted_by for one in await store.pins()] == ["ada"]

    async def test_the_same_tool_of_another_origin_has_its_own_pin(self, store: Store) -> None:
        await store.pin_definitions([Pin("shop", "mail.send", "a" * 64), Pin("evil", "mail.send", "b" * 64)])

        assert (await store.stored_policy(POLICY_KEY)).pins == {
            ("shop", "mail.send"): "a" * 64,
            ("evil", "mail.send"): "b" * 64,
        }

    async def test_a_conversation_keeps_its_owner_agent_and_preset(self, store: Store) -> None:
        first = Conversation(id="c1", owner="ana", agent="clerk", preset="assent", mode="default")
        saved = await store.save_conversation(first)

        stolen = Conversation(
            id="c1", owner="ben", agent="cook", preset="chat", mode="plan", title="Trip", model="m1"
        )
        again = await store.save_conversation(stolen)

        assert replace(saved, at=None) == first
        assert saved.at is not None
        assert again == replace(saved, mode="plan", title="Trip", model="m1")
        assert await store.conversation("c1") == again
        assert await store.conversation("c2") is None
