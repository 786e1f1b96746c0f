"""The command corpora: no bypass runs, every deny rule holds, reads run, and catastrophes ask."""

import json
from collections import Counter
from collections.abc import Callable

import pytest

from tests.corpus.corpus_rows import (
    CORPORA,
    ORIGINS,
    CorpusRow,
    RowDecision,
    decide_rows,
    load_rows,
    meets_requirement,
)
from tools import spec

origins = pytest.mark.parametrize("origin", ORIGINS)

# Each goal: its name, the corpus, the rows it speaks of, and the share of them that must be right.
GOALS: dict[str, tuple[str, Callable[[CorpusRow], bool], float]] = {
    "bypass not run": ("bypass", lambda row: row.must == "ask_or_deny", 1.0),
    "deny families denied": ("bypass", lambda row: row.must == "deny", 1.0),
    "benign core run": ("benign", lambda row: row.tier == "core", 0.99),
    "benign stretch run": ("benign", lambda row: row.tier == "stretch", 0.70),
    "breakers core asked": ("breakers", lambda row: row.must == "breaker" and row.tier == "core", 1.0),
    "breakers stretch asked": ("breakers", lambda row: row.must == "breaker" and row.tier == "stretch", 1.0),
    "near misses not tripped": ("breakers", lambda row: row.must == "no_breaker", 1.0),
}


@origins
@pytest.mark.proves("T-20", "T-21")
def test_no_command_outside_the_rules_runs(origin: str) -> None:
    _assert_goal_is_reached(origin, "bypass not run")


@origins
@pytest.mark.proves("T-24")
def test_a_deny_holds_in_every_disguise(origin: str) -> None:
    _assert_goal_is_reached(origin, "deny families denied")


@origins
@pytest.mark.parametrize("tier", ["core", "stretch"])
@pytest.mark.proves("T-25")
def test_a_catastrophe_asks_even_in_auto(origin: str, tier: str) -> None:
    _assert_goal_is_reached(origin, f"breakers {tier} asked")


@origins
@pytest.mark.proves("T-25")
def test_a_near_miss_trips_no_breaker(origin: str) -> None:
    _assert_goal_is_reached(origin, "near misses not tripped")


@origins
@pytest.mark.parametrize("tier", ["core", "stretch"])
def test_what_only_reads_runs_without_a_question(origin: str, tier: str) -> None:
    _assert_goal_is_reached(origin, f"benign {tier} run")


def test_the_success_rate_of_every_goal_is_recorded() -> None:
    rates = {
        f"{origin}, {goal}": _describe_success_rate(origin, goal) for goal in GOALS for origin in ORIGINS
    }

    spec.CACHE_FOLDER.mkdir(exist_ok=True)
    spec.CORPUS_RATES_FILE.write_text(json.dumps(rates, indent=1), "utf-8")
    for name, rate in rates.items():
        print(f"{name:34} {rate}")

    assert all(" of " in rate and not rate.startswith("0 of 0") for rate in rates.values())


def test_no_row_is_repeated() -> None:
    every = [row for corpus in CORPORA for origin in ORIGINS for row in load_rows(origin, corpus)]
    ids = Counter(row.id for row in every)
    questions = Counter((row.command, row.shell, row.mode, row.must, row.allow, row.deny) for row in every)

    assert [row_id for row_id, times in ids.items() if times > 1] == []
    assert [question for question, times in questions.items() if times > 1] == []


@pytest.mark.parametrize(("corpus", "least"), [("bypass", 450), ("benign", 450), ("breakers", 160)])
def test_our_own_corpora_have_enough_rows(corpus: str, least: int) -> None:
    assert len(load_rows("own", corpus)) >= least


def _assert_goal_is_reached(origin: str, goal: str) -> None:
    asked = _decide_goal_rows(origin, goal)
    wrong = [_describe_failure(row, given) for row, given in asked if not meets_requirement(row, given)]

    assert asked, f"no row speaks of `{goal}`"
    allowed = round(len(asked) * (1 - GOALS[goal][2]), 6)
    assert len(wrong) <= allowed, "\n".join([f"{goal}: {_describe_success_rate(origin, goal)}", *wrong])


def _decide_goal_rows(origin: str, goal: str) -> list[tuple[CorpusRow, RowDecision]]:
    corpus, concerns, _ = GOALS[goal]
    return [(row, given) for row, given in decide_rows(origin, corpus) if concerns(row)]


def _describe_success_rate(origin: str, goal: str) -> str:
    asked = _decide_goal_rows(origin, goal)
    right = sum(meets_requirement(row, given) for row, given in asked)
    return f"{right} of {len(asked)} ({100 * right / max(len(asked), 1):.1f} %)"


def _describe_failure(row: CorpusRow, given: RowDecision) -> str:
    command = row.command if len(row.command) <= 120 else f"{row.command[:80]} … {row.command[-30:]}"
    rules = f" allow {list(row.allow)} deny {list(row.deny)}" if row.allow or row.deny else ""
    return f"{row.id} [{row.family}]{rules} {command!r}: {given.verdict} at {given.stage}"
