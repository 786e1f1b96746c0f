# What we use of jsonschema, which ships no types of its own.

from collections import deque
from collections.abc import Callable, Iterable, Mapping

from jsonschema.protocols import Validator

class TypeChecker:
    def redefine_many(
        self, definitions: Mapping[str, Callable[[TypeChecker, object], bool]]
    ) -> TypeChecker: ...

class ValidationError(Exception):
    message: str
    validator: str
    validator_value: object
    absolute_path: deque[str | int]
    def __init__(self, message: str, *, path: Iterable[str | int] = ()) -> None: ...

Draft202012Validator: type[Validator]
