"""Parse a call into its parts by the dialect of its tool.

Parsed lines and their last decisions are cached.
"""

from functools import lru_cache
from operator import attrgetter
from typing import NamedTuple

from assent.engine.base.characters import describe_deceptive_character, describe_hidden_character
from assent.engine.base.facts import Facts, PathUse
from assent.engine.base.globs import UNKNOWN_MARK
from assent.engine.base.lazy import regex
from assent.engine.base.tool import (
    Call,
    Dialect,
    PathKind,
    Tool,
    as_list,
    as_object,
    render_partial_specifier,
    render_specifier,
    specifier_values,
)
from assent.engine.lines.line import Language, load_language, parse_line
from assent.engine.lines.part import ParsedCall, Part
from assent.engine.policy.snapshot import Snapshot
from assent.engine.policy.verdict import Decision

_BLANK = regex(r"\s")
MAX_PATH_LENGTH = 4096
"""The maximal length of a path; a longer path is treated as unknown."""
MAX_PATHS = 256
"""The maximal number of paths of a call; a call with more paths is unreadable."""
MAX_SHORT_LINE_LENGTH = 1024
"""The maximal length of a short line."""
SHORT_LINE_CACHE_SIZE = 2048
"""The number of cached short lines; agents often repeat the same lines."""
LONG_LINE_CACHE_SIZE = 8
"""The number of cached long lines; each is used twice, to list its paths and to decide it."""
MAX_CACHED_PATHS = 64
"""The maximal number of real paths of a cached decision."""
MAX_CACHED_RULE_SETS = 64
"""The maximal number of rule sets that cached decisions keep in memory."""
_NO_COMMAND = ParsedCall((Part("", unreadable="has no command"),), "has no command")
"""The parsed call of a command line tool without a command."""
INPUT_ARGUMENTS = ("stdin", "input", "standard_input", "stdin_text", "stdin_data", "input_text")
"""Names of arguments that contain the standard input of a command line."""
_get_caller = attrgetter("tool", "agent", "conversation", "user")
_rule_set_ids: set[int] = set()


class _CachedDecision(NamedTuple):
    """A decision and all values that it depends on, apart from the line."""

    call: Call
    snapshot: Snapshot
    facts: Facts
    decision: Decision


class CachedLine:
    """A parsed line and the last decision about it."""

    __slots__ = ("_last", "parsed")

    def __init__(self, text: str, language: Language, given: str | None = None) -> None:
        self.parsed: ParsedCall = parse_line(text, language, given)
        self._last: _CachedDecision | None = None

    def find_decision(self, call: Call, snapshot: Snapshot, facts: Facts) -> Decision | None:
        """The last decision, if caller, policy and facts are the same; otherwise None."""
        last = self._last
        if last is None or _get_caller(last.call) != _get_caller(call):
            return None
        # Usually both are the same object, so that no field is compared.
        if last.snapshot is not snapshot and last.snapshot != snapshot:
            return None
        return last.decision if last.facts is facts or last.facts == facts else None

    def store_decision(self, call: Call, snapshot: Snapshot, facts: Facts, decision: Decision) -> None:
        """Cache a decision, unless the policy has custom breakers, whose result may change."""
        if [policy for policy in snapshot.lineage() if policy.breakers]:
            return
        if sum(map(len, facts.real.values())) > MAX_CACHED_PATHS:
            return
        self._last = _CachedDecision(call, snapshot, facts, decision)
        _rule_set_ids.add(id(snapshot.rules))
        if len(_rule_set_ids) > MAX_CACHED_RULE_SETS:
            # Drop cached decisions, which keep replaced rules in memory.
            _rule_set_ids.clear()
            _cached_short_line.cache_clear()


def parse_call(call: Call, tool: Tool) -> ParsedCall:
    """Parse a call by the dialect of its tool."""
    match tool.dialect:
        case Dialect.SHELL | Dialect.POWERSHELL:
            line = find_cached_line(call, tool)
            return _NO_COMMAND if line is None else line.parsed
        case Dialect.PATH:
            return _parse_paths(tool, call)
        case Dialect.TEXT:
            return _parse_text(tool, call)


def find_cached_line(call: Call, tool: Tool) -> CachedLine | None:
    """The parsed command line of a call with its last decision; None for a call without a command line."""
    text = render_specifier(tool, call.args) if tool.dialect.is_shell else None
    return (
        None if text is None else _get_cached_line(text, load_language(tool.dialect), _standard_input(call))
    )


def _get_cached_line(text: str, language: Language, given: str | None = None) -> CachedLine:
    """A line with its standard input, from the cache or newly parsed."""
    if given is None:
        return (_cached_short_line if len(text) <= MAX_SHORT_LINE_LENGTH else _cached_long_line)(
            text, language
        )
    return _cached_long_line(text, language, given)


_cached_short_line = lru_cache(maxsize=SHORT_LINE_CACHE_SIZE)(CachedLine)
_cached_long_line = lru_cache(maxsize=LONG_LINE_CACHE_SIZE)(CachedLine)


def _standard_input(call: Call) -> str | None:
    """The standard input in the arguments of a call; unknown if it is not text, None if there is none."""
    given = [call.args[name] for name in INPUT_ARGUMENTS if call.args.get(name)]
    if not given:
        return None
    return given[0] if len(given) == 1 and isinstance(given[0], str) else UNKNOWN_MARK


def _parse_paths(tool: Tool, call: Call) -> ParsedCall:
    """Parse a call into one part per path; a path that is missing or is not text is unknown."""
    found: list[str] = []
    for value in specifier_values(tool, call.args):
        items = as_list(value) or (value,)
        found.extend(item if isinstance(item, str) and item else UNKNOWN_MARK for item in items)
    if len(found) > MAX_PATHS:
        reason = f"names more than {MAX_PATHS} paths"
        return ParsedCall((Part(tool.name, unreadable=reason),), reason)
    found = [text if len(text) <= MAX_PATH_LENGTH else UNKNOWN_MARK for text in found]
    unreadable = next(
        (
            f"holds {what}"
            for text in found
            if text != UNKNOWN_MARK and (what := describe_hidden_character(text))
        ),
        None,
    )
    return ParsedCall(tuple(_path_part(tool, text) for text in found or [UNKNOWN_MARK]), unreadable)


def _path_part(tool: Tool, text: str) -> Part:
    """The part for one path of a call."""
    anchored = tool.paths is PathKind.ANCHORED
    tilde = text.startswith("~") and not anchored
    return Part(text, path=PathUse(text, tilde=tilde, anchored=anchored))


def _parse_text(tool: Tool, call: Call) -> ParsedCall:
    """Parse a call of a tool whose specifier is text or whose arguments are matched by name."""
    if tool.template is None:
        return ParsedCall((Part(tool.name, args=call.args),), _find_deceptive_text(call.args))
    text = render_specifier(tool, call.args)
    if text is None:
        # A missing argument renders as empty text, which only deny and ask rules match.
        loose = render_partial_specifier(tool, call.args)
        return ParsedCall((Part(loose, normal_forms=(loose,)),))
    if UNKNOWN_MARK in text:
        return ParsedCall((Part(text, possible_forms=(text,)),), _find_deceptive_text(call.args))
    what = describe_hidden_character(text)
    return ParsedCall(
        (Part(text, normal_forms=(text,), written_forms=(tuple(_BLANK.split(text)),)),),
        what and f"holds {what}",
    )


def _find_deceptive_text(value: object) -> str | None:
    """Why a text in the arguments may be displayed misleadingly; None if no text is."""
    if isinstance(value, str):
        character = describe_deceptive_character(value)
        return character and f"holds {character}"
    members = as_object(value)
    items = as_list(value) if members is None else (*members.keys(), *members.values())
    return next((found for item in items or () if (found := _find_deceptive_text(item))), None)
