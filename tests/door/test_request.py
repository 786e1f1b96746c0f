"""A request is looked at before anybody else sees it: where it comes from, what it carries, what it says."""

import pytest

from assent.door.credentials import Prefix, new_secret
from assent.door.request import (
    AllowedHosts,
    Peer,
    Proxies,
    RequestHead,
    parse_proxies,
    read_head,
    refusal,
    too_large,
)
from assent.errors import InputError

HERE = AllowedHosts()
TOKEN = new_secret(Prefix.PERSON)


def a_request(
    method: str = "GET", *headers: tuple[str, str], is_socket: bool = False, query: str = ""
) -> RequestHead:
    scope = {
        "type": "websocket" if is_socket else "http",
        "method": method,
        "scheme": "http",
        "client": ("127.0.0.1", 4000),
        "query_string": query.encode(),
        "headers": [
            (b"Host", b"127.0.0.1:8722"),
            *((name.encode(), value.encode()) for name, value in headers),
        ],
    }
    return read_head(scope, parse_proxies([]))


def status(visit: RequestHead) -> int:
    found = refusal(visit, HERE, max_body=1000)
    return 0 if found is None else found.status


def test_a_plain_look_is_let_through() -> None:
    assert status(a_request()) == 0


@pytest.mark.parametrize("hosts", [[], ["evil.example"], ["127.0.0.1:8722", "127.0.0.1:8722"]])
@pytest.mark.proves("T-16")
def test_a_request_says_once_whom_it_means_and_means_us(hosts: list[str]) -> None:
    visit = RequestHead(
        method="GET", is_websocket=False, client=Peer("", secure=False), query="", headers={"host": hosts}
    )

    assert status(visit) == 403


@pytest.mark.proves("T-17")
@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        ("application/json", 0),
        ("Application/JSON; charset=UTF-8", 0),
        ("application/json;", 0),
        ("application/x-www-form-urlencoded", 415),
        ("multipart/form-data; boundary=x", 415),
        ("text/plain", 415),
        ("text/plain; application/json", 415),
        ("application/json; charset=utf-16", 415),
        ("application/jsonp", 415),
        ("application/json, text/plain", 415),
        ("", 415),
    ],
)
def test_a_change_is_sent_as_json(kind: str, wanted: int) -> None:
    token = ("authorization", f"Bearer {TOKEN}")
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert status(a_request(method, token, ("content-type", kind), ("content-length", "2"))) == wanted
        assert status(a_request(method, token, ("content-type", kind))) == wanted


def test_a_change_that_carries_nothing_need_not_say_of_what_kind_it_is() -> None:
    token = ("authorization", f"Bearer {TOKEN}")

    assert status(a_request("DELETE", token)) == 0
    assert status(a_request("POST", token, ("content-length", "0"))) == 0
    assert status(a_request("POST", token, ("content-length", "2"))) == 415
    assert status(a_request("POST", token, ("transfer-encoding", "chunked"))) == 415


@pytest.mark.proves("T-15", "T-17")
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "BREW"])
def test_a_change_comes_from_our_page_or_with_a_token(method: str) -> None:
    cookie = ("cookie", f"assent_session={new_secret(Prefix.SESSION)}")
    token = ("authorization", f"Bearer {TOKEN}")
    own, foreign, null = (("origin", one) for one in ("http://127.0.0.1:8722", "http://evil.example", "null"))

    assert [status(a_request(method, *given)) for given in ([own], [cookie, own], [token], [token, own])] == [
        0
    ] * 4
    refused = ([], [cookie], [foreign], [cookie, foreign], [token, foreign], [token, null], [own, foreign])
    assert [status(a_request(method, *given)) for given in refused] == [403] * 7


@pytest.mark.proves("T-15")
def test_a_socket_is_held_to_the_rules_of_a_change() -> None:
    own, foreign = ("origin", "http://127.0.0.1:8722"), ("origin", "http://localhost.evil:8722")
    token = ("authorization", f"Bearer {TOKEN}")
    cookie = ("cookie", "assent_session=x")

    seen = [
        status(a_request("GET", *given, is_socket=True))
        for given in ([own], [token], [], [cookie], [foreign])
    ]

    assert seen == [0, 0, 403, 403, 403]


def test_a_foreign_page_may_not_even_look() -> None:
    assert status(a_request("GET", ("origin", "http://evil.example"))) == 403
    assert status(a_request("GET", ("origin", "null"))) == 403
    assert status(a_request("GET", ("origin", "http://127.0.0.1:8722"))) == 0


@pytest.mark.proves("T-15")
@pytest.mark.parametrize("prefix", Prefix)
def test_a_secret_in_an_address_is_refused(prefix: Prefix) -> None:
    secret = new_secret(prefix)

    assert status(a_request(query=f"token={secret}")) == 400
    assert status(a_request(query=f"x={secret.replace('_', '%5F')}")) == 400
    assert status(a_request(query="token=abc&q=assent_p_")) == 0


@pytest.mark.parametrize(
    ("length", "wanted"),
    [("1000", 0), ("1001", 413), ("9" * 30, 413), ("-1", 413), ("1e3", 413), ("٣", 413)],
)
def test_what_says_that_it_is_too_large_is_refused(length: str, wanted: int) -> None:
    headers = [("authorization", f"Bearer {TOKEN}"), ("content-type", "application/json")]
    visit = a_request("POST", *headers, ("content-length", length))

    assert status(visit) == wanted


def test_a_refusal_for_size_says_how_much_there_may_be() -> None:
    assert too_large(10_000_000).detail == "the body of a request has at most 10,000,000 bytes"


@pytest.mark.parametrize(
    ("given", "token"),
    [
        ([], None),
        (["Bearer abc"], "abc"),
        (["bearer  abc "], "abc"),
        (["Basic abc"], ""),
        (["Bearer"], ""),
        (["Bearer abc", "Bearer abc"], ""),
    ],
)
def test_a_token_is_what_stands_once_behind_bearer(given: list[str], token: str | None) -> None:
    assert a_request("GET", *(("authorization", one) for one in given)).token == token


def test_a_trusted_proxy_says_how_the_page_was_fetched() -> None:
    scope = {
        "type": "http",
        "method": "GET",
        "scheme": "http",
        "client": ("10.0.0.1", 1),
        "query_string": b"",
        "headers": [(b"x-forwarded-for", b"192.0.2.1"), (b"x-forwarded-proto", b"http, https")],
    }

    trusted, untrusted = (read_head(scope, parse_proxies(one)) for one in (["10.0.0.0/8"], []))

    assert (trusted.client, trusted.scheme) == (Peer("192.0.2.1", secure=True), "https")
    assert (untrusted.client, untrusted.scheme) == (Peer("10.0.0.1", secure=False), "http")
    assert read_head({**scope, "client": None}, parse_proxies([])).client.address == ""


@pytest.mark.proves("R-18")
def test_a_body_whose_length_is_said_in_two_ways_is_refused() -> None:
    headers = [("authorization", f"Bearer {TOKEN}"), ("content-type", "application/json")]
    visit = a_request("POST", *headers, ("content-length", "4"), ("transfer-encoding", "chunked"))
    found = refusal(visit, HERE, 1000)

    assert found is not None
    assert (found.status, found.headers["connection"]) == (400, "close")


OURS = parse_proxies(["10.0.0.0/8", "127.0.0.1", "fd00::/8"])


def client(peer: str, *chain: str, scheme: str = "", proxies: Proxies = OURS) -> Peer:
    return proxies.client(peer, secure=False, chain=chain, scheme=scheme)


def test_who_comes_by_themselves_speaks_for_themselves() -> None:
    said = client("192.0.2.1", "198.51.100.9", scheme="https")

    assert said == Peer("192.0.2.1", secure=False)


def test_a_trusted_proxy_says_for_whom_it_asks() -> None:
    assert client("10.1.2.3", "192.0.2.1", scheme="https") == Peer("192.0.2.1", secure=True)
    assert client("10.1.2.3", "192.0.2.1") == Peer("192.0.2.1", secure=False)
    assert client("fd00::1", "2001:db8::7") == Peer("2001:db8::7", secure=False)
    assert client("10.1.2.3", "192.0.2.1", scheme="http") == Peer("192.0.2.1", secure=False)


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
    assert client("127.0.0.1", "192.0.2.1", scheme="https", proxies=Proxies()) == Peer(
        "127.0.0.1", secure=False
    )
    assert not OURS.trusts("")


@pytest.mark.parametrize("word", ["", "evil.example", "10.0.0.1/8", "*"])
def test_what_is_no_network_is_refused(word: str) -> None:
    with pytest.raises(InputError):
        parse_proxies([word])


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
