"""The shipped nodes: texts, records, lists, numbers, dates, digests and web pages."""

import csv
import hashlib
import io
import json
import re
import statistics
from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import cast

from assent.hosts.chat.kernel.node import Node, NodeServices, pure_work
from assent.hosts.chat.tools.kernel_port import MISSING, Values, parse_field, schema, value_at, with_value

_TEXT = schema.string("The text.")
_ROWS = schema.array("The rows, each an object.", {"type": "object"}, maxItems=100_000)
_FIELD = re.compile(r"\{(\w+)\}")
_MAX_SHIFT = 1_000_000
_UNITS = ("days", "weeks", "hours", "minutes")
_DIGESTS = ("sha256", "sha512", "sha1", "md5")


def _parse(inputs: Values) -> Values:
    return {"value": json.loads(str(inputs["text"]))}


def _query(inputs: Values) -> Values:
    found = value_at(inputs["value"], parse_field(str(inputs["path"])))
    return {"value": None if found is MISSING else found, "found": found is not MISSING}


def _set(inputs: Values) -> Values:
    return {"record": with_value(inputs["record"], parse_field(str(inputs["path"])), inputs["value"])}


def _read_csv(inputs: Values) -> Values:
    reader = csv.DictReader(io.StringIO(str(inputs["text"])), delimiter=str(inputs.get("separator", ",")))
    return {"rows": list(reader), "columns": list(reader.fieldnames or ())}


def _write_csv(inputs: Values) -> Values:
    rows = cast("list[Mapping[str, object]]", inputs["rows"])
    columns = list(dict.fromkeys(name for row in rows for name in row))
    file = io.StringIO()
    writer = csv.DictWriter(file, columns, delimiter=str(inputs.get("separator", ",")), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return {"text": file.getvalue()}


def _sort(inputs: Values) -> Values:
    rows = cast("list[object]", inputs["rows"])
    path = parse_field(str(inputs["path"])) if "path" in inputs else []
    return {
        "rows": sorted(
            rows, key=lambda row: _key(value_at(row, path)), reverse=inputs.get("descending") is True
        )
    }


def _filter(inputs: Values) -> Values:
    path, wanted = parse_field(str(inputs["path"])), inputs["equals"]
    kept = [row for row in cast("list[object]", inputs["rows"]) if value_at(row, path) == wanted]
    return {"rows": kept, "count": len(kept)}


def _stats(inputs: Values) -> Values:
    numbers = cast("list[float]", inputs["numbers"])
    return {
        "count": len(numbers),
        "sum": sum(numbers),
        "mean": statistics.fmean(numbers),
        "median": statistics.median(numbers),
        "least": min(numbers),
        "most": max(numbers),
        "deviation": statistics.pstdev(numbers),
    }


def _key(value: object) -> tuple[int, float, str]:
    """A sort key: numbers, then texts, then everything else."""
    if isinstance(value, (int, float)):
        return 0, float(value), ""
    return (1, 0.0, value) if isinstance(value, str) else (2, 0.0, "")


DATA_NODES = (
    Node(
        type="json.parse",
        description="Read JSON text.",
        inputs=schema.object_of({"text": _TEXT}),
        outputs={"value": "what the text says"},
        work=pure_work(_parse),
    ),
    Node(
        type="json.query",
        description="Take a value out of a record by a dotted path such as `items.0.name`.",
        inputs=schema.object_of(
            {"value": schema.any_value("The record."), "path": schema.string("The path.", minLength=1)}
        ),
        outputs={"value": "what is there, or null", "found": "whether it is there"},
        work=pure_work(_query),
    ),
    Node(
        type="json.set",
        description="A copy of a record with another value at a dotted path.",
        inputs=schema.object_of(
            {
                "record": schema.any_value("The record."),
                "path": schema.string("The path.", minLength=1),
                "value": schema.any_value("The new value."),
            }
        ),
        outputs={"record": "the changed copy"},
        work=pure_work(_set),
    ),
    Node(
        type="csv.read",
        description="Read a table of comma-separated values whose first row names the columns.",
        inputs=schema.object_of(
            {"text": _TEXT}, {"separator": schema.string("One character.", minLength=1, maxLength=1)}
        ),
        outputs={"rows": "a list of objects", "columns": "their names"},
        work=pure_work(_read_csv),
    ),
    Node(
        type="csv.write",
        description="Write rows as a table of comma-separated values.",
        inputs=schema.object_of(
            {"rows": _ROWS}, {"separator": schema.string("One character.", minLength=1, maxLength=1)}
        ),
        outputs={"text": "the table"},
        work=pure_work(_write_csv),
    ),
    Node(
        type="list.sort",
        description="Sort a list, by a field of its rows if one is named.",
        inputs=schema.object_of(
            {"rows": schema.array("The list.", {}, maxItems=100_000)},
            {
                "path": schema.string("The field.", minLength=1),
                "descending": schema.boolean("The largest first."),
            },
        ),
        outputs={"rows": "the sorted list"},
        work=pure_work(_sort),
    ),
    Node(
        type="list.filter",
        description="Keep the rows whose field has a value.",
        inputs=schema.object_of(
            {
                "rows": _ROWS,
                "path": schema.string("The field.", minLength=1),
                "equals": schema.any_value("The value."),
            }
        ),
        outputs={"rows": "what was kept", "count": "how many"},
        work=pure_work(_filter),
    ),
    Node(
        type="math.stats",
        description="Count, sum, mean, median, least, most and deviation of numbers.",
        inputs=schema.object_of(
            {"numbers": schema.array("The numbers.", {"type": "number"}, minItems=1, maxItems=100_000)}
        ),
        outputs=dict.fromkeys(("count", "sum", "mean", "median", "least", "most", "deviation"), "a number"),
        work=pure_work(_stats),
    ),
)


def _template(inputs: Values) -> Values:
    values = cast("Mapping[str, object]", inputs.get("values", {}))
    # Not `str.format`, which would give a template access to attributes and indexes.
    return {"text": _FIELD.sub(lambda found: str(values.get(found[1], found[0])), str(inputs["template"]))}


def _split(inputs: Values) -> Values:
    parts = str(inputs["text"]).split(str(inputs.get("separator", "\n")))
    return {"parts": parts, "count": len(parts)}


def _join(inputs: Values) -> Values:
    parts = cast("list[object]", inputs["parts"])
    return {"text": str(inputs.get("separator", "\n")).join(map(str, parts))}


def _replace(inputs: Values) -> Values:
    text, old = str(inputs["text"]), str(inputs["old"])
    return {"text": text.replace(old, str(inputs["new"])), "count": text.count(old)}


def _count(inputs: Values) -> Values:
    text = str(inputs["text"])
    return {"characters": len(text), "words": len(text.split()), "lines": len(text.splitlines())}


TEXT_NODES = (
    Node(
        type="text.template",
        description="Fill values into a template: `{name}` becomes the value of that name.",
        inputs=schema.object_of(
            {"template": _TEXT}, {"values": {"type": "object", "description": "By name."}}
        ),
        outputs={"text": "the template, filled in"},
        work=pure_work(_template),
    ),
    Node(
        type="text.split",
        description="Cut a text at a separator; at line ends by default.",
        inputs=schema.object_of({"text": _TEXT}, {"separator": schema.string("Where to cut.", minLength=1)}),
        outputs={"parts": "the pieces", "count": "how many"},
        work=pure_work(_split),
    ),
    Node(
        type="text.join",
        description="Put pieces together with a separator; line ends by default.",
        inputs=schema.object_of(
            {"parts": schema.array("The pieces.", {})}, {"separator": schema.string("What goes between.")}
        ),
        outputs={"text": "the whole"},
        work=pure_work(_join),
    ),
    Node(
        type="text.replace",
        description="Replace one text by another, wherever it occurs.",
        inputs=schema.object_of(
            {
                "text": _TEXT,
                "old": schema.string("What goes.", minLength=1),
                "new": schema.string("What comes."),
            }
        ),
        outputs={"text": "the new text", "count": "the number of replacements"},
        work=pure_work(_replace),
    ),
    Node(
        type="text.count",
        description="Count the characters, words and lines of a text.",
        inputs=schema.object_of({"text": _TEXT}),
        outputs={"characters": "a number", "words": "a number", "lines": "a number"},
        work=pure_work(_count),
    ),
)


def _shift(inputs: Values) -> Values:
    given = str(inputs["date"])
    by = {unit: int(str(inputs.get(unit, 0))) for unit in _UNITS}
    day_only = len(given) == len("2026-01-31")
    moment = datetime.fromisoformat(given)
    shifted = moment + timedelta(days=by["days"], weeks=by["weeks"], hours=by["hours"], minutes=by["minutes"])
    text = shifted.date().isoformat() if day_only and shifted.time() == moment.time() else shifted.isoformat()
    return {"date": text, "weekday": shifted.strftime("%A")}


def _between(inputs: Values) -> Values:
    first, last = (date.fromisoformat(str(inputs[name])[:10]) for name in ("first", "last"))
    return {"days": (last - first).days}


def _digest(inputs: Values) -> Values:
    found = hashlib.new(
        str(inputs.get("algorithm", "sha256")), str(inputs["text"]).encode(), usedforsecurity=False
    )
    return {"digest": found.hexdigest()}


async def _get(inputs: Values, services: NodeServices) -> Values:
    page = await services.fetch_page(str(inputs["url"]))
    return {"status": page.status, "kind": page.media_type, "text": page.text, "moved": page.redirect}


OTHER_NODES = (
    Node(
        type="date.shift",
        description="Go forward, or back, from a date or a time in ISO form.",
        inputs=schema.object_of(
            {"date": schema.string("Such as 2026-01-31 or 2026-01-31T12:00.", minLength=8, maxLength=40)},
            {
                unit: schema.integer(
                    f"How many {unit}; less than zero goes back.", least=-_MAX_SHIFT, most=_MAX_SHIFT
                )
                for unit in _UNITS
            },
        ),
        outputs={"date": "in ISO form", "weekday": "its name"},
        work=pure_work(_shift),
    ),
    Node(
        type="date.between",
        description="How many days lie between two dates.",
        inputs=schema.object_of({"first": schema.string("The one."), "last": schema.string("The other.")}),
        outputs={"days": "a number, below zero if the last is before the first"},
        work=pure_work(_between),
    ),
    Node(
        type="hash.digest",
        description="What a text hashes to.",
        inputs=schema.object_of(
            {"text": schema.string("The text.")}, {"algorithm": schema.string("How.", enum=list(_DIGESTS))}
        ),
        outputs={"digest": "in hexadecimal"},
        work=pure_work(_digest),
    ),
    Node(
        type="http.get",
        description="Fetch an address of the open web; private addresses are refused.",
        inputs=schema.object_of({"url": schema.string("The address.", minLength=8, maxLength=4_000)}),
        outputs={
            "status": "the status",
            "kind": "the media type",
            "text": "the text",
            "moved": "where it is now, if on another host",
        },
        work=_get,
    ),
)
BUILTIN_NODES = (*TEXT_NODES, *DATA_NODES, *OTHER_NODES)
