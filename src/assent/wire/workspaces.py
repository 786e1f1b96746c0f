"""Registered workspaces, and directories to register, as JSON."""

from typing import TypedDict

from assent.gate.workspaces import RegisteredWorkspace, WantedRoot
from assent.wire.fields import Fields, maybe_moment, maybe_moment_to_json
from assent.wire.policy import scope_name


class WorkspaceShown(TypedDict):
    """A directory that a person registered as a workspace."""

    id: str
    agent: str | None
    """The agent whose calls the workspace is for; null is all agents."""
    root: str
    remote: bool
    """Whether the directory is on another machine, so that its paths are never looked up on the server."""
    by: str
    at: str | None


class ProofJson(TypedDict):
    """The file that proves that client and server share a disk."""

    file: str
    text: str


class WantedRootJson(TypedDict):
    """A directory to register."""

    root: str
    proof: ProofJson | None


def workspace_to_json(workspace: RegisteredWorkspace) -> WorkspaceShown:
    """The workspace as JSON."""
    return {
        "id": workspace.id,
        "agent": workspace.agent or None,
        "root": workspace.root,
        "remote": workspace.remote,
        "by": workspace.by,
        "at": maybe_moment_to_json(workspace.at),
    }


def workspace_from_json(data: object, within: str = "workspace") -> RegisteredWorkspace:
    """Parse a workspace from a JSON object; `remote` is required, because paths depend on it."""
    fields = Fields(data, within)
    return RegisteredWorkspace(
        id=fields.text("id"),
        agent=scope_name(fields, "agent") or "",
        root=fields.text("root"),
        remote=fields.flag("remote"),
        by=fields.text("by"),
        at=maybe_moment(fields, "at"),
    )


def wanted_root_to_json(wanted: WantedRoot) -> WantedRootJson:
    """A directory to register as JSON."""
    proof = wanted.proof
    shown: ProofJson | None = None if proof is None else {"file": proof.file, "text": proof.text}
    return {"root": wanted.root, "proof": shown}
