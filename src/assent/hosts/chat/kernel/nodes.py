"""Nodes: functions with named inputs and outputs that workflows combine, and the built-in nodes."""

import csv
import hashlib
import io
import json
import re
import statistics
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import NamedTuple, cast

from assent.hosts.chat.tools.kernel_port import (
    FILE_THREADS,
    MISSING,
    FetchPage,
    Progress,
    Schema,
    ToolError,
    Values,
    find_issues,
    ignore_progress,
    parse_field_path,
    record_with_value,
    schema,
    value_at_path,
)


class NodeServices(NamedTuple):
    """Services that a node may use besides its inputs: fetch a web page, report progress."""

    fetch_page: FetchPage
    progress: Progress = ignore_progress


NodeWork = Callable[[Values, NodeServices], Awaitable[Values]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A type of node; packages register their nodes as entry points of the group `assent.nodes`."""

    type: str
    description: str
    inputs: Schema
    outputs: Mapping[str, str]
    """The description of each output, by name."""
    work: NodeWork

    async def run_node(self, inputs: Values, services: NodeServices) -> Values:
        """Validate the inputs, then call the node's function."""
        # Validated in a thread: the outputs of other steps can be large.
        if issues := await FILE_THREADS.run_in_thread(find_issues, self.inputs, inputs):
            reasons = "; ".join(f"{issue.path} {issue.message}" for issue in issues)
            raise ToolError(f"the inputs of `{self.type}` are not valid: {reasons}")
        return await self.work(inputs, services)

    def to_json(self) -> Mapping[str, object]:
        """The description that is shown to the model."""
        return {
            "type": self.type,
            "description": self.description,
            "inputs": self.inputs,
            "outputs": dict(self.outputs),
        }


def ignore_services(function: Callable[[Values], Values]) -> NodeWork:
    """Wrap a function that needs only the node's inputs; it runs in a thread."""

    async def run_without_services(inputs: Values, _: NodeServices) -> Values:
        try:
            return await FILE_THREADS.run_in_thread(function, inputs)
        except (ValueError, TypeError, KeyError, OverflowError, ArithmeticError) as error:
            raise ToolError(f"the node cannot work with these inputs: {error}") from None

    return run_without_services


_TEMPLATE_FIELD = re.compile(r"\{(\w+)\}")
_MAX_DATE_SHIFT = 1_000_000
_TIME_UNITS = ("days", "weeks", "hours", "minutes")
_HASH_NAMES = ("sha256", "sha512", "sha1", "md5")


def _parse_json(inputs: Values) -> Values:
    return {"value": json.loads(str(inputs["text"]))}


def _get_record_value(inputs: Values) -> Values:
    found = value_at_path(inputs["value"], parse_field_path(str(inputs["path"])))
    return {"value": None if found is MISSING else found, "found": found is not MISSING}


def _set_record_value(inputs: Values) -> Values:
    return {
        "record": record_with_value(inputs["record"], parse_field_path(str(inputs["path"])), inputs["value"])
    }


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


def _sort_rows(inputs: Values) -> Values:
    rows = cast("list[object]", inputs["rows"])
    path = parse_field_path(str(inputs["path"])) if "path" in inputs else []
    return {
        "rows": sorted(
            rows,
            key=lambda row: _sort_key(value_at_path(row, path)),
            reverse=inputs.get("descending") is True,
        )
    }


def _filter_rows(inputs: Values) -> Values:
    path, value = parse_field_path(str(inputs["path"])), inputs["equals"]
    matching = [row for row in cast("list[object]", inputs["rows"]) if value_at_path(row, path) == value]
    return {"rows": matching, "count": len(matching)}


def _summarize_numbers(inputs: Values) -> Values:
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


def _sort_key(value: object) -> tuple[int, float, str]:
    """Sort key that orders numbers first, then texts, then all other values."""
    if isinstance(value, (int, float)):
        return 0, float(value), ""
    return (1, 0.0, value) if isinstance(value, str) else (2, 0.0, "")


def _fill_template(inputs: Values) -> Values:
    values = cast("Mapping[str, object]", inputs.get("values", {}))
    # Not `str.format`, which would give a template access to attributes and indexes.
    return {
        "text": _TEMPLATE_FIELD.sub(
            lambda found: str(values.get(found[1], found[0])), str(inputs["template"])
        )
    }


def _split_text(inputs: Values) -> Values:
    parts = str(inputs["text"]).split(str(inputs.get("separator", "\n")))
    return {"parts": parts, "count": len(parts)}


def _join_texts(inputs: Values) -> Values:
    parts = cast("list[object]", inputs["parts"])
    return {"text": str(inputs.get("separator", "\n")).join(map(str, parts))}


def _replace_text(inputs: Values) -> Values:
    text, old = str(inputs["text"]), str(inputs["old"])
    return {"text": text.replace(old, str(inputs["new"])), "count": text.count(old)}


def _count_words(inputs: Values) -> Values:
    text = str(inputs["text"])
    return {"characters": len(text), "words": len(text.split()), "lines": len(text.splitlines())}


def _shift_date(inputs: Values) -> Values:
    given = str(inputs["date"])
    by = {unit: int(str(inputs.get(unit, 0))) for unit in _TIME_UNITS}
    day_only = len(given) == len("2026-01-31")
    moment = datetime.fromisoformat(given)
    shifted = moment + timedelta(days=by["days"], weeks=by["weeks"], hours=by["hours"], minutes=by["minutes"])
    text = shifted.date().isoformat() if day_only and shifted.time() == moment.time() else shifted.isoformat()
    return {"date": text, "weekday": shifted.strftime("%A")}


def _count_days(inputs: Values) -> Values:
    first, last = (date.fromisoformat(str(inputs[name])[:10]) for name in ("first", "last"))
    return {"days": (last - first).days}


def _hash_text(inputs: Values) -> Values:
    found = hashlib.new(
        str(inputs.get("algorithm", "sha256")), str(inputs["text"]).encode(), usedforsecurity=False
    )
    return {"digest": found.hexdigest()}


async def _fetch_web_page(inputs: Values, services: NodeServices) -> Values:
    page = await services.fetch_page(str(inputs["url"]))
    return {"status": page.status, "kind": page.media_type, "text": page.text, "moved": page.redirect}


def _node_without_services(
    node_type: str,
    description: str,
    function: Callable[[Values], Values],
    outputs: Mapping[str, str],
    inputs: Mapping[str, Schema],
    optional: Mapping[str, Schema] | None = None,
) -> Node:
    """A node whose outputs depend only on its inputs."""
    return Node(
        type=node_type,
        description=description,
        inputs=schema.object_schema(inputs, optional),
        outputs=outputs,
        work=ignore_services(function),
    )


_TEXT_SCHEMA = schema.string_schema("The text.")
_ANY_SCHEMA = schema.any_value_schema("Any JSON value.")
_RECORD_SCHEMA = schema.any_value_schema("The record.")
_PATH_SCHEMA = schema.string_schema("A dotted path such as `items.0.name`.", minLength=1)
_LIST_SCHEMA = schema.array_schema("The list.", {}, maxItems=100_000)
_ROWS_SCHEMA = schema.array_schema("The rows, each an object.", {"type": "object"}, maxItems=100_000)
_NUMBERS_SCHEMA = schema.array_schema("The numbers.", {"type": "number"}, minItems=1, maxItems=100_000)
_SEPARATOR_INPUT = {"separator": schema.string_schema("One character.", minLength=1, maxLength=1)}
_DATE_SCHEMA = schema.string_schema("Such as 2026-01-31 or 2026-01-31T12:00.", minLength=8, maxLength=40)
_STATISTIC_NAMES = ("count", "sum", "mean", "median", "least", "most", "deviation")

BUILTIN_NODES = (
    _node_without_services(
        "text.template",
        "Fill values into a template: `{name}` becomes the value of that name.",
        _fill_template,
        {"text": "the filled template"},
        {"template": _TEXT_SCHEMA},
        {"values": {"type": "object", "description": "The values by name."}},
    ),
    _node_without_services(
        "text.split",
        "Split a text at a separator; at line ends by default.",
        _split_text,
        {"parts": "the pieces", "count": "the number of pieces"},
        {"text": _TEXT_SCHEMA},
        {"separator": schema.string_schema("The text between two pieces.", minLength=1)},
    ),
    _node_without_services(
        "text.join",
        "Join pieces with a separator; with line ends by default.",
        _join_texts,
        {"text": "the joined text"},
        {"parts": schema.array_schema("The pieces.", {})},
        {"separator": schema.string_schema("The text between two pieces.")},
    ),
    _node_without_services(
        "text.replace",
        "Replace every occurrence of a text by another text.",
        _replace_text,
        {"text": "the new text", "count": "the number of replacements"},
        {
            "text": _TEXT_SCHEMA,
            "old": schema.string_schema("The text to replace.", minLength=1),
            "new": schema.string_schema("The replacement."),
        },
    ),
    _node_without_services(
        "text.count",
        "Count the characters, words and lines of a text.",
        _count_words,
        dict.fromkeys(("characters", "words", "lines"), "a number"),
        {"text": _TEXT_SCHEMA},
    ),
    _node_without_services(
        "json.parse", "Parse JSON text.", _parse_json, {"value": "the parsed value"}, {"text": _TEXT_SCHEMA}
    ),
    _node_without_services(
        "json.query",
        "Read the value at a dotted path of a record.",
        _get_record_value,
        {"value": "the value, or null", "found": "whether the path exists"},
        {"value": _RECORD_SCHEMA, "path": _PATH_SCHEMA},
    ),
    _node_without_services(
        "json.set",
        "Copy a record, with another value at a dotted path.",
        _set_record_value,
        {"record": "the changed copy"},
        {"record": _RECORD_SCHEMA, "path": _PATH_SCHEMA, "value": _ANY_SCHEMA},
    ),
    _node_without_services(
        "csv.read",
        "Read a table of comma-separated values whose first row names the columns.",
        _read_csv,
        {"rows": "a list of objects", "columns": "their names"},
        {"text": _TEXT_SCHEMA},
        _SEPARATOR_INPUT,
    ),
    _node_without_services(
        "csv.write",
        "Write rows as a table of comma-separated values.",
        _write_csv,
        {"text": "the table"},
        {"rows": _ROWS_SCHEMA},
        _SEPARATOR_INPUT,
    ),
    _node_without_services(
        "list.sort",
        "Sort a list; with a path, by that field of its rows.",
        _sort_rows,
        {"rows": "the sorted list"},
        {"rows": _LIST_SCHEMA},
        {"path": _PATH_SCHEMA, "descending": schema.boolean_schema("Whether the largest comes first.")},
    ),
    _node_without_services(
        "list.filter",
        "Keep the rows whose field has a value.",
        _filter_rows,
        {"rows": "the matching rows", "count": "their number"},
        {"rows": _ROWS_SCHEMA, "path": _PATH_SCHEMA, "equals": _ANY_SCHEMA},
    ),
    _node_without_services(
        "math.stats",
        "Count, sum, mean, median, least, most and deviation of numbers.",
        _summarize_numbers,
        dict.fromkeys(_STATISTIC_NAMES, "a number"),
        {"numbers": _NUMBERS_SCHEMA},
    ),
    _node_without_services(
        "date.shift",
        "Add a duration to a date or time in ISO form; a negative duration goes back.",
        _shift_date,
        {"date": "in ISO form", "weekday": "its name"},
        {"date": _DATE_SCHEMA},
        {
            unit: schema.integer_schema(f"The {unit} to add.", least=-_MAX_DATE_SHIFT, most=_MAX_DATE_SHIFT)
            for unit in _TIME_UNITS
        },
    ),
    _node_without_services(
        "date.between",
        "Count the days from one date to another.",
        _count_days,
        {"days": "a number, negative if the last date is before the first"},
        {"first": schema.string_schema("The first date."), "last": schema.string_schema("The last date.")},
    ),
    _node_without_services(
        "hash.digest",
        "Hash a text.",
        _hash_text,
        {"digest": "in hexadecimal"},
        {"text": _TEXT_SCHEMA},
        {"algorithm": schema.string_schema("The hash function; sha256 by default.", enum=list(_HASH_NAMES))},
    ),
    Node(
        type="http.get",
        description="Fetch an address of the public web; private addresses are refused.",
        inputs=schema.object_schema(
            {"url": schema.string_schema("The address.", minLength=8, maxLength=4_000)}
        ),
        outputs={
            "status": "the HTTP status",
            "kind": "the media type",
            "text": "the text",
            "moved": "the new address, if it is on another host",
        },
        work=_fetch_web_page,
    ),
)
"""The built-in nodes."""
