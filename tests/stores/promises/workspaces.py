"""Tests that workspaces are stored for one agent or for all, replaced in one step, and audited in one commit."""

import asyncio

import pytest

from assent.errors import ConflictError
from assent.gate.policy import PolicyKey
from assent.gate.store import Store
from assent.gate.workspaces import RegisteredWorkspace
from tests.stores.promises.given import StorePromises, sample_entry

NOTHING: frozenset[str] = frozenset()


def sample_workspace(
    id: str, root: str, agent: str = "clerk", *, remote: bool = False
) -> RegisteredWorkspace:
    return RegisteredWorkspace(id=id, agent=agent, root=root, remote=remote, by="ada")


async def registered_roots(store: Store, agent: str) -> set[tuple[str, str, bool]]:
    """The workspaces in the policy of an agent."""
    found = await store.stored_policy(PolicyKey("ana", agent, "c1"))
    return {(one.agent, one.root, one.remote) for one in found.workspaces}


class WorkspacePromises(StorePromises):
    """Tests that workspaces are stored for one agent or for all, replaced in one step, and audited."""

    async def test_a_workspace_is_in_the_policy_of_its_agent_only(self, store: Store) -> None:
        await store.set_workspaces("clerk", [sample_workspace("w1", "/a")], known=NOTHING, entries=())
        await store.set_workspaces(
            "", [sample_workspace("w2", "/b", "", remote=True)], known=NOTHING, entries=()
        )

        assert await registered_roots(store, "clerk") == {("clerk", "/a", False), ("", "/b", True)}
        assert await registered_roots(store, "other") == {("", "/b", True)}
        assert await registered_roots(store, "") == {("", "/b", True)}
        assert [(one.id, one.by, one.at is None) for one in await store.workspaces()] == [
            ("w2", "ada", False),
            ("w1", "ada", False),
        ]

    async def test_every_change_of_workspaces_increments_the_policy_version(self, store: Store) -> None:
        before = (await store.moment()).version
        await store.set_workspaces("clerk", [sample_workspace("w1", "/a")], known=NOTHING, entries=())
        added = (await store.moment()).version
        await store.set_workspaces("clerk", [], known=frozenset({"w1"}), entries=())

        assert before < added < (await store.moment()).version
        assert await registered_roots(store, "clerk") == set()

    async def test_the_same_workspaces_again_change_and_audit_nothing(self, store: Store) -> None:
        wanted = [sample_workspace("w1", "/a")]
        await store.set_workspaces("clerk", wanted, known=NOTHING, entries=[sample_entry(1)])
        version = (await store.moment()).version

        await store.set_workspaces("clerk", wanted, known=NOTHING, entries=[sample_entry(2)])

        await store.flush_audit()
        assert (await store.moment()).version == version
        assert [link.entry.id for link in (await store.audit())[0]] == ["e1"]

    async def test_workspaces_that_changed_meanwhile_are_not_replaced(self, store: Store) -> None:
        await store.set_workspaces("clerk", [sample_workspace("w1", "/a")], known=NOTHING, entries=())

        with pytest.raises(ConflictError, match="changed meanwhile"):
            await store.set_workspaces(
                "clerk", [sample_workspace("w2", "/b")], known=NOTHING, entries=[sample_entry(1)]
            )

        await store.flush_audit()
        assert await registered_roots(store, "clerk") == {("clerk", "/a", False)}
        assert (await store.audit())[0] == ()

    async def test_of_two_replacements_at_once_one_is_refused(self, store: Store) -> None:
        changes = [
            store.set_workspaces("clerk", [sample_workspace(f"w{n}", f"/{n}")], known=NOTHING, entries=())
            for n in range(2)
        ]

        ended = await asyncio.gather(*changes, return_exceptions=True)

        assert sorted(type(one).__name__ for one in ended) == ["ConflictError", "NoneType"]
        assert len(await store.workspaces()) == 1

    async def test_a_workspace_and_its_audit_entry_are_written_together(self, store: Store) -> None:
        await store.set_workspaces(
            "clerk", [sample_workspace("w1", "/a")], known=NOTHING, entries=[sample_entry(1), sample_entry(2)]
        )

        await store.flush_audit()
        assert [link.entry.id for link in (await store.audit())[0]] == ["e1", "e2"]

    async def test_a_kept_workspace_keeps_its_time(self, store: Store) -> None:
        await store.set_workspaces("clerk", [sample_workspace("w1", "/a")], known=NOTHING, entries=())
        (held,) = await store.workspaces()

        more = [held, sample_workspace("w2", "/b")]
        await store.set_workspaces("clerk", more, known=frozenset({"w1"}), entries=())

        assert held in await store.workspaces()
