"""`write_file` and `apply_change`: the tools that change files of the workspace."""

import difflib
import hashlib
import json
import os
import secrets
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from assent.config.files import open_parent
from assent.engine.base.tool import as_object
from assent.gate.ports import DryRunResult
from assent.hosts.chat.tools import schema
from assent.hosts.chat.tools.files import display_path, read_text, report_os_errors, resolve_path
from assent.hosts.chat.tools.records import (
    MISSING,
    change_toml_value,
    format_json_like,
    parse_field_path,
    parse_json,
    parse_toml,
    record_with_value,
    value_at_path,
)
from assent.hosts.chat.tools.text import clip_text, replace_invalid_characters, to_json_object
from assent.hosts.chat.tools.tool import (
    FILE_THREADS,
    Arguments,
    ChatTool,
    ToolContext,
    ToolError,
    ToolResult,
    define_tool,
)

_MAX_SHOWN_CHARACTERS = 100_000
ABSENT = "absent"
"""Fingerprint of a file that does not exist."""
_WRITE_PARAMETERS = schema.object_schema(
    {
        "path": schema.string_schema("The file, from the current directory.", minLength=1),
        "content": schema.string_schema("What the file will hold, all of it."),
    }
)
_CHANGE_SCHEMA = schema.object_schema(
    {},
    {
        "field": schema.string_schema(
            "JSON and TOML: the field, such as `author.name` or `tags.0`.", minLength=1
        ),
        "before": schema.any_value_schema(
            "What is there now; if it is not, nothing changes. In a text: the passage, there once."
        ),
        "after": schema.any_value_schema("What will be there; without it the field or passage is removed."),
    },
)
_CHANGE_PARAMETERS = schema.object_schema(
    {
        "path": schema.string_schema("A `.json` or `.toml` file, or any text file.", minLength=1),
        "changes": schema.array_schema(
            "The changes, made together or not at all.", _CHANGE_SCHEMA, minItems=1, maxItems=100
        ),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """The text of a file before and after a change; `before` is None for a new file."""

    name: str
    before: str | None
    after: str

    @property
    def file_digest(self) -> str:
        """Fingerprint of the text before the change."""
        return text_digest(self.before)

    @property
    def unified_diff(self) -> str:
        """The change as a unified diff."""
        return "\n".join(
            difflib.unified_diff(
                (self.before or "").splitlines(),
                self.after.splitlines(),
                f"a/{self.name}" if self.before is not None else "/dev/null",
                f"b/{self.name}",
                lineterm="",
            )
        )

    def to_preview(self, **more: object) -> DryRunResult:
        """The preview of the change that a card shows."""
        lines = self.unified_diff.splitlines()[2:]
        added = sum(line.startswith("+") for line in lines)
        removed = sum(line.startswith("-") for line in lines)
        verb = "create" if self.before is None else "change"
        details: dict[str, object] = {
            "path": self.name,
            "before": None if self.before is None else clip_text(self.before, _MAX_SHOWN_CHARACTERS),
            "after": clip_text(self.after, _MAX_SHOWN_CHARACTERS),
            "diff": clip_text(self.unified_diff, _MAX_SHOWN_CHARACTERS),
            **more,
        }
        summary = replace_invalid_characters(f"{verb} {self.name}: +{added} -{removed} lines")
        return DryRunResult(summary, to_json_object(details), self.file_digest)


def text_digest(text: str | None) -> str:
    """Hash of a text; `absent` for None."""
    return ABSENT if text is None else hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


# ---- write_file ---------------------------------------------------------------------------------


def write_file_tool() -> ChatTool:
    """The tool that writes a whole file."""
    description = "Write a text file of the workspace, replacing what it held; directories are made."
    return ChatTool(
        tool=define_tool("write_file", description, _WRITE_PARAMETERS),
        work=_write_file,
        dry_run=_preview_write,
    )


def replace_file(path: str, name: str, content: bytes) -> None:
    """Write a file atomically, with the permissions of the existing file."""
    with report_os_errors(name), open_parent(path, create=True) as (directory, last):
        mode = _file_mode(last, directory, name)
        draft = f".{last[:100]}.{secrets.token_hex(8)}"
        descriptor = os.open(
            draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666, dir_fd=directory
        )
        try:
            with os.fdopen(descriptor, "wb") as file:
                if mode is not None:
                    os.fchmod(descriptor, mode)
                file.write(content)
                file.flush()
                os.fsync(descriptor)
            os.replace(draft, last, src_dir_fd=directory, dst_dir_fd=directory)
        except BaseException:
            os.unlink(draft, dir_fd=directory)
            raise


async def _write_file(args: Arguments, context: ToolContext) -> ToolResult:
    path, change = await _draft_write(args, context)
    await FILE_THREADS.run_in_thread(replace_file, path, change.name, change.after.encode("utf-8"))
    preview = change.to_preview()
    return ToolResult(
        text=f"done: {preview.summary}", data={"path": change.name, "diff": preview.details["diff"]}
    )


async def _preview_write(args: Arguments, context: ToolContext) -> DryRunResult:
    _, change = await _draft_write(args, context)
    return change.to_preview()


async def _draft_write(args: Arguments, context: ToolContext) -> tuple[str, FileChange]:
    path = resolve_path(args.get_text("path"), context)
    name = display_path(path, context)
    content = args.get_text("content")
    try:
        size = len(content.encode("utf-8"))
    except UnicodeEncodeError:
        raise ToolError("`content` holds characters that cannot be written") from None
    if size > context.limits.file_bytes:
        raise ToolError(f"`content` is larger than {context.limits.file_bytes:,} bytes")
    before = await FILE_THREADS.run_in_thread(read_text, path, name, context.limits.file_bytes)
    return path, FileChange(name=name, before=before, after=content)


def _file_mode(name: str, directory: int, display_name: str) -> int | None:
    """The permission bits of an existing file; raises `ToolError` unless it is a regular file."""
    try:
        status = os.stat(name, dir_fd=directory, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise ToolError(f"`{display_name}` is not a regular file, so it is not replaced")
    return stat.S_IMODE(status.st_mode)


# ---- apply_change -------------------------------------------------------------------------------


class FieldChange(NamedTuple):
    """The old and new value of one changed field, for a card."""

    field: str
    before: object
    after: object

    def to_json(self) -> Mapping[str, object]:
        """The JSON of the change; a missing value is omitted."""
        sides = {"before": self.before, "after": self.after}
        return {"field": self.field, **{side: one for side, one in sides.items() if one is not MISSING}}


class ChangeDraft(NamedTuple):
    """A computed change that is not yet written."""

    path: str
    change: FileChange
    fields: tuple[FieldChange, ...]

    @property
    def to_preview(self) -> DryRunResult:
        """The preview for a card: the diff, and the old and new value of each field."""
        return self.change.to_preview(fields=[one.to_json() for one in self.fields])


def apply_change_tool() -> ChatTool:
    """The tool that changes fields of a JSON or TOML file, or replaces text in any other file."""
    description = (
        "Change fields of a JSON or TOML file, or passages of a text file. "
        "Say `before` to be sure that you change what you have read."
    )
    return ChatTool(
        tool=define_tool("apply_change", description, _CHANGE_PARAMETERS),
        work=_apply_change,
        dry_run=_preview_change,
    )


def text_after_change(args: Mapping[str, object], name: str, text: str) -> str:
    """The text of a file after a call's changes; raises `ToolError` if a change cannot be applied."""
    for one in Arguments(args).get_list("changes"):
        text, _ = _apply_single_change(name, text, as_object(one) or {})
    return text


async def _apply_change(args: Arguments, context: ToolContext) -> ToolResult:
    draft = await _draft_change(args, context)
    await FILE_THREADS.run_in_thread(
        replace_file, draft.path, draft.change.name, _encode_text(draft.change.after)
    )
    preview = draft.to_preview
    data = {"path": draft.change.name, "fields": preview.details["fields"], "diff": preview.details["diff"]}
    return ToolResult(text=f"done: {preview.summary}", data=data)


async def _preview_change(args: Arguments, context: ToolContext) -> DryRunResult:
    return (await _draft_change(args, context)).to_preview


async def _draft_change(args: Arguments, context: ToolContext) -> ChangeDraft:
    path = resolve_path(args.get_text("path"), context)
    name = display_path(path, context)
    text = await FILE_THREADS.run_in_thread(read_text, path, name, context.limits.file_bytes)
    if text is None:
        raise ToolError(f"there is no `{name}`")
    after, fields = text, list[FieldChange]()
    for one in args.get_list("changes"):
        after, field = _apply_single_change(name, after, as_object(one) or {})
        fields.append(field)
    _encode_text(after)
    return ChangeDraft(path, FileChange(name=name, before=text, after=after), tuple(fields))


def _apply_single_change(name: str, text: str, change: Mapping[str, object]) -> tuple[str, FieldChange]:
    """Apply one change to a text; raises `ToolError` if the current value is not as expected."""
    if not name.endswith((".json", ".toml")):
        return _replace_text(name, text, change)
    field = change.get("field")
    if not isinstance(field, str):
        raise ToolError(f"`{name}` is a record: each change needs a `field`")
    path = parse_field_path(field)
    is_json = name.endswith(".json")
    record = parse_json(text) if is_json else parse_toml(text)
    found, after = value_at_path(record, path), change.get("after", MISSING)
    if "before" in change and _value_text(found) != _value_text(change["before"]):
        raise ToolError(
            f"`{field}` is {_value_text(found)}, not {_value_text(change['before'])}: "
            "it has changed meanwhile"
        )
    new = (
        format_json_like(record_with_value(record, path, after), text)
        if is_json
        else change_toml_value(text, path, after)
    )
    return new, FieldChange(field, found, after)


def _replace_text(name: str, text: str, change: Mapping[str, object]) -> tuple[str, FieldChange]:
    before, after = change.get("before"), change.get("after", "")
    if not isinstance(before, str) or not before or not isinstance(after, str):
        raise ToolError(f"`{name}` is a text: each change needs `before` and `after` texts")
    if text.count(before) != 1:
        raise ToolError(f"the passage occurs {text.count(before)} times in `{name}`; it must occur once")
    return text.replace(before, after), FieldChange("", before, after)


def _value_text(value: object) -> str:
    return (
        "missing" if value is MISSING else json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)
    )


def _encode_text(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise ToolError("the change holds characters that cannot be written") from None
