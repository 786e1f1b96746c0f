"""The statistics of the audit equal a direct count of its rows."""

import random
from collections import Counter
from dataclasses import replace
from datetime import datetime, timedelta
from statistics import median

import pytest

from assent.gate.audit import BucketSize, Cause, Counts, Entry, Link, QuestionEnd, QuestionStats, RuleHits
from assent.gate.store import AuditFilter, Store, ToolUse
from tests.gate.samples import CALL, make_question
from tests.stores.promises.given import MANY, SetClock, StorePromises, list_all_links, sample_entry

END_DECISIONS = ("approved", "denied", "denied_with_reason", "released", "expired", "withdrawn", "")
RUN_DECISIONS = ("executed", "failed", "lapsed")
ANSWER_DECISIONS = ("approved", "denied", "denied_with_reason")


class TallyPromises(StorePromises):
    """The statistics of the audit equal a direct count of its rows."""

    async def test_an_empty_audit_has_zero_counts(self, store: Store) -> None:
        tally = await store.tally()

        assert (sum(tally.decisions.values()), sum(tally.total.questions.values())) == (0, 0)
        assert (tally.total.median, tally.buckets, tally.tools, tally.causes) == (None, (), (), ())
        assert await store.rule_hits() == (0, [])

    @pytest.mark.parametrize("span", list(BucketSize))
    async def test_every_count_equals_a_count_of_the_rows(
        self, store: Store, clock: SetClock, span: BucketSize
    ) -> None:
        await _record_history(store, clock)
        links = await list_all_links(store, limit=1000)
        tally = await store.tally(span=span)

        assert tally.decisions == _count_verdicts(links)
        assert (tally.total, tally.total.median is not None) == (
            _question_stats(_match_questions(links)),
            True,
        )
        assert [(one.at, one.decisions, one.questions) for one in tally.buckets] == _count_buckets(
            links, span
        )
        assert dict(tally.tools) == _stats_by_tool(links)
        assert dict(tally.causes) == _stats_by_cause(links)

    async def test_the_highest_counts_are_listed_first(self, store: Store, clock: SetClock) -> None:
        await _record_history(store, clock)
        tally = await store.tally()
        loads = [[sum(load.questions.values()) for _, load in found] for found in (tally.tools, tally.causes)]

        assert loads == [sorted(one, reverse=True) for one in loads]

    @pytest.mark.parametrize("field", ["agent", "user", "conversation", "tool"])
    async def test_each_given_field_narrows_the_calls_but_not_their_ends(
        self, store: Store, clock: SetClock, field: str
    ) -> None:
        await _record_history(store, clock)
        links = await list_all_links(store, limit=1000)
        wanted = getattr(links[0].entry, field)
        meant = [one for one in links if getattr(one.entry, field) == wanted]
        ends = [one for one in links if not one.entry.verdict]
        tally = await store.tally(AuditFilter(**{field: wanted}))

        assert tally.decisions == _count_verdicts(meant)
        assert tally.total == _question_stats(
            _match_questions([one for one in meant if one.entry.verdict], ends)
        )

    async def test_an_answer_after_the_searched_time_counts(self, store: Store, clock: SetClock) -> None:
        store.record(sample_entry(1, call="a"))
        await store.flush_audit()
        clock.advance(timedelta(hours=2))
        store.record(sample_entry(2, call="a", verdict="", decision="approved", user="ben"))
        await store.flush_audit()
        asked, answered = await list_all_links(store)
        tally = await store.tally(AuditFilter(since=asked.at, until=answered.at, user="ana"))
        later = await store.tally(AuditFilter(since=answered.at))

        assert tally.total.questions[QuestionEnd.YES] == sum(tally.total.questions.values()) == 1
        assert tally.total.median == pytest.approx((answered.at - asked.at).total_seconds(), abs=1e-6)
        assert sum(later.total.questions.values()) == 0

    async def test_a_repeated_call_is_one_question(self, store: Store) -> None:
        for number, stage in enumerate(("ask-rule", "mode", "breaker")):
            store.record(sample_entry(number, call="a", stage=stage, rule="r" if number == 0 else ""))
        await store.flush_audit()
        tally = await store.tally()

        assert tally.decisions["ask"] == 3
        assert [(cause, load.questions[QuestionEnd.OPEN]) for cause, load in tally.causes] == [
            (Cause("ask-rule", "r"), 1)
        ]

    async def test_the_same_id_in_another_conversation_is_another_question(self, store: Store) -> None:
        store.record(sample_entry(1, call="a", conversation="c1"))
        store.record(sample_entry(2, call="a", conversation="c2"))
        store.record(sample_entry(3, call="a", conversation="c2", verdict="", decision="denied"))
        await store.flush_audit()
        counts = (await store.tally()).total.questions

        assert (counts[QuestionEnd.OPEN], counts[QuestionEnd.NO]) == (1, 1)

    async def test_rule_hits_are_the_decisions_of_each_rule(self, store: Store, clock: SetClock) -> None:
        await _record_history(store, clock)
        decided = [one for one in await list_all_links(store, limit=1000) if one.entry.verdict]
        named = Counter(one.entry.rule for one in decided if one.entry.rule)
        lasts = {one.entry.rule: one.at for one in decided}
        expected = [RuleHits(rule, count, lasts[rule]) for rule, count in named.items()]
        since = decided[len(decided) // 2].at
        number, some = await store.rule_hits(AuditFilter(since=since))

        assert await store.rule_hits() == (
            len(decided),
            sorted(expected, key=lambda hit: (-hit.hits, hit.rule)),
        )
        assert number == sum(one.at >= since for one in decided)
        assert sum(hit.hits for hit in some) == sum(
            bool(one.entry.rule) for one in decided if one.at >= since
        )

    async def test_agents_are_listed_with_the_tools_they_called(self, store: Store) -> None:
        store.record(sample_entry(1, tool="note.put"))
        store.record(sample_entry(2, tool="made up", verdict="absent"))
        store.record(sample_entry(3, agent="helper", tool="made up", verdict="absent", user="ben"))
        store.record(sample_entry(4, agent="clerk", user="ben", verdict="", decision="approved"))
        await store.flush_audit()
        await store.add_approval("q", make_question("q", call=replace(CALL, agent="asker")), MANY)
        every, bens = await store.tool_uses(), await store.tool_uses("ben")
        asked = {one for one in every if one.agent == "asker"}

        assert every - asked == {ToolUse("clerk", "note.put"), ToolUse("clerk", ""), ToolUse("helper", "")}
        assert len(asked) == 1
        assert bens == {ToolUse("helper", "")}

    async def test_a_name_with_unusual_characters_is_counted(self, store: Store) -> None:
        store.record(sample_entry(1, tool="\x00", rule="half a pair \ud800"))
        await store.flush_audit()
        tally, (_, hits) = await store.tally(), await store.rule_hits()

        assert [tool for tool, _ in tally.tools] == ["\x00"]
        assert [cause.rule for cause, _ in tally.causes] == [hits[0].rule] == ["half a pair \ud800"]


async def _record_history(store: Store, clock: SetClock, calls: int = 80) -> None:
    """Record a fixed history: calls of every kind within two days, and the ends of their approvals."""
    chance = random.Random(7)
    for number in range(calls):
        verdict = chance.choice(("run", "ask", "ask", "ask", "deny", "absent"))
        call = sample_entry(
            number,
            call=f"call-{number}",
            user=chance.choice(("ana", "ben")),
            agent=chance.choice(("clerk", "helper")),
            conversation=chance.choice(("c1", "c2")),
            tool=chance.choice(("mail.send", "terminal.exec", "files.read")),
            verdict=verdict,
            stage=(stage := chance.choice(("mode", "ask-rule", "outside"))),
            rule=chance.choice(("r1", "r2")) if stage == "ask-rule" else "",
        )
        store.record(call)
        await _advance_clock(store, clock, chance)
        if verdict == "ask":
            await _record_end(store, clock, chance, call)


async def _record_end(store: Store, clock: SetClock, chance: random.Random, call: Entry) -> None:
    decision = chance.choice(END_DECISIONS)
    words = [decision, *([chance.choice(RUN_DECISIONS)] if decision == "approved" else [])]
    for word in filter(None, words):
        about = {name: getattr(call, name) for name in ("agent", "conversation", "call", "tool", "stage")}
        store.record(sample_entry(0, **about, user="ada", verdict="", decision=word))
        await _advance_clock(store, clock, chance)


async def _advance_clock(store: Store, clock: SetClock, chance: random.Random) -> None:
    await store.flush_audit()
    clock.advance(timedelta(seconds=chance.uniform(0, 2400)))


# ---- the same, counted from the rows ----------------------------------------------------------------


def _count_verdicts(links: list[Link]) -> Counts:
    counts = Counter(one.entry.verdict for one in links)
    return {word: counts[word] for word in ("run", "ask", "deny", "absent")}


def _match_questions(links: list[Link], ends: list[Link] | None = None) -> list[tuple[Link, Link | None]]:
    every = links if ends is None else ends
    ended = {one.entry.call: one for one in reversed(every) if not one.entry.verdict}
    return [(one, ended.get(one.entry.call)) for one in links if one.entry.verdict == "ask"]


def _question_stats(questions: list[tuple[Link, Link | None]]) -> QuestionStats:
    took = [
        (end.at - asked.at).total_seconds()
        for asked, end in questions
        if end is not None and end.entry.decision in ANSWER_DECISIONS
    ]
    return QuestionStats(_count_ends(questions), pytest.approx(median(took), abs=1e-6) if took else None)  # type: ignore[arg-type]


def _count_ends(questions: list[tuple[Link, Link | None]]) -> Counts:
    words = [None if end is None else end.entry.decision for _, end in questions]
    return {
        "yes": words.count("approved"),
        "no": words.count("denied") + words.count("denied_with_reason"),
        "released": words.count("released"),
        "expired": words.count("expired"),
        "withdrawn": words.count("withdrawn"),
        "open": words.count(None),
    }


def _count_buckets(links: list[Link], span: BucketSize) -> list[tuple[datetime, Counts, Counts]]:
    def bucket_start(link: Link) -> datetime:
        hour = link.at.replace(minute=0, second=0, microsecond=0)
        return hour if span is BucketSize.HOUR else hour.replace(hour=0)

    decided = [one for one in links if one.entry.verdict]
    return [
        (
            at,
            _count_verdicts([one for one in decided if bucket_start(one) == at]),
            _count_ends([pair for pair in _match_questions(links) if bucket_start(pair[0]) == at]),
        )
        for at in sorted({bucket_start(one) for one in decided})
    ]


def _stats_by_tool(links: list[Link]) -> dict[str, QuestionStats]:
    questions = _match_questions(links)
    tools = {one.entry.tool for one, _ in questions}
    return {
        tool: _question_stats([pair for pair in questions if pair[0].entry.tool == tool]) for tool in tools
    }


def _stats_by_cause(links: list[Link]) -> dict[Cause, QuestionStats]:
    questions = _match_questions(links)

    def cause_of(link: Link) -> Cause:
        return Cause(link.entry.stage, link.entry.rule)

    causes = {cause_of(one) for one, _ in questions}
    return {
        which: _question_stats([pair for pair in questions if cause_of(pair[0]) == which]) for which in causes
    }
