"""Generates the types of the web app from docs/reference/openapi.json.

`write` writes web/src/api/schema.ts; `check` fails if the file is out of date.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/reference/openapi.json"
TYPES = ROOT / "web/src/api/schema.ts"
HEAD = """\
/** The JSON of the server. Made from docs/reference/openapi.json by tools/web_types.py; do not edit. */

export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };
"""
_PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}

Node = Mapping[str, Any]


def types_of(document: Node) -> str:
    """One type for each schema of an OpenAPI document, in the order of their names."""
    schemas = cast("Mapping[str, Node]", document["components"]["schemas"])
    # An empty schema is any JSON; its type is in the head.
    named = [f"export type {name} = {_type(schemas[name])};\n" for name in sorted(schemas) if schemas[name]]
    return "\n".join([HEAD, *named])


def _type(node: Node) -> str:
    """A schema as a type; an unknown kind of schema is an error, never `any`."""
    if "$ref" in node:
        return str(node["$ref"]).rsplit("/", 1)[-1]
    if "const" in node:
        return json.dumps(node["const"])
    if "enum" in node:
        return " | ".join(json.dumps(value) for value in node["enum"])
    for several in ("anyOf", "oneOf"):
        if several in node:
            return " | ".join(dict.fromkeys(map(_type, cast("Sequence[Node]", node[several]))))
    match node.get("type"):
        case "array":
            return f"Array<{_type(cast('Node', node['items']))}>"
        case "object":
            return _object(node)
        case str(word) if word in _PLAIN:
            return _PLAIN[word]
        case _:
            raise ValueError(f"a schema that has no type here: {json.dumps(node)[:200]}")


def _object(node: Node) -> str:
    if "properties" not in node:
        return f"Record<string, {_type(cast('Node', node['additionalProperties']))}>"
    required = frozenset(cast("Sequence[str]", node.get("required", ())))
    properties = cast("Mapping[str, Node]", node["properties"])
    fields = [f"  {name}{'' if name in required else '?'}: {_type(one)};" for name, one in properties.items()]
    return "\n".join(["{", *fields, "}"])


def main(command: str) -> int:
    """Write the types, or check that they are up to date."""
    wanted = types_of(json.loads(DOCUMENT.read_text(encoding="utf-8")))
    if command == "write":
        TYPES.write_text(wanted, encoding="utf-8")
        return 0
    if TYPES.is_file() and TYPES.read_text(encoding="utf-8") == wanted:
        return 0
    print("web/src/api/schema.ts is not what docs/reference/openapi.json says: run tools/web_types.py write")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "check"))
