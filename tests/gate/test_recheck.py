"""A yes to a change of a file is for the file that was shown: one that changed since asks again."""

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
from tests.gate.conftest import EVERY_STORE, a_scene_on
from tests.gate.samples import ANA
from tests.gate.scene import DENY, FOR_CHAT, ONCE, Scene, ask_person

SAVE = Call(tool="note.save", args={"path": "todo.md", "content": "a\nB\nc\n"}, id="save")
PATH = "/project/todo.md"
TEXT = "a\nb\nc\n"


@pytest.fixture(params=EVERY_STORE)
def scene(request: pytest.FixtureRequest, tmp_path: Path) -> AbstractAsyncContextManager[Scene]:
    return a_scene_on(request, tmp_path)


@pytest.mark.proves("T-49")
async def test_a_question_shows_the_change_on_the_file_as_it_is(scene: Scene) -> None:
    scene.workspace.files[PATH] = TEXT

    question = await ask_person(await scene.turn(), SAVE)

    assert (await scene.store.approval(question.id)).file == FilePreview(
        path="todo.md",
        state=FileState.CHANGED,
        digest=sha256(TEXT.encode()).hexdigest(),
        diff="@@ -1,3 +1,3 @@\n a\n-b\n+B\n c",
        added=1,
        removed=1,
        lines=3,
    )


@pytest.mark.proves("T-49", "T-3")
async def test_a_yes_runs_the_call_while_the_file_is_as_it_was(scene: Scene) -> None:
    scene.workspace.files[PATH] = TEXT
    turn = await scene.turn()
    question = await ask_person(turn, SAVE)
    await scene.answer(question, ONCE)

    assert isinstance(await turn.resume(question.id), Run)


@pytest.mark.proves("T-49", "T-3")
async def test_a_file_that_changed_since_somebody_looked_asks_again(scene: Scene) -> None:
    scene.workspace.files[PATH] = TEXT
    turn = await scene.turn()
    question = await ask_person(turn, SAVE)
    await scene.answer(question, ONCE)
    scene.workspace.files[PATH] = "a\nb\nc\nd\n"

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Wait)
    now = await scene.store.approval(question.id)
    assert (now.state, now.answer, now.answered_at) == (State.PENDING, None, None)
    assert now.file is not None
    assert (now.file.changes, now.file.removed, now.file.lines) == (1, 2, 4)
    assert now.call_digest == question.call_digest
    assert now.digest != question.digest
    with pytest.raises(ConflictError, match="a different call than the one shown"):
        await scene.answer(question, ONCE)
    await scene.answer(now, ONCE)
    assert isinstance(await turn.resume(question.id), Run)


@pytest.mark.proves("T-49")
async def test_whoever_waits_is_asked_again_and_goes_on_with_the_second_answer(scene: Scene) -> None:
    scene.workspace.files[PATH] = TEXT
    turn = await scene.turn()
    question = await ask_person(turn, SAVE)
    feed = scene.gate.feed(ANA)
    await feed.next_events(0)
    scene.workspace.files[PATH] = "other\n"
    await scene.answer(question, ONCE)

    assert isinstance(await turn.resume(question.id), Wait)

    told = [event.kind for event in (await feed.next_events(1)).events if event.approval == question.id]
    assert told == [EventKind.ANSWERED, EventKind.ASKED]
    assert [one["decision"] for one in await scene.entries()] == ["", "approved", "asked_again"]
    now = await scene.store.approval(question.id)
    await scene.answer(now, DENY)
    refused = await turn.wait(now)
    assert isinstance(refused, Refuse)
    assert refused.code is Code.DENIED


@pytest.mark.proves("T-49")
async def test_after_three_changes_the_call_is_refused(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, SAVE)
    for number in range(1, MAX_FILE_CHANGES):
        await scene.answer(await scene.store.approval(question.id), ONCE)
        scene.workspace.files[PATH] = f"{number}\n"
        assert isinstance(await turn.resume(question.id), Wait)
    await scene.answer(await scene.store.approval(question.id), ONCE)
    scene.workspace.files[PATH] = "at last\n"

    refused = await turn.resume(question.id)

    assert isinstance(refused, Refuse)
    assert refused.message == (
        "the file changed 3 times after a person had approved the change; do not retry the same call"
    )
    assert (await scene.store.approval(question.id)).state is State.REFUSED


async def test_a_new_file_that_is_there_by_now_asks_again(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, SAVE)
    assert question.file == FilePreview(
        path="todo.md", state=FileState.NEW, digest=UnreadReason.ABSENT.value, added=3
    )
    await scene.answer(question, ONCE)
    scene.workspace.files[PATH] = TEXT

    assert isinstance(await turn.resume(question.id), Wait)


async def test_arguments_that_the_person_changed_are_bound_to_the_file_too(scene: Scene) -> None:
    scene.workspace.files[PATH] = TEXT
    turn = await scene.turn()
    question = await ask_person(turn, SAVE)
    edited = Answer(say=Say.ONCE, args={"path": "todo.md", "content": "mine\n"})
    await scene.answer(question, edited)
    scene.workspace.files[PATH] = "other\n"

    assert isinstance(await turn.resume(question.id), Wait)
    now = await scene.store.approval(question.id)
    await scene.answer(now, edited)
    run = await turn.resume(question.id)
    assert isinstance(run, Run)
    assert run.call.args == edited.args


async def test_what_policy_lets_run_by_now_is_not_asked_again(scene: Scene) -> None:
    scene.workspace.files[PATH] = TEXT
    turn = await scene.turn()
    question = await ask_person(turn, SAVE)
    await scene.answer(question, FOR_CHAT)
    scene.workspace.files[PATH] = "other\n"

    assert isinstance(await turn.resume(question.id), Run)


async def test_a_question_that_another_answer_covered_is_bound_to_no_file(scene: Scene) -> None:
    turn = await scene.turn()
    first = await ask_person(turn, SAVE)
    second = await ask_person(turn, replace(SAVE, id="again"))
    await scene.answer(first, FOR_CHAT)
    scene.workspace.files[PATH] = "other\n"

    assert isinstance(await turn.resume(second.id), Run)


async def test_the_same_call_again_is_the_same_question_whatever_the_file_holds(scene: Scene) -> None:
    turn = await scene.turn()
    question = await ask_person(turn, SAVE)
    scene.workspace.files[PATH] = TEXT

    again = await ask_person(turn, SAVE)

    assert (again.id, again.file) == (question.id, question.file)


async def test_a_file_that_cannot_be_looked_at_again_is_not_the_one_that_was_seen(scene: Scene) -> None:
    rewrites = scene.gate.rewrites
    rewrites["note.save"] = lambda args, name, text: text.upper()
    scene.workspace.files[PATH] = TEXT
    turn = await scene.turn()
    question = await ask_person(turn, replace(SAVE, args={"path": "todo.md", "loud": True}))
    await scene.answer(question, ONCE)
    rewrites.clear()

    outcome = await turn.resume(question.id)

    assert isinstance(outcome, Wait)
    assert outcome.approval.file is not None
    assert outcome.approval.file.state is FileState.UNREACHABLE
