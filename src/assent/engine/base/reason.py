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
    UNREADABLE_PART = "unreadable-part"
    CHANGED_TOOL = "changed-tool"
    UNDECLARED_TOOL = "undeclared-tool"
    PAUSED = "paused"
    USES_PROTECTED_PATH = "uses-protected-path"
    """A program runs a protected path, or gets it as a word; whether it changes the path is not known."""
    READS_OUTSIDE = "reads-outside"
    READS_SECRET = "reads-secret"
    READS_SECRET_OUTSIDE = "reads-secret-outside"
    READS_SECRET_VARIABLE = "reads-secret-variable"
    READS_HIDDEN_FILES = "reads-hidden-files"
    READS_UNKNOWN_PATH = "reads-unknown-path"
    READS_SECRET_IN_TREE = "reads-secret-in-tree"
    LEAVES_WORKSPACE = "leaves-workspace"
    """A change of directory leads out of the workspace."""
    RUNS_OUTSIDE = "runs-outside"
    """A command runs in a directory outside the workspace."""
    RUNS_SOMEWHERE = "runs-somewhere"
    """The directory in which a command runs is not known."""
    RUNS_PROJECT_CODE = "runs-project-code"
    BUILDS_PROJECT = "builds-project"
    RUNS_FILE = "runs-file"
    RUNS_GIVEN_CODE = "runs-given-code"
    """An interpreter runs code that is among its words."""
    RUNS_INPUT = "runs-input"
    RUNS_AS_OTHER_USER = "runs-as-other-user"
    UNKNOWN_PROGRAM = "unknown-program"
    UNKNOWN_VALUE = "unknown-value"
    UNKNOWN_WORD = "unknown-word"
    SETS_VARIABLE = "sets-variable"
    NEEDS_TRUST = "needs-trust"
    """A command only reads, unless a file of the workspace makes it run code."""
    MAY_RUN_CODE = "may-run-code"
    """A command only reads, but a file of the workspace makes it run code, or may do so."""
    RUNS_SETTING = "runs-setting"
    """A command only reads, but runs the program that a setting of the repository names."""
    MAY_DO_MORE = "may-do-more"
    """A known program is used in a way that is not known to only read."""
    CREATES_FILE = "creates-file"
    WRITES_FILE = "writes-file"
    """A file is created or overwritten; whether it exists is not known."""
    OVERWRITES_FILE = "overwrites-file"
    APPENDS_TO_FILE = "appends-to-file"
    CHANGES_FILE = "changes-file"
    REMOVES_FILE = "removes-file"
    REMOVES_OUTSIDE = "removes-outside"
    CHANGES_OUTSIDE = "changes-outside"
    CHANGES_UNRECORDED = "changes-unrecorded"
    """A change would lose content that Git has not recorded."""
    CHANGES_UNKNOWN_PATH = "changes-unknown-path"
    CHANGES_REPOSITORY = "changes-repository"
    SENDS_DATA = "sends-data"
    CONNECTS = "connects"
    INSTALLS = "installs"
    USES_SERVICE = "uses-service"
    MANAGES_CONTAINERS = "manages-containers"
    CHANGES_DATABASE = "changes-database"
    CHANGES_SYSTEM = "changes-system"
    TOOL_CHANGES_DATA = "tool-changes-data"
    TOOL_RUNS_CODE = "tool-runs-code"
    TOOL_ACTS_OUTSIDE = "tool-acts-outside"
    ONLY_READS = "only-reads"
    ALWAYS_ALLOWED = "always-allowed"
    NEEDS_APPROVAL = "needs-approval"
    GRANT = "grant"
    ALLOW_RULE = "allow-rule"
    MODE_RUNS = "mode-runs"
    MODE_ASKS = "mode-asks"
    UNREVIEWED_TOOL = "unreviewed-tool"
    UNREVIEWED_OWN_TOOL = "unreviewed-own-tool"
    """A page of this server declared the tool."""
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
