"""Packs: the commands that a rule with the name of a pack allows, and those that it never allows."""

import pytest

from assent.engine.lines.part import Part
from assent.engine.policy.packs import find_pack, pack_covers
from assent.engine.policy.task_files import ASSUMED_PINS
from assent.engine.policy.verdict import Verdict
from assent.engine.programs.packs import PACKS
from assent.engine.programs.variables import is_harmless_for_builds
from assent.engine.programs.word import Word
from tests.engine import given
from tests.engine.given import decide_call, make_snapshot, shell_call


def verdict(pack: str, line: str) -> Verdict:
    """The verdict of a line if one pack is allowed and its task files are approved, without trust."""
    policy = make_snapshot(allow=[f"terminal.exec(@{pack})"])
    return decide_call(shell_call(line), policy, trusted=False, findings=ASSUMED_PINS).verdict


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_allows_its_examples_and_nothing_that_it_must_not(name: str) -> None:
    pack = PACKS[name]

    assert [line for line in pack.match if verdict(name, line) is not Verdict.RUN] == []
    assert [line for line in pack.never if verdict(name, line) is Verdict.RUN] == []


@pytest.mark.parametrize(
    ("pack", "line"),
    [
        ("go", "go build -o /dev/null ./..."),
        ("go", "go build -o bin/out ./..."),
        ("go", "go test -coverprofile=/dev/null ./..."),
        ("go", "CGO_ENABLED=0 go build ./..."),
        ("go", "NODE_ENV=test go build ./..."),
        ("git", "git -C sub commit -m a"),
        ("rust", "cargo test -- --nocapture name"),
        ("node", "npm -s run build"),
    ],
)
def test_a_pack_allows_options_that_only_change_how_it_builds_or_prints(pack: str, line: str) -> None:
    assert verdict(pack, line) is Verdict.RUN


@pytest.mark.parametrize(
    ("pack", "line"),
    [
        ("go", "go build -o ../out ./..."),
        ("go", "go test -o out ./..."),
        ("go", "go build -o"),
        ("go", "go build $x"),
        ("go", "go build ../other"),
        ("go", "go build /etc"),
        ("go", "go build github.com/a/b"),
        ("go", "go build a@v1"),
        ("go", "go test ./... -- -x"),
        ("go", "PATH=. go build ./..."),
        ("go", "NODE_ENV=$x go build ./..."),
        ("go", "go"),
        ("go", "go build ~/other"),
        ("go", "NODE_ENV=~ go build ./..."),
        ("go", "go() { echo a; }; go build ./..."),
        ("git", "git -C ../other commit -m a"),
        ("git", "git -C"),
        ("rust", "cargo test -- --unknown"),
        ("nosuch", "go build ./..."),
    ],
)
def test_a_pack_does_not_allow_what_may_leave_the_workspace(pack: str, line: str) -> None:
    assert verdict(pack, line) is Verdict.ASK


def test_only_a_specifier_with_the_sign_names_a_pack() -> None:
    assert find_pack("@go") is PACKS["go"]
    assert find_pack("go") is None
    assert find_pack("@nosuch") is None


def test_a_pack_covers_no_part_without_a_command() -> None:
    assert not pack_covers("go", Part("go build"), given.DIRECTORIES, spelled_out=0)


def test_an_unknown_value_of_a_variable_is_not_harmless_for_builds() -> None:
    assert is_harmless_for_builds("NODE_ENV", Word("test"))
    assert not is_harmless_for_builds("NODE_ENV", Word("test", splits=True))
