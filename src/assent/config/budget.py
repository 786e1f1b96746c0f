"""Reading a budget: how many calls somebody may make in how many seconds."""

from assent.config.table import Table
from assent.gate.preset import Budget

BUDGET_KEYS = ("calls", "seconds")
MOST_CALLS = 1_000_000
MOST_SECONDS = 86_400
"""A day; what is counted longer would have to be kept longer."""


def read_budget(table: Table) -> Budget | None:
    """The budget of a table, which says both or nothing."""
    table.only(*BUDGET_KEYS)
    if not table.values:
        return None
    calls, seconds = table.number("calls"), table.number("seconds")
    if calls is None or seconds is None:
        raise table.error("`budget` must say both `calls` and `seconds`")
    if calls > MOST_CALLS:
        raise table.error(f"`budget.calls` must be at most {MOST_CALLS}", "calls")
    if seconds > MOST_SECONDS:
        raise table.error(f"`budget.seconds` must be at most {MOST_SECONDS}", "seconds")
    return Budget(calls, seconds)


def is_tighter(budget: Budget, known: Budget | None) -> bool:
    """Whether a budget leaves no more room than another in any stretch of time."""
    return known is None or (budget.calls <= known.calls and budget.seconds >= known.seconds)
