"""JSON Schema for tool parameters: functions that build schemas, and the validation of arguments."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar

from jsonschema import Draft202012Validator, TypeChecker, ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend, validator_for
from referencing import Registry

from assent.engine.base.tool import as_list, as_object
from assent.gate.ports import ArgumentIssue

Schema = dict[str, object]
KeywordCheck = Callable[[Validator, object, object, Mapping[str, object]], Iterator[ValidationError] | None]
BASE_CHECK_BUDGET = 10_000
CHECK_BUDGET_PER_VALUE = 20
"""Limits how many keywords one validation evaluates: references can take exponential time."""
_MAX_ISSUES = 10


def string_schema(description: str, **more: object) -> Schema:
    """A string parameter."""
    return {"type": "string", "description": description, **more}


def integer_schema(description: str, *, least: int, most: int) -> Schema:
    """An integer parameter within bounds."""
    return {"type": "integer", "description": description, "minimum": least, "maximum": most}


def boolean_schema(description: str) -> Schema:
    """A boolean parameter."""
    return {"type": "boolean", "description": description}


def array_schema(description: str, of: Schema, **more: object) -> Schema:
    """An array parameter."""
    return {"type": "array", "description": description, "items": of, **more}


def any_value_schema(description: str) -> Schema:
    """A parameter that takes any JSON value."""
    return {"description": description}


def object_schema(required: Mapping[str, Schema], optional: Mapping[str, Schema] | None = None) -> Schema:
    """An object with these members and no others."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": list(required),
        "additionalProperties": False,
    }


def find_issues(schema: Mapping[str, object], value: object) -> tuple[ArgumentIssue, ...]:
    """The first reasons why a value does not match a schema; also reports a schema that cannot be used.

    Schemas may come from untrusted servers. INVARIANT: no `$ref` is fetched, no regular expression of a
    schema is run, and the number of checks is bounded. No issue quotes the value, which may contain a secret.
    """
    token = _checks_left.set([BASE_CHECK_BUDGET + CHECK_BUDGET_PER_VALUE * _count_values(value)])
    try:
        draft = validator_for(schema, default=Draft202012Validator)
        validator = _safe_validator(draft)(schema, registry=_EMPTY_REGISTRY)
        found = (_to_issue(error) for error in validator.iter_errors(value))
        return tuple(issue for issue, _ in zip(found, range(_MAX_ISSUES), strict=False))
    except Exception as error:  # noqa: BLE001 - a stranger's schema may break the library in any way
        return (
            ArgumentIssue(
                "arguments", f"cannot be checked: the tool's schema is not usable ({_abort_reason(error)})"
            ),
        )
    finally:
        _checks_left.reset(token)


def _count_values(value: object) -> int:
    count, stack = 0, [value]
    while stack:
        one = stack.pop()
        count += 1
        if (members := as_object(one)) is not None:
            stack.extend(members.values())
        elif (each := as_list(one)) is not None:
            stack.extend(each)
    return count


class _TooManyChecksError(Exception):
    """A validation evaluated more keywords than its budget allows."""


_EMPTY_REGISTRY: Registry[object] = Registry()
_safe_validators: dict[type[Validator], type[Validator]] = {}
_checks_left: ContextVar[list[int]] = ContextVar("assent schema checks left")


def _safe_validator(draft: type[Validator]) -> type[Validator]:
    """The validator of a JSON Schema draft, changed to run no regular expressions and to count its checks."""
    if draft in _safe_validators:
        return _safe_validators[draft]
    keywords = {
        name: _limit_check_count(check) for name, check in {**draft.VALIDATORS, **_KEYWORD_CHECKS}.items()
    }
    types = draft.TYPE_CHECKER.redefine_many(_TYPE_CHECKS)
    _safe_validators[draft] = extend(draft, keywords, type_checker=types)
    return _safe_validators[draft]


def _limit_check_count(check: KeywordCheck) -> KeywordCheck:
    """Wrap a check, so that each call uses one unit of the budget."""

    def check_within_limit(
        validator: Validator, value: object, instance: object, schema: Mapping[str, object]
    ) -> Iterator[ValidationError]:
        left = _checks_left.get()
        left[0] -= 1
        if left[0] < 0:
            raise _TooManyChecksError
        yield from check(validator, value, instance, schema) or ()

    return check_within_limit


def _check_required(
    _: Validator, names: object, instance: object, __: Mapping[str, object]
) -> Iterator[ValidationError]:
    members = as_object(instance)
    for name in (as_list(names) or ()) if members is not None else ():
        if name not in (members or {}):
            yield ValidationError("is missing", path=[str(name)])


def _check_additional_properties(
    validator: Validator, allowed: object, instance: object, schema: Mapping[str, object]
) -> Iterator[ValidationError]:
    members = as_object(instance)
    # `patternProperties` needs regular expressions, which are not run, so any member may be allowed.
    if members is None or "patternProperties" in schema:
        return
    known = as_object(schema.get("properties")) or {}
    for name in (name for name in members if name not in known):
        if allowed is False:
            yield ValidationError("is not a parameter", path=[name])
        elif as_object(allowed) is not None:
            yield from validator.descend(members[name], allowed, path=name)


def _accept_every_value(
    _: Validator, __: object, ___: object, ____: Mapping[str, object]
) -> Iterator[ValidationError] | None:
    """Skips a keyword that needs a regular expression, which could take exponential time."""


def _to_issue(error: ValidationError) -> ArgumentIssue:
    path = ""
    for step in error.absolute_path:
        path += f"[{step}]" if isinstance(step, int) else f"{'.' if path else ''}{step}"
    return ArgumentIssue(path or "arguments", _issue_message(error))


def _issue_message(error: ValidationError) -> str:
    value = error.validator_value
    match error.validator:
        case "type":
            kinds = [value] if isinstance(value, str) else as_list(value) or ()
            return f"must be {' or '.join(_TYPE_WORDS.get(str(kind), str(kind)) for kind in kinds)}"
        case "enum":
            return f"must be one of {', '.join(map(json.dumps, as_list(value) or ()))}"
        case "minimum" | "minLength" | "minItems" | "minProperties":
            return f"must be at least {value}"
        case "maximum" | "maxLength" | "maxItems" | "maxProperties":
            return f"must be at most {value}"
        case "required" | "additionalProperties":
            return error.message
        case keyword:
            return f"does not satisfy `{keyword}`"


def _abort_reason(error: Exception) -> str:
    """Why a validation was aborted, for the message."""
    return "too many checks" if isinstance(error, _TooManyChecksError) else type(error).__name__


def _is_number(_: TypeChecker, value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _is_integer(_: TypeChecker, value: object) -> bool:
    return isinstance(value, (int, float)) and _is_number(_, value) and float(value).is_integer()


_KEYWORD_CHECKS: dict[str, KeywordCheck] = {
    "required": _check_required,
    "additionalProperties": _check_additional_properties,
    "pattern": _accept_every_value,
    "patternProperties": _accept_every_value,
    "unevaluatedProperties": _accept_every_value,
    "format": _accept_every_value,
}
_TYPE_CHECKS: dict[str, Callable[[TypeChecker, object], bool]] = {
    "integer": _is_integer,
    "number": _is_number,
    "array": lambda _, value: as_list(value) is not None,
    "object": lambda _, value: as_object(value) is not None,
}
_TYPE_WORDS = {
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
