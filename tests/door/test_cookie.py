"""The session's cookie is sent by our own pages only, and read by none of them."""

import pytest

from assent.door.cookie import cookie_in, ended_cookie, set_cookie
from assent.door.sealed import sealed
from assent.door.secret import Prefix, new_secret


@pytest.mark.proves("T-15")
def test_a_cookie_is_out_of_reach_of_scripts_and_of_other_sites() -> None:
    secret = new_secret(Prefix.SESSION)

    said = set_cookie(secret, secure=True, path="/", seconds=60)

    assert said == f"assent_session={secret}; HttpOnly; Max-Age=60; Path=/; SameSite=Strict; Secure"


def test_without_encryption_it_is_not_marked_as_needing_it() -> None:
    assert "Secure" not in set_cookie("x", secure=False, path="/a/", seconds=60)


def test_one_for_somebody_who_is_sent_back_comes_along_with_a_link() -> None:
    said = set_cookie("x", secure=False, path="/", seconds=1, name="assent_signin", from_links=True)

    assert said == "assent_signin=x; HttpOnly; Max-Age=1; Path=/; SameSite=Lax"


def test_a_cookie_is_taken_away_where_it_was_set() -> None:
    assert (
        ended_cookie(secure=False, path="/")
        == "assent_session=; HttpOnly; Max-Age=0; Path=/; SameSite=Strict"
    )


@pytest.mark.parametrize("value", ["a=", "a b", 'a"', "a;b", "a,b", "é", "a\r\nb", "a\n"])
def test_what_would_need_quotes_is_no_value(value: str) -> None:
    with pytest.raises(ValueError, match="quotes"):
        set_cookie(value, secure=True, path="/", seconds=1)


def test_what_is_sealed_fits_into_a_cookie() -> None:
    for length in range(8):
        set_cookie(sealed(b"k", "x", {"a": "b" * length}, until=1), secure=True, path="/", seconds=1)


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
def test_a_cookie_is_read_where_there_is_exactly_one(lines: list[str], value: str) -> None:
    assert cookie_in(lines) == value
