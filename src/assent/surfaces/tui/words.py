"""The sentences that a terminal shows for decisions, answers, ends and irreversible acts."""

from assent.engine.base.tool import Effect
from assent.engine.irreversible.act import IrreversibleAct
from assent.engine.lines.specifier import DisclosedInput, InputSource
from assent.engine.policy.modes import Mode, mode_from_wire
from assent.engine.policy.verdict import Stage, Verdict
from assent.engine.programs.losses import Loss
from assent.gate.answer import Answer, Say
from assent.gate.approval import Approval, State
from assent.gate.file_preview import FilePreview, FileState
from assent.gate.preset import Scope
from assent.surfaces.tui.text import QUESTION_IN_WORDS, clock_text, visible_text

VERDICTS = {
    Verdict.RUN: ("✓", "runs"),
    Verdict.ASK: ("?", "asks"),
    Verdict.DENY: ("✗", "denied"),
    Verdict.ABSENT: ("✗", "absent"),
}
"""Symbol and word of a verdict."""
EFFECTS = {
    Effect.READ: ("◦", "Read"),
    Effect.EDIT: ("±", "Edit"),
    Effect.WRITE: ("▤", "Write"),
    Effect.EXECUTE: ("$", "Execute"),
    Effect.EXTERNAL: ("↗", "External"),
    Effect.DESTRUCTIVE: ("!", "Destructive"),
}
"""Symbol and word of an effect."""
MODES = {
    Mode.PLAN: ("○", "Plan"),
    Mode.DEFAULT: ("◔", "Default"),
    Mode.ACCEPT_EDITS: ("◕", "Accept edits"),
    Mode.AUTO: ("●", "Auto"),
}
"""Symbol and word of a mode."""
LOCKS = {
    Stage.DESTRUCTIVE: "the tool is declared destructive",
    Stage.BREAKER: "a circuit breaker stops it",
    Stage.PROTECTED_PATH: "it uses a protected path",
    Stage.ASK_RULE: "an ask rule matches",
    Stage.UNREADABLE: "Assent cannot read the whole call",
    Stage.UNRESOLVED: "whether a rule matches depends on a value that is not known yet",
    Stage.CHANGED: "the definition of the tool has changed",
}
"""Why no rule can avoid a question."""
SCOPES = {
    Scope.CONVERSATION: "this conversation",
    Scope.AGENT: "{agent}",
    Scope.USER_AGENT: "me with {agent}",
    Scope.USER: "me with every agent",
    Scope.EVERYONE: "every agent *",
}
"""To whom a rule applies."""


def mode_symbol_and_word(word: str) -> tuple[str, str]:
    """The symbol and the word of a mode; a question may have no mode."""
    return MODES[mode_from_wire(word)] if word else ("·", "no mode")


def outcome_sentence(approval: Approval, me: str) -> str:
    """The sentence that states how a question ended, who answered it, and when."""
    answer, moment = approval.answer, approval.closed_at or approval.answered_at
    at = "" if moment is None else f" at {clock_text(moment)}"
    match approval.state:
        case State.PENDING:
            return "Postponed. The question stays open." if approval.later_at is not None else ""
        case State.DENIED:
            is_answered = approval.call.tool == QUESTION_IN_WORDS and bool(answer and answer.reason)
            ended = "✓ Answered" if is_answered else "✗ Denied"
            return f"{ended} by {_answerer_name(answer, me)}{at}{_quoted_reason(answer)}."
        case State.APPROVED | State.RUNNING | State.DONE | State.FAILED:
            allowed = f"{_allowed_sentence(approval, me)}{at}{_quoted_reason(answer)}"
            return f"✓ {allowed}.{_run_state_sentence(approval)}"
        case State.EXPIRED:
            return f"◌ Expired{at} without an answer. The call does not run."
        case State.WITHDRAWN:
            return f"◌ Withdrawn{at}. The call does not run."
        case State.LAPSED:
            person = _answerer_name(answer, me)
            return f"◌ Allowed by {person}, but the call did not run in time. It does not run."
        case State.REFUSED:
            return f"✗ Stopped{at}: the call is no longer allowed."
        case State.UNKNOWN:
            return "? It is unknown whether the call ran. Check its result."


def file_sentence(file: FilePreview) -> str:
    """The sentence that states how a call would change a file."""
    path = visible_text(file.path)
    match file.state:
        case FileState.NEW:
            return f"{path}: new file, {file.added} line{'' if file.added == 1 else 's'}"
        case FileState.CHANGED:
            within = f" in {visible_text(file.within)}" if file.within else ""
            return f"{path}: +{file.added} -{file.removed} of {file.lines} lines{within}"
        case (
            FileState.UNFIT
            | FileState.LONG
            | FileState.SECRET
            | FileState.BINARY
            | FileState.LARGE
            | FileState.OUTSIDE
            | FileState.UNREACHABLE
        ):
            return f"{path}: not compared: {visible_text(file.why)}"


def command_input_sentence(fed: DisclosedInput) -> str:
    """The sentence that states what the commands of a call read from standard input."""
    commands = ", ".join(f"`{visible_text(one)}`" for one in fed.commands)
    match fed.source:
        case InputSource.TEXT:
            source = "a text of this call"
        case InputSource.FILE | InputSource.WRITTEN_FILE:
            digest = f" (sha256 {fed.digest[:12]}…)" if fed.digest else ""
            source = f"the file {visible_text(fed.path)}{digest}"
        case InputSource.PIPE:
            source = "the output of another command"
        case InputSource.SEVERAL:
            source = "several inputs"
        case InputSource.UNKNOWN_TEXT | InputSource.UNKNOWN_FILE:
            source = "an input that is not known before it runs"
        case InputSource.LARGE_TEXT:
            source = "a text of more than 1 MB"
    return f"{commands or 'a command'} acts on {source}"


def _allowed_sentence(approval: Approval, me: str) -> str:
    answer = approval.answer
    if answer is None:
        return "Allowed by the policy"
    if answer.released_by:
        return f"Allowed by the answer of {_answerer_name(answer, me)} to another question"
    edited = ", with changed arguments," if approval.is_edited else ""
    words = {Say.ONCE: "once", Say.CONVERSATION: "for this conversation", Say.ALWAYS: "always"}
    return f"Allowed {words.get(answer.say, '')}{edited} by {_answerer_name(answer, me)}"


def _run_state_sentence(approval: Approval) -> str:
    words = {State.RUNNING: " It runs.", State.DONE: " It ran.", State.FAILED: " It failed."}
    return words.get(approval.state, "")


def _answerer_name(answer: Answer | None, me: str) -> str:
    by = "" if answer is None else answer.by
    return "you" if by and by == me else visible_text(by) or "another person"


def _quoted_reason(answer: Answer | None) -> str:
    return f": “{visible_text(answer.reason)}”" if answer is not None and answer.reason else ""


def act_sentence(act: IrreversibleAct) -> str:
    """The sentence that describes an irreversible act."""
    named, unnamed = _LOSS_SENTENCES[act.loss]
    kind = act.kind or _DEFAULT_KIND_NAMES.get(act.loss, "")
    thing = f"the {kind} `{act.name}`" if kind else f"`{act.name}`"
    if act.name:
        return named.format(thing=thing, kind=kind, name=f"`{act.name}`")
    return unnamed.format(kind=kind or "thing")


_LOSS_SENTENCES = {
    Loss.DELETES: ("deletes {thing}", "deletes the {kind}"),
    Loss.DELETES_ALL: ("deletes all {kind} of {name}", "deletes all {kind}"),
    Loss.DESTROYS: ("destroys everything in {name}", "destroys everything that {kind} manages here"),
    Loss.REMOVES_FILES: ("removes {name}", "removes files"),
    Loss.DISCARDS_CHANGES: ("discards uncommitted changes ({name})", "discards uncommitted changes"),
    Loss.REMOVES_UNTRACKED: ("removes untracked files ({name})", "removes untracked files"),
    Loss.ERASES_HISTORY: ("erases history ({name})", "erases history"),
    Loss.OVERWRITES_REMOTE: ("overwrites what others pushed to {name}", "overwrites what others pushed"),
    Loss.PUBLISHES: ("publishes {name} with {kind}", "publishes a release with {kind}"),
    Loss.UNPUBLISHES: ("withdraws {name} from {kind}", "withdraws a release from {kind}"),
    Loss.EMPTIES: ("empties {thing}", "empties the {kind}"),
    Loss.CHANGES_ALL: ("changes every row of {name}", "changes every row"),
    Loss.ERASES: ("erases {name} permanently", "erases a disk"),
    Loss.MOVES_MONEY: ("moves money ({name})", "moves money"),
    Loss.DECLARED: ("{name} is declared destructive", "is declared destructive"),
}
"""For each kind of loss, a sentence with the name of the affected thing, and a sentence without a name."""
_DEFAULT_KIND_NAMES = {Loss.PUBLISHES: "a registry", Loss.UNPUBLISHES: "a registry"}
"""The kind of the affected thing, if the call does not contain it."""
