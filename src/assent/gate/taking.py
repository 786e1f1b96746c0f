"""Taking an approved call: what it is checked against once more, before it runs."""

from dataclasses import replace

from assent.engine.verdict import Decision, Stage, Verdict
from assent.errors import MovedOnError
from assent.gate import approval as moves
from assent.gate.approval import Approval
from assent.gate.filepreview import MOST_CHANGES, WHY, FilePreview, FileState
from assent.gate.judge import Judge, Judged
from assent.gate.ports import Change, Changed, Moment
from assent.gate.preset import Preset

LOCKED_STAGES = frozenset(stage for stage in Stage if stage.is_locked)
STOPPING = frozenset({Stage.UNKNOWN, Stage.UNAUTHORIZED, Stage.BLOCKED, Stage.DENY_RULE})
"""What can still stop a call that a person approved; mode and grants are not asked again."""
AFTER_PAUSE = "the end of the pause"
"""What released a call that nothing else held."""
CHANGED = "the file has changed since it was shown"
CHANGED_TOO_OFTEN = f"the file changed {MOST_CHANGES} times after a person had looked at it"


def stopped_by(approval: Approval, judged: Judged) -> str | None:
    """Why an approved call may not run any more."""
    stopping = STOPPING
    if approval.answer is not None and approval.answer.args is not None:
        stopping |= {Stage.PLAN}  # Other arguments make a call that this mode was never asked about.
    if approval.answer is not None and approval.answer.released_by:
        if approval.answer.released_by == AFTER_PAUSE and not _may_go_on(judged.decision):
            return judged.decision.because
        stopping |= LOCKED_STAGES  # Nobody looked at this one: what asks each time by now would not be asked.
    for step in judged.decision.steps:
        if step.stage in stopping:
            return step.reason
    if _was_fed_otherwise(approval, judged):
        return "a file that is fed to the command changed since it was approved"
    bound = judged._replace(call=approval.call)
    if bound.call_digest != approval.call_digest:
        return "the tool or the directory is no longer the one that was approved"
    return None


def _was_fed_otherwise(approval: Approval, judged: Judged) -> bool:
    """Whether a file that the command takes instructions from is another one than for the answer."""
    if approval.approved_call != approval.call:
        return False
    now = judged.facts.contents
    return any(now.get(path) != digest for path, digest in approval.facts.contents.items())


def _may_go_on(decision: Decision) -> bool:
    return decision.verdict is Verdict.RUN or decision.is_only_paused


async def changed_file(judge: Judge, approval: Approval, judged: Judged) -> FilePreview | None:
    """What the question would show now, where its file is no longer the one that somebody looked at."""
    known, answer = approval.file, approval.answer
    if known is None or answer is None or answer.released_by or judged.decision.verdict is Verdict.RUN:
        return None  # Nobody looked, or nobody needs to any more.
    now = await judge.file_preview(judged._replace(call=approval.call))
    # INVARIANT: a file that cannot be looked at again is not the one that was looked at.
    now = now or FilePreview(path=known.path, state=_GONE, digest=_GONE.value, why=WHY[_GONE])
    return None if now.marks == known.marks else replace(now, changes=known.changes + 1)


def asking_again(approval: Approval, file: FilePreview, preset: Preset) -> Change:
    """The step that puts a question anew, if nobody else has put it anew meanwhile."""

    def change(one: Approval, moment: Moment) -> Changed:
        if one.digest != approval.digest:
            raise MovedOnError(one.id, one.state, "asked again")
        return Changed(moves.asked_again(one, file, preset.expires_at(moment.at), at=moment.at))

    return change


_GONE = FileState.UNREACHABLE
