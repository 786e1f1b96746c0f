"""Who fails too often waits, by address and by secret; nobody else does."""

import pytest

from assent.door.throttle import Throttle
from assent.errors import ThrottledError


class Seconds:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def waits(throttle: Throttle, *sources: str) -> int:
    try:
        throttle.check(*sources)
    except ThrottledError as error:
        return error.seconds
    return 0


def test_after_so_many_failures_one_waits_until_the_first_is_forgotten() -> None:
    clock = Seconds()
    throttle = Throttle(tries=3, window=60, clock=clock)
    seen = []
    for _ in range(3):
        seen.append(waits(throttle, "a"))
        throttle.failed("a")
        clock.now += 10

    seen += [waits(throttle, "a")]
    clock.now += 29.5
    seen += [waits(throttle, "a")]
    clock.now += 0.5
    seen += [waits(throttle, "a")]

    assert seen == [0, 0, 0, 30, 1, 0]


def test_each_source_counts_for_itself_and_one_is_enough() -> None:
    throttle = Throttle(tries=1)
    throttle.failed("address a", "secret s")

    assert [waits(throttle, *one) > 0 for one in (("address a", "secret t"), ("address b", "secret s"))] == [
        True,
        True,
    ]
    assert waits(throttle, "address b", "secret t", "") == 0


def test_nobody_is_no_source() -> None:
    throttle = Throttle(tries=1)
    throttle.failed("")

    throttle.check("")


def test_what_is_remembered_does_not_grow_without_end() -> None:
    throttle = Throttle(tries=1)

    for number in range(10_001):
        throttle.failed(f"address {number}")

    assert waits(throttle, "address 0") == 0
    with pytest.raises(ThrottledError):
        throttle.check("address 10000")
