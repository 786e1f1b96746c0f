"""Names are compared whole: nothing that looks like ours, or resolves to us, passes for it."""

import pytest

from assent.door.hosts import AllowedHosts
from assent.errors import InputError

LOCAL = AllowedHosts()
PUBLIC = AllowedHosts(public_url="https://assent.example.org", hosts=("Assent.svc", "10.0.0.7:8722"))


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8722", "127.0.0.1:8722", "[::1]:8722", "LOCALHOST:8722", "127.0.0.1"]
)
def test_this_machine_is_known_by_its_own_names(host: str) -> None:
    assert LOCAL.includes(host)
    assert PUBLIC.includes(host)


@pytest.mark.proves("T-16")
@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "localhost.evil.example", "localhost.", "127.0.0.1.evil.example", "evil.example:8722",
     "localhost:8722:1", "localhost@evil.example", "127.0.0.2", "0.0.0.0:8722", "[::]:8722", "0x7f.1", "2130706433",
     "localhost:", "localhost:x", "localhost, evil.example", "assent.example.org.evil.example", "user@localhost",
     "assent.svc.evil", "xassent.svc", "10.0.0.7:80", "10.0.0.7", "ⅼocalhost", "[::1", "::1"],
)  # fmt: skip
def test_any_other_name_is_somebody_elses(host: str) -> None:
    assert not LOCAL.includes(host)
    assert not PUBLIC.includes(host)


@pytest.mark.parametrize(
    "host",
    [
        "assent.example.org",
        "assent.example.org:443",
        "Assent.Example.org",
        "assent.svc",
        "assent.svc:80",
        "10.0.0.7:8722",
    ],
)
def test_further_names_are_known_where_they_were_configured(host: str) -> None:
    assert PUBLIC.includes(host)
    assert not LOCAL.includes(host)


def test_the_page_of_the_same_name_and_port_is_our_own() -> None:
    assert LOCAL.is_own_origin("http://127.0.0.1:8722", host="127.0.0.1:8722", scheme="http")
    assert LOCAL.is_own_origin("http://localhost", host="localhost:80", scheme="http")
    assert LOCAL.is_own_origin("https://[::1]:8722", host="[::1]:8722", scheme="https")
    assert PUBLIC.is_own_origin("https://assent.example.org", host="assent.example.org", scheme="https")


def test_behind_a_proxy_the_public_page_is_our_own_whatever_name_the_proxy_uses() -> None:
    assert PUBLIC.is_own_origin("https://assent.example.org", host="127.0.0.1:8722", scheme="http")
    assert PUBLIC.is_own_origin("https://assent.example.org", host="assent.example.org", scheme="http")


@pytest.mark.proves("T-15", "T-17")
@pytest.mark.parametrize(
    "origin",
    ["", "null", "http://evil.example", "http://localhost.evil:8722", "http://127.0.0.1", "http://127.0.0.1:8723",
     "https://127.0.0.1:8722", "http://localhost:8722", "http://127.0.0.1:8722/", "http://127.0.0.1:8722.evil",
     "http://user@127.0.0.1:8722", "HTTP://127.0.0.1:8722", "http://127.0.0.1:8722 http://evil.example", "file://",
     "chrome-extension://abc", "http://assent.example.org", "https://assent.example.org:444", "127.0.0.1:8722"],
)  # fmt: skip
def test_any_other_page_is_somebody_elses(origin: str) -> None:
    for premises in (LOCAL, PUBLIC):
        assert not premises.is_own_origin(origin, host="127.0.0.1:8722", scheme="http")


def test_the_public_page_without_encryption_is_not_our_own() -> None:
    assert not PUBLIC.is_own_origin("http://assent.example.org", host="assent.example.org", scheme="http")


def test_the_path_is_that_of_the_public_address() -> None:
    assert [LOCAL.path, AllowedHosts(public_url="https://x.org/assent").path] == ["/", "/assent/"]


@pytest.mark.parametrize(
    "address", ["assent.example.org", "ftp://x.org", "https://", "https://x.org/?a=1", "//x.org"]
)
def test_what_is_no_address_of_a_server_is_refused(address: str) -> None:
    with pytest.raises(InputError):
        AllowedHosts(public_url=address)
