"""What begins with a post, given what is there: a new run, the one that it began before, or nothing yet."""

from dataclasses import replace

import pytest

from assent.errors import ConflictError
from assent.gate.posting import check_post, start_of
from assent.gate.transcript import Begun, ChatRun, Course, Post, Start

OLD = ChatRun(
    id="r1",
    conversation="c",
    owner="ana",
    agent="chat",
    message='{"id":"m1"}',
    course=Course.DONE,
    digest="one",
)
NEW = replace(OLD, id="r2", course=Course.RUNNING)


def test_a_message_that_is_new_begins_a_run() -> None:
    other = replace(NEW, message='{"id":"m2"}')

    assert start_of(other, [OLD], ()) == Begun(other, Start.NEW)


@pytest.mark.parametrize("course", [Course.RUNNING, Course.SUSPENDED])
def test_an_open_run_is_in_the_way_of_another_message(course: Course) -> None:
    still = replace(OLD, course=course)

    assert start_of(replace(NEW, message='{"id":"m2"}'), [still], ()) == Begun(still, Start.OCCUPIED)


@pytest.mark.proves("T-53")
@pytest.mark.parametrize("course", list(Course))
def test_the_same_message_is_its_own_run_however_that_stands(course: Course) -> None:
    known = replace(OLD, course=course)

    assert start_of(NEW, [known], ()) == Begun(known, Start.REPEATED)


def test_messages_without_an_id_are_never_the_same() -> None:
    nameless = replace(OLD, message="{}")

    assert start_of(replace(NEW, message="{}"), [nameless], ()).start is Start.NEW


def test_a_run_that_was_replaced_meanwhile_by_something_else_is_a_conflict() -> None:
    replaced = replace(OLD, replaced_by="r0")

    with pytest.raises(ConflictError, match="replaced meanwhile"):
        start_of(NEW, [replaced], ["r1"])


@pytest.mark.proves("T-53")
def test_a_key_is_for_one_request() -> None:
    check_post(Post("person ana", "k", "one"), "one")
    with pytest.raises(ConflictError, match="k"):
        check_post(Post("person ana", "k", "two"), "one")
