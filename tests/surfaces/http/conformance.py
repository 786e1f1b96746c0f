"""Checks that the API's document describes every reply that a test receives."""

import json
import posixpath
import re
from functools import cache
from typing import Any

import jsonschema_rs

from tools import openapi

DOCUMENT = openapi.openapi_document()


def find_schema_violation(method: str, path: str, status: int, kind: str, body: object) -> str:
    """The error in a reply, or an empty text; paths that the API document does not contain are not checked."""
    # The HTTP client resolves `..` before it sends a request.
    operation = _find_operation(method.lower(), posixpath.normpath(path.partition("?")[0]))
    if operation is None:
        return ""
    described = _resolve_response(operation["responses"].get(str(status)))
    if described is None:
        return f"{status} is not described"
    content = described.get("content", {})
    if not content:
        return f"{kind} is sent where nothing is described" if body else ""
    name = kind.partition(";")[0]
    if name not in content:
        return f"{kind} is sent where {', '.join(content)} is described"
    schema = content[name].get("schema")
    if not schema or not name.endswith("json"):
        return ""
    return "; ".join(one.message for one in _schema_validator(json.dumps(schema)).iter_errors(body))


def _find_operation(method: str, path: str) -> dict[str, Any] | None:
    # Paths without parameters first: `/v1/approvals/answers` is not an approval with an id.
    for template in sorted(DOCUMENT["paths"], key=lambda one: one.count("{")):
        if re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", template), path):
            return dict(DOCUMENT["paths"][template]).get(method)
    return None


def _resolve_response(response: dict[str, Any] | None) -> dict[str, Any] | None:
    if response is not None and "$ref" in response:
        return dict(DOCUMENT["components"]["responses"][response["$ref"].rpartition("/")[2]])
    return response


@cache
def _schema_validator(spelled: str) -> Any:
    return jsonschema_rs.Draft202012Validator({**json.loads(spelled), "components": DOCUMENT["components"]})
