"""The owner of a server: created at the first start, with one token."""

from dataclasses import replace
from pathlib import Path

import pytest

from assent.config.settings import OidcSettings, ServerSettings
from assent.door.authentication import Authenticator
from assent.errors import AssentError
from assent.gate.access import Kind, Principal
from assent.gate.people import Person, Purpose
from assent.stores.memory.store import MemoryStore
from assent.surfaces.http.bootstrap import TOKEN_FILE, check_people_can_log_in, check_public_url, ensure_owner
from tests.principals import administrator

OPEN = ServerSettings(host="0.0.0.0")
NAMED = replace(OPEN, public_url="https://assent.example.org")
PROVIDED = replace(NAMED, oidc=OidcSettings(issuer="https://id.example.org", client_id="assent"))


@pytest.fixture
def authenticator() -> Authenticator:
    return Authenticator(MemoryStore())


async def test_the_first_start_creates_an_administrator_with_a_token_and_a_link(
    authenticator: Authenticator, tmp_path: Path
) -> None:
    access = await ensure_owner(authenticator, str(tmp_path), "ana", always_link=False)

    assert await authenticator.principal_of(access.token) == Principal(id="ana", administrator=True)
    assert await authenticator.principal_of(access.link) is None
    assert await authenticator.log_in(access.link, address="")
    assert (tmp_path / TOKEN_FILE).stat().st_mode & 0o777 == 0o600


async def test_later_starts_keep_the_token_and_create_a_link_only_on_request(
    authenticator: Authenticator, tmp_path: Path
) -> None:
    first = await ensure_owner(authenticator, str(tmp_path), "ana", always_link=False)
    second = await ensure_owner(authenticator, str(tmp_path), "ana", always_link=False)
    third = await ensure_owner(authenticator, str(tmp_path), "ana", always_link=True)

    assert (second.token, second.link) == (first.token, "")
    assert (third.token, bool(third.link)) == (first.token, True)


@pytest.mark.parametrize("kept", ["", "assent_p_" + "x" * 43, "\xff"])
async def test_an_invalid_owner_token_is_replaced(
    authenticator: Authenticator, tmp_path: Path, kept: str
) -> None:
    first = await ensure_owner(authenticator, str(tmp_path), "ana", always_link=False)
    (tmp_path / TOKEN_FILE).write_text(kept)
    again = await ensure_owner(authenticator, str(tmp_path), "ana", always_link=False)

    assert again.token not in ("", first.token)
    assert await authenticator.principal_of(again.token)


@pytest.mark.proves("T-19")
async def test_a_person_who_is_no_administrator_gets_no_access_by_starting_a_server(
    authenticator: Authenticator, tmp_path: Path
) -> None:
    await authenticator.people.store.add_person(Person(id="ada", administrator=True), by="ada")
    await authenticator.people.store.add_person(Person(id="ben"), by="ada")
    stranger = await ensure_owner(authenticator, str(tmp_path), "eve", always_link=True)
    ben = await ensure_owner(authenticator, str(tmp_path), "ben", always_link=True)

    assert (stranger.token, stranger.link, ben.token, ben.link) == ("", "", "", "")
    assert [one.id for one in await authenticator.people.store.people()] == ["ada", "ben"]


async def test_a_token_of_another_person_in_the_file_is_replaced(
    authenticator: Authenticator, tmp_path: Path
) -> None:
    await authenticator.people.store.add_person(Person(id="ada", administrator=True), by="ada")
    await authenticator.people.store.add_person(Person(id="ben"), by="ada")
    bens = await authenticator.new_token(Kind.PERSON, "ben", by=administrator("ada"))
    (tmp_path / TOKEN_FILE).write_text(bens.secret)
    access = await ensure_owner(authenticator, str(tmp_path), "ada", always_link=False)

    assert access.token != bens.secret
    assert await authenticator.principal_of(access.token, Purpose.TOKEN) == Principal(
        id="ada", administrator=True
    )


@pytest.mark.proves("T-16")
async def test_the_server_listens_for_other_machines_only_if_people_can_log_in() -> None:
    async def has_people() -> bool:
        return True

    async def has_no_people() -> bool:
        return False

    await check_people_can_log_in(ServerSettings(), has_no_people)
    for settings in (OPEN, NAMED):
        with pytest.raises(AssentError, match="nobody can log in"):
            await check_people_can_log_in(settings, has_no_people)

    await check_people_can_log_in(PROVIDED, has_no_people)
    await check_people_can_log_in(NAMED, has_people)
    check_public_url(NAMED)
    check_public_url(ServerSettings())
    with pytest.raises(AssentError, match="public_url"):
        check_public_url(OPEN)
