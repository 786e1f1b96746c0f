"""Pods say what differs between them, and what comes of it."""

from dataclasses import replace

import pytest

from assent.gate.pods import Aspect, Pod, PodDifference, pod_differences

OWN = Pod(workspace="/srv/a", policy_digest="111", version="0.1.0")


@pytest.mark.proves("R-35")
def test_pods_that_are_alike_have_nothing_to_say() -> None:
    assert pod_differences(OWN, [OWN, OWN]) == ()


@pytest.mark.proves("R-35")
def test_whatever_differs_is_said_once_for_each_value() -> None:
    moved, other = replace(OWN, workspace="/srv/b"), replace(OWN, policy_digest="222", version="0.2.0")

    found = pod_differences(OWN, [moved, moved, other])

    assert found == (
        PodDifference(Aspect.WORKSPACE, "/srv/a", "/srv/b"),
        PodDifference(Aspect.POLICY, "111", "222"),
        PodDifference(Aspect.VERSION, "0.1.0", "0.2.0"),
    )
    assert found[0].sentence == (
        "pods differ in workspace: `/srv/a` and `/srv/b`; a call that is asked on one and claimed on the other"
        " is refused although it was approved, because its paths mean other files there:"
        " start every pod in the same directory"
    )
