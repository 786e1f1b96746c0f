"""Tests that approvals are stored unchanged, change state once, and add their grants."""

import asyncio
from dataclasses import replace

import pytest

from assent.engine.policy.snapshot import Tier, TierSetting
from assent.errors import ConflictError, LimitError, NotFoundError, StateError
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State, ask_again, postpone, report
from assent.gate.catalog import Pin
from assent.gate.conversation import Conversation
from assent.gate.file_preview import FilePreview, FileState
from assent.gate.ids import canonical_json
from assent.gate.policy import Moment, PolicyKey
from assent.gate.preset import Delivery, Lifetime, Scope
from assent.gate.question import Limits
from assent.gate.store import ApprovalFilter, ChangeResult, MakeApproval, Store, ToolTier
from tests.gate.samples import ADA, ALWAYS, ANA, CALL, CHRIS, NO, YES, make_question, sample_grant
from tests.stores.promises.given import (
    HOSTILE_IDS,
    HOUR,
    MANY,
    SetClock,
    StorePromises,
    answer_change,
    approval_to_canonical_json,
    claim_change,
    list_all_approvals,
    refuse_change,
    sample_rule,
)

FILE = FilePreview(
    path="caf\udce9.txt", state=FileState.CHANGED, digest="a" * 64, diff="@@ -1,1 +1,1 @@\n-a\n+b", added=1
)


def sub_agent_question(id: str, agent: str, *lineage: str) -> MakeApproval:
    """An approval of a sub-agent; `lineage` lists its ancestors, nearest first."""
    return make_question(id, call=replace(CALL, agent=agent, id=id), lineage=lineage)


class QuestionPromises(StorePromises):
    """Tests that approvals are stored unchanged, change state once, and add their grants."""

    # ---- adding ----------------------------------------------------------------------------------

    async def test_an_approval_is_stored_unchanged(self, store: Store) -> None:
        asked = await store.add_approval("q1", make_question(expires_in=HOUR, lineage=("boss", "root")), MANY)

        assert asked.state is State.PENDING
        assert asked.expires_at == asked.asked_at + HOUR
        assert await store.approval("q1") == asked

    async def test_a_new_approval_gets_the_time_and_policy_version_of_the_store(self, store: Store) -> None:
        before = await store.moment()
        seen: list[Moment] = []

        def ask(moment: Moment) -> Approval:
            seen.append(moment)
            return make_question()(moment)

        await store.add_approval("q1", ask, MANY)

        assert before.at <= seen[-1].at <= (await store.moment()).at
        assert seen[-1].version == before.version

    @pytest.mark.proves("R-6")
    async def test_adding_the_same_approval_again_returns_the_existing_one(self, store: Store) -> None:
        first = await store.add_approval("q1", make_question(), MANY)
        await store.change_approval("q1", answer_change())

        again = await store.add_approval("q1", make_question(), Limits(pending=0, denials=0))

        assert (again.state, again.asked_at) == (State.APPROVED, first.asked_at)
        assert len(await list_all_approvals(store)) == 1

    @pytest.mark.proves("R-6")
    async def test_another_call_with_a_used_id_is_a_conflict(self, store: Store) -> None:
        first = await store.add_approval("q1", make_question(), MANY)

        with pytest.raises(ConflictError):
            await store.add_approval("q1", make_question(args={"command": "npm publish --force"}), MANY)

        assert await store.approval("q1") == first

    async def test_the_same_approval_added_concurrently_is_stored_once(self, store: Store) -> None:
        found = await asyncio.gather(*(store.add_approval("q1", make_question(), MANY) for _ in range(50)))

        assert set(map(approval_to_canonical_json, found)) == {
            approval_to_canonical_json(await store.approval("q1"))
        }
        assert len(await list_all_approvals(store)) == 1

    @pytest.mark.proves("T-41")
    async def test_an_agent_over_its_limit_is_refused_and_others_are_not_affected(self, store: Store) -> None:
        limits = Limits(pending=3)
        tried = await asyncio.gather(
            *(store.add_approval(f"q{n}", make_question(f"q{n}"), limits) for n in range(10)),
            return_exceptions=True,
        )

        other = make_question("other", call=replace(CALL, agent="cook"))
        assert (await store.add_approval("other", other, limits)).state is State.PENDING
        assert sum(isinstance(one, LimitError) for one in tried) == 7
        assert len(await list_all_approvals(store, ApprovalFilter(agent="clerk"))) == 3

    @pytest.mark.proves("T-41")
    async def test_sub_agents_share_the_limit_of_their_root_agent(self, store: Store) -> None:
        limits = Limits(pending=3)
        await store.add_approval("q1", make_question("q1"), limits)
        await store.add_approval("q2", sub_agent_question("q2", "scout", "clerk"), limits)
        await store.add_approval("q3", sub_agent_question("q3", "helper", "scout", "clerk"), limits)

        for id, ask in {
            "q4": sub_agent_question("q4", "scout", "clerk"),
            "q5": sub_agent_question("q5", "another", "clerk"),
            "q6": make_question("q6"),
        }.items():
            with pytest.raises(
                LimitError, match="agent `clerk`, with its sub-agents, already has 3 open questions"
            ):
                await store.add_approval(id, ask, limits)
        # A root agent with the same name, a sub-agent of another agent, and an agent of another person.
        await store.add_approval(
            "q7", make_question("q7", call=replace(CALL, agent="scout", id="q7")), limits
        )
        await store.add_approval("q8", sub_agent_question("q8", "scout", "cook"), limits)
        await store.add_approval("q9", make_question("q9", owner="ben"), limits)
        await store.change_approval("q3", answer_change())
        assert (
            await store.add_approval("q4", sub_agent_question("q4", "scout", "clerk"), limits)
        ).state is State.PENDING

    @pytest.mark.proves("T-41")
    async def test_sub_agents_that_ask_concurrently_share_the_limit(self, store: Store) -> None:
        limits = Limits(pending=4)
        agents = [f"helper-{number}" for number in range(10)]

        tried = await asyncio.gather(
            *(
                store.add_approval(agent, sub_agent_question(agent, agent, "clerk"), limits)
                for agent in agents
            ),
            return_exceptions=True,
        )

        assert sum(isinstance(one, LimitError) for one in tried) == 6
        assert len(await list_all_approvals(store)) == 4

    async def test_an_answered_approval_no_longer_counts_for_the_limit(self, store: Store) -> None:
        await store.add_approval("q1", make_question("q1"), Limits(pending=1))
        await store.change_approval("q1", answer_change())

        assert (await store.add_approval("q2", make_question("q2"), Limits(pending=1))).state is State.PENDING

    async def test_a_call_that_was_denied_three_times_in_a_turn_is_not_asked_again(
        self, store: Store
    ) -> None:
        for number in range(3):
            await store.add_approval(f"q{number}", make_question(f"q{number}"), Limits())
            await store.change_approval(f"q{number}", answer_change(NO))

        with pytest.raises(LimitError):
            await store.add_approval("q3", make_question("q3"), Limits())
        assert (
            await store.add_approval("q4", make_question("q4", turn="t2"), Limits())
        ).state is State.PENDING
        assert (
            await store.add_approval("q5", make_question("q5", args={"command": "ls"}), Limits())
        ).state is State.PENDING

    @pytest.mark.proves("T-41")
    async def test_a_call_that_was_denied_three_times_recently_is_not_asked_again_in_any_turn(
        self, store: Store
    ) -> None:
        lasting = Limits(denial_window=HOUR)
        for number in range(3):
            await store.add_approval(f"q{number}", make_question(f"q{number}", turn=f"t{number}"), lasting)
            await store.change_approval(f"q{number}", answer_change(NO))

        with pytest.raises(LimitError, match="this call was denied 3 times recently"):
            await store.add_approval("q3", make_question("q3", turn="t3"), lasting)
        assert (
            await store.add_approval("q4", make_question("q4", turn="t4"), Limits())
        ).state is State.PENDING
        assert (
            await store.add_approval("q5", make_question("q5", turn="t5", owner="ben"), lasting)
        ).state is State.PENDING

    @pytest.mark.proves("T-41")
    async def test_calls_of_a_tool_that_was_often_denied_recently_are_not_asked_with_any_arguments(
        self, store: Store
    ) -> None:
        limits = Limits(denial_window=HOUR, tool_denials=4)

        def make_another_question(number: int, **changes: object) -> MakeApproval:
            args = {"command": f"npm publish{' ' * number}"}
            call = replace(CALL, conversation=f"c{number}", args=args)
            return make_question(f"q{number}", call=call, turn=f"t{number}", **changes)

        for number in range(4):
            await store.add_approval(f"q{number}", make_another_question(number), limits)
            await store.change_approval(f"q{number}", answer_change(NO))

        with pytest.raises(LimitError, match="calls of this tool were denied 4 times recently; do not try"):
            await store.add_approval("q4", make_another_question(4), limits)
        others = {
            "q5": make_question("q5", call=replace(CALL, tool="files.remove")),
            "q6": make_question("q6", call=replace(CALL, agent="cook")),
            "q7": make_another_question(7, owner="ben"),
        }
        for id_, question in others.items():
            assert (await store.add_approval(id_, question, limits)).state is State.PENDING
        assert (
            await store.add_approval("q8", make_another_question(8), Limits(tool_denials=4))
        ).state is State.PENDING

    @pytest.mark.proves("T-41")
    async def test_two_agents_with_the_same_name_are_counted_separately(self, store: Store) -> None:
        one = Limits(pending=1)
        await store.add_approval("q1", make_question("q1"), one)

        assert (await store.add_approval("q2", make_question("q2", owner="ben"), one)).state is State.PENDING
        with pytest.raises(LimitError):
            await store.add_approval("q3", make_question("q3"), one)

    async def test_an_approval_whose_creation_fails_is_not_stored(self, store: Store) -> None:
        def ask(moment: Moment) -> Approval:
            raise ConflictError("not like this")

        with pytest.raises(ConflictError, match="not like this"):
            await store.add_approval("q1", ask, MANY)

        with pytest.raises(NotFoundError):
            await store.approval("q1")

    # ---- changing --------------------------------------------------------------------------------

    async def test_an_unknown_approval_is_not_found(self, store: Store) -> None:
        for attempt in (
            store.approval("q9"),
            store.change_approval("q9", answer_change()),
            store.wait_for_answer("q9"),
        ):
            with pytest.raises(NotFoundError):
                await attempt

    async def test_an_answer_is_stored_unchanged(self, store: Store, clock: SetClock) -> None:
        said = Answer(
            say=Say.ALWAYS,
            reason="as agreed",
            rules=("terminal.exec(npm *)", "terminal.exec(npx *)"),
            scope=Scope.USER_AGENT,
            lifetime=Lifetime.UNTIL,
            until=clock.now + HOUR,
            uses=7,
            args={"command": "npm publish --dry-run", "deep": [{"a": None}, 1.5, True]},
        )
        await store.add_approval("q1", make_question(), MANY)

        changed = await store.change_approval("q1", answer_change(said))

        assert changed.answer == replace(said, by="ana")
        assert changed.approved_call.args == said.args
        assert await store.approval("q1") == changed

    async def test_every_state_of_an_approval_is_stored(self, store: Store) -> None:
        preview = {"summary": "one file", "details": {"files": ["a\u0000b"]}}
        await store.add_approval(
            "q1", make_question(delivery=Delivery.PROPOSE, token_digest="ab" * 32, preview=preview), MANY
        )
        await store.change_approval("q1", lambda one, moment: ChangeResult(postpone(one, ANA, at=moment.at)))
        await store.change_approval("q1", answer_change())
        await store.change_approval("q1", claim_change("claim-1", store.boot))
        done = await store.change_approval(
            "q1",
            lambda one, moment: ChangeResult(
                report(one, "claim-1", failed=True, note="exit 1", at=moment.at)
            ),
        )

        assert (done.state, done.note, done.boot) == (State.FAILED, "exit 1", store.boot)
        assert (done.later_at is None, done.closed_at is None, done.preview) == (False, False, preview)
        assert await store.approval("q1") == done

    @pytest.mark.proves("T-49")
    async def test_an_approval_that_is_asked_again_is_stored_with_its_new_file_and_can_be_waited_for(
        self, store: Store
    ) -> None:
        first = await store.add_approval("q1", make_question(file=FILE), MANY)
        await store.change_approval("q1", answer_change())
        newer = replace(FILE, digest="b" * 64, diff="-b\n+\udcff", changes=1)

        again = await store.change_approval(
            "q1",
            lambda one, moment: ChangeResult(ask_again(one, newer, moment.at + HOUR, at=moment.at)),
        )

        assert first.file == FILE
        assert (again.state, again.file, again.answer) == (State.PENDING, newer, None)
        assert await store.approval("q1") == again
        assert (await store.add_approval("q1", make_question(file=newer), MANY)).file == newer
        waiting = asyncio.ensure_future(store.wait_for_answer("q1"))
        with pytest.raises(ConflictError):
            await store.change_approval("q1", answer_change(digest=first.digest))
        await store.change_approval("q1", answer_change())
        assert (await waiting).state is State.APPROVED

    async def test_a_refused_change_changes_nothing(self, store: Store) -> None:
        first = await store.add_approval("q1", make_question(), MANY)

        with pytest.raises(ConflictError, match="not like this"):
            await store.change_approval("q1", refuse_change)

        assert await store.approval("q1") == first

    async def test_a_refused_change_affects_only_its_own_caller(self, store: Store) -> None:
        for number in range(20):
            await store.add_approval(f"q{number}", make_question(f"q{number}"), MANY)
        changes = [
            store.change_approval(f"q{number}", refuse_change if number % 3 == 0 else answer_change())
            for number in range(20)
        ]

        results = await asyncio.gather(*changes, return_exceptions=True)

        assert [isinstance(result, ConflictError) for result in results] == [n % 3 == 0 for n in range(20)]
        approved = await list_all_approvals(store, ApprovalFilter(states=frozenset({State.APPROVED})))
        assert {one.id for one in approved} == {f"q{n}" for n in range(20) if n % 3}

    async def test_grants_and_rules_are_stored_with_their_answer_or_not_at_all(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        await store.change_approval(
            "q1", answer_change(ALWAYS, ANA, sample_grant("g1"), rules=(sample_rule("r1"),))
        )

        with pytest.raises(StateError):
            await store.change_approval(
                "q1", answer_change(NO, CHRIS, sample_grant("g2"), rules=(sample_rule("r2"),))
            )

        assert [one.id for one in await store.grants()] == ["g1"]
        assert [one.id for one in await store.rules()] == ["r1"]

    @pytest.mark.proves("R-5", "R000-32")
    async def test_the_first_answer_wins_and_later_ones_get_its_author(self, store: Store) -> None:
        for number in range(50):
            await store.add_approval(f"q{number}", make_question(f"q{number}"), MANY)

        for number in range(50):
            said = [
                store.change_approval(f"q{number}", answer_change(YES, ANA)),
                store.change_approval(f"q{number}", answer_change(NO, CHRIS)),
            ]
            results = await asyncio.gather(*(said if number % 2 else reversed(said)), return_exceptions=True)
            winners = [one for one in results if isinstance(one, Approval)]
            losers = [one for one in results if isinstance(one, StateError)]

            assert (len(winners), len(losers)) == (1, 1)
            assert winners[0].answer is not None
            assert losers[0].by == winners[0].answer.by
            assert await store.approval(f"q{number}") == winners[0]

    @pytest.mark.proves("R-6", "R004-39")
    async def test_a_repeated_answer_is_stored_once(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)

        results = await asyncio.gather(
            *(store.change_approval("q1", answer_change(ALWAYS, ANA, sample_grant())) for _ in range(20))
        )

        assert {one.answered_at for one in results} == {(await store.approval("q1")).answered_at}
        assert len(await store.grants()) == 1

    @pytest.mark.proves("T-3", "R-6")
    async def test_a_call_is_claimed_once(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        await store.change_approval("q1", answer_change())

        results = await asyncio.gather(
            *(store.change_approval("q1", claim_change(f"claim-{n}")) for n in range(50)),
            return_exceptions=True,
        )

        assert sum(isinstance(one, Approval) for one in results) == 1
        assert sum(isinstance(one, StateError) for one in results) == 49

    async def test_a_repeated_claim_returns_the_same_claim(self, store: Store) -> None:
        await store.add_approval("q1", make_question(), MANY)
        await store.change_approval("q1", answer_change())

        first = await store.change_approval("q1", claim_change("claim-1"))

        assert await store.change_approval("q1", claim_change("claim-1")) == first

    # ---- what is kept is exact -------------------------------------------------------------------

    @pytest.mark.proves("R-18")
    @pytest.mark.parametrize(
        "args",
        [
            {"text": "ñandú 日本語 🙂 \u202e \ufeff \u2028"},
            {"nul": "a\u0000b", "\u0000": "\u0001\u001f\u007f\u0080"},
            {"numbers": [0, -0.0, 1, 1.0, 1e300, 5e-324, 2**53 + 1, 10**4000]},
            {"big": "x" * 1_000_000},
            {"": {"": [[], {}, None, True, False]}},
            {"quotes": "'\";--\\\\ %s ? :id {x}"},
            {"line\r\nends": "\r\n\t\v\f"},
        ],
        ids=["unicode", "nul", "numbers", "a megabyte", "empty", "quotes", "white space"],
    )
    async def test_arguments_are_stored_unchanged(self, store: Store, args: dict[str, object]) -> None:
        await store.add_approval("q1", make_question(args=args), MANY)
        await store.change_approval("q1", answer_change(replace(YES, args=args)))

        kept = await store.approval("q1")

        assert canonical_json(kept.call.args) == canonical_json(args)
        assert canonical_json(kept.approved_call.args) == canonical_json(args)

    @pytest.mark.proves("T-3")
    async def test_a_caller_cannot_change_the_stored_arguments(self, store: Store) -> None:
        args: dict[str, object] = {"command": "ls", "more": ["a"]}
        asked = await store.add_approval("q1", make_question(args=args), MANY)
        before = canonical_json(args)

        args["command"] = "rm -rf /"
        for held in (asked, await store.approval("q1")):
            more = held.call.args["more"]
            assert isinstance(more, list)
            more.append("b")

        assert canonical_json((await store.approval("q1")).call.args) == before

    @pytest.mark.proves("T-42")
    async def test_ids_and_texts_are_never_executed_as_sql(self, store: Store) -> None:
        for text in HOSTILE_IDS:
            call = replace(CALL, id=text, agent=text, conversation=text, user=text)
            await store.add_approval(
                text, make_question(text, call=call, owner=text, turn=text, mode=text, note=text), MANY
            )
            await store.add_policy(
                [sample_grant(f"g{text}", user=text, agent=text, conversation=text, by=text)],
                [sample_rule(f"r{text}", user=text, agent=text, conversation=text, by=text, why=text)],
            )
            await store.set_tiers([ToolTier(text, text, TierSetting(Tier.BLOCKED), text, text)])
            await store.pin_definitions([Pin(text, text, text)], by=text)
            await store.save_conversation(
                Conversation(id=text, owner=text, preset=text, mode=text, title=text)
            )

        for text in HOSTILE_IDS:
            current = await store.stored_policy(PolicyKey(text, text, text))
            assert (await store.change_approval(text, answer_change(NO, ADA))).state is State.DENIED
            assert [
                one.id for one in await list_all_approvals(store, ApprovalFilter(owner=text, turn=text))
            ] == [text]
            assert [one.id for one in current.grants] == [f"g{text}"]
            assert [one.id for one in current.rules] == [f"r{text}"]
            assert current.tiers == {text: TierSetting(Tier.BLOCKED)}
            assert current.conversation is not None
            assert current.conversation.title == text
            await store.revoke(f"g{text}", by=text)
        assert list(await store.grants()) == []
        assert len(await list_all_approvals(store)) == len(HOSTILE_IDS)
