"""Times contenders in interleaved rounds, and judges what it saw against a goal.

Functions are timed by the processor time of their thread: what else the machine does then matters less.
"""

import gc
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import thread_time
from typing import Generic, NamedTuple, Protocol, TypeVar

Given = TypeVar("Given")

MICRO = 1e6
MILLI = 1e3


class WrongAnswerError(Exception):
    """A contender that does not do its work; timing it would mean nothing."""


class Effort(NamedTuple):
    """How long a run may take."""

    rounds: int = 9
    quick: bool = False


class Racer(Protocol):
    """Whoever can show that its answers are right, and then be timed."""

    def check(self) -> None:
        """Raise `WrongAnswerError` unless every answer is the expected one."""
        ...

    def seconds(self) -> float:
        """Run one round and say how long one call took."""
        ...


@dataclass(frozen=True, slots=True)
class Contender(Generic[Given]):
    """A function, and where its cases come from; every round gets new ones, outside the clock."""

    answer: Callable[[Given], object]
    cases: Callable[[], Sequence[tuple[Given, object]]]

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
    """Each racer's seconds per call, one figure for each round; nobody always goes first."""
    for racer in racers:
        racer.check()
    settle()
    seconds: list[list[float]] = [[] for _ in racers]
    for turn in range(rounds + 1):
        for place in range(len(racers)):
            position = (turn + place) % len(racers)
            seconds[position].append(racers[position].seconds())
    return [of_one[1:] for of_one in seconds]  # the first round warmed up


def least(*racers: Racer, rounds: int) -> list[float]:
    """Each racer's best round: what the work costs when the machine leaves it alone."""
    return [min(of_one) for of_one in race(*racers, rounds=rounds)]


def medians(*racers: Racer, rounds: int) -> list[float]:
    """Each racer's middle round: what a user would usually wait."""
    return [statistics.median(of_one) for of_one in race(*racers, rounds=rounds)]


def settle() -> None:
    """Take what is loaded out of the garbage collector's sight, as a server does after a policy change."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class Goal(NamedTuple):
    """A limit that a figure has to keep."""

    limit: float
    above: bool = False
    unit: str = "x"

    def met_by(self, figure: float) -> bool:
        return figure >= self.limit if self.above else figure <= self.limit

    def __str__(self) -> str:
        return f"{'>=' if self.above else '<='} {self.limit:g}{_spaced(self.unit)}"


def at_most(limit: float, unit: str = "x") -> Goal:
    return Goal(limit, unit=unit)


def at_least(limit: float) -> Goal:
    return Goal(limit, above=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One line of the table: what was measured, beside what, and what was hoped for."""

    row: str
    what: str
    ours: float
    unit: str = "µs"
    peer: float | None = None
    against: str = ""
    """Who the peer is."""
    ratio: float | None = None
    goal: Goal | None = None
    """For the ratio, or for our own figure where there is none; without a goal the line only informs."""

    @property
    def met(self) -> bool | None:
        if self.goal is None:
            return None
        return self.goal.met_by(self.ours if self.ratio is None else self.ratio)

    def cells(self) -> tuple[str, ...]:
        """The line's cells, in the order of `COLUMNS`."""
        peer = "" if self.peer is None else f"{self.against}: {figure(self.peer, self.unit)}"
        ratio = "" if self.ratio is None else figure(self.ratio, "x")
        met = {True: "met", False: "MISSED", None: ""}[self.met]
        return (self.row, self.what, figure(self.ours, self.unit), peer, ratio, str(self.goal or ""), met)


COLUMNS = ("row", "what", "ours", "peer", "ratio", "goal", "met")
_WIDTHS = (6, 58, 10, 34, 8, 10, 6)


def line(cells: Sequence[str]) -> str:
    """One line of the table, which is Markdown too."""
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, _WIDTHS, strict=True)) + " |"


def ruler() -> str:
    """The line below the head of the table."""
    return "|" + "|".join("-" * (width + 2) for width in _WIDTHS) + "|"


def figure(value: float, unit: str) -> str:
    """A number with three digits that matter."""
    digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2
    return f"{value:,.{digits}f}{_spaced(unit)}"


def _spaced(unit: str) -> str:
    return unit if unit == "x" else f" {unit}"
