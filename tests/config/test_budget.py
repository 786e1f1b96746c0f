"""A budget says both how many calls and in how many seconds, and a stranger's file only makes it smaller."""

from pathlib import Path

import pytest

from assent.config.budget import is_tighter
from assent.config.file import read_policy
from assent.config.source import Source
from assent.engine.policy.rule import Layer
from assent.errors import ConfigError
from assent.gate.preset import Budget
from tests.config.test_layers import Here

BAD = {
    "[budget]\ncalls = 60": "`budget` must say both `calls` and `seconds`",
    "[budget]\nseconds = 60": "`budget` must say both `calls` and `seconds`",
    "[budget]\ncalls = 0\nseconds = 60": "line 2: `budget.calls` must be a whole number above zero",
    "[budget]\ncalls = 1.5\nseconds = 60": "line 2: `budget.calls` must be a whole number above zero",
    "[budget]\ncalls = 1000001\nseconds = 60": "line 2: `budget.calls` must be at most 1000000",
    "[budget]\ncalls = 1\nseconds = 86401": "line 3: `budget.seconds` must be at most 86400",
    "[budget]\ncalls = 1\nsecond = 1": "line 3: unknown key `second`; did you mean `seconds`?",
    "budget = 60": "line 1: `budget` must be a table, not a number",
}


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return Here(tmp_path)


@pytest.mark.parametrize("text", BAD)
def test_what_is_no_budget_stops_the_load_and_says_where(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_policy(Source(path="policy.toml", data=text.encode()), Layer.USER)

    assert BAD[text] in str(caught.value)


@pytest.mark.proves("R001-34")
def test_a_file_sets_the_budget_and_the_heaviest_one_counts(here: Here) -> None:
    assert here.load().budget is None
    assert here.load(preset="propose").budget == Budget(60, 60)

    here.write(Layer.MANAGED, "[budget]\ncalls = 10\nseconds = 60\n")
    here.write(Layer.USER, "[budget]\ncalls = 20\nseconds = 60\n")

    policy = here.load(preset="propose")
    assert policy.budget == Budget(20, 60)
    assert policy.origin("budget").layer == Layer.USER


def test_a_repositorys_file_only_makes_it_smaller_until_it_is_trusted(here: Here) -> None:
    here.write(Layer.USER, "[budget]\ncalls = 20\nseconds = 60\n")
    path = here.write(Layer.PROJECT, "[budget]\ncalls = 5\nseconds = 60\n")
    assert here.load().budget == Budget(5, 60)
    path.write_text("[budget]\ncalls = 500\nseconds = 60\n")

    policy = here.load()

    assert policy.budget == Budget(20, 60)
    assert policy.held_back == ("a budget of 500 calls in 60 s",)
    here.believe(path)
    assert here.load().budget == Budget(500, 60)


@pytest.mark.parametrize(
    ("budget", "known", "tighter"),
    [
        (Budget(5, 60), None, True),
        (Budget(5, 60), Budget(5, 60), True),
        (Budget(5, 90), Budget(5, 60), True),
        (Budget(5, 30), Budget(5, 60), False),
        (Budget(6, 90), Budget(5, 60), False),
    ],
)
def test_tighter_leaves_no_more_room_in_any_stretch(
    budget: Budget, known: Budget | None, tighter: bool
) -> None:
    assert is_tighter(budget, known) is tighter
