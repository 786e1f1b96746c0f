"""The English sentence of each reason, derived from its code and its values, and advice for the model.

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
    ReasonCode.PROTECTED_PATH: "`{program}` would change `{path}`, which is protected:"
    " every change to it needs approval",
    ReasonCode.CHANGES_ASSENT: "`{part}` may change what Assent decides: only a person may",
    ReasonCode.DESTRUCTIVE_TOOL: "`{tool}` is declared destructive",
    ReasonCode.UNREADABLE: "the call cannot be fully read: it {problem}",
    ReasonCode.UNREADABLE_PART: "`{part}` cannot be fully read: it {problem}",
    ReasonCode.CHANGED_TOOL: "the definition of `{tool}` changed since it was allowed",
    ReasonCode.UNDECLARED_TOOL: "nobody declared the tool `{tool}`,"
    " and no administrator has accepted it with its arguments",
    ReasonCode.PAUSED: "{person} paused all agents: only reads continue",
    ReasonCode.USES_PROTECTED_PATH: "`{part}` uses `{path}`, which is protected, and may change it",
    ReasonCode.READS_OUTSIDE: "`{program}` reads `{path}`, which is outside the workspace[, after `{cd}`]",
    ReasonCode.READS_SECRET: "`{program}` reads `{path}`, which may hold secrets",
    ReasonCode.READS_SECRET_OUTSIDE: "`{program}` reads `{path}`, which is outside the workspace"
    " and may hold secrets[, after `{cd}`]",
    ReasonCode.READS_SECRET_VARIABLE: "it uses the value of `{value}`, which may be a secret",
    ReasonCode.READS_HIDDEN_FILES: "`{program}` reads hidden files, which may hold secrets",
    ReasonCode.READS_UNKNOWN_PATH: "`{program}` reads a path that is not known"
    "[: the value of `{value}` is unknown]",
    ReasonCode.READS_SECRET_IN_TREE: "`{program}` also reads `{path}`, which may hold secrets;"
    " `{option}` leaves it out",
    ReasonCode.LEAVES_WORKSPACE: "`{part}` leads to a directory outside the workspace",
    ReasonCode.RUNS_OUTSIDE: "`{part}` runs in `{path}`, which is outside the workspace[, after `{cd}`]",
    ReasonCode.RUNS_SOMEWHERE: "the directory in which `{part}` runs is not known[, after `{cd}`]",
    ReasonCode.RUNS_PROJECT_CODE: "`{part}` runs this project's code",
    ReasonCode.BUILDS_PROJECT: "`{part}` builds, checks or formats this project's files",
    ReasonCode.RUNS_FILE: "`{part}` runs the code in `{path}`",
    ReasonCode.RUNS_GIVEN_CODE: "`{part}` runs code that is written in the command",
    ReasonCode.RUNS_INPUT: "`{part}` runs the code that it gets as its input",
    ReasonCode.RUNS_AS_OTHER_USER: "`{part}` runs a command as another user",
    ReasonCode.UNKNOWN_PROGRAM: "Assent does not know the program `{program}`",
    ReasonCode.UNKNOWN_VALUE: "the value of `{value}` in `{part}` is unknown",
    ReasonCode.UNKNOWN_WORD: "`{part}` depends on a value that is unknown",
    ReasonCode.SETS_VARIABLE: "the variable `{variable}` may change what programs do",
    ReasonCode.NEEDS_TRUST: "`{part}` only reads in a trusted repository:"
    " files of this one could make it run code",
    ReasonCode.MAY_RUN_CODE: "`{part}` only reads, but {finding}",
    ReasonCode.RUNS_SETTING: "`{part}` only reads, but runs what `{setting}` in `{path}` names",
    ReasonCode.MAY_DO_MORE: "`{part}` may do more than read[, because of `{word}`]",
    ReasonCode.CREATES_FILE: "`{program}` would create `{path}`[; {mode} mode asks before every change]",
    ReasonCode.WRITES_FILE: "`{program}` would create or overwrite `{path}`"
    "[; {mode} mode asks before every change]",
    ReasonCode.OVERWRITES_FILE: "`{program}` would overwrite `{path}`"
    "[; {mode} mode asks before every change]",
    ReasonCode.APPENDS_TO_FILE: "`{program}` would add to `{path}`[; {mode} mode asks before every change]",
    ReasonCode.CHANGES_FILE: "`{program}` would change `{path}`[; {mode} mode asks before every change]",
    ReasonCode.REMOVES_FILE: "`{program}` would delete `{path}`[; {mode} mode asks before every change]",
    ReasonCode.REMOVES_OUTSIDE: "`{program}` would delete `{path}`, which is outside the workspace"
    "[, after `{cd}`]",
    ReasonCode.CHANGES_OUTSIDE: "`{program}` would change `{path}`, which is outside the workspace"
    "[, after `{cd}`]",
    ReasonCode.CHANGES_UNRECORDED: "`{program}` would change `{path}`,"
    " which has content that Git has not recorded",
    ReasonCode.CHANGES_UNKNOWN_PATH: "`{program}` would change a path that is not known"
    "[: the value of `{value}` is unknown]",
    ReasonCode.CHANGES_REPOSITORY: "`{part}` changes the repository",
    ReasonCode.SENDS_DATA: "`{part}` sends data to another machine",
    ReasonCode.CONNECTS: "`{part}` connects to another machine",
    ReasonCode.INSTALLS: "`{part}` downloads or installs software",
    ReasonCode.USES_SERVICE: "`{part}` may change data of an online service",
    ReasonCode.MANAGES_CONTAINERS: "`{part}` may start or change containers",
    ReasonCode.CHANGES_DATABASE: "`{part}` may change a database",
    ReasonCode.CHANGES_SYSTEM: "`{part}` may change processes or settings of this machine",
    ReasonCode.TOOL_CHANGES_DATA: "`{tool}` may change data[: `{subject}`][ ({description})]",
    ReasonCode.TOOL_RUNS_CODE: "`{tool}` may run code[: `{subject}`][ ({description})]",
    ReasonCode.TOOL_ACTS_OUTSIDE: "`{tool}` may send or change data outside this machine[: `{subject}`]"
    "[ ({description})]",
    ReasonCode.ONLY_READS: "it only reads",
    ReasonCode.ALWAYS_ALLOWED: "`{tool}` is always allowed for this agent",
    ReasonCode.NEEDS_APPROVAL: "`{tool}` needs approval for this agent",
    ReasonCode.GRANT: "granted before: `{rule}`",
    ReasonCode.ALLOW_RULE: "allow rule `{rule}`",
    ReasonCode.MODE_RUNS: "{mode} mode allows {effect}",
    ReasonCode.MODE_ASKS: "{mode} mode asks before {effect}",
    ReasonCode.UNREVIEWED_TOOL: "a page of {page} declared the tool `{tool}`, and nobody reviewed it",
    ReasonCode.UNREVIEWED_OWN_TOOL: "a page of this server declared the tool `{tool}`,"
    " and nobody reviewed it",
    ReasonCode.TASKS_CHANGED: "the pack `{pack}` does not allow it yet:"
    " no person allowed the present content of {files}",
    ReasonCode.TASKS_UNREAD: "the pack `{pack}` does not allow it yet:"
    " {files} cannot be read completely and safely",
    ReasonCode.PRESET_RUNS: "this agent has no mode, and its preset allows calls by default",
    ReasonCode.PRESET_ASKS: "this agent has no mode, and its preset asks by default",
    ReasonCode.NOT_COVERED: "nothing covers this",
}
"""The sentence of each code; `{name}` is the place of a value."""
_USE_FILE_TOOLS = "use the tools that read and edit files"
_WRITE_VALUE = "write the value itself instead of `{value}`"
_WRITE_PATH = "write the path itself"
_STAY_INSIDE = "name a path inside the workspace"
ADVICE: Mapping[ReasonCode, str] = {
    ReasonCode.PLAN_ONLY_READS: "describe what you would do",
    ReasonCode.UNREADABLE: "write plain commands, each in a call of its own",
    ReasonCode.READS_OUTSIDE: _STAY_INSIDE,
    ReasonCode.READS_SECRET: "name the files that you need, without files that may hold secrets",
    ReasonCode.READS_SECRET_OUTSIDE: _STAY_INSIDE,
    ReasonCode.READS_SECRET_IN_TREE: "add `{option}`",
    ReasonCode.READS_HIDDEN_FILES: "list files without the hidden ones",
    ReasonCode.READS_UNKNOWN_PATH: _WRITE_PATH,
    ReasonCode.LEAVES_WORKSPACE: "stay in the workspace",
    ReasonCode.RUNS_OUTSIDE: "run it inside the workspace",
    ReasonCode.RUNS_SOMEWHERE: "name the directory literally",
    ReasonCode.RUNS_GIVEN_CODE: _USE_FILE_TOOLS,
    ReasonCode.RUNS_INPUT: _USE_FILE_TOOLS,
    ReasonCode.UNKNOWN_VALUE: _WRITE_VALUE,
    ReasonCode.SETS_VARIABLE: "run the command without the variable `{variable}`",
    ReasonCode.MAY_DO_MORE: "use the tool that reads files",
    ReasonCode.CREATES_FILE: _USE_FILE_TOOLS,
    ReasonCode.WRITES_FILE: _USE_FILE_TOOLS,
    ReasonCode.OVERWRITES_FILE: _USE_FILE_TOOLS,
    ReasonCode.APPENDS_TO_FILE: _USE_FILE_TOOLS,
    ReasonCode.REMOVES_OUTSIDE: _STAY_INSIDE,
    ReasonCode.CHANGES_OUTSIDE: _STAY_INSIDE,
    ReasonCode.CHANGES_UNKNOWN_PATH: _WRITE_PATH,
}
"""What a model can do instead of a call with this reason, where that is known."""
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


def to_advice(reason: Reason) -> str:
    """What a model can do instead, without a full stop; empty if nothing is known."""
    code, values = reason.code, reason.values
    if code is ReasonCode.NOBODY_TO_ASK:
        return to_advice(Reason(ReasonCode(values["cause"]), reason.pairs))
    return ADVICE.get(code, "").format_map(values)


def to_model_message(reason: Reason) -> str:
    """The reason in English and what to do instead, for the model that made the call."""
    advice = to_advice(reason)
    return f"{to_sentence(reason)}; {advice}" if advice else to_sentence(reason)
