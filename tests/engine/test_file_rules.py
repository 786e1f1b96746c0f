"""Deny and ask rules about files that a command may read by one of its words."""

import pytest

from assent.engine.base.tool import Call, Dialect, Effect, PathKind, Tool
from assent.engine.policy.modes import Mode
from assent.engine.policy.verdict import Stage, Verdict
from tests.engine import given


@pytest.mark.parametrize(
    ("line", "verdict"),
    [
        ("foo k", Verdict.DENY),
        ("foo --in=k", Verdict.DENY),
        ("foo other", Verdict.ASK),
        ("grep -r a . --include=k", Verdict.DENY),
        ("grep -r a . --include='k*'", Verdict.DENY),
        ("find . -name k -exec cat {} +", Verdict.DENY),
        ("grep -r a . --include='*.py'", Verdict.RUN),
    ],
)
def test_a_denial_of_reading_meets_the_words_of_a_command(line: str, verdict: Verdict) -> None:
    policy = given.make_snapshot(deny=["files.read(k)"])

    assert given.decide_call(given.shell_call(line), policy, trusted=True).verdict is verdict


@pytest.mark.parametrize("line", ["rg -uu a", "grep -r a . --include='*'"])
def test_what_may_match_asks(line: str) -> None:
    policy = given.make_snapshot(deny=["files.read(k)"])

    decision = given.decide_call(given.shell_call(line), policy, trusted=True)

    assert (decision.verdict, decision.stage) == (Verdict.ASK, Stage.UNRESOLVED)


MOVE_FILE = Tool(
    name="files.move",
    effect=Effect.WRITE,
    dialect=Dialect.PATH,
    template="{path} {to}",
    paths=PathKind.ANCHORED,
)


@pytest.mark.parametrize(
    ("path", "to", "verdict"),
    [
        ("/keys.txt", "/notes.txt", Verdict.DENY),
        ("/notes.txt", "/keys.txt", Verdict.DENY),
        ("/notes.txt", "/more.txt", Verdict.RUN),
    ],
)
def test_a_file_that_may_not_be_read_is_not_moved_to_a_path_where_it_may_be(
    path: str, to: str, verdict: Verdict
) -> None:
    snapshot = given.make_snapshot(MOVE_FILE, given.READ_FILE, deny=["files.read(/keys.txt)"], mode=Mode.AUTO)

    assert (
        given.decide_call(Call(tool="files.move", args={"path": path, "to": to}), snapshot).verdict is verdict
    )
