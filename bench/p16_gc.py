"""P16: with a hundred thousand rules, the garbage collector does not cause long pauses."""

import gc
from collections.abc import Iterator
from functools import partial
from time import perf_counter

from bench.harness import MILLI, Contender, Effort, Result, at_most, freeze_heap
from bench.workload import decide_with, program_cases, program_rules, rule_set, snapshot

RULES = 100_000


def measure(effort: Effort) -> Iterator[Result]:
    rules = Contender(decide_with(snapshot(rule_set(program_rules(RULES)))), partial(program_cases, RULES))
    rules.check()  # rules are compiled at first use
    unfrozen = min(_collect() for _ in range(effort.rounds))
    freeze_heap()
    frozen = min(_collect() for _ in range(effort.rounds))
    rules.check()
    yield Result(
        row="P16",
        what="full collection with 100,000 rules loaded",
        ours=frozen,
        unit="ms",
        peer=unfrozen,
        against="not frozen",
        goal=at_most(5, "ms"),
    )


def _collect() -> float:
    start = perf_counter()
    gc.collect()
    return (perf_counter() - start) * MILLI
