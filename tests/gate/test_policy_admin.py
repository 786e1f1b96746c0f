"""The mode and the three lists as one page of settings."""

from collections.abc import Iterable

import pytest

from assent.engine.policy.rule import RuleList
from assent.errors import AssentError, ForbiddenError, StoreError
from assent.gate.access import Principal
from assent.gate.policy_admin import PermissionChanges, Permissions, PolicyAdmin
from assent.gate.stored_policy import StoredGrant, StoredRule
from tests.gate.samples import ADA, ANA, CLERK
from tests.gate.scene import Scene

FIRST = PermissionChanges(mode="plan", allow=["note.put"], ask=["mail.send"], deny=["sh(rm *)"])


@pytest.mark.proves("R003-28", "R003-69")
async def test_lists_are_replaced_one_by_one_and_nothing_stands_there_twice(scene: Scene) -> None:
    settings = scene.gate.policy
    await settings.change_permissions(ADA, FIRST)
    found = await settings.change_permissions(
        ADA, PermissionChanges(allow=["mail.send", "mail.send", "note.put"], deny=[])
    )

    assert found == Permissions(mode="plan", allow=("note.put", "mail.send"), ask=("mail.send",), deny=())
    assert len(await scene.store.rules()) == 3


async def test_no_mode_is_the_presets_own(scene: Scene) -> None:
    settings = scene.gate.policy
    await settings.change_permissions(ADA, FIRST)

    assert (await settings.change_permissions(ADA, PermissionChanges(mode=""))).mode == ""


@pytest.mark.proves("T-29")
@pytest.mark.parametrize("who", [ANA, CLERK])
async def test_they_are_changed_by_administrators(scene: Scene, who: Principal) -> None:
    with pytest.raises(ForbiddenError):
        await PolicyAdmin(scene.store, scene.gate._decider).change_permissions(who, FIRST)

    assert await scene.gate.policy.permissions() == Permissions()


@pytest.mark.proves("R003-66")
@pytest.mark.parametrize(
    "edit", [PermissionChanges(mode="yolo", deny=[]), PermissionChanges(allow=["sh("], deny=[])]
)
async def test_what_cannot_be_read_changes_nothing(scene: Scene, edit: PermissionChanges) -> None:
    settings = scene.gate.policy
    before = await settings.change_permissions(ADA, FIRST)
    with pytest.raises(AssentError):
        await settings.change_permissions(ADA, edit)

    assert await settings.permissions() == before


async def test_rules_for_somebody_in_particular_are_not_on_the_page(scene: Scene) -> None:
    await scene.add_rule(RuleList.ALLOW, "note.put", user="ana")
    settings = scene.gate.policy
    await settings.change_permissions(ADA, PermissionChanges(allow=[]))

    assert (await settings.permissions()).allow == ()
    assert [one.user for one in await scene.store.rules()] == ["ana"]


class _Stopping:
    """A store that can write only so often."""

    def __init__(self, store: object, writes: int) -> None:
        self._store = store
        self._left = writes

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    async def add_policy(self, grants: Iterable[StoredGrant] = (), rules: Iterable[StoredRule] = ()) -> None:
        self._count()
        await self._store.add_policy(grants, rules)  # type: ignore[attr-defined]

    async def revoke(self, id: str, *, by: str) -> None:
        self._count()
        await self._store.revoke(id, by=by)  # type: ignore[attr-defined]

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise StoreError("the disk is full")


@pytest.mark.proves("R-12", "R003-66")
@pytest.mark.parametrize("writes", range(4))
async def test_a_change_that_breaks_off_is_never_looser_than_before_and_after(
    scene: Scene, writes: int
) -> None:
    await PolicyAdmin(scene.store, scene.gate._decider).change_permissions(
        ADA, PermissionChanges(deny=["sh(rm *)"], allow=["note.put"])
    )
    stopping: object = _Stopping(scene.store, writes)
    with pytest.raises(StoreError):
        await PolicyAdmin(stopping, scene.gate._decider).change_permissions(
            ADA, PermissionChanges(deny=["sh(dd *)"], allow=["mail.send"])
        )  # type: ignore[arg-type]
    found = await scene.gate.policy.permissions()

    assert "sh(rm *)" in found.deny
    assert "sh(dd *)" in found.deny or "mail.send" not in found.allow
    assert not {"note.put", "mail.send"} <= set(found.allow)
