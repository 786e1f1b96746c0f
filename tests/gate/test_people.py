"""A credential counts for as long as its person, its time and its purpose do."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import product

import pytest

from assent.errors import InputError
from assent.gate.access import Kind, Principal, Role
from assent.gate.people import (
    ActiveCredential,
    Credential,
    Person,
    Purpose,
    check_credential,
    check_display_name,
    check_person,
    is_active,
)

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SECOND = timedelta(seconds=1)
ANA = Person(id="ana", administrator=True)
TOKEN = Credential(id="k1", purpose=Purpose.TOKEN, kind=Kind.PERSON, principal_id="ana")
AGENT = replace(TOKEN, kind=Kind.AGENT, principal_id="clerk", on_behalf="ana")


@pytest.mark.proves("T-43")
def test_a_credential_holds_only_while_everything_about_it_does() -> None:
    ends = {None: True, NOW - SECOND: False, NOW: False, NOW + SECOND: True}
    people = {"ana": (ANA, True), "disabled": (replace(ANA, disabled_at=NOW), False), "nobody": (None, False),
              "another": (Person(id="ben"), False)}  # fmt: skip

    for credential, ended, end, who in product((TOKEN, AGENT), (None, NOW), ends, people):
        tried = replace(credential, ended_at=ended, expires_at=end)
        person, counts = people[who]

        assert is_active(tried, person, at=NOW) is (ended is None and ends[end] and counts)


def test_only_a_service_needs_nobody() -> None:
    service = replace(TOKEN, kind=Kind.SERVICE, principal_id="backup")

    assert is_active(service, None, at=NOW)
    assert not is_active(replace(service, on_behalf="ana"), None, at=NOW)
    assert not is_active(replace(AGENT, on_behalf=""), None, at=NOW)


@pytest.mark.proves("T-5", "T-18")
def test_rights_come_with_a_person_alone() -> None:
    roles = {"c1": Role.OWNER}

    assert ActiveCredential(TOKEN, ANA, roles, NOW).principal == Principal(
        id="ana", administrator=True, roles=roles
    )
    for kind in (Kind.AGENT, Kind.SERVICE):
        held = replace(AGENT, kind=kind)
        assert ActiveCredential(held, ANA, roles, NOW).principal == Principal(
            id="clerk", kind=kind, on_behalf="ana"
        )


@pytest.mark.parametrize(
    "name", ["", " ", "ana ", "\tana", "a" * 129, "a\x00", "a\u202eb", "a\u200b", "a\n", "\ufeffana"]
)
def test_a_name_that_does_not_show_what_it_is_is_refused(name: str) -> None:
    with pytest.raises(InputError):
        check_display_name("name of a person", name)
    for wrong in (Person(id=name), Person(id="ana", name=name or "\n"), Person(id="ana", name="x\u202e")):
        with pytest.raises(InputError):
            check_person(wrong)


@pytest.mark.parametrize(
    "name", ["ana", "o'hara", "María", "日本", "ana@example.org", "a" * 128, "x<b>", "🙂"]
)
def test_any_name_that_is_seen_whole_is_fine(name: str) -> None:
    check_person(Person(id=name, name=name))


def test_an_id_is_one_word_and_the_error_says_which_would_do() -> None:
    check_person(Person(id="ben-smith", name="Ben Smith"))

    with pytest.raises(
        InputError, match="choose one word, such as `ben-smith`, and set the full name separately"
    ):
        check_person(Person(id="Ben  Smith"))


def test_an_identity_is_not_empty_and_not_endless() -> None:
    check_person(replace(ANA, identity="https://id.example|42"))
    for identity in ("", "x" * 1025, "https://id.example|4\x002"):
        with pytest.raises(InputError):
            check_person(replace(ANA, identity=identity))


def test_only_people_log_in() -> None:
    check_credential(replace(TOKEN, purpose=Purpose.SESSION))
    for kind, purpose in product((Kind.AGENT, Kind.SERVICE), (Purpose.SESSION, Purpose.LINK)):
        with pytest.raises(InputError):
            check_credential(replace(AGENT, kind=kind, purpose=purpose))
    with pytest.raises(InputError):
        check_credential(replace(TOKEN, label="a\x1b[2J"))
