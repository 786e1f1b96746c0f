"""Tickets: one call, once, soon, and exactly as the gate let it run."""

from collections.abc import Mapping

import pytest

from assent.engine.base.tool import Call
from assent.hosts.workbench.refusal import Reason, WorkbenchError
from assent.hosts.workbench.tickets import LIFETIME_SECONDS, MAX_TICKETS, Tickets

ARGS = {"path": "/a.ts", "content": "new", "deep": {"list": [1, 2.5, None]}}
CALL = Call(tool="files.write", args=ARGS, id="c1")


class Clock:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def tickets(clock: Clock) -> Tickets:
    return Tickets(clock)


def refusal(tickets: Tickets, user: str, secret: str, tool: str, args: Mapping[str, object]) -> Reason:
    with pytest.raises(WorkbenchError) as refused:
        tickets.redeem(user, secret, tool, args)
    return refused.value.reason


def test_a_ticket_works_once(tickets: Tickets) -> None:
    secret = tickets.issue("ana", CALL, root="/srv/shop", file_digest="f" * 64)
    ticket = tickets.redeem("ana", secret, "files.write", dict(reversed(ARGS.items())))

    assert (ticket.call, ticket.tool, ticket.root, ticket.directory, ticket.file_digest) == (
        *("c1", "files.write", "/srv/shop", "/srv/shop", "f" * 64),
    )
    assert refusal(tickets, "ana", secret, "files.write", ARGS) is Reason.TICKET


@pytest.mark.parametrize(
    ("user", "tool", "args"),
    [
        ("ana", "files.delete", ARGS),
        ("ana", "files.write", {**ARGS, "path": "/b.ts"}),
        ("ana", "files.write", {**ARGS, "content": "other"}),
        ("ana", "files.write", {**ARGS, "more": 1}),
        ("ana", "files.write", {"path": "/a.ts"}),
        ("ana", "files.write", {**ARGS, "deep": {"list": [1, 2.5, float("nan")]}}),
    ],
)
def test_a_ticket_for_another_call_is_refused_and_used_up(
    tickets: Tickets, user: str, tool: str, args: Mapping[str, object]
) -> None:
    secret = tickets.issue("ana", CALL, root="/srv/shop")

    assert refusal(tickets, user, secret, tool, args) is Reason.TICKET
    assert refusal(tickets, "ana", secret, "files.write", ARGS) is Reason.TICKET


def test_a_ticket_of_another_person_is_unknown(tickets: Tickets) -> None:
    secret = tickets.issue("ana", CALL, root="/srv/shop")

    assert refusal(tickets, "ben", secret, "files.write", ARGS) is Reason.TICKET
    assert refusal(tickets, "ana", "", "files.write", ARGS) is Reason.TICKET
    assert tickets.redeem("ana", secret, "files.write", ARGS).call == "c1"


def test_a_ticket_is_too_old_after_a_minute(tickets: Tickets, clock: Clock) -> None:
    first, second = (tickets.issue("ana", CALL, root="/srv/shop") for _ in range(2))
    clock.now += LIFETIME_SECONDS - 0.1
    used = tickets.redeem("ana", first, "files.write", ARGS)
    clock.now += 0.1

    assert used.call == "c1"
    assert refusal(tickets, "ana", second, "files.write", ARGS) is Reason.TICKET


def test_the_oldest_of_too_many_tickets_is_forgotten(tickets: Tickets) -> None:
    secrets = [tickets.issue("ana", CALL, root="/srv/shop") for _ in range(MAX_TICKETS + 1)]

    assert refusal(tickets, "ana", secrets[0], "files.write", ARGS) is Reason.TICKET
    assert tickets.redeem("ana", secrets[1], "files.write", ARGS).call == "c1"
