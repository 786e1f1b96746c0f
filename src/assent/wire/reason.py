"""Reasons as JSON: a code and its values, beside their sentence for readers that know no codes."""

from collections.abc import Mapping
from typing import cast

from assent.engine.base.reason import Reason, ReasonCode, text_reason
from assent.engine.base.sentences import is_complete

_CODES: Mapping[str, ReasonCode] = {code.value: code for code in ReasonCode}


def reason_to_json(reason: Reason) -> dict[str, object]:
    """The code and the values; empty for a reason that is only a text."""
    code = reason.code
    return {} if code is ReasonCode.TEXT else {"code": code.value, "values": reason.values}


def reason_from_json(data: object, sentence: str) -> Reason:
    """Parse the code and the values in a JSON object.

    Without a known code and all of its values, the reason is the sentence: it is from another version.
    """
    fields = cast("Mapping[str, object]", data if isinstance(data, Mapping) else {})
    code, values = _CODES.get(str(fields.get("code"))), fields.get("values")
    if code is None or not isinstance(values, Mapping):
        return text_reason(sentence)
    given = cast("Mapping[object, object]", values)
    texts = {str(name): value for name, value in given.items() if isinstance(value, str)}
    reason = Reason(code, tuple(texts.items()))
    return reason if is_complete(reason) else text_reason(sentence)
