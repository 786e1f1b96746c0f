"""The rows of the results table; each is measured in a separate process."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module

from bench.harness import Effort, Result

ROW_MODULES = {
    "P1": "p01_rules_scale",
    "P2": "p02_same_head",
    "P3": "p03_parse_ratio",
    "P4": "p04_gemini",
    "P5": "p05_cedar",
    "P6": "p06_size",
    "P7": "p07_paths",
    "P8": "p08_hook",
    "P9": "p09_http",
    "P10": "p10_always",
    "P11": "p11_pause",
    "P12": "p12_waiters",
    "P13": "p13_pods",
    "P14": "p14_wake",
    "P15": "p15_bytes",
    "P16": "p16_gc",
    "R15": "r15_pending",
    "R22": "r22_latency",
    "R27": "r27_large",
    "chat": "chat",
    "facts": "repository_facts",
    "hook": "hook",
    "load": "load",
    "memory": "memory",
    "pages": "page_tools",
    "start": "start",
    "web": "web",
}
"""The module that measures each row."""


def measure_in_new_process(row: str, effort: Effort) -> list[Result]:
    """Measure a row in a new process, so that its caches and memory do not affect the next row."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_measure_in_this_process, ROW_MODULES[row], effort).result()


def find_row(word: str) -> str | None:
    """Find a row by its name or the name of its module."""
    known = {row.lower(): row for row in ROW_MODULES} | {module: row for row, module in ROW_MODULES.items()}
    return known.get(word.lower())


def _measure_in_this_process(module: str, effort: Effort) -> list[Result]:
    return list(import_module(f"bench.{module}").measure(effort))
