"""P16: with a hundred thousand rules, the garbage collector does not cause long pauses."""

import gc
from collections.abc import Iterator
from functools import partial
from time import perf_counter

from bench.harness import MILLISECONDS, Effort, FunctionCompetitor, Result, freeze_heap, goal_at_most
from bench.workload import make_decide, make_rule_set, program_cases, program_rules, snapshot_with

RULE_COUNT = 100_000


def measure(effort: Effort) -> Iterator[Result]:
    rules = FunctionCompetitor(
        make_decide(snapshot_with(make_rule_set(program_rules(RULE_COUNT)))),
        partial(program_cases, RULE_COUNT),
    )
    rules.check()  # Rules are compiled at their first use.
    unfrozen = min(_time_collection() for _ in range(effort.rounds))
    freeze_heap()
    frozen = min(_time_collection() for _ in range(effort.rounds))
    rules.check()
    yield Result(
        row="P16",
        what="full collection with 100,000 rules loaded",
        ours=frozen,
        unit="ms",
        peer=unfrozen,
        against="not frozen",
        goal=goal_at_most(5, "ms"),
    )


def _time_collection() -> float:
    start = perf_counter()
    gc.collect()
    return (perf_counter() - start) * MILLISECONDS
