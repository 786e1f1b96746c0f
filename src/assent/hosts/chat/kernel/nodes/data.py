"""Nodes that work on records, lists and numbers."""

import csv
import io
import json
import statistics
from collections.abc import Mapping
from typing import cast

from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.record import MISSING, changed, steps, value_at
from assent.hosts.chat.kernel.node import Node, Values, pure

_TEXT = schema.text("The text.")
_ROWS = schema.items("The rows, each an object.", {"type": "object"}, maxItems=100_000)


def _parse(inputs: Values) -> Values:
    return {"value": json.loads(str(inputs["text"]))}


def _query(inputs: Values) -> Values:
    found = value_at(inputs["value"], steps(str(inputs["path"])))
    return {"value": None if found is MISSING else found, "found": found is not MISSING}


def _set(inputs: Values) -> Values:
    return {"record": changed(inputs["record"], steps(str(inputs["path"])), inputs["value"])}


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
    way = steps(str(inputs["path"])) if "path" in inputs else []
    return {
        "rows": sorted(
            rows, key=lambda row: _key(value_at(row, way)), reverse=inputs.get("descending") is True
        )
    }


def _filter(inputs: Values) -> Values:
    way, wanted = steps(str(inputs["path"])), inputs["equals"]
    kept = [row for row in cast("list[object]", inputs["rows"]) if value_at(row, way) == wanted]
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
    """Numbers before texts before everything else, so that any list can be sorted."""
    if isinstance(value, (int, float)):
        return 0, float(value), ""
    return (1, 0.0, value) if isinstance(value, str) else (2, 0.0, "")


DATA = (
    Node(
        type="json.parse",
        description="Read JSON text.",
        inputs=schema.record({"text": _TEXT}),
        outputs={"value": "what the text says"},
        work=pure(_parse),
    ),
    Node(
        type="json.query",
        description="Take a value out of a record by a dotted path such as `items.0.name`.",
        inputs=schema.record(
            {"value": schema.anything("The record."), "path": schema.text("The path.", minLength=1)}
        ),
        outputs={"value": "what is there, or null", "found": "whether it is there"},
        work=pure(_query),
    ),
    Node(
        type="json.set",
        description="A copy of a record with another value at a dotted path.",
        inputs=schema.record(
            {
                "record": schema.anything("The record."),
                "path": schema.text("The path.", minLength=1),
                "value": schema.anything("The new value."),
            }
        ),
        outputs={"record": "the changed copy"},
        work=pure(_set),
    ),
    Node(
        type="csv.read",
        description="Read a table of comma-separated values whose first row names the columns.",
        inputs=schema.record(
            {"text": _TEXT}, {"separator": schema.text("One character.", minLength=1, maxLength=1)}
        ),
        outputs={"rows": "a list of objects", "columns": "their names"},
        work=pure(_read_csv),
    ),
    Node(
        type="csv.write",
        description="Write rows as a table of comma-separated values.",
        inputs=schema.record(
            {"rows": _ROWS}, {"separator": schema.text("One character.", minLength=1, maxLength=1)}
        ),
        outputs={"text": "the table"},
        work=pure(_write_csv),
    ),
    Node(
        type="list.sort",
        description="Sort a list, by a field of its rows if one is named.",
        inputs=schema.record(
            {"rows": schema.items("The list.", {}, maxItems=100_000)},
            {"path": schema.text("The field.", minLength=1), "descending": schema.flag("The largest first.")},
        ),
        outputs={"rows": "the sorted list"},
        work=pure(_sort),
    ),
    Node(
        type="list.filter",
        description="Keep the rows whose field has a value.",
        inputs=schema.record(
            {
                "rows": _ROWS,
                "path": schema.text("The field.", minLength=1),
                "equals": schema.anything("The value."),
            }
        ),
        outputs={"rows": "what was kept", "count": "how many"},
        work=pure(_filter),
    ),
    Node(
        type="math.stats",
        description="Count, sum, mean, median, least, most and deviation of numbers.",
        inputs=schema.record(
            {"numbers": schema.items("The numbers.", {"type": "number"}, minItems=1, maxItems=100_000)}
        ),
        outputs=dict.fromkeys(("count", "sum", "mean", "median", "least", "most", "deviation"), "a number"),
        work=pure(_stats),
    ),
)
