"""Values: immutable, and equal when all their fields are equal.

They behave like frozen dataclasses, also for `dataclasses.replace` and `fields`. The library compiles six
functions for every class and imports code inspection, which was a fifth of the start of `assent check`.
Here all classes share one of each function.
"""

from functools import partial
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, dataclass_transform

if TYPE_CHECKING:
    from dataclasses import Field, replace
else:

    def replace(value, /, **changes):
        """The same value with some fields changed; typed like `dataclasses.replace`."""
        return type(value)(**{**_field_values(value), **changes})


__all__ = ["Value", "replace"]

_set_field = object.__setattr__


@dataclass_transform(frozen_default=True, kw_only_default=True)
class _ValueMeta(type):
    """Converts the annotations of a class to keyword-only fields, in order."""

    field_names: tuple[str, ...]
    field_defaults: dict[str, Any]
    all_fields: "attrgetter[Any]"

    def __new__(cls, name: str, bases: tuple[type, ...], space: dict[str, Any]) -> "_ValueMeta":
        # Made once to read its annotations, which Python versions store differently, and once with its slots.
        names = tuple(super().__new__(cls, name, bases, dict(space)).__annotations__)
        defaults = {field: space.pop(field) for field in names if field in space}
        made = super().__new__(cls, name, bases, {**space, "__slots__": names})
        made.field_names, made.field_defaults = names, defaults
        made.all_fields = attrgetter("__class__", *names)
        return made


class _FieldsDescriptor:
    """The fields in the format of the `dataclasses` module, created on first use."""

    def __get__(self, _value: object, kind: _ValueMeta) -> dict[str, Any]:
        library = import_module("dataclasses")
        fields = [
            (name, annotation, library.field(**_field_default(kind, name)))
            for name, annotation in kind.__annotations__.items()
        ]
        made = library.make_dataclass(kind.__name__, fields, kw_only=True)
        described: dict[str, Any] = made.__dataclass_fields__
        type.__setattr__(kind, "__dataclass_fields__", described)
        return described


class Value(metaclass=_ValueMeta):
    """The base class of all values: immutable, and equal if all fields are equal."""

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    else:
        __dataclass_fields__ = _FieldsDescriptor()

    def __init__(self, **given: object) -> None:
        kind = type(self)
        values = {**kind.field_defaults, **given}
        if len(values) != len(kind.field_names):
            raise _wrong_fields_error(kind, values)
        try:
            for name in kind.field_names:
                _set_field(self, name, values[name])
        except KeyError:
            raise _wrong_fields_error(kind, values) from None

    def __eq__(self, other: object) -> bool:
        fields = type(self).all_fields
        return fields(self) == fields(other) if type(other) is type(self) else NotImplemented

    def __hash__(self) -> int:
        return hash(type(self).all_fields(self))

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in _field_values(self).items())
        return f"{type(self).__name__}({given})"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **_field_values(self)), ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"`{name}` of a value does not change")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"`{name}` of a value does not change")


def _field_values(value: Value) -> dict[str, Any]:
    """The fields of a value by name."""
    return {name: getattr(value, name) for name in type(value).field_names}


def _wrong_fields_error(kind: _ValueMeta, values: dict[str, Any]) -> TypeError:
    """The error for a missing or unknown field."""
    wrong = sorted({*kind.field_names} ^ values.keys())
    return TypeError(f"{kind.__name__} needs, or does not have, {', '.join(wrong)}")


def _field_default(kind: _ValueMeta, name: str) -> dict[str, Any]:
    """The default of a field as a mapping; empty if it has none."""
    return {"default_factory": lambda: kind.field_defaults[name]} if name in kind.field_defaults else {}
