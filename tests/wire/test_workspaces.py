"""Registered workspaces, and directories to register, as JSON."""

from datetime import UTC, datetime

import pytest

from assent.errors import InputError
from assent.gate.workspaces import RegisteredWorkspace, RootProof, WantedRoot
from assent.wire.workspaces import wanted_root_to_json, workspace_from_json, workspace_to_json

AT = datetime(2026, 11, 18, tzinfo=UTC)


@pytest.mark.parametrize("agent", ["", "clerk"])
@pytest.mark.parametrize("remote", [True, False])
def test_a_workspace_survives_json(agent: str, remote: bool) -> None:
    workspace = RegisteredWorkspace(id="w1", agent=agent, root="/srv/a", remote=remote, by="ada", at=AT)

    assert workspace_from_json(workspace_to_json(workspace)) == workspace


@pytest.mark.parametrize("missing", ["id", "agent", "root", "remote", "by"])
def test_a_workspace_without_a_field_is_refused(missing: str) -> None:
    shown = dict(workspace_to_json(RegisteredWorkspace(id="w1", root="/srv/a", by="ada", at=AT)))
    del shown[missing]

    with pytest.raises(InputError, match=missing):
        workspace_from_json(shown)


def test_a_wanted_root_has_its_proof_or_null() -> None:
    assert wanted_root_to_json(WantedRoot("/a")) == {"root": "/a", "proof": None}
    assert wanted_root_to_json(WantedRoot("/a", RootProof("f", "t"))) == {
        "root": "/a",
        "proof": {"file": "f", "text": "t"},
    }
