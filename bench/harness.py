"""Times contenders in interleaved rounds, and compares the figures with a goal.

Functions are timed by the CPU time of their thread, so that other load on the machine matters less.
"""

import gc
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import thread_time
from typing import Generic, NamedTuple, Protocol, TypeVar

Input = TypeVar("Input")

MICRO = 1e6
MILLI = 1e3


class WrongAnswerError(Exception):
    """A contender gave a wrong answer, so its time would mean nothing."""


class Effort(NamedTuple):
    """How long a run may take."""

    rounds: int = 9
    quick: bool = False


class Racer(Protocol):
    """A contender that can check its answers and be timed."""

    def check(self) -> None:
        """Raise `WrongAnswerError` unless every answer is the expected one."""
        ...

    def seconds(self) -> float:
        """Run one round; returns the seconds per call."""
        ...


@dataclass(frozen=True, slots=True)
class Contender(Generic[Input]):
    """A function and its cases; every round gets new cases, created outside the timing."""

    answer: Callable[[Input], object]
    cases: Callable[[], Sequence[tuple[Input, object]]]

    def check(self) -> None:
        for given, expected in self.cases():
            if (actual := self.answer(given)) != expected:
                raise WrongAnswerError(f"{given!r:.300} gave {actual!r}, not {expected!r}")

    def seconds(self) -> float:
        answer, inputs = self.answer, [given for given, _ in self.cases()]
        start = thread_time()
        for given in inputs:
            answer(given)
        return (thread_time() - start) / len(inputs)


def race(*racers: Racer, rounds: int) -> list[list[float]]:
    """Each racer's seconds per call, one figure per round; the order rotates."""
    for racer in racers:
        racer.check()
    freeze_heap()
    seconds: list[list[float]] = [[] for _ in racers]
    for turn in range(rounds + 1):
        for place in range(len(racers)):
            position = (turn + place) % len(racers)
            seconds[position].append(racers[position].seconds())
    return [of_one[1:] for of_one in seconds]  # the first round is a warm-up


def best_rounds(*racers: Racer, rounds: int) -> list[float]:
    """Each racer's best round: the cost without other load."""
    return [min(of_one) for of_one in race(*racers, rounds=rounds)]


def median_rounds(*racers: Racer, rounds: int) -> list[float]:
    """Each racer's median round: the usual wait of a user."""
    return [statistics.median(of_one) for of_one in race(*racers, rounds=rounds)]


def freeze_heap() -> None:
    """Freeze loaded objects for the garbage collector, as a server does after a policy change."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class Goal(NamedTuple):
    """A limit for a figure."""

    limit: float
    above: bool = False
    unit: str = "x"

    def is_met_by(self, figure: float) -> bool:
        return figure >= self.limit if self.above else figure <= self.limit

    def __str__(self) -> str:
        return f"{'>=' if self.above else '<='} {self.limit:g}{_spaced(self.unit)}"


def at_most(limit: float, unit: str = "x") -> Goal:
    return Goal(limit, unit=unit)


def at_least(limit: float) -> Goal:
    return Goal(limit, above=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One row of the table: our figure, the peer's figure and the goal."""

    row: str
    what: str
    ours: float
    unit: str = "µs"
    peer: float | None = None
    against: str = ""
    """The name of the peer."""
    ratio: float | None = None
    goal: Goal | None = None
    """For the ratio, or for our figure if there is no ratio; a row without a goal only informs."""

    @property
    def met(self) -> bool | None:
        if self.goal is None:
            return None
        return self.goal.is_met_by(self.ours if self.ratio is None else self.ratio)

    def cells(self) -> tuple[str, ...]:
        """The cells of the row, in the order of `COLUMNS`."""
        peer = "" if self.peer is None else f"{self.against}: {format_figure(self.peer, self.unit)}"
        ratio = "" if self.ratio is None else format_figure(self.ratio, "x")
        met = {True: "met", False: "MISSED", None: ""}[self.met]
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
_WIDTHS = (6, 58, 10, 34, 8, 10, 6)


def table_row(cells: Sequence[str]) -> str:
    """One row of a Markdown table."""
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=True)) + " |"


def table_ruler() -> str:
    """The separator below the head of the table."""
    return "|" + "|".join("-" * (width + 2) for width in _WIDTHS) + "|"


def format_figure(value: float, unit: str) -> str:
    """A number with three significant digits."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}{_spaced(unit)}"


def _spaced(unit: str) -> str:
    return unit if unit == "x" else f" {unit}"
