"""A problem is JSON in a fixed format."""

import json

from assent.door.problem import Problem


def test_a_problem_has_a_type_a_status_and_a_detail() -> None:
    problem = Problem(413, "too much", {"connection": "close"})

    start, end = problem.response_start(), problem.response_end()

    assert json.loads(problem.body)["status"] == 413
    assert json.loads(problem.body)["detail"] == "too much"
    assert json.loads(problem.body)["type"].startswith("urn:assent:problem:")
    assert start["status"] == 413
    assert dict(start["headers"]) == {  # type: ignore[call-overload]
        b"content-type": b"application/problem+json",
        b"content-length": str(len(problem.body)).encode(),
        b"connection": b"close",
    }
    assert end == {"type": "http.response.body", "body": problem.body}
