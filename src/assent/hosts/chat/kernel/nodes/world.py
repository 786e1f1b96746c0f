"""Nodes that work on dates, digests and the web."""

import hashlib
from datetime import date, datetime, timedelta

from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.fetch import Request
from assent.hosts.chat.belt.page import page_text
from assent.hosts.chat.kernel.node import Bench, Node, Values, pure

_FAR = 1_000_000
_UNITS = ("days", "weeks", "hours", "minutes")
_DIGESTS = ("sha256", "sha512", "sha1", "md5")


def _shift(inputs: Values) -> Values:
    text = str(inputs["date"])
    by = {unit: int(str(inputs.get(unit, 0))) for unit in _UNITS}
    day_only = len(text) == len("2026-01-31")
    moment = datetime.fromisoformat(text)
    shifted = moment + timedelta(days=by["days"], weeks=by["weeks"], hours=by["hours"], minutes=by["minutes"])
    said = shifted.date().isoformat() if day_only and shifted.time() == moment.time() else shifted.isoformat()
    return {"date": said, "weekday": shifted.strftime("%A")}


def _between(inputs: Values) -> Values:
    first, last = (date.fromisoformat(str(inputs[name])[:10]) for name in ("first", "last"))
    return {"days": (last - first).days}


def _digest(inputs: Values) -> Values:
    found = hashlib.new(
        str(inputs.get("algorithm", "sha256")), str(inputs["text"]).encode(), usedforsecurity=False
    )
    return {"digest": found.hexdigest()}


async def _get(inputs: Values, bench: Bench) -> Values:
    answer = await bench.fetcher.fetch(Request(url=str(inputs["url"])))
    text = page_text(answer.text, answer.url)[1] if "html" in answer.kind else answer.text
    return {"status": answer.status, "kind": answer.kind, "text": text, "moved": answer.moved}


WORLD = (
    Node(
        type="date.shift",
        description="Go forward, or back, from a date or a time in ISO form.",
        inputs=schema.record(
            {"date": schema.text("Such as 2026-01-31 or 2026-01-31T12:00.", minLength=8, maxLength=40)},
            {
                unit: schema.number(f"How many {unit}; less than zero goes back.", least=-_FAR, most=_FAR)
                for unit in _UNITS
            },
        ),
        outputs={"date": "in ISO form", "weekday": "its name"},
        work=pure(_shift),
    ),
    Node(
        type="date.between",
        description="How many days lie between two dates.",
        inputs=schema.record({"first": schema.text("The one."), "last": schema.text("The other.")}),
        outputs={"days": "a number, below zero if the last is before the first"},
        work=pure(_between),
    ),
    Node(
        type="hash.digest",
        description="What a text hashes to.",
        inputs=schema.record(
            {"text": schema.text("The text.")}, {"algorithm": schema.text("How.", enum=list(_DIGESTS))}
        ),
        outputs={"digest": "in hexadecimal"},
        work=pure(_digest),
    ),
    Node(
        type="http.get",
        description="Fetch an address of the open web; private addresses are refused.",
        inputs=schema.record({"url": schema.text("The address.", minLength=8, maxLength=4_000)}),
        outputs={
            "status": "the status",
            "kind": "the media type",
            "text": "the text",
            "moved": "where it is now, if on another host",
        },
        work=_get,
    ),
)
