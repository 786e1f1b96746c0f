"""What the audit adds up to as JSON."""

from collections.abc import Sequence

from assent.gate.tally import Bucket, Counts, Hit, Load, Tally
from assent.wire.moment import moment_to_json


def tally_to_json(tally: Tally) -> dict[str, object]:
    """All of it."""
    return {
        "decisions": dict(tally.decisions),
        **_load(tally.every),
        "buckets": [_bucket(one) for one in tally.buckets],
        "tools": [{"tool": tool, **_load(load)} for tool, load in tally.tools],
        "rules": [{"stage": cause.stage, "rule": cause.rule, **_load(load)} for cause, load in tally.causes],
    }


def hits_to_json(decisions: int, hits: Sequence[Hit]) -> dict[str, object]:
    """How often each rule decided, out of so many decisions."""
    return {
        "decisions": decisions,
        "items": [{"rule": one.rule, "hits": one.hits, "last": moment_to_json(one.last)} for one in hits],
    }


def _load(load: Load) -> dict[str, object]:
    return {"questions": _questions(load.questions), "median": load.median}


def _bucket(bucket: Bucket) -> dict[str, object]:
    return {
        "at": moment_to_json(bucket.at),
        "decisions": dict(bucket.decisions),
        "questions": _questions(bucket.questions),
    }


def _questions(counts: Counts) -> dict[str, int]:
    return {"asked": sum(counts.values()), **counts}
