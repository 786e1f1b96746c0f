"""Statistics of the audit in memory; the tests for all stores are in `promises/tally.py`."""

from datetime import timedelta

from assent.gate.audit import CHAIN_START_HASH, BucketSize, Cause, Link, QuestionEnd, link_entry
from assent.gate.store import ALL_ENTRIES, AuditFilter
from assent.stores.memory.queries import count_rule_hits, count_tally
from tests.gate.samples import NOW
from tests.stores.promises.given import sample_entry

HOUR = timedelta(hours=1)


def _sample_links() -> list[Link]:
    entries = [
        sample_entry(1, call="a", stage="ask-rule", rule="r1"),
        sample_entry(2, call="b", stage="mode"),
        sample_entry(3, call="a", verdict="", decision="approved"),
        sample_entry(4, call="b", verdict="", decision="denied"),
        sample_entry(5, call="c", verdict="run", stage="allow-rule", rule="r1"),
    ]
    return [
        link_entry(entry, writer="w", number=number, at=NOW + number * HOUR, previous=CHAIN_START_HASH)
        for number, entry in enumerate(entries)
    ]


def test_questions_are_matched_with_the_rows_that_end_them() -> None:
    found = count_tally(_sample_links(), ALL_ENTRIES, BucketSize.DAY)

    assert (
        found.total.questions[QuestionEnd.YES],
        found.total.questions[QuestionEnd.NO],
        found.total.median,
    ) == (1, 1, 7200)
    assert [cause for cause, _ in found.causes] == [Cause("ask-rule", "r1"), Cause("mode")]


def test_a_bucket_begins_on_the_hour() -> None:
    found = count_tally(_sample_links(), ALL_ENTRIES, BucketSize.HOUR)
    first = NOW.replace(minute=0, second=0, microsecond=0)

    assert [one.at for one in found.buckets] == [first, first + HOUR, first + 4 * HOUR]


def test_a_rule_is_counted_for_each_call_that_it_decided() -> None:
    decisions, hits = count_rule_hits(_sample_links(), AuditFilter(since=NOW + HOUR))

    assert (decisions, [(hit.rule, hit.hits, hit.last) for hit in hits]) == (2, [("r1", 1, NOW + 4 * HOUR)])
