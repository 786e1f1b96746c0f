"""An answer as JSON: as a store keeps it, and as a person hands it in."""

from enum import StrEnum
from typing import TypeVar

from assent.gate.approval import Answer, Say
from assent.gate.preset import CHOICE, Lifetime, Scope
from assent.wire.fields import Fields
from assent.wire.moment import maybe_moment, maybe_moment_to_json

Word = TypeVar("Word", bound=StrEnum)
FROM_A_PERSON = ("say", "reason", "rules", "scope", "lifetime", "until", "uses", "args")
"""The fields that a person fills in; who they are, and what else they answered, is not theirs to say."""


def answer_to_json(answer: Answer) -> dict[str, object]:
    """The whole answer."""
    return {
        "say": answer.say.value,
        "by": answer.by,
        "reason": answer.reason,
        "rules": list(answer.rules),
        "scope": None if answer.scope is None else answer.scope.value,
        "lifetime": None if answer.lifetime is None else answer.lifetime.value,
        "until": maybe_moment_to_json(answer.until),
        "uses": answer.uses,
        "args": None if answer.args is None else dict(answer.args),
        "released_by": answer.released_by,
    }


def answer_from_json(data: object, within: str = "answer") -> Answer:
    """The answer that such an object says."""
    fields = Fields(data, within)
    return Answer(
        say=fields.word("say", Say),
        by=fields.text("by", ""),
        reason=fields.text("reason", ""),
        rules=fields.texts("rules", ()),
        scope=_chosen(fields, "scope", Scope),
        lifetime=_chosen(fields, "lifetime", Lifetime),
        until=maybe_moment(fields, "until"),
        uses=fields.maybe_whole("uses"),
        args=fields.maybe_table("args"),
        released_by=fields.text("released_by", ""),
    )


def answer_from_person(data: object, within: str = "answer") -> Answer:
    """The answer that somebody hands in; a field that is not theirs is refused, as is a misspelt one."""
    fields = Fields(data, within)
    fields.only(*FROM_A_PERSON)
    fields.maybe_word("scope", Scope)
    fields.maybe_word("lifetime", Lifetime)
    return answer_from_json(data, within)


def _chosen(fields: Fields, name: str, kind: type[Word]) -> Word | None:
    """A word that a person chose; answers that earlier versions stored may hold `choice` for none."""
    is_none = fields.has(name) and fields.raw(name) == CHOICE
    return None if is_none else fields.maybe_word(name, kind)
