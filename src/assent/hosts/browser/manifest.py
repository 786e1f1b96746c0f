"""The manifest of a web page: its text in parts, and the tools that it declares."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from assent.config.strictjson import read_json
from assent.engine.base.characters import describe_deceptive_character, describe_hidden_character
from assent.engine.base.tool import PLACEHOLDER, as_list, as_object
from assent.errors import InputError
from assent.wire.fields import Fields

MAX_MANIFEST_CHARACTERS = 2_000_000
MAX_TOOLS = 1_000
MAX_PARTS = 200
MAX_DESCRIPTION_CHARACTERS = 4_000
MAX_TEMPLATE_CHARACTERS = 500
MAX_SCHEMA_CHARACTERS = 50_000
MAX_SCHEMA_DEPTH = 24
MAX_PLACEHOLDERS = 20
_FIELDS = ("name", "description", "params", "sideEffect", "specifierTemplate", "kind")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NO_ARGUMENTS: Mapping[str, object] = {"type": "object", "properties": {}, "additionalProperties": False}


class ToolKind(StrEnum):
    """Where a page declares a tool."""

    AGENT_TOOL = "agentTool"
    COMMAND = "command"
    LAYOUT = "layout"


class SerializedTool(NamedTuple):
    """A tool as a page declares it; its handler stays in the page."""

    name: str
    description: str
    params: Mapping[str, object]
    side_effect: bool
    template: str | None
    kind: ToolKind

    @property
    def arguments(self) -> frozenset[str]:
        """The names of the declared arguments."""
        return frozenset(as_object(self.params.get("properties")) or {})


class Manifest(NamedTuple):
    """A complete manifest, not yet parsed."""

    id: str
    text: str


class TextParts:
    """Collects the numbered parts of one text of bounded length."""

    def __init__(self, what: str, max_characters: int) -> None:
        self._what = what
        self._max_characters = max_characters
        self._pieces: list[str] = []
        self._size = 0
        self._parts = 0

    def add(self, part: int, parts: int, text: str) -> str | None:
        """Add a part; returns the whole text after the last one."""
        if not 1 <= parts <= MAX_PARTS or part != len(self._pieces) + 1 or part > parts:
            raise InputError(f"part {part} of {parts} of {self._what} is not the next one")
        if self._pieces and parts != self._parts:
            raise InputError(f"{self._what} began with {self._parts} parts, not {parts}")
        self._parts = parts
        self._size += len(text)
        if self._size > self._max_characters:
            raise InputError(f"{self._what} has more than {self._max_characters} characters")
        self._pieces.append(text)
        return "".join(self._pieces) if part == parts else None


class ManifestReader:
    """Reads the frames of manifests; a frame of a new manifest discards the unfinished one."""

    def __init__(self) -> None:
        self._current: tuple[str, str] = ("", "")
        self._parts = TextParts("", 0)

    def read_frame(self, fields: Fields) -> Manifest | None:
        """Read a frame; returns the manifest after its last part. Raises `InputError` if it is invalid."""
        fields.check_known("type", "id", "part", "parts", "digest", "text")
        key = fields.text("id"), fields.text("digest")
        if not _ID.fullmatch(key[0]) or not _DIGEST.fullmatch(key[1]):
            raise InputError("a manifest needs an `id`, and the SHA-256 of its text as `digest`")
        part, parts, text = fields.integer("part"), fields.integer("parts"), fields.text("text")
        if key != self._current or part == 1:
            self._current = key
            self._parts = TextParts(f"the manifest `{key[0]}`", MAX_MANIFEST_CHARACTERS)
        whole = self._parts.add(part, parts, text)
        if whole is None:
            return None
        self._current = ("", "")
        if hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest() != key[1]:
            raise ManifestError(key[0], "the digest is not that of the text")
        return Manifest(key[0], whole)


class ManifestError(InputError):
    """A manifest is refused as a whole; the page keeps the tools of the one before."""

    def __init__(self, id: str, problem: str) -> None:
        super().__init__(problem)
        self.id = id


def parse_manifest(text: str) -> tuple[SerializedTool, ...]:
    """The tools of a manifest; raises `InputError` if one of them is not valid."""
    items = as_list(read_json(text.encode("utf-8", "surrogatepass"), "the manifest"))
    if items is None:
        raise InputError("the manifest must be a list of tools")
    if len(items) > MAX_TOOLS:
        raise InputError(f"the manifest has more than {MAX_TOOLS} tools")
    found: dict[str, SerializedTool] = {}
    for number, item in enumerate(items, start=1):
        try:
            tool = _parse_tool(Fields(item, "tool"))
        except InputError as error:
            raise InputError(f"tool {number}: {error}") from None
        if tool.name in found:
            raise InputError(f"tool {number}: `{tool.name}` is declared twice")
        found[tool.name] = tool
    return tuple(found.values())


def _parse_tool(fields: Fields) -> SerializedTool:
    fields.check_known(*_FIELDS)
    name = fields.text("name")
    if not _NAME.fullmatch(name):
        raise InputError("`name` must be 1 to 64 of A-Z a-z 0-9 _ . -")
    description = _checked_text(fields, "description", MAX_DESCRIPTION_CHARACTERS) or ""
    params = fields.maybe_table("params")
    template = _checked_text(fields, "specifierTemplate", MAX_TEMPLATE_CHARACTERS)
    tool = SerializedTool(
        name=name,
        description=description,
        params=_NO_ARGUMENTS if params is None else _checked_schema(params),
        side_effect=fields.flag("sideEffect", default=False),
        template=template or None,
        kind=fields.word("kind", ToolKind),
    )
    if template:
        _check_template(template, tool.arguments)
    return tool


def _checked_text(fields: Fields, name: str, max_characters: int) -> str | None:
    text = fields.maybe_text(name)
    if text is None:
        return None
    if len(text) > max_characters:
        raise InputError(f"`{name}` has more than {max_characters} characters")
    # A description can have lines; everything that could disguise it is refused.
    if what := describe_deceptive_character(text):
        raise InputError(f"`{name}` contains {what}")
    return text


def _checked_schema(params: Mapping[str, object]) -> Mapping[str, object]:
    if params.get("type", "object") != "object":
        raise InputError("`params` must be a schema of type `object`")
    if "properties" in params and as_object(params["properties"]) is None:
        raise InputError("`params.properties` must be an object")
    for text in _texts(params, 0):
        if what := describe_deceptive_character(text):
            raise InputError(f"`params` contains {what}")
    if len(json.dumps(params)) > MAX_SCHEMA_CHARACTERS:
        raise InputError(f"`params` has more than {MAX_SCHEMA_CHARACTERS} characters")
    return {"type": "object", **params}


def _texts(value: object, depth: int) -> Iterator[str]:
    if depth > MAX_SCHEMA_DEPTH:
        raise InputError(f"`params` is nested deeper than {MAX_SCHEMA_DEPTH} levels")
    if isinstance(value, str):
        yield value
    elif (members := as_object(value)) is not None:
        yield from members.keys()
        for member in members.values():
            yield from _texts(member, depth + 1)
    else:
        for item in as_list(value) or ():
            yield from _texts(item, depth + 1)


def _check_template(template: str, arguments: frozenset[str]) -> None:
    if what := describe_hidden_character(template):
        raise InputError(f"`specifierTemplate` contains {what}")
    named = [found[1] for found in PLACEHOLDER.finditer(template)]
    if not named or len(named) > MAX_PLACEHOLDERS:
        raise InputError(
            f"`specifierTemplate` must name 1 to {MAX_PLACEHOLDERS} arguments, as `{{argument}}`"
        )
    rest = PLACEHOLDER.sub("", template)
    if "{" in rest or "}" in rest or "\n" in rest:
        raise InputError("`specifierTemplate` contains a brace or a line break outside of a placeholder")
    if unknown := sorted(set(named) - arguments):
        raise InputError(f"`specifierTemplate` names `{unknown[0]}`, which is no property of `params`")
