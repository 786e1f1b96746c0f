# What we use of jsonschema.protocols.

from collections.abc import Callable, Iterator, Mapping
from typing import ClassVar

from jsonschema import TypeChecker, ValidationError
from referencing import Registry

class Validator:
    VALIDATORS: ClassVar[
        Mapping[
            str, Callable[[Validator, object, object, Mapping[str, object]], Iterator[ValidationError] | None]
        ]
    ]
    TYPE_CHECKER: ClassVar[TypeChecker]
    def __init__(self, schema: Mapping[str, object], *, registry: Registry[object]) -> None: ...
    def iter_errors(self, instance: object) -> Iterator[ValidationError]: ...
    def descend(
        self, instance: object, schema: object, path: str | int | None = None
    ) -> Iterator[ValidationError]: ...
