"""The first checks of a request: its host, origin, size and headers."""

import pytest

from assent.door.credentials import SecretPrefix, new_secret
from assent.door.request import (
    AllowedHosts,
    Peer,
    Proxies,
    RequestHead,
    find_refusal,
    parse_proxies,
    read_head,
    too_large_problem,
)
from assent.errors import InputError

HERE = AllowedHosts()
TOKEN = new_secret(SecretPrefix.PERSON)


def sample_request(
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


def refused_status(visit: RequestHead) -> int:
    found = find_refusal(visit, HERE, max_body=1000)
    return 0 if found is None else found.status


def test_a_plain_get_request_passes() -> None:
    assert refused_status(sample_request()) == 0


@pytest.mark.parametrize("hosts", [[], ["evil.example"], ["127.0.0.1:8722", "127.0.0.1:8722"]])
@pytest.mark.proves("T-16")
def test_a_request_needs_exactly_one_allowed_host_header(hosts: list[str]) -> None:
    visit = RequestHead(
        method="GET", is_websocket=False, client=Peer("", secure=False), query="", headers={"host": hosts}
    )

    assert refused_status(visit) == 403


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
def test_a_change_must_be_sent_as_json(kind: str, wanted: int) -> None:
    token = ("authorization", f"Bearer {TOKEN}")
    for method in ("POST", "PUT", "PATCH", "DELETE"):
        assert (
            refused_status(sample_request(method, token, ("content-type", kind), ("content-length", "2")))
            == wanted
        )
        assert refused_status(sample_request(method, token, ("content-type", kind))) == wanted


def test_a_change_without_a_body_needs_no_content_type() -> None:
    token = ("authorization", f"Bearer {TOKEN}")

    assert refused_status(sample_request("DELETE", token)) == 0
    assert refused_status(sample_request("POST", token, ("content-length", "0"))) == 0
    assert refused_status(sample_request("POST", token, ("content-length", "2"))) == 415
    assert refused_status(sample_request("POST", token, ("transfer-encoding", "chunked"))) == 415


@pytest.mark.proves("T-15", "T-17")
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "BREW"])
def test_a_change_needs_our_origin_or_a_token(method: str) -> None:
    cookie = ("cookie", f"assent_session={new_secret(SecretPrefix.SESSION)}")
    token = ("authorization", f"Bearer {TOKEN}")
    own, foreign, null = (("origin", one) for one in ("http://127.0.0.1:8722", "http://evil.example", "null"))

    assert [
        refused_status(sample_request(method, *given))
        for given in ([own], [cookie, own], [token], [token, own])
    ] == [0] * 4
    refused = ([], [cookie], [foreign], [cookie, foreign], [token, foreign], [token, null], [own, foreign])
    assert [refused_status(sample_request(method, *given)) for given in refused] == [403] * 7


@pytest.mark.proves("T-15")
def test_a_websocket_follows_the_rules_of_a_change() -> None:
    own, foreign = ("origin", "http://127.0.0.1:8722"), ("origin", "http://localhost.evil:8722")
    token = ("authorization", f"Bearer {TOKEN}")
    cookie = ("cookie", "assent_session=x")

    seen = [
        refused_status(sample_request("GET", *given, is_socket=True))
        for given in ([own], [token], [], [cookie], [foreign])
    ]

    assert seen == [0, 0, 403, 403, 403]


def test_a_page_of_another_site_cannot_read() -> None:
    assert refused_status(sample_request("GET", ("origin", "http://evil.example"))) == 403
    assert refused_status(sample_request("GET", ("origin", "null"))) == 403
    assert refused_status(sample_request("GET", ("origin", "http://127.0.0.1:8722"))) == 0


@pytest.mark.proves("T-15")
@pytest.mark.parametrize("prefix", SecretPrefix)
def test_a_secret_in_a_url_is_refused(prefix: SecretPrefix) -> None:
    secret = new_secret(prefix)

    assert refused_status(sample_request(query=f"token={secret}")) == 400
    assert refused_status(sample_request(query=f"x={secret.replace('_', '%5F')}")) == 400
    assert refused_status(sample_request(query="token=abc&q=assent_p_")) == 0


@pytest.mark.parametrize(
    ("length", "wanted"),
    [("1000", 0), ("1001", 413), ("9" * 30, 413), ("-1", 413), ("1e3", 413), ("٣", 413)],
)
def test_a_content_length_above_the_limit_is_refused(length: str, wanted: int) -> None:
    headers = [("authorization", f"Bearer {TOKEN}"), ("content-type", "application/json")]
    visit = sample_request("POST", *headers, ("content-length", length))

    assert refused_status(visit) == wanted


def test_a_refusal_for_size_states_the_limit() -> None:
    assert too_large_problem(10_000_000).detail == "the body of a request has at most 10,000,000 bytes"


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
def test_a_token_is_read_from_a_single_bearer_header(given: list[str], token: str | None) -> None:
    assert sample_request("GET", *(("authorization", one) for one in given)).token == token


def test_a_trusted_proxy_sets_the_scheme() -> None:
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
def test_a_body_with_a_length_and_chunks_is_refused() -> None:
    headers = [("authorization", f"Bearer {TOKEN}"), ("content-type", "application/json")]
    visit = sample_request("POST", *headers, ("content-length", "4"), ("transfer-encoding", "chunked"))
    found = find_refusal(visit, HERE, 1000)

    assert found is not None
    assert (found.status, found.headers["connection"]) == (400, "close")


OURS = parse_proxies(["10.0.0.0/8", "127.0.0.1", "fd00::/8"])


def client_address(peer: str, *chain: str, scheme: str = "", proxies: Proxies = OURS) -> Peer:
    return proxies.find_client(peer, secure=False, chain=chain, scheme=scheme)


def test_a_direct_client_cannot_set_its_address() -> None:
    said = client_address("192.0.2.1", "198.51.100.9", scheme="https")

    assert said == Peer("192.0.2.1", secure=False)


def test_a_trusted_proxy_sets_the_client_address() -> None:
    assert client_address("10.1.2.3", "192.0.2.1", scheme="https") == Peer("192.0.2.1", secure=True)
    assert client_address("10.1.2.3", "192.0.2.1") == Peer("192.0.2.1", secure=False)
    assert client_address("fd00::1", "2001:db8::7") == Peer("2001:db8::7", secure=False)
    assert client_address("10.1.2.3", "192.0.2.1", scheme="http") == Peer("192.0.2.1", secure=False)


def test_an_ipv4_address_inside_an_ipv6_address_is_the_same() -> None:
    assert client_address("::ffff:10.1.2.3", "192.0.2.1").address == "192.0.2.1"
    assert client_address("::ffff:192.0.2.9", "192.0.2.1").address == "::ffff:192.0.2.9"


def test_forwarded_entries_of_a_client_are_not_trusted() -> None:
    assert client_address("10.1.2.3", "127.0.0.1, 192.0.2.1").address == "192.0.2.1"
    assert client_address("10.1.2.3", "127.0.0.1", "192.0.2.1, 10.9.9.9").address == "192.0.2.1"


@pytest.mark.parametrize(
    "chain", ["", "unknown", "192.0.2.1:80", "x, y", ",", "evil.example", "192.0.2.1, evil"]
)
def test_an_invalid_entry_ends_the_chain_at_the_last_valid_address(chain: str) -> None:
    assert client_address("10.1.2.3", chain).address == "10.1.2.3"


def test_a_chain_of_trusted_proxies_ends_at_its_first_entry() -> None:
    assert client_address("10.1.2.3", "10.0.0.1, 10.0.0.2").address == "10.0.0.1"


def test_without_trusted_proxies_forwarded_headers_are_ignored() -> None:
    assert client_address("127.0.0.1", "192.0.2.1", scheme="https", proxies=Proxies()) == Peer(
        "127.0.0.1", secure=False
    )
    assert not OURS.is_trusted("")


@pytest.mark.parametrize("word", ["", "evil.example", "10.0.0.1/8", "*"])
def test_an_invalid_network_is_refused(word: str) -> None:
    with pytest.raises(InputError):
        parse_proxies([word])


LOCAL = AllowedHosts()
PUBLIC = AllowedHosts(public_url="https://assent.example.org", hosts=("Assent.svc", "10.0.0.7:8722"))


@pytest.mark.parametrize(
    "host", ["localhost", "localhost:8722", "127.0.0.1:8722", "[::1]:8722", "LOCALHOST:8722", "127.0.0.1"]
)
def test_loopback_names_are_allowed_hosts(host: str) -> None:
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
def test_other_host_names_are_not_allowed(host: str) -> None:
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
def test_configured_host_names_are_allowed(host: str) -> None:
    assert PUBLIC.includes(host)
    assert not LOCAL.includes(host)


def test_an_origin_of_the_same_host_and_port_is_our_own() -> None:
    assert LOCAL.is_own_origin("http://127.0.0.1:8722", host="127.0.0.1:8722", scheme="http")
    assert LOCAL.is_own_origin("http://localhost", host="localhost:80", scheme="http")
    assert LOCAL.is_own_origin("https://[::1]:8722", host="[::1]:8722", scheme="https")
    assert PUBLIC.is_own_origin("https://assent.example.org", host="assent.example.org", scheme="https")


def test_behind_a_proxy_the_public_origin_is_our_own() -> None:
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
def test_other_origins_are_not_our_own(origin: str) -> None:
    for premises in (LOCAL, PUBLIC):
        assert not premises.is_own_origin(origin, host="127.0.0.1:8722", scheme="http")


def test_the_public_origin_without_https_is_not_our_own() -> None:
    assert not PUBLIC.is_own_origin("http://assent.example.org", host="assent.example.org", scheme="http")


def test_the_path_is_taken_from_the_public_url() -> None:
    assert [LOCAL.path, AllowedHosts(public_url="https://x.org/assent").path] == ["/", "/assent/"]


@pytest.mark.parametrize(
    "address", ["assent.example.org", "ftp://x.org", "https://", "https://x.org/?a=1", "//x.org"]
)
def test_an_invalid_public_url_is_refused(address: str) -> None:
    with pytest.raises(InputError):
        AllowedHosts(public_url=address)
