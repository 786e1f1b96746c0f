"""`apply_change`: fields of a record, or a passage of a text, from what they were to what they will be."""

import json
from collections.abc import Mapping
from typing import NamedTuple

from assent.engine.model import as_object
from assent.gate.ports import Preview
from assent.hosts.chat.belt import schema
from assent.hosts.chat.belt.arguments import Arguments
from assent.hosts.chat.belt.context import Context
from assent.hosts.chat.belt.diff import Change, current
from assent.hosts.chat.belt.fault import FaultError
from assent.hosts.chat.belt.reach import reach, shown
from assent.hosts.chat.belt.record import (
    MISSING,
    change_toml,
    changed,
    read_json,
    read_toml,
    steps,
    value_at,
    write_json,
)
from assent.hosts.chat.belt.threads import FILES
from assent.hosts.chat.belt.tool import BeltTool, Result, belt_tool
from assent.hosts.chat.belt.write import replace_file

_CHANGE = schema.record(
    {},
    {
        "field": schema.text("JSON and TOML: the field, such as `author.name` or `tags.0`.", minLength=1),
        "before": schema.anything(
            "What is there now; if it is not, nothing changes. In a text: the passage, there once."
        ),
        "after": schema.anything("What will be there; without it the field or passage is removed."),
    },
)
_PARAMETERS = schema.record(
    {
        "path": schema.text("A `.json` or `.toml` file, or any text file.", minLength=1),
        "changes": schema.items(
            "The changes, made together or not at all.", _CHANGE, minItems=1, maxItems=100
        ),
    }
)


class Field(NamedTuple):
    """One field as a person sees it on a card."""

    field: str
    before: object
    after: object

    @property
    def shown(self) -> Mapping[str, object]:
        """JSON; a side on which there is nothing is left out."""
        sides = {"before": self.before, "after": self.after}
        return {"field": self.field, **{side: one for side, one in sides.items() if one is not MISSING}}


class Draft(NamedTuple):
    """A change that was worked out, and not yet made."""

    path: str
    change: Change
    fields: tuple[Field, ...]

    @property
    def preview(self) -> Preview:
        """The card: each field before and after, and the diff."""
        return self.change.preview(fields=[one.shown for one in self.fields])


def apply_change() -> BeltTool:
    """The tool that changes a few fields of a file of the workspace."""
    description = (
        "Change fields of a JSON or TOML file, or passages of a text file. "
        "Say `before` to be sure that you change what you have read."
    )
    return BeltTool(tool=belt_tool("apply_change", description, _PARAMETERS), work=_apply, dry_run=_preview)


def rewritten(args: Mapping[str, object], name: str, text: str) -> str:
    """The text that a call would leave, for the card of its question; refuses what does not fit."""
    for one in Arguments(args).items("changes"):
        text, _ = _changed(name, text, as_object(one) or {})
    return text


async def _apply(args: Arguments, context: Context) -> Result:
    draft = await _drafted(args, context)
    await FILES.run(replace_file, draft.path, draft.change.name, _encoded(draft.change.after))
    told = draft.preview
    data = {"path": draft.change.name, "fields": told.details["fields"], "diff": told.details["diff"]}
    return Result(text=f"done: {told.summary}", data=data)


async def _preview(args: Arguments, context: Context) -> Preview:
    return (await _drafted(args, context)).preview


async def _drafted(args: Arguments, context: Context) -> Draft:
    path = reach(args.text("path"), context)
    name = shown(path, context)
    text = await FILES.run(current, path, name, context.limits.file_bytes)
    if text is None:
        raise FaultError(f"there is no `{name}`")
    after, fields = text, list[Field]()
    for one in args.items("changes"):
        after, field = _changed(name, after, as_object(one) or {})
        fields.append(field)
    _encoded(after)
    return Draft(path, Change(name=name, before=text, after=after), tuple(fields))


def _changed(name: str, text: str, change: Mapping[str, object]) -> tuple[str, Field]:
    """The text after one change; what is not as the change says is a fault, and nothing is changed."""
    if not name.endswith((".json", ".toml")):
        return _passage(name, text, change)
    field = change.get("field")
    if not isinstance(field, str):
        raise FaultError(f"`{name}` is a record: each change needs a `field`")
    way = steps(field)
    is_json = name.endswith(".json")
    record = read_json(text) if is_json else read_toml(text)
    found, after = value_at(record, way), change.get("after", MISSING)
    if "before" in change and _said(found) != _said(change["before"]):
        raise FaultError(
            f"`{field}` is {_said(found)}, not {_said(change['before'])}: it has changed meanwhile"
        )
    new = write_json(changed(record, way, after), text) if is_json else change_toml(text, way, after)
    return new, Field(field, found, after)


def _passage(name: str, text: str, change: Mapping[str, object]) -> tuple[str, Field]:
    before, after = change.get("before"), change.get("after", "")
    if not isinstance(before, str) or not before or not isinstance(after, str):
        raise FaultError(f"`{name}` is a text: each change needs `before` and `after` texts")
    if text.count(before) != 1:
        raise FaultError(
            f"the passage stands {text.count(before)} times in `{name}`; it must stand there once"
        )
    return text.replace(before, after), Field("", before, after)


def _said(value: object) -> str:
    return (
        "missing" if value is MISSING else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    )


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise FaultError("the change holds characters that cannot be written") from None
