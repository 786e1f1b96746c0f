"""Measures competing implementations in interleaved rounds, and compares the results with goals.

Functions are measured by the CPU time of their thread, so that other load on the machine matters less.
"""

import gc
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import thread_time
from typing import Generic, NamedTuple, Protocol, TypeVar

CaseInput = TypeVar("CaseInput")

MICROSECONDS = 1e6
MILLISECONDS = 1e3


class WrongAnswerError(Exception):
    """A competitor returned a wrong result, so its time is worthless."""


class Effort(NamedTuple):
    """How much time a benchmark may take: the number of rounds, and whether to measure fewer calls."""

    rounds: int = 9
    quick: bool = False


class Competitor(Protocol):
    """One of the compared implementations: it can check its results and be timed."""

    def check(self) -> None:
        """Raise `WrongAnswerError` if a result differs from the expected result."""
        ...

    def measure_seconds(self) -> float:
        """Run one round and return the seconds per call."""
        ...


@dataclass(frozen=True, slots=True)
class FunctionCompetitor(Generic[CaseInput]):
    """A function with inputs and expected results; new inputs for every round are made before the timing."""

    answer: Callable[[CaseInput], object]
    cases: Callable[[], Sequence[tuple[CaseInput, object]]]

    def check(self) -> None:
        for given, expected in self.cases():
            if (actual := self.answer(given)) != expected:
                raise WrongAnswerError(f"{given!r:.300} gave {actual!r}, not {expected!r}")

    def measure_seconds(self) -> float:
        answer, inputs = self.answer, [given for given, _ in self.cases()]
        start = thread_time()
        for given in inputs:
            answer(given)
        return (thread_time() - start) / len(inputs)


def time_in_rounds(*racers: Competitor, rounds: int) -> list[list[float]]:
    """Return the seconds per call of each competitor in each round; the order changes in every round."""
    for racer in racers:
        racer.check()
    freeze_heap()
    seconds: list[list[float]] = [[] for _ in racers]
    for turn in range(rounds + 1):
        for offset in range(len(racers)):
            position = (turn + offset) % len(racers)
            seconds[position].append(racers[position].measure_seconds())
    return [of_one[1:] for of_one in seconds]  # the first round is a warm-up


def best_times(*racers: Competitor, rounds: int) -> list[float]:
    """Return the seconds per call of each competitor in its best round, with the least other load."""
    return [min(of_one) for of_one in time_in_rounds(*racers, rounds=rounds)]


def median_times(*racers: Competitor, rounds: int) -> list[float]:
    """Return the seconds per call of each competitor in its median round, as a user would experience it."""
    return [statistics.median(of_one) for of_one in time_in_rounds(*racers, rounds=rounds)]


def freeze_heap() -> None:
    """Exclude all loaded objects from garbage collection, as a server does after a policy change."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class Goal(NamedTuple):
    """A maximum for a measured value, or a minimum if `is_minimum` is set."""

    limit: float
    is_minimum: bool = False
    unit: str = "x"

    def is_met_by(self, figure: float) -> bool:
        return figure >= self.limit if self.is_minimum else figure <= self.limit

    def __str__(self) -> str:
        return f"{'>=' if self.is_minimum else '<='} {self.limit:g}{_unit_suffix(self.unit)}"


def goal_at_most(limit: float, unit: str = "x") -> Goal:
    return Goal(limit, unit=unit)


def goal_at_least(limit: float) -> Goal:
    return Goal(limit, is_minimum=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One row of the results table: our value, the value of the compared project, and the goal."""

    row: str
    what: str
    ours: float
    unit: str = "µs"
    peer: float | None = None
    against: str = ""
    """The name of the compared project."""
    ratio: float | None = None
    goal: Goal | None = None
    """The goal for the ratio, or for our value if there is no ratio; None if there is no goal."""

    @property
    def is_met(self) -> bool | None:
        if self.goal is None:
            return None
        return self.goal.is_met_by(self.ours if self.ratio is None else self.ratio)

    def cells(self) -> tuple[str, ...]:
        """The row as texts, in the order of `COLUMNS`."""
        peer = "" if self.peer is None else f"{self.against}: {format_figure(self.peer, self.unit)}"
        ratio = "" if self.ratio is None else format_figure(self.ratio, "x")
        met = {True: "met", False: "MISSED", None: ""}[self.is_met]
        return (
            self.row,
            self.what,
            format_figure(self.ours, self.unit),
            peer,
            ratio,
            str(self.goal or ""),
            met,
        )


COLUMNS = ("row", "what", "ours", "peer", "ratio", "goal", "met")
_COLUMN_WIDTHS = (6, 58, 10, 34, 8, 10, 6)


def table_row(cells: Sequence[str]) -> str:
    """One row of a Markdown table."""
    return (
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, _COLUMN_WIDTHS, strict=True)) + " |"
    )


def table_separator() -> str:
    """The line between the head and the rows of a Markdown table."""
    return "|" + "|".join("-" * (width + 2) for width in _COLUMN_WIDTHS) + "|"


def format_figure(value: float, unit: str) -> str:
    """A number with about three significant digits and its unit."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}{_unit_suffix(unit)}"


def _unit_suffix(unit: str) -> str:
    return unit if unit == "x" else f" {unit}"
