"""`/v1/tokens` and `/v1/sessions`: what people and their agents prove themselves with."""

from collections.abc import Sequence
from datetime import timedelta

from fastapi import APIRouter, Response

from assent.gate.access import Kind
from assent.gate.people import Credential, Purpose
from assent.surfaces.http.models.base import Mark
from assent.surfaces.http.models.person import CredentialsShown, TokenIn, TokenMade
from assent.surfaces.http.reply import Json, nothing
from assent.surfaces.http.serving import Serving
from assent.surfaces.http.strict import StrictRoute
from assent.surfaces.http.who import Person
from assent.wire.people import credential_to_json

router = APIRouter(prefix="/v1", tags=["people"], route_class=StrictRoute)


@router.get("/tokens", response_model=CredentialsShown)
async def tokens(principal: Person, service: Serving) -> Json:
    """One's own tokens and those of one's agents; for administrators, everybody's."""
    return _listed(await service.keeper.people.credentials(principal, Purpose.TOKEN))


@router.post("/tokens", response_model=TokenMade, status_code=201)
async def make_token(said: TokenIn, principal: Person, service: Serving) -> Json:
    """Make a token; its secret is in this reply and nowhere else, so no key makes this request once."""
    behalf = "" if said.kind is Kind.PERSON else said.on_behalf or principal.id
    minted = await service.keeper.new_token(
        said.kind,
        said.name,
        by=principal,
        on_behalf=behalf,
        label=said.label,
        lives_for=None if said.seconds is None else timedelta(seconds=said.seconds),
    )
    return Json({**_shown(minted.credential), "secret": minted.secret}, 201)


@router.delete("/tokens/{id:mark}", status_code=204)
async def end_token(id: Mark, principal: Person, service: Serving) -> Response:
    """End a token; whoever holds it is nobody from now on."""
    await service.keeper.people.revoke_credential(principal, Purpose.TOKEN, id)
    return nothing()


@router.get("/sessions", response_model=CredentialsShown)
async def sessions(principal: Person, service: Serving) -> Json:
    """The browsers that somebody is logged in with; for administrators, everybody's."""
    return _listed(await service.keeper.people.credentials(principal, Purpose.SESSION))


@router.delete("/sessions/{id:mark}", status_code=204)
async def end_session(id: Mark, principal: Person, service: Serving) -> Response:
    """Log a browser out."""
    await service.keeper.people.revoke_credential(principal, Purpose.SESSION, id)
    return nothing()


def _listed(found: Sequence[Credential]) -> Json:
    return Json({"items": [_shown(one) for one in found]})


def _shown(credential: Credential) -> dict[str, object]:
    """A credential that holds: when it ended is not said of one that did not."""
    shown = credential_to_json(credential)
    del shown["ended_at"]
    return shown
