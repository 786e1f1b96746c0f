"""Secrets are random, recognizable by their prefix, and stored as digests only."""

import hashlib

import pytest

from assent.door.credentials import (
    SecretPrefix,
    contains_secret,
    digest_of,
    expired_cookie,
    is_secret,
    new_secret,
    prefix_of,
    read_cookie,
    set_cookie,
    visible_start,
)
from assent.door.oidc import sign_value
from assent.gate.access import Kind


@pytest.mark.parametrize("prefix", SecretPrefix)
def test_a_secret_has_256_random_bits_behind_its_prefix(prefix: SecretPrefix) -> None:
    made = {new_secret(prefix) for _ in range(100)}

    assert len(made) == 100
    assert all(is_secret(one) and one.startswith(prefix) and len(one) == len(prefix) + 43 for one in made)


def test_a_kind_of_principal_has_a_prefix_of_its_own() -> None:
    assert [prefix_of(kind) for kind in Kind] == [
        SecretPrefix.PERSON,
        SecretPrefix.AGENT,
        SecretPrefix.SERVICE,
    ]


@pytest.mark.parametrize(
    "text",
    ["", "assent_p_", "assent_p_" + "a" * 42, "assent_p_" + "a" * 44, "assent_x_" + "a" * 43, "Assent_p_" + "a" * 43,
     "assent_p_" + "a" * 42 + "ä", " assent_p_" + "a" * 43, "assent_p_" + "a" * 43 + "\n"],
)  # fmt: skip
def test_a_text_of_another_form_is_no_secret(text: str) -> None:
    assert not is_secret(text)


def test_a_secret_is_found_in_the_middle_of_a_text() -> None:
    assert contains_secret(f"a=1&x={new_secret(SecretPrefix.LINK)}&b=2")
    assert not contains_secret("a=1&x=assent_p_short&b=2")


def test_only_the_digest_and_the_start_of_a_secret_are_kept() -> None:
    secret = new_secret(SecretPrefix.PERSON)

    assert digest_of(secret) == hashlib.sha256(secret.encode()).hexdigest()
    assert visible_start(secret) == secret[:15]


@pytest.mark.proves("T-15")
def test_scripts_and_other_sites_cannot_use_the_cookie() -> None:
    secret = new_secret(SecretPrefix.SESSION)

    said = set_cookie(secret, secure=True, path="/", seconds=60)

    assert said == f"assent_session={secret}; HttpOnly; Max-Age=60; Path=/; SameSite=Strict; Secure"


def test_without_https_the_cookie_is_not_marked_secure() -> None:
    assert "Secure" not in set_cookie("x", secure=False, path="/a/", seconds=60)


def test_a_cookie_for_a_redirect_is_sent_with_links() -> None:
    said = set_cookie("x", secure=False, path="/", seconds=1, name="assent_signin", from_links=True)

    assert said == "assent_signin=x; HttpOnly; Max-Age=1; Path=/; SameSite=Lax"


def test_a_cookie_is_removed_at_the_path_where_it_was_set() -> None:
    assert (
        expired_cookie(secure=False, path="/")
        == "assent_session=; HttpOnly; Max-Age=0; Path=/; SameSite=Strict"
    )


@pytest.mark.parametrize("value", ["a=", "a b", 'a"', "a;b", "a,b", "é", "a\r\nb", "a\n"])
def test_a_cookie_value_that_needs_quotes_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match="quotes"):
        set_cookie(value, secure=True, path="/", seconds=1)


def test_a_signed_value_fits_into_a_cookie() -> None:
    for length in range(8):
        set_cookie(sign_value(b"k", "x", {"a": "b" * length}, until=1), secure=True, path="/", seconds=1)


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        ([], ""),
        (["assent_session=abc"], "abc"),
        (["a=1; assent_session=abc; b=2"], "abc"),
        (["a=1", "assent_session=abc"], "abc"),
        (["assent_session=abc; assent_session=def"], ""),
        (["assent_session=abc", "assent_session=def"], ""),
        (["xassent_session=abc"], ""),
        (["assent_session"], ""),
        (["Assent_Session=abc"], ""),
        ([";;=;"], ""),
    ],
)
def test_a_cookie_is_read_only_if_there_is_exactly_one(lines: list[str], value: str) -> None:
    assert read_cookie(lines) == value
