"""A line of `assent check --batch`: a call with its policy as JSON, and its decision as JSON."""

import difflib
import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TypeVar, cast

from assent.config.content import file_digests
from assent.config.findings import make_searches
from assent.config.paths import find_home
from assent.config.strictjson import read_object
from assent.config.tools import KNOWN_TOOLS
from assent.config.workspace import (
    directories_on_disk,
    directories_without_disk,
    facts_without_disk,
    gather_facts,
)
from assent.config.written_calls import SPECIFIER_ARGUMENT
from assent.engine.base.facts import CallDirectories, Facts
from assent.engine.base.tool import Call, Dialect, Effect, Tool, parse_dialect, parse_effect
from assent.engine.base.value import replace
from assent.engine.decide import decide, files_to_digest, paths_to_resolve, searches_to_make
from assent.engine.details import irreversible_acts
from assent.engine.policy.modes import Mode, mode_from_wire
from assent.engine.policy.packs import PACK_SIGN
from assent.engine.policy.rule import RuleList, parse_rule
from assent.engine.policy.rule_set import NO_RULES, RuleSet
from assent.engine.policy.snapshot import (
    NO_GRANTS,
    GrantedRule,
    PolicyOptions,
    Snapshot,
    TierSetting,
    build_snapshot,
    parse_tier,
)
from assent.engine.policy.task_files import is_about_tasks
from assent.engine.policy.verdict import Decision, Verdict
from assent.engine.programs.packs import PACKS
from assent.errors import AssentError, InputError, UnknownWordError
from assent.gate.catalog import unknown_tool_warnings
from assent.wire.call import decision_to_short_json

RECORD_FIELDS = (
    "id", "tool", "specifier", "args", "dialect", "effect", "mode", "parent_mode", "tier", "tier_source",
    "fallback", "rules", "grants", "caller", "human", "known", "authorized", "options", "workspace",
    "trusted_repository", "roots", "facts", "packs",
)  # fmt: skip
DEFAULT_WORKSPACE = "/project"

WordValue = TypeVar("WordValue")
_SCOPE_FIELDS = {"conversation": ("conversation",), "agent": ("agent",), "user_agent": ("user", "agent")}


def decide_record(record: Mapping[str, object]) -> dict[str, object]:
    """Decide the call of a record, with the function that also decides the calls of running agents."""
    _refuse_misspelled_fields(record)
    call, tools = _read_call_and_tools(record)
    snapshot = _build_snapshot(record, call, tools)
    decision = decide(call, snapshot, _collect_facts(record, call, snapshot))
    decided = decision_to_record(with_irreversible_acts(call, snapshot, decision), record.get("id"))
    warnings = _unknown_tool_warnings(record, tools)
    return {**decided, "warnings": warnings} if warnings else decided


def _collect_facts(record: Mapping[str, object], call: Call, snapshot: Snapshot) -> Facts:
    """The facts of a record: from the disk, or of a workspace that is assumed to be clean."""
    directories, is_real = _read_directories(record)
    on_disk = _reads_disk(record, directories, is_real=is_real)
    trusted = _read_flag(record, "trusted_repository", default=False)
    paths = paths_to_resolve(call, snapshot, directories)
    # A given trust wins over what the searches for code would find; it is not about secrets and task files.
    is_searched = "trusted_repository" not in record
    searches = [
        search
        for search in searches_to_make(call, snapshot, directories)
        if is_searched or is_about_tasks(search) or not search.search.program
    ]
    if not (is_real and on_disk):
        nothing = {search.key: "" for search in searches}
        trusted = trusted or is_searched
        return facts_without_disk(
            directories, paths, trusted_repository=trusted, findings=nothing, clean=True
        )
    return gather_facts(
        directories,
        paths,
        trusts=lambda _: trusted,
        contents=file_digests(directories, files_to_digest(call, snapshot, directories)),
        findings=make_searches(directories, searches, None),
    )


def _reads_disk(record: Mapping[str, object], directories: CallDirectories, *, is_real: bool) -> bool:
    """Whether the facts are gathered from the disk; an error if they cannot be."""
    if "facts" in record and _read_text(record, "facts") is None:
        raise InputError("field `facts` must be a string")
    on_disk = _read_word(record, "facts", {"disk": True, "clean": False}, "disk" if is_real else "clean")
    if not on_disk:
        return False
    if not is_real:
        raise InputError(f"field `facts` is `disk`, but there is no directory `{directories.roots[0]}`")
    missing = next((path for path in _read_texts(record, "roots", "path") if not os.path.isdir(path)), None)
    if missing is not None:
        raise InputError(f"field `roots` names `{missing}`, which is no directory")
    return True


def decide_line(line: bytes) -> dict[str, object]:
    """Decide one line of a batch; if the line cannot be decided, the result contains an error."""
    record: dict[str, object] = {}
    try:
        record = read_object(line, "the line")
        return decide_record(record)
    except AssentError as error:
        reason = str(error)
    except Exception as error:  # noqa: BLE001 - the edge: a failure while deciding decides nothing
        reason = f"cannot be decided: {type(error).__name__}: {error}"
    id_: dict[str, object] = {"id": record["id"]} if "id" in record else {}
    return {**id_, "error": reason}


def with_irreversible_acts(call: Call, snapshot: Snapshot, decision: Decision) -> Decision:
    """A copy of the decision that lists the irreversible acts of the call."""
    tool = snapshot.tools.get(call.tool)
    return decision if tool is None else decision._replace(irreversible=irreversible_acts(call, tool))


def decision_to_record(decision: Decision, id: object = None) -> dict[str, object]:
    """Convert a decision and its steps to a JSON object; `id` identifies the line of a batch."""
    return {**({} if id is None else {"id": id}), **decision_to_short_json(decision)}


def _refuse_misspelled_fields(record: Mapping[str, object]) -> None:
    """Raise an error for an unknown field that looks like a misspelled known field; ignore other fields."""
    for name in record:
        near = (
            []
            if name in RECORD_FIELDS
            else difflib.get_close_matches(_to_snake_case(name), RECORD_FIELDS, n=1, cutoff=0.8)
        )
        if near:
            raise InputError(f"unknown field `{name}`; did you mean `{near[0]}`?")


def _to_snake_case(name: str) -> str:
    """Convert `parentMode` and `parent-mode` to `parent_mode`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).replace("-", "_")


def _read_call_and_tools(record: Mapping[str, object]) -> tuple[Call, Mapping[str, Tool]]:
    """Read the call of a record, and the tools to decide it with: the known tools and the call's tool."""
    name = _read_text(record, "tool")
    if not name:
        raise InputError("field `tool` is missing")
    dialect = parse_dialect(_read_text(record, "dialect") or Dialect.TEXT)
    effect = _read_effect(record)
    specifier = _read_text(record, "specifier")
    args = _read_table(record, "args")
    if specifier is not None and "args" in record:
        raise InputError("give `specifier` or `args`, not both")
    template = None
    if specifier is not None:
        args = {_argument_name(dialect): specifier}
        template = f"{{{_argument_name(dialect)}}}" if dialect is Dialect.TEXT else None
    caller = _read_table(record, "caller")
    _check_known_keys(caller, "caller", "user", "agent", "conversation")
    call = Call(
        tool=name,
        args=args,
        agent=_read_text(caller, "agent", "caller.") or "",
        conversation=_read_text(caller, "conversation", "caller.") or "",
        user=_read_text(caller, "user", "caller.") or "",
    )
    return call, _tools_with_declared(name, effect, dialect, template) if _read_flag(
        record, "known"
    ) else _known_tools_without(name)


@lru_cache(maxsize=256)
def _tools_with_declared(
    name: str, effect: Effect, dialect: Dialect, template: str | None
) -> Mapping[str, Tool]:
    """The known tools and one declared tool; cached, because compiled rules are reused per mapping object."""
    return {**KNOWN_TOOLS, name: Tool(name=name, effect=effect, dialect=dialect, template=template)}


@lru_cache(maxsize=256)
def _known_tools_without(name: str) -> Mapping[str, Tool]:
    return {known: tool for known, tool in KNOWN_TOOLS.items() if known != name}


def _argument_name(dialect: Dialect) -> str:
    match dialect:
        case Dialect.SHELL | Dialect.POWERSHELL:
            return "command"
        case Dialect.PATH:
            return "path"
        case Dialect.TEXT:
            return SPECIFIER_ARGUMENT


def _read_effect(record: Mapping[str, object]) -> Effect:
    return parse_effect(_read_text(record, "effect"))


def _build_snapshot(record: Mapping[str, object], call: Call, tools: Mapping[str, Tool]) -> Snapshot:
    options = _read_table(record, "options")
    _check_known_keys(options, "options", "reads_bypass_rules", "privilege_wrappers", "shell_edits")
    grants = _read_items(record, "grants")
    snapshot = build_snapshot(
        tools,
        rules=_read_rules(record),
        tiers=_read_tiers(record, call),
        grants=map(_read_grant, grants) if grants else NO_GRANTS,
        mode=_read_mode(record, "mode"),
        fallback=_read_word(record, "fallback", {"run": Verdict.RUN, "ask": Verdict.ASK}, "ask"),
        attended=_read_flag(record, "human"),
        unauthorized_tools=frozenset() if _read_flag(record, "authorized") else frozenset({call.tool}),
        options=PolicyOptions(
            reads_bypass_rules=_read_flag(options, "reads_bypass_rules", "options.", default=False),
            shell_edits=_read_flag(options, "shell_edits", "options."),
            strip_privilege_wrappers=_read_word(
                options, "privilege_wrappers", {"ask": False, "strip": True}, "ask"
            ),
        ),
    )
    if "parent_mode" not in record:
        return snapshot
    return replace(snapshot, parent=replace(snapshot, mode=_read_mode(record, "parent_mode"), tiers={}))


def _read_mode(record: Mapping[str, object], name: str) -> Mode | None:
    """Read a mode: a missing or unknown mode is `default`, and null means that there is no mode."""
    if name not in record:
        return Mode.DEFAULT
    return None if record[name] is None else mode_from_wire(record[name])


def _read_tiers(record: Mapping[str, object], call: Call) -> dict[tuple[str, str], TierSetting]:
    explicit = _read_word(record, "tier_source", {"explicit": True, "pattern": False}, "explicit")
    tier = _read_text(record, "tier")
    return {} if tier is None else {(call.agent, call.tool): TierSetting(parse_tier(tier), explicit)}


def _read_rules(record: Mapping[str, object]) -> RuleSet:
    rules = _read_table(record, "rules")
    _check_known_keys(rules, "rules", *RuleList)
    deny, ask, allow = (tuple(_read_texts(rules, kind.value)) for kind in RuleList)
    lists = (deny, ask, (*allow, *_read_packs(record)))
    return _compile_rules(*lists) if any(lists) else NO_RULES


def _read_packs(record: Mapping[str, object]) -> tuple[str, ...]:
    """Read the allow rules of the packs that are on."""
    names = tuple(_read_texts(record, "packs", "name"))
    if unknown := next((name for name in names if name not in PACKS), None):
        raise UnknownWordError("pack", unknown, tuple(PACKS))
    return tuple(f"{record['tool']}({PACK_SIGN}{name})" for name in names)


def _unknown_tool_warnings(record: Mapping[str, object], tools: Mapping[str, Tool]) -> list[str]:
    """Warnings about rules for unknown tools, because a rule with a misspelled tool never matches."""
    rules = _read_table(record, "rules")
    texts = [text for kind in RuleList for text in _read_texts(rules, kind.value)]
    return unknown_tool_warnings(texts, tools) if texts else []


@lru_cache(maxsize=256)
def _compile_rules(deny: tuple[str, ...], ask: tuple[str, ...], allow: tuple[str, ...]) -> RuleSet:
    """Compile the rules of a record; cached, because many lines of a batch have the same rules."""
    return RuleSet(*([parse_rule(text) for text in texts] for texts in (deny, ask, allow)))


def _read_grant(value: object) -> GrantedRule:
    if not isinstance(value, dict):
        raise InputError("each of `grants` must be an object")
    grant = cast("dict[str, object]", value)
    _check_known_keys(grant, "grants", "scope", "pattern", "conversation", "agent", "user")
    scope = _read_text(grant, "scope", "grants.") or ""
    if scope not in _SCOPE_FIELDS:
        raise UnknownWordError("scope of a grant", scope, tuple(_SCOPE_FIELDS))
    pattern = _read_text(grant, "pattern", "grants.")
    if pattern is None:
        raise InputError("a grant needs a `pattern`")
    named = {name: _read_scope_name(grant, scope, name) for name in _SCOPE_FIELDS[scope]}
    return GrantedRule(rule=parse_rule(pattern), **named)


def _read_scope_name(grant: Mapping[str, object], scope: str, name: str) -> str | None:
    """Read the name that a grant is limited to; None means any agent, written as `*`."""
    text = _read_text(grant, name, "grants.")
    if text is None:
        raise InputError(f"a grant of scope `{scope}` needs `{name}`")
    return None if name == "agent" and text == "*" else text


def _read_directories(record: Mapping[str, object]) -> tuple[CallDirectories, bool]:
    """Read the workspace of the call; also return whether it exists on this disk."""
    root = _read_text(record, "workspace")
    more = tuple(_read_texts(record, "roots", "path"))
    for field, path in (("workspace", root or "/"), *(("roots", path) for path in more)):
        if not os.path.isabs(path) or "\0" in path:
            raise InputError(f"field `{field}` must be an absolute path, not `{path}`")
    home = find_home()
    if root is None or not os.path.isdir(root):
        directories = directories_without_disk(root or DEFAULT_WORKSPACE, home)
        return replace(directories, roots=(*directories.roots, *map(os.path.normpath, more))), False
    real = os.path.realpath(root)
    return directories_on_disk(real, [real, *more], home), True


# ---- reading the fields of a record; a value of the wrong type is an error -----------------------


def _read_text(record: Mapping[str, object], name: str, within: str = "") -> str | None:
    value = record.get(name)
    if value is not None and not isinstance(value, str):
        raise InputError(f"field `{within}{name}` must be a string")
    return value


def _read_flag(record: Mapping[str, object], name: str, within: str = "", *, default: bool = True) -> bool:
    value = record.get(name, default)
    if not isinstance(value, bool):
        raise InputError(f"field `{within}{name}` must be true or false")
    return value


def _read_items(record: Mapping[str, object], name: str) -> list[object]:
    value = record.get(name, [])
    if not isinstance(value, list):
        raise InputError(f"field `{name}` must be a list")
    return cast("list[object]", value)


def _read_texts(record: Mapping[str, object], name: str, what: str = "rule") -> Iterator[str]:
    for item in _read_items(record, name):
        if not isinstance(item, str):
            raise InputError(f"each {what} of `{name}` must be a string")
        yield item


def _read_table(record: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = record.get(name, {})
    if not isinstance(value, dict):
        raise InputError(f"field `{name}` must be an object")
    return cast("dict[str, object]", value)


def _check_known_keys(record: Mapping[str, object], name: str, *known: str) -> None:
    unknown = next((key for key in record if key not in known), None)
    if unknown is not None:
        raise InputError(f"unknown `{unknown}` in `{name}`: expected {', '.join(known)}")


def _read_word(
    record: Mapping[str, object], name: str, known: Mapping[str, WordValue], default: str
) -> WordValue:
    word = record.get(name, default)
    if not isinstance(word, str) or word not in known:
        raise UnknownWordError(name.replace("_", " "), word, tuple(known))
    return known[word]
