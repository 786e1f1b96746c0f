"""P16: a hundred thousand rules do not make the garbage collector stop the world."""

import gc
from collections.abc import Iterator
from functools import partial
from time import perf_counter

from bench.harness import MILLI, Contender, Effort, Result, at_most, settle
from bench.workload import deciding, program_cases, program_rules, rule_set, snapshot

RULES = 100_000


def measure(effort: Effort) -> Iterator[Result]:
    rules = Contender(deciding(snapshot(rule_set(program_rules(RULES)))), partial(program_cases, RULES))
    rules.check()  # they are compiled when they are first met
    unfrozen = min(_collect() for _ in range(effort.rounds))
    settle()
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
