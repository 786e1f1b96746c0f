"""Generates the TypeScript types of the web app from docs/reference/openapi.json.

`write` writes web/src/api/schema.ts; `check` fails if the file is out of date.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/reference/openapi.json"
TYPES_FILE = ROOT / "web/src/api/schema.ts"
TYPES_HEAD = """\
/** The JSON of the server. Made from docs/reference/openapi.json by tools/web_types.py; do not edit. */

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };
"""
_PLAIN_TYPES = {
    "string": "string",
    "integer": "number",
    "number": "number",
    "boolean": "boolean",
    "null": "null",
}

JsonObject = Mapping[str, Any]


def types_text(document: JsonObject) -> str:
    """The TypeScript types for all schemas of an OpenAPI document, sorted by name."""
    schemas = cast("Mapping[str, JsonObject]", document["components"]["schemas"])
    # An empty schema means any JSON value; its type is in the head of the file.
    named = [
        f"export type {name} = {_type_text(schemas[name])};\n" for name in sorted(schemas) if schemas[name]
    ]
    return "\n".join([TYPES_HEAD, *named])


def _type_text(node: JsonObject) -> str:
    """The TypeScript type of a schema; an unknown kind of schema is an error."""
    if "$ref" in node:
        return str(node["$ref"]).rsplit("/", 1)[-1]
    if "const" in node:
        return json.dumps(node["const"])
    if "enum" in node:
        return " | ".join(json.dumps(value) for value in node["enum"])
    for several in ("anyOf", "oneOf"):
        if several in node:
            return " | ".join(dict.fromkeys(map(_type_text, cast("Sequence[JsonObject]", node[several]))))
    match node.get("type"):
        case "array":
            return f"Array<{_type_text(cast('JsonObject', node['items']))}>"
        case "object":
            return _object_type_text(node)
        case str(word) if word in _PLAIN_TYPES:
            return _PLAIN_TYPES[word]
        case _:
            raise ValueError(f"a schema that has no type here: {json.dumps(node)[:200]}")


def _object_type_text(node: JsonObject) -> str:
    if "properties" not in node:
        return f"Record<string, {_type_text(cast('JsonObject', node['additionalProperties']))}>"
    required = frozenset(cast("Sequence[str]", node.get("required", ())))
    properties = cast("Mapping[str, JsonObject]", node["properties"])
    fields = [
        f"  {name}{'' if name in required else '?'}: {_type_text(one)};" for name, one in properties.items()
    ]
    return "\n".join(["{", *fields, "}"])


def main(command: str) -> int:
    """Write the types, or check that they are up to date."""
    wanted = types_text(json.loads(DOCUMENT.read_text(encoding="utf-8")))
    if command == "write":
        TYPES_FILE.write_text(wanted, encoding="utf-8")
        return 0
    if TYPES_FILE.is_file() and TYPES_FILE.read_text(encoding="utf-8") == wanted:
        return 0
    print("web/src/api/schema.ts is not what docs/reference/openapi.json says: run tools/web_types.py write")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "check"))
