"""An approval of a file change is for the shown content: if the file changed since, the person is asked again."""

from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from assent.engine.base.tool import Call
from assent.errors import ConflictError
from assent.gate.answer import Answer, Say
from assent.gate.approval import State
from assent.gate.calls import Code, Refuse, Run, Wait
from assent.gate.events import EventKind
from assent.gate.file_preview import MAX_FILE_CHANGES, FilePreview, FileState, UnreadReason
from tests.gate.conftest import EVERY_STORE, harness_on_store
from tests.gate.samples import ANA
from tests.gate.scene import DENY, FOR_CHAT, ONCE, GateHarness, ask_person

SAVE = Call(tool="note.save", args={"path": "todo.md", "content": "a\nB\nc\n"}, id="save")
PATH = "/project/todo.md"
TEXT = "a\nb\nc\n"


@pytest.fixture(params=EVERY_STORE)
def harness(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[GateHarness]:
    return harness_on_store(request, tmp_path)


@pytest.mark.proves("T-49")
async def test_an_approval_shows_the_change_of_the_current_file(harness: GateHarness) -> None:
    harness.workspace.files[PATH] = TEXT

    question = await ask_person(await harness.turn(), SAVE)

    assert (await harness.store.approval(question.id)).file == FilePreview(
        path="todo.md",
        state=FileState.CHANGED,
        digest=sha256(TEXT.encode()).hexdigest(),
        diff="@@ -1,3 +1,3 @@\n a\n-b\n+B\n c",
        added=1,
        removed=1,
        lines=3,
    )


@pytest.mark.proves("T-49", "T-3")
async def test_an_approved_call_runs_if_the_file_is_unchanged(harness: GateHarness) -> None:
    harness.workspace.files[PATH] = TEXT
    turn = await harness.turn()
    question = await ask_person(turn, SAVE)
    await harness.answer(question, ONCE)

    assert isinstance(await turn.resume(question.id), Run)


@pytest.mark.proves("T-49", "T-3")
async def test_a_file_that_changed_since_it_was_shown_asks_again(harness: GateHarness) -> None:
    harness.workspace.files[PATH] = TEXT
    turn = await harness.turn()
    question = await ask_person(turn, SAVE)
    await harness.answer(question, ONCE)
    harness.workspace.files[PATH] = "a\nb\nc\nd\n"

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Wait)
    now = await harness.store.approval(question.id)
    assert (now.state, now.answer, now.answered_at) == (State.PENDING, None, None)
    assert now.file is not None
    assert (now.file.changes, now.file.removed, now.file.lines) == (1, 2, 4)
    assert now.call_digest == question.call_digest
    assert now.digest != question.digest
    with pytest.raises(ConflictError, match="a different call than the one shown"):
        await harness.answer(question, ONCE)
    await harness.answer(now, ONCE)
    assert isinstance(await turn.resume(question.id), Run)


@pytest.mark.proves("T-49")
async def test_a_waiting_caller_continues_with_the_second_answer(harness: GateHarness) -> None:
    harness.workspace.files[PATH] = TEXT
    turn = await harness.turn()
    question = await ask_person(turn, SAVE)
    feed = harness.gate.event_feed(ANA)
    await feed.next_events(0)
    harness.workspace.files[PATH] = "other\n"
    await harness.answer(question, ONCE)

    assert isinstance(await turn.resume(question.id), Wait)

    told = [event.kind for event in (await feed.next_events(1)).events if event.approval == question.id]
    assert told == [EventKind.ANSWERED, EventKind.ASKED]
    assert [one["decision"] for one in await harness.entries()] == ["", "approved", "asked_again"]
    now = await harness.store.approval(question.id)
    await harness.answer(now, DENY)
    refused = await turn.wait(now)
    assert isinstance(refused, Refuse)
    assert refused.code is Code.DENIED


@pytest.mark.proves("T-49")
async def test_after_three_changes_the_call_is_refused(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, SAVE)
    for number in range(1, MAX_FILE_CHANGES):
        await harness.answer(await harness.store.approval(question.id), ONCE)
        harness.workspace.files[PATH] = f"{number}\n"
        assert isinstance(await turn.resume(question.id), Wait)
    await harness.answer(await harness.store.approval(question.id), ONCE)
    harness.workspace.files[PATH] = "at last\n"

    refused = await turn.resume(question.id)

    assert isinstance(refused, Refuse)
    assert refused.message == (
        "the file changed 3 times after a person had approved the change; do not retry the same call"
    )
    assert (await harness.store.approval(question.id)).state is State.REFUSED


async def test_a_new_file_that_exists_since_then_asks_again(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, SAVE)
    assert question.file == FilePreview(
        path="todo.md", state=FileState.NEW, digest=UnreadReason.ABSENT.value, added=3
    )
    await harness.answer(question, ONCE)
    harness.workspace.files[PATH] = TEXT

    assert isinstance(await turn.resume(question.id), Wait)


async def test_edited_arguments_are_also_bound_to_the_file(harness: GateHarness) -> None:
    harness.workspace.files[PATH] = TEXT
    turn = await harness.turn()
    question = await ask_person(turn, SAVE)
    edited = Answer(say=Say.ONCE, args={"path": "todo.md", "content": "mine\n"})
    await harness.answer(question, edited)
    harness.workspace.files[PATH] = "other\n"

    assert isinstance(await turn.resume(question.id), Wait)
    now = await harness.store.approval(question.id)
    await harness.answer(now, edited)
    run = await turn.resume(question.id)
    assert isinstance(run, Run)
    assert run.call.args == edited.args


async def test_a_call_that_a_grant_now_covers_is_not_asked_again(harness: GateHarness) -> None:
    harness.workspace.files[PATH] = TEXT
    turn = await harness.turn()
    question = await ask_person(turn, SAVE)
    await harness.answer(question, FOR_CHAT)
    harness.workspace.files[PATH] = "other\n"

    assert isinstance(await turn.resume(question.id), Run)


async def test_an_approval_that_was_released_is_not_bound_to_a_file(harness: GateHarness) -> None:
    turn = await harness.turn()
    first = await ask_person(turn, SAVE)
    second = await ask_person(turn, replace(SAVE, id="again"))
    await harness.answer(first, FOR_CHAT)
    harness.workspace.files[PATH] = "other\n"

    assert isinstance(await turn.resume(second.id), Run)


async def test_the_same_call_has_the_same_approval_whatever_the_file_contains(harness: GateHarness) -> None:
    turn = await harness.turn()
    question = await ask_person(turn, SAVE)
    harness.workspace.files[PATH] = TEXT

    again = await ask_person(turn, SAVE)

    assert (again.id, again.file) == (question.id, question.file)


async def test_a_file_that_cannot_be_read_again_counts_as_changed(harness: GateHarness) -> None:
    rewrites = harness.gate.rewrites
    rewrites["note.save"] = lambda args, name, text: text.upper()
    harness.workspace.files[PATH] = TEXT
    turn = await harness.turn()
    question = await ask_person(turn, replace(SAVE, args={"path": "todo.md", "loud": True}))
    await harness.answer(question, ONCE)
    rewrites.clear()

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Wait)
    assert outcome.approval.file is not None
    assert outcome.approval.file.state is FileState.UNREACHABLE
