"""A failure keeps the server's own words."""

import pytest

from assent.client.failure import failure_of


@pytest.mark.parametrize(
    ("status", "body", "said", "passing"),
    [
        (404, b'{"detail": "there is no approval `x`"}', "there is no approval `x`", False),
        (503, b"", "the server answered with status 503", True),
        (502, b"<html>", "the server answered with status 502", True),
        (500, b"[1]", "the server answered with status 500", False),
        (500, b"\xff", "the server answered with status 500", False),
    ],
)
def test_it_says_what_the_server_said(status: int, body: bytes, said: str, passing: bool) -> None:
    failure = failure_of(status, body)

    assert (failure.status, str(failure), failure.is_passing) == (status, said, passing)
