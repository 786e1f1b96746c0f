"""What a person is shown of a line: where each command begins, and what is to be said of it by itself."""

import pytest

from assent.engine.anatomy import MOST_PIECES, anatomy
from assent.engine.model import Call
from assent.engine.modes import Mode
from assent.engine.policy.snapshot import Snapshot
from assent.engine.verdict import Piece, Verdict
from tests.engine import given

UNCOVERED = "nothing covers this"


def told_apart(call: Call, snapshot: Snapshot | None = None) -> tuple[Piece, ...]:
    snapshot = snapshot or given.policy()
    return anatomy(call, snapshot, given.facts(call, snapshot), given.decided(call, snapshot))


def test_each_command_begins_where_it_stands_and_has_its_own_verdict() -> None:
    policy = given.policy(allow=["terminal.exec(frob *)"], grants=["terminal.exec(tidy *)"])

    assert told_apart(given.run("ls src && frob run && tidy up; grob it"), policy) == (
        Piece(0, Verdict.RUN, "it only reads"),
        Piece(10, Verdict.RUN, "allow rule `terminal.exec(frob *)`", "terminal.exec(frob *)"),
        Piece(22, Verdict.RUN, "granted before: `terminal.exec(tidy *)`", "terminal.exec(tidy *)"),
        Piece(31, Verdict.ASK, UNCOVERED),
    )


def test_a_rule_speaks_about_the_part_that_it_hits_and_no_other() -> None:
    policy = given.policy(ask=["terminal.exec(grob *)"])
    frob, grob = told_apart(given.run("frob a; timeout 5 grob b"), policy)

    assert frob == Piece(0, Verdict.ASK, UNCOVERED)
    assert (grob.start, grob.verdict, grob.rule) == (8, Verdict.ASK, "terminal.exec(grob *)")


def test_what_eases_the_whole_call_eases_each_part_that_nothing_forbids() -> None:
    policy = given.policy(mode=Mode.AUTO, deny=["terminal.exec(grob *)"])
    frob, grob = told_apart(given.run("frob a; grob b"), policy)

    assert frob == Piece(0, Verdict.RUN, "auto mode allows running commands")
    assert (grob.verdict, grob.rule) == (Verdict.DENY, "terminal.exec(grob *)")


def test_the_same_command_twice_is_two_pieces() -> None:
    assert [piece.start for piece in told_apart(given.run("frob a; frob a"))] == [0, 8]


@pytest.mark.parametrize(
    "line",
    ["frob a", "$X; frob a", "frob 'a", "; ".join(["frob a"] * (MOST_PIECES + 1))],
    ids=["one command", "a program that is not known", "no line", "too many"],
)
def test_what_is_one_thing_or_cannot_be_told_apart_has_no_pieces(line: str) -> None:
    assert told_apart(given.run(line)) == ()


def test_only_command_lines_of_a_known_tool_have_pieces() -> None:
    assert told_apart(given.mail(to="a@b.example")) == ()
    assert told_apart(Call(tool="nobody.knows", args={"command": "a; b"})) == ()
