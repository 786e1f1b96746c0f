"""What the audit adds up to as JSON."""

from collections.abc import Sequence
from typing import cast

from assent.gate.tally import Bucket, Counts, Hit, Load, Tally
from assent.wire import shapes
from assent.wire.moment import moment_to_json


def tally_to_json(tally: Tally) -> shapes.TallyShown:
    """All of it."""
    return {
        "decisions": cast("shapes.DecisionsCounted", dict(tally.decisions)),
        **_load(tally.every),
        "buckets": [_bucket(one) for one in tally.buckets],
        "tools": [{"tool": tool, **_load(load)} for tool, load in tally.tools],
        "rules": [{"stage": cause.stage, "rule": cause.rule, **_load(load)} for cause, load in tally.causes],
    }


def hits_to_json(decisions: int, hits: Sequence[Hit]) -> shapes.HitsShown:
    """How often each rule decided, out of so many decisions."""
    return {
        "decisions": decisions,
        "items": [{"rule": one.rule, "hits": one.hits, "last": moment_to_json(one.last)} for one in hits],
    }


def _load(load: Load) -> shapes.Counted:
    return {"questions": _questions(load.questions), "median": load.median}


def _bucket(bucket: Bucket) -> shapes.BucketCounted:
    return {
        "at": moment_to_json(bucket.at),
        "decisions": cast("shapes.DecisionsCounted", dict(bucket.decisions)),
        "questions": _questions(bucket.questions),
    }


def _questions(counts: Counts) -> shapes.QuestionsCounted:
    return cast("shapes.QuestionsCounted", {"asked": sum(counts.values()), **counts})
