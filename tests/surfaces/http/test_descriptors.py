"""A server asks for the descriptors it may have, and keeps some of them for itself."""

import multiprocessing
import resource

import pytest

from assent.surfaces.http.descriptors import Capacity, capacity_of, raise_limit


def _raised(soft: int, hard: int) -> tuple[int, tuple[int, int]]:
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return raise_limit(), resource.getrlimit(resource.RLIMIT_NOFILE)


@pytest.mark.proves("R-28")
@pytest.mark.parametrize(("soft", "hard", "found"), [(256, 1024, 1024), (512, 512, 512)])
def test_the_soft_limit_is_raised_to_the_hard_one(soft: int, hard: int, found: int) -> None:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(_raised, (soft, hard)) == (found, (found, hard))


def test_some_descriptors_are_kept_for_the_database_and_some_connections_for_short_requests() -> None:
    assert capacity_of(1024, 10_000) == Capacity(896, 672)
    assert capacity_of(64, 10_000) == Capacity(32, 24)
    assert capacity_of(65_536, 10_000) == Capacity(10_000, 7_500)
