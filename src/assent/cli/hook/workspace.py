"""The workspace that `assent hook install` registers: the project, for the agent of the hook."""

import os

from assent.client.local_server import LocalServer
from assent.config.paths import ConfigPaths
from assent.engine.base.value import Value
from assent.errors import AssentError
from assent.hosts.hook.claude import AGENT

_ADVICE = "an administrator can run `assent workspace add` in it"


class WorkspacePlan(Value):
    """What `install` does with the project: register it, or state why not."""

    root: str
    is_registered: bool = False
    problem: str = ""
    """Why the project cannot be registered; empty if it can."""

    @property
    def is_needed(self) -> bool:
        """Whether the project is not registered, but can be."""
        return not (self.is_registered or self.problem)

    @property
    def sentence(self) -> str:
        """The plan as the person reads it before the change."""
        if self.is_registered:
            return f"The project {self.root} is a registered workspace."
        if self.problem:
            return f"The project {self.root} is not registered as a workspace: {self.problem}."
        return (
            f"The project {self.root} becomes a workspace of the agent {AGENT}: "
            "reads in it run, and its policy files count."
        )


async def plan_workspace(server: LocalServer, paths: ConfigPaths) -> WorkspacePlan:
    """Find out whether the project is registered, and whether this user may register it."""
    # Only here, because an installation without a server has none of these modules.
    from assent.client.client import Client
    from assent.config.workspace_roots import check_location

    root = os.path.realpath(paths.root)
    if not server.token:
        return WorkspacePlan(root=root, problem=f"you are not the owner of the server; {_ADVICE}")
    try:
        check_location(root, paths)
        with Client(server.url, server.token) as client:
            known = client.workspaces()
    except AssentError as error:
        return WorkspacePlan(root=root, problem=_refusal_reason(error))
    return WorkspacePlan(
        root=root,
        is_registered=any(one.root == root and not one.remote and one.agent in ("", AGENT) for one in known),
    )


async def register_workspace(server: LocalServer, plan: WorkspacePlan) -> WorkspacePlan:
    """Register the project; return the plan with the problem if the server refuses it."""
    from assent.cli.base.backend import ServerBackend, add_local_root
    from assent.client.client import Client

    try:
        with Client(server.url, server.token) as client:
            await add_local_root(ServerBackend(client), AGENT, plan.root)
    except AssentError as error:
        return WorkspacePlan(root=plan.root, problem=_refusal_reason(error))
    return WorkspacePlan(root=plan.root, is_registered=True)


def _refusal_reason(error: AssentError) -> str:
    """The reason of a failure; a refusal for a lack of rights also states who has them."""
    status = getattr(error, "status", 0)
    return f"{error}; {_ADVICE}" if status in (401, 403) else str(error)
