"""Modes: every cell of the table, every alias, and the narrower of two modes."""

import pytest

from assent.engine.base.tool import Call, Effect, Tool
from assent.engine.policy.modes import (
    MODE_ALIASES,
    MODE_VERDICTS,
    Mode,
    mode_from_wire,
    narrower_mode,
    parse_mode,
)
from assent.engine.policy.verdict import Verdict
from assent.errors import UnknownWordError
from tests.engine import given

# The cells once more, as a person would say them.
CELLS = {
    Mode.PLAN: "run deny deny deny deny deny",
    Mode.DEFAULT: "run ask ask ask ask ask",
    Mode.ACCEPT_EDITS: "run run ask ask ask ask",
    Mode.AUTO: "run run run run run ask",
}
EVERY_CELL = [
    (mode, effect, verdict)
    for mode, row in CELLS.items()
    for effect, verdict in zip(Effect, row.split(), strict=True)
]


@pytest.mark.parametrize(("mode", "effect", "verdict"), EVERY_CELL)
@pytest.mark.proves(
    "R000-2", "R000-3", "R000-4", "R000-5", "R000-6", "R001-3", "R001-4", "R001-5", "R001-6", "R001-7", "R003-30",
    "R003-31", "R003-32", "R003-33",
)  # fmt: skip
def test_a_mode_means_what_its_row_says(mode: Mode, effect: Effect, verdict: str) -> None:
    tool = Tool(name="t", effect=effect)

    decision = given.decide_call(Call(tool="t", args={}), given.make_snapshot(tool, mode=mode))

    assert MODE_VERDICTS[mode][effect].word == verdict
    assert decision.verdict.word == verdict


@pytest.mark.proves("R000-7")
@pytest.mark.parametrize(
    ("mode", "verdict"), [(Mode.PLAN, Verdict.DENY), (Mode.DEFAULT, Verdict.ASK), (Mode.AUTO, Verdict.RUN)]
)
def test_a_tool_that_declares_nothing_is_external(mode: Mode, verdict: Verdict) -> None:
    tool = Tool(name="t")

    assert tool.effect is Effect.EXTERNAL
    assert given.decide_call(Call(tool="t", args={}), given.make_snapshot(tool, mode=mode)).verdict is verdict


@pytest.mark.parametrize(
    ("word", "mode"),
    [*((mode.value, mode) for mode in Mode), *MODE_ALIASES.items()],
)
def test_every_spelling_of_a_mode_is_known_in_files_and_over_the_wire(word: str, mode: Mode) -> None:
    assert parse_mode(word) is mode
    assert mode_from_wire(word) is mode


def test_the_aliases_are_the_mode_names_of_other_systems() -> None:
    assert {word: mode.value for word, mode in MODE_ALIASES.items()} == {
        "approve": "default",
        "manual": "default",
        "acceptEdits": "accept_edits",
        "autonomous": "auto",
        "bypassPermissions": "auto",
    }


@pytest.mark.parametrize("word", ["AUTO", "", "yolo", None, 3, ["auto"], {"mode": "auto"}])
@pytest.mark.proves("R003-29")
@pytest.mark.supports("R000-34")
def test_an_unknown_mode_over_the_wire_is_default(word: object) -> None:
    assert mode_from_wire(word) is Mode.DEFAULT


def test_an_unknown_mode_in_a_file_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UnknownWordError, match=r"unknown mode `yolo`: expected one of plan, default,"):
        parse_mode("yolo")


@pytest.mark.parametrize("mode", [*Mode, None])
@pytest.mark.parametrize("other", [*Mode, None])
@pytest.mark.proves("R000-43", "T-31")
def test_the_narrower_of_two_modes_is_the_one_that_lets_less_run(
    mode: Mode | None, other: Mode | None
) -> None:
    order = [Mode.PLAN, Mode.DEFAULT, Mode.ACCEPT_EDITS, Mode.AUTO, None]

    assert narrower_mode(mode, other) == order[min(order.index(mode), order.index(other))]


@pytest.mark.parametrize("effect", Effect)
def test_a_wider_mode_is_never_stricter(effect: Effect) -> None:
    column = [MODE_VERDICTS[mode][effect] for mode in Mode]

    assert column == sorted(column, reverse=True)
