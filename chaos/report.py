"""Reports: the result of a chaos scenario, as a row of a Markdown table."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from chaos.invariants import Breach, Tally

LOST, DUPLICATED, PERMISSIVE = ("I4",), ("I2", "I3"), ("I1", "I5", "I6")


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """The scenario, its size, and its result."""

    scenario: str
    faults: str
    """The ids of the faults that the scenario tests."""
    store: str
    size: str
    seed: int
    breaches: Sequence[Breach] | None = None
    """None if the scenario writes no histories, so that no invariant was checked."""
    tally: Tally | None = None
    figures: Mapping[str, str] = field(default_factory=dict)
    missed: Sequence[str] = ()
    """Limits that were missed."""

    @property
    def is_clean(self) -> bool:
        """Whether no invariant was broken and no limit missed."""
        return not self.breaches and not self.missed

    def cells(self) -> tuple[str, ...]:
        """The cells of the row, in the order of `COLUMNS`."""
        counts = [self._count_breaches(kind) for kind in (LOST, DUPLICATED, PERMISSIVE)]
        figures = "; ".join(f"{name} {value}" for name, value in self.figures.items())
        return (self.scenario, self.faults, self.store, self.size, *counts, figures, str(self.seed))

    def _count_breaches(self, kind: Sequence[str]) -> str:
        if self.breaches is None:
            return "not checked"
        return str(sum(breach.invariant in kind for breach in self.breaches))


COLUMNS = ("scenario", "faults", "store", "size", "lost", "duplicated", "permissive", "figures", "seed")


def table_row(cells: Sequence[str]) -> str:
    """One row of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def percentile(seconds: Sequence[float], share: float) -> float:
    """The percentile of the values; NaN if there are none."""
    ordered = sorted(seconds)
    return ordered[min(len(ordered) - 1, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


def summarize_seconds(seconds: Sequence[float]) -> str:
    """The median, the 99th percentile and the maximum as text."""
    if not seconds:
        return "none"
    return " / ".join(f"{percentile(seconds, share):.2f}" for share in (0.5, 0.99, 1.0)) + " s"
