"""Measure processor time, so that other processes on the machine do not change the result."""

import gc
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def measure_seconds(act: Callable[[], T]) -> tuple[T, float]:
    """The result of a function and its processor time in seconds, without garbage of earlier tests."""
    gc.disable()
    try:
        start = time.process_time()
        return act(), time.process_time() - start
    finally:
        gc.enable()
