"""Nodes that work on texts."""

import re
from collections.abc import Mapping
from typing import cast

from assent.hosts.chat.belt import schema
from assent.hosts.chat.kernel.node import Node, Values, pure

_FIELD = re.compile(r"\{(\w+)\}")
_TEXT = schema.text("The text.")


def _template(inputs: Values) -> Values:
    values = cast("Mapping[str, object]", inputs.get("values", {}))
    # Only whole names are filled in: no attribute, index or format can be reached from a template.
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


TEXT = (
    Node(
        type="text.template",
        description="Fill values into a template: `{name}` becomes the value of that name.",
        inputs=schema.record({"template": _TEXT}, {"values": {"type": "object", "description": "By name."}}),
        outputs={"text": "the template, filled in"},
        work=pure(_template),
    ),
    Node(
        type="text.split",
        description="Cut a text at a separator; at line ends by default.",
        inputs=schema.record({"text": _TEXT}, {"separator": schema.text("Where to cut.", minLength=1)}),
        outputs={"parts": "the pieces", "count": "how many"},
        work=pure(_split),
    ),
    Node(
        type="text.join",
        description="Put pieces together with a separator; line ends by default.",
        inputs=schema.record(
            {"parts": schema.items("The pieces.", {})}, {"separator": schema.text("What goes between.")}
        ),
        outputs={"text": "the whole"},
        work=pure(_join),
    ),
    Node(
        type="text.replace",
        description="Replace one text by another, wherever it stands.",
        inputs=schema.record(
            {"text": _TEXT, "old": schema.text("What goes.", minLength=1), "new": schema.text("What comes.")}
        ),
        outputs={"text": "the new text", "count": "how often it stood there"},
        work=pure(_replace),
    ),
    Node(
        type="text.count",
        description="Count the characters, words and lines of a text.",
        inputs=schema.record({"text": _TEXT}),
        outputs={"characters": "a number", "words": "a number", "lines": "a number"},
        work=pure(_count),
    ),
)
