"""Only a proxy that we were told to trust speaks for others."""

import pytest

from assent.door.proxy import Client, Proxies, proxies_of
from assent.errors import InputError

OURS = proxies_of(["10.0.0.0/8", "127.0.0.1", "fd00::/8"])


def client(peer: str, *chain: str, scheme: str = "", proxies: Proxies = OURS) -> Client:
    return proxies.client(peer, secure=False, chain=chain, scheme=scheme)


def test_who_comes_by_themselves_speaks_for_themselves() -> None:
    said = client("192.0.2.1", "198.51.100.9", scheme="https")

    assert said == Client("192.0.2.1", secure=False)


def test_a_trusted_proxy_says_for_whom_it_asks() -> None:
    assert client("10.1.2.3", "192.0.2.1", scheme="https") == Client("192.0.2.1", secure=True)
    assert client("10.1.2.3", "192.0.2.1") == Client("192.0.2.1", secure=False)
    assert client("fd00::1", "2001:db8::7") == Client("2001:db8::7", secure=False)
    assert client("10.1.2.3", "192.0.2.1", scheme="http") == Client("192.0.2.1", secure=False)


def test_an_older_address_inside_a_newer_one_is_the_same() -> None:
    assert client("::ffff:10.1.2.3", "192.0.2.1").address == "192.0.2.1"
    assert client("::ffff:192.0.2.9", "192.0.2.1").address == "::ffff:192.0.2.9"


def test_what_a_client_wrote_itself_is_not_believed() -> None:
    assert client("10.1.2.3", "127.0.0.1, 192.0.2.1").address == "192.0.2.1"
    assert client("10.1.2.3", "127.0.0.1", "192.0.2.1, 10.9.9.9").address == "192.0.2.1"


@pytest.mark.parametrize(
    "chain", ["", "unknown", "192.0.2.1:80", "x, y", ",", "evil.example", "192.0.2.1, evil"]
)
def test_what_is_no_address_leaves_the_last_that_was_one(chain: str) -> None:
    assert client("10.1.2.3", chain).address == "10.1.2.3"


def test_a_chain_of_only_our_own_ends_at_its_start() -> None:
    assert client("10.1.2.3", "10.0.0.1, 10.0.0.2").address == "10.0.0.1"


def test_without_trusted_proxies_nobody_speaks_for_others() -> None:
    assert client("127.0.0.1", "192.0.2.1", scheme="https", proxies=Proxies()) == Client(
        "127.0.0.1", secure=False
    )
    assert not OURS.trusts("")


@pytest.mark.parametrize("word", ["", "evil.example", "10.0.0.1/8", "*"])
def test_what_is_no_network_is_refused(word: str) -> None:
    with pytest.raises(InputError):
        proxies_of([word])
