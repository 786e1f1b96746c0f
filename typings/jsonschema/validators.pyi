# What we use of jsonschema.validators.

from collections.abc import Callable, Iterator, Mapping

from jsonschema import TypeChecker, ValidationError
from jsonschema.protocols import Validator

def extend(
    validator: type[Validator],
    validators: Mapping[
        str, Callable[[Validator, object, object, Mapping[str, object]], Iterator[ValidationError] | None]
    ],
    *,
    type_checker: TypeChecker,
) -> type[Validator]: ...
def validator_for(schema: Mapping[str, object], default: type[Validator]) -> type[Validator]: ...
