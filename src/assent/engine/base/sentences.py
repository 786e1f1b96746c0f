"""The English sentence of each reason, derived from its code and its values.

A piece in brackets is left out if it names a value that is not given. The web app has the same sentences
in the languages of its readers.
"""

from collections.abc import Mapping

from assent.engine.base.lazy import regex
from assent.engine.base.reason import Reason, ReasonCode
from assent.engine.base.tool import Effect

SENTENCES: Mapping[ReasonCode, str] = {
    ReasonCode.TEXT: "{text}",
    ReasonCode.NOT_DECIDED: "the call could not be decided ({error})",
    ReasonCode.UNKNOWN_TOOL: "there is no tool `{tool}`",
    ReasonCode.UNAUTHORIZED_TOOL: "the user of this call may not use `{tool}`",
    ReasonCode.BLOCKED_TOOL: "`{tool}` is blocked for this agent",
    ReasonCode.ABSENT_DESTRUCTIVE_TOOL: "`{tool}` is destructive and no person can be reached to approve it",
    ReasonCode.NOBODY_TO_ASK: "no person can be reached to approve it: {cause}",
    ReasonCode.DENY_RULE: "deny rule `{rule}` ({source})[: {why}]",
    ReasonCode.ASK_RULE: "ask rule `{rule}` ({source})[: {why}]",
    ReasonCode.POSSIBLE_DENY_RULE: "deny rule `{rule}` ({source})[: {why}] may match:"
    " that depends on a value that is not known",
    ReasonCode.POSSIBLE_ASK_RULE: "ask rule `{rule}` ({source})[: {why}] may match:"
    " that depends on a value that is not known",
    ReasonCode.PLAN_ONLY_READS: "plan mode only reads",
    ReasonCode.BREAKER: "circuit breaker: {problem}",
    ReasonCode.PROTECTED_PATH: "`{path}` is protected: every change to it needs approval",
    ReasonCode.CHANGES_ASSENT: "`{part}` may change what Assent decides: only a person may",
    ReasonCode.DESTRUCTIVE_TOOL: "`{tool}` is declared destructive",
    ReasonCode.UNREADABLE: "the call cannot be fully read: it {problem}",
    ReasonCode.CHANGED_TOOL: "the definition of `{tool}` changed since it was allowed",
    ReasonCode.UNDECLARED_TOOL: "nobody declared the tool `{tool}`,"
    " and no administrator has accepted it with its arguments",
    ReasonCode.PAUSED: "{person} paused all agents: only reads continue",
    ReasonCode.READS_OUTSIDE: "it reads `{path}`, which is outside the workspace or holds secrets",
    ReasonCode.READS_UNKNOWN_PATH: "it reads a path that is not known yet,"
    " which may be outside the workspace or hold secrets",
    ReasonCode.READS_SECRET_IN_TREE: "it reads `{path}`, which is outside the workspace or holds secrets;"
    " `{option}` leaves it out",
    ReasonCode.ONLY_READS: "it only reads",
    ReasonCode.ALWAYS_ALLOWED: "`{tool}` is always allowed for this agent",
    ReasonCode.NEEDS_APPROVAL: "`{tool}` needs approval for this agent",
    ReasonCode.GRANT: "granted before: `{rule}`",
    ReasonCode.ALLOW_RULE: "allow rule `{rule}`",
    ReasonCode.MODE_RUNS: "{mode} mode allows {effect}",
    ReasonCode.MODE_ASKS: "{mode} mode asks before {effect}",
    ReasonCode.MODE_ASKS_FOR_FINDING: "{mode} mode asks before {effect}; {finding}",
    ReasonCode.MODE_ASKS_FOR_TRUST: "{mode} mode asks before {effect};"
    " in a trusted repository it would count as reading",
    ReasonCode.MODE_ASKS_FOR_PAGE: "{mode} mode asks before {effect};"
    " a page of {page} declared this tool, and nobody reviewed it",
    ReasonCode.MODE_ASKS_FOR_OWN_PAGE: "{mode} mode asks before {effect};"
    " a page of this server declared this tool, and nobody reviewed it",
    ReasonCode.TASKS_CHANGED: "the pack `{pack}` does not allow it yet:"
    " no person allowed the present content of {files}",
    ReasonCode.TASKS_UNREAD: "the pack `{pack}` does not allow it yet:"
    " {files} cannot be read completely and safely",
    ReasonCode.PRESET_RUNS: "this agent has no mode, and its preset allows calls by default",
    ReasonCode.PRESET_ASKS: "this agent has no mode, and its preset asks by default",
    ReasonCode.NOT_COVERED: "nothing covers this",
}
"""The sentence of each code; `{name}` is the place of a value."""
_OPTIONAL_PIECE = regex(r"\[([^\]{]*\{(\w+)\}[^\]]*)\]")
_PLACEHOLDER = regex(r"\{(\w+)\}")
_CODES = frozenset(code.value for code in ReasonCode)
_EFFECT_WORDS = {effect.value: effect.action_text for effect in Effect}


def is_complete(reason: Reason) -> bool:
    """Whether a reason that was sent or stored has all values of its code."""
    code, values = reason.code, reason.values
    if code is ReasonCode.NOBODY_TO_ASK:
        cause = values.get("cause", "")
        is_other = cause in _CODES and cause != code.value
        return is_other and is_complete(Reason(ReasonCode(cause), reason.pairs))
    required = _PLACEHOLDER.findall(_OPTIONAL_PIECE.sub("", SENTENCES[code]))
    return all(name in values for name in required)


def to_sentence(reason: Reason) -> str:
    """The reason in English, without a full stop."""
    code, values = reason.code, reason.values
    if code is ReasonCode.TEXT:
        return values["text"]
    shown = {**values}
    if "effect" in values:
        shown["effect"] = _EFFECT_WORDS.get(values["effect"], values["effect"])
    if code is ReasonCode.NOBODY_TO_ASK:
        shown["cause"] = to_sentence(Reason(ReasonCode(values["cause"]), reason.pairs))
    sentence = SENTENCES[code]
    if "[" in sentence:
        sentence = _OPTIONAL_PIECE.sub(lambda piece: piece[1] if piece[2] in values else "", sentence)
    return sentence.format_map(shown)
