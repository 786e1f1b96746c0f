"""A reason: why a stage gives its verdict, as a code and its values; `sentences.py` has the sentences."""

from enum import StrEnum
from typing import NamedTuple


class ReasonCode(StrEnum):
    """Every reason that a step or a piece can have."""

    __hash__ = str.__hash__  # The hash of an enum is slow, and every decision needs many.

    TEXT = "text"
    """A text that another program wrote, or a row of an earlier version; it is never translated."""
    NOT_DECIDED = "not-decided"
    UNKNOWN_TOOL = "unknown-tool"
    UNAUTHORIZED_TOOL = "unauthorized-tool"
    BLOCKED_TOOL = "blocked-tool"
    ABSENT_DESTRUCTIVE_TOOL = "absent-destructive-tool"
    NOBODY_TO_ASK = "nobody-to-ask"
    """No person can be reached; the value `cause` is the code of the question, which has the other values."""
    DENY_RULE = "deny-rule"
    ASK_RULE = "ask-rule"
    POSSIBLE_DENY_RULE = "possible-deny-rule"
    POSSIBLE_ASK_RULE = "possible-ask-rule"
    PLAN_ONLY_READS = "plan-only-reads"
    BREAKER = "breaker"
    PROTECTED_PATH = "protected-path"
    CHANGES_ASSENT = "changes-assent"
    DESTRUCTIVE_TOOL = "destructive-tool"
    UNREADABLE = "unreadable"
    CHANGED_TOOL = "changed-tool"
    UNDECLARED_TOOL = "undeclared-tool"
    PAUSED = "paused"
    READS_OUTSIDE = "reads-outside"
    READS_UNKNOWN_PATH = "reads-unknown-path"
    READS_SECRET_IN_TREE = "reads-secret-in-tree"
    ONLY_READS = "only-reads"
    ALWAYS_ALLOWED = "always-allowed"
    NEEDS_APPROVAL = "needs-approval"
    GRANT = "grant"
    ALLOW_RULE = "allow-rule"
    MODE_RUNS = "mode-runs"
    MODE_ASKS = "mode-asks"
    MODE_ASKS_FOR_FINDING = "mode-asks-for-finding"
    MODE_ASKS_FOR_TRUST = "mode-asks-for-trust"
    MODE_ASKS_FOR_PAGE = "mode-asks-for-page"
    MODE_ASKS_FOR_OWN_PAGE = "mode-asks-for-own-page"
    TASKS_CHANGED = "tasks-changed"
    """A pack that is turned on does not allow the call yet: files that define tasks are new or changed."""
    TASKS_UNREAD = "tasks-unread"
    PRESET_RUNS = "preset-runs"
    PRESET_ASKS = "preset-asks"
    NOT_COVERED = "not-covered"


class Reason(NamedTuple):
    """A code and its values; the code decides which values there are."""

    code: ReasonCode
    pairs: tuple[tuple[str, str], ...] = ()
    """The names and the values; a tuple, so that a decision can be hashed."""

    @property
    def values(self) -> dict[str, str]:
        """The values by their names."""
        return dict(self.pairs)


def make_reason(code: ReasonCode, **values: str) -> Reason:
    """The reason with these values."""
    return Reason(code, tuple(values.items()))


def text_reason(text: str) -> Reason:
    """The reason that is only a text."""
    return Reason(ReasonCode.TEXT, (("text", text),))
