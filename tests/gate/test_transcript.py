"""What begins with a post, given what is there: a new run, the one that it began before, or nothing yet."""

from dataclasses import replace

import pytest

from assent.errors import ConflictError
from assent.gate.transcript import ChatRun, Post, RunStatus, StartedRun, StartResult, check_post, start_run

OLD = ChatRun(
    id="r1",
    conversation="c",
    owner="ana",
    agent="chat",
    message='{"id":"m1"}',
    status=RunStatus.DONE,
    digest="one",
)
NEW = replace(OLD, id="r2", status=RunStatus.RUNNING)


def test_a_message_that_is_new_begins_a_run() -> None:
    other = replace(NEW, message='{"id":"m2"}')

    assert start_run(other, [OLD], ()) == StartedRun(other, StartResult.NEW)


@pytest.mark.parametrize("course", [RunStatus.RUNNING, RunStatus.SUSPENDED])
def test_an_open_run_is_in_the_way_of_another_message(course: RunStatus) -> None:
    still = replace(OLD, status=course)

    assert start_run(replace(NEW, message='{"id":"m2"}'), [still], ()) == StartedRun(
        still, StartResult.OCCUPIED
    )


@pytest.mark.proves("T-53")
@pytest.mark.parametrize("course", list(RunStatus))
def test_the_same_message_is_its_own_run_however_that_stands(course: RunStatus) -> None:
    known = replace(OLD, status=course)

    assert start_run(NEW, [known], ()) == StartedRun(known, StartResult.REPEATED)


def test_messages_without_an_id_are_never_the_same() -> None:
    nameless = replace(OLD, message="{}")

    assert start_run(replace(NEW, message="{}"), [nameless], ()).start is StartResult.NEW


def test_a_run_that_was_replaced_meanwhile_by_something_else_is_a_conflict() -> None:
    replaced = replace(OLD, replaced_by="r0")

    with pytest.raises(ConflictError, match="replaced meanwhile"):
        start_run(NEW, [replaced], ["r1"])


@pytest.mark.proves("T-53")
def test_a_key_is_for_one_request() -> None:
    check_post(Post("person ana", "k", "one"), "one")
    with pytest.raises(ConflictError, match="k"):
        check_post(Post("person ana", "k", "two"), "one")
