"""`/v1/settings/agent.permissions`: the mode and the three lists that hold for everybody."""

from fastapi import APIRouter

from assent.gate.policy_admin import PermissionChanges
from assent.gate.policy_admin import Permissions as Said
from assent.surfaces.http.models.policy import Permissions, PermissionsIn
from assent.surfaces.http.reply import Json
from assent.surfaces.http.service import Service
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.undeclared import rule_warnings
from assent.surfaces.http.who import Administrator, Member

router = APIRouter(prefix="/v1/settings", tags=["settings"], route_class=StrictRoute)


@router.get("/agent.permissions", response_model=Permissions)
async def read(_: Member, service: Serving) -> Json:
    """What the store says to everybody; files and presets may say more."""
    return await _shown(service, await service.gate.policy.permissions())


@router.patch("/agent.permissions", response_model=Permissions)
async def change(said: PermissionsIn, principal: Administrator, service: Serving) -> Json:
    """Change the mode that conversations start in, or replace a list; an empty mode is the preset's own."""
    edit = PermissionChanges(mode=said.mode, allow=said.allow, ask=said.ask, deny=said.deny)
    return await _shown(service, await service.gate.policy.change_permissions(principal, edit))


async def _shown(service: Service, said: Said) -> Json:
    lists = {"allow": list(said.allow), "ask": list(said.ask), "deny": list(said.deny)}
    warnings = await rule_warnings(service, [text for texts in lists.values() for text in texts])
    return Json({"mode": said.mode, **lists, "warnings": warnings})
