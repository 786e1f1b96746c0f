"""The web tools: pages as text, and no private address unless the operator listed it."""

import asyncio
import gzip
import ipaddress
import json
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from hypothesis import given

from assent.config.tools import TOOLS_BY_BELT
from assent.engine.base.tool import render_specifier
from assent.hosts.chat.tools.text import page_title_and_text
from assent.hosts.chat.tools.tool import ToolError
from assent.hosts.chat.tools.web import (
    AddressGuard,
    Fetcher,
    FetchRequest,
    FetchResponse,
    is_public_address,
    parse_address,
    web_fetch_tool,
    web_search_tool,
)
from tests.hosts.chat.tools.support import Site, make_context, run_site, succeeded_and_text, workspace

PAGE = """<html><head><title>Herons</title><style>p{}</style><script>alert(1)</script></head>
<body><h1>Herons</h1><p>They <b>stand</b> &amp; wait.</p><ul><li>Grey</li><li><a href="/great">Great</a></li></ul>
<a href="javascript:alert(1)">no</a></body></html>"""


@pytest.fixture
def site() -> Iterator[Site]:
    with run_site() as running:
        yield running


def make_fetcher(*allowed: str, most: int = 100_000, seconds: float = 5) -> Fetcher:
    return Fetcher(AddressGuard(allowed), max_bytes=most, seconds=seconds)


async def test_a_page_is_returned_as_text_with_its_links(site: Site, tmp_path: Path) -> None:
    site.page("/birds", PAGE)

    result = await web_fetch_tool(make_fetcher(site.endpoint)).run_call(
        {"url": site.url("/birds?q=1")}, make_context(workspace(tmp_path))
    )

    assert succeeded_and_text(result) == (
        True,
        f"# Herons\n\n# Herons\n\nThey stand & wait.\n\n- Grey\n\n- Great <{site.url('/great')}>\n\nno",
    )
    assert (site.asked[0].path, site.asked[0].headers["Host"]) == ("/birds?q=1", site.endpoint)


@pytest.mark.proves("T-37")
async def test_loopback_is_refused_unless_the_operator_listed_that_port(site: Site, tmp_path: Path) -> None:
    site.page("/", "secret", "text/plain")
    context = make_context(workspace(tmp_path))

    refused = await web_fetch_tool(make_fetcher()).run_call({"url": site.url()}, context)
    other_port = await web_fetch_tool(make_fetcher(f"127.0.0.1:{site.port + 1}")).run_call(
        {"url": site.url()}, context
    )
    by_name = await web_fetch_tool(make_fetcher()).run_call(
        {"url": f"http://localhost:{site.port}/"}, context
    )

    assert succeeded_and_text(refused) == (
        False,
        "`127.0.0.1` is at a private address, which is not reached from here",
    )
    assert other_port.failed
    assert by_name.failed
    assert site.asked == []


@pytest.mark.proves("T-37")
@pytest.mark.parametrize(
    "host",
    [
        "2130706433",
        "0x7f.1",
        "127.1",
        "0",
        "0.0.0.0",
        "10.0.0.1",
        "172.16.1.1",
        "192.168.0.1",
        "169.254.169.254",
        "100.64.0.1",
    ],
)
async def test_every_spelling_of_a_private_address_is_refused(host: str) -> None:
    with pytest.raises(ToolError, match="private address"):
        await AddressGuard().resolve_host(host, 80)


@pytest.mark.proves("T-37")
@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1:248:1893:25c8:1946", True),
        ("::1", False),
        ("fe80::1", False),
        ("fd00::1", False),
        ("fec0::1", False),
        ("ff02::1", False),
        ("224.0.0.1", False),
        ("240.0.0.1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:93.184.216.34", True),
        ("64:ff9b::a9fe:a9fe", False),
        ("2002:7f00:1::", False),
        ("198.18.0.1", False),
        ("192.0.2.1", False),
    ],
)
def test_addresses_inside_ipv6_addresses_are_checked(address: str, public: bool) -> None:
    assert is_public_address(ipaddress.ip_address(address)) is public


@pytest.mark.proves("T-37")
async def test_a_redirect_is_checked_again_and_another_host_is_not_followed(
    site: Site, tmp_path: Path
) -> None:
    site.redirect("/same", "/there")
    site.page("/there", "here", "text/plain")
    site.redirect("/elsewhere", f"http://localhost:{site.port}/there")
    site.redirect("/metadata", "http://169.254.169.254/latest/meta-data")
    site.redirect("/file", "file:///etc/passwd")
    tool = web_fetch_tool(make_fetcher(site.endpoint))
    context = make_context(workspace(tmp_path))

    same = await tool.run_call({"url": site.url("/same")}, context)
    elsewhere = await tool.run_call({"url": site.url("/elsewhere")}, context)
    metadata = await tool.run_call({"url": site.url("/metadata")}, context)
    file = await tool.run_call({"url": site.url("/file")}, context)

    assert succeeded_and_text(same) == (True, "here")
    assert elsewhere.text.endswith(f"has moved to another host: http://localhost:{site.port}/there")
    assert metadata.text.endswith("has moved to another host: http://169.254.169.254/latest/meta-data")
    assert "is not a web address" in file.text
    assert [asked.path for asked in site.asked] == ["/same", "/there", "/elsewhere", "/metadata", "/file"]


@pytest.mark.proves("T-37")
async def test_a_redirect_to_a_port_that_is_not_listed_is_refused(site: Site, tmp_path: Path) -> None:
    with run_site() as other:
        other.page("/", "inner", "text/plain")
        site.redirect("/", other.url("/"))

        result = await web_fetch_tool(make_fetcher(site.endpoint)).run_call(
            {"url": site.url()}, make_context(workspace(tmp_path))
        )

        assert succeeded_and_text(result) == (
            False,
            "`127.0.0.1` is at a private address, which is not reached from here",
        )
        assert other.asked == []


async def test_endless_redirects_are_stopped(site: Site) -> None:
    site.redirect("/", "/")

    with pytest.raises(ToolError, match="redirects more than 5 times"):
        await make_fetcher(site.endpoint).fetch(FetchRequest(url=site.url()))


@pytest.mark.proves("T-37")
async def test_the_connection_uses_the_address_that_was_checked(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host name whose address changes at every lookup is resolved only once."""
    site.page("/", "pinned", "text/plain")
    looked_up: list[str] = []
    real = socket.getaddrinfo

    def resolve_to_other_address(host: str, *rest: Any, **more: Any) -> Any:
        looked_up.append(host)
        first = looked_up.count("rebind.example") == 1
        return real("127.0.0.1" if host != "rebind.example" or first else "192.0.2.1", *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolve_to_other_address)
    answer = await make_fetcher(f"rebind.example:{site.port}").fetch(
        FetchRequest(url=f"http://rebind.example:{site.port}/")
    )

    assert answer.body_text == "pinned"
    assert looked_up.count("rebind.example") == 1
    assert site.asked[0].headers["Host"] == f"rebind.example:{site.port}"


async def test_https_requires_a_valid_certificate_at_the_checked_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = create_certificate(tmp_path, "heron.example")
    real = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda host, *rest, **more: real("127.0.0.1", *rest, **more))
    with run_site(certificate) as site:
        site.page("/", "sealed", "text/plain")
        heron, stork = (
            FetchRequest(url=f"https://{name}.example:{site.port}/") for name in ("heron", "stork")
        )
        fetcher = make_fetcher(f"heron.example:{site.port}", f"stork.example:{site.port}")

        with pytest.raises(ToolError, match=r"`heron\.example` has no valid certificate"):
            await fetcher.fetch(heron)
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        assert (await fetcher.fetch(heron)).body_text == "sealed"
        with pytest.raises(ToolError, match=r"`stork\.example` has no valid certificate"):
            await fetcher.fetch(stork)


async def test_a_huge_response_is_truncated_and_marked(site: Site, tmp_path: Path) -> None:
    site.page("/", b"a" * 3_000_000, "text/plain")

    result = await web_fetch_tool(make_fetcher(site.endpoint, most=1_000)).run_call(
        {"url": site.url()}, make_context(workspace(tmp_path))
    )

    assert succeeded_and_text(result) == (True, "a" * 1_000 + "\n\n… there is more, which was not fetched")


async def test_a_compressed_response_that_expands_too_much_is_truncated(site: Site) -> None:
    bomb = gzip.compress(b"\n" * 50_000_000)
    site.pages["/"] = lambda asked: (200, {"Content-Type": "text/plain", "Content-Encoding": "gzip"}, bomb)

    answer = await make_fetcher(site.endpoint, most=10_000).fetch(FetchRequest(url=site.url()))

    assert (len(answer.body), answer.is_truncated) == (10_000, True)


async def test_a_server_that_does_not_reply_times_out(tmp_path: Path) -> None:
    with silent_port() as endpoint:
        start = time.monotonic()
        result = await web_fetch_tool(make_fetcher(endpoint, seconds=0.3)).run_call(
            {"url": f"http://{endpoint}/"}, make_context(workspace(tmp_path))
        )

    assert succeeded_and_text(result) == (False, f"`http://{endpoint}/` did not answer in 0.3 seconds")
    assert time.monotonic() - start < 60


async def test_stopping_a_run_closes_its_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        endpoint = f"127.0.0.1:{listening.getsockname()[1]}"
        fetch = asyncio.create_task(
            make_fetcher(endpoint, seconds=60).fetch(FetchRequest(url=f"http://{endpoint}/"))
        )
        taken, _ = await asyncio.to_thread(listening.accept)
        taken.settimeout(60)
        with taken:
            asked = await asyncio.to_thread(taken.recv, 65_536)
            fetch.cancel()
            with pytest.raises(asyncio.CancelledError):
                await fetch
            after = await asyncio.to_thread(taken.recv, 65_536)

    assert asked.startswith(b"GET / HTTP/1.1\r\n")
    assert after == b""


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.org/",
        "file:///etc/passwd",
        "http://user@example.org/",
        "http://example.org\\@127.0.0.1/",
        "http://exa mple.org/",
        "http://[::1]/",
        "http://example.org:99999/",
        "http:///nothing",
        "http://ex\u0430mple.org/",
        "javascript:alert(1)",
    ],
)
def test_an_ambiguous_url_is_refused(url: str) -> None:
    with pytest.raises(ToolError, match="is not a web address"):
        parse_address(url)


@pytest.mark.proves("T-35")
@given(
    st.builds(
        "{}{}{}{}{}".format,
        st.sampled_from(["http://", "https://", "HTTP://", "http:/", "http:///", "ftp://", "//", ""]),
        st.sampled_from(["", "u@", "u:p@", "good.example@", "good.example\\\\@", "@"]),
        st.text("aB.-_:@[]%2e0", max_size=12),
        st.sampled_from(["", ":", ":80", ":x", ":80:90", "."]),
        st.text("/?#@:.\\\\ aé", max_size=12),
    )
)
def test_the_fetched_host_is_the_host_that_was_decided(url: str) -> None:
    try:
        address = parse_address(url)
    except ToolError:
        return

    assert render_specifier(TOOLS_BY_BELT["chat"]["web_fetch"], {"url": url}) == f"domain:{address.host}"


async def test_binary_content_and_errors_are_reported(site: Site, tmp_path: Path) -> None:
    site.page("/a.png", b"\x89PNG\0", "image/png")
    site.page("/gone", "it is gone", "text/plain", status=410)
    tool = web_fetch_tool(make_fetcher(site.endpoint))
    context = make_context(workspace(tmp_path))

    image = await tool.run_call({"url": site.url("/a.png")}, context)
    gone = await tool.run_call({"url": site.url("/gone")}, context)
    nobody = await tool.run_call({"url": "http://no-such-host.invalid/"}, context)

    assert succeeded_and_text(image) == (
        False,
        f"{site.url('/a.png')} is image/png of 5 bytes, which is not shown as text",
    )
    assert succeeded_and_text(gone) == (False, "(status 410)\n\nit is gone")
    assert succeeded_and_text(nobody) == (False, "there is no host `no-such-host.invalid`")


async def test_a_search_uses_the_configured_service_and_returns_its_results(
    site: Site, tmp_path: Path
) -> None:
    hits = [
        {"title": f"Hit {n}", "url": f"https://example.org/{n}", "content": "About herons."} for n in range(3)
    ]
    site.page("/search", json.dumps({"results": [*hits, {"title": "no address"}]}), "application/json")

    result = await web_search_tool(make_fetcher(), site.url("/search")).run_call(
        {"query": "grey heron", "count": 2}, make_context(workspace(tmp_path))
    )

    assert site.asked[0].path == "/search?q=grey+heron&format=json"
    assert succeeded_and_text(result) == (
        True,
        "Hit 0\nhttps://example.org/0\nAbout herons.\n\nHit 1\nhttps://example.org/1\nAbout herons.",
    )


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [("<html>", 200, "JSON"), ("", 500, "status 500"), ("[]", 200, "nothing was found")],
)
async def test_a_failing_search_service_gives_a_clear_error(
    site: Site, tmp_path: Path, body: str, status: int, said: str
) -> None:
    site.page("/", body, "text/plain", status)

    result = await web_search_tool(make_fetcher(), site.url()).run_call(
        {"query": "x"}, make_context(workspace(tmp_path))
    )

    assert said in result.text


@pytest.mark.parametrize(
    ("charset", "expected"),
    [("utf-8", "caf\N{REPLACEMENT CHARACTER}"), ("latin-1", "café"), ("klingon", "caf\ufffd")],
)
def test_bytes_that_are_invalid_in_the_charset_are_replaced(charset: str, expected: str) -> None:
    response = FetchResponse(
        url="http://x/", status=200, media_type="text/plain", charset=charset, body="café".encode("latin-1")
    )

    assert response.body_text == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<title>A &amp; B</title><p>c", ("A & B", "c")),
        ("<html><head><title>T</title><body>text", ("T", "text")),
        ("<p title='a > b'>c</p>", ("", "c")),
        ("<p title=John's>c</p><p>it's", ("", "c\n\nit's")),
        ("<SCRIPT>if (a < b) '<p>no</p>'</SCRIPT>yes", ("", "yes")),
        ("a<!-- <p>no</p> -->b<!doctype html>c<?php no ?>d", ("", "abcd")),
        ("1 < 2 &lt; 3 &#62; &nosuch; &#x41;", ("", "1 < 2 < 3 > &nosuch; A")),
        ("<h2>Birds</h2><ul><li>Heron<li>Stork</ul>", ("", "## Birds\n\n- Heron\n- Stork")),
        (
            "see <a class=x HREF='/b?a=1&amp;b=2'>this</a>, <a href=#c>here</a>",
            ("", "see this <http://x/b?a=1&b=2>, here <http://x/#c>"),
        ),
        ("a<svg><title>no</title><text>no</text></svg>b", ("", "ab")),
        (f"a &#{'9' * 5_000}; b", ("", f"a &#{'9' * 5_000}; b")),
    ],
)
def test_only_the_visible_text_of_a_page_is_extracted(html: str, expected: tuple[str, str]) -> None:
    assert page_title_and_text(html, "http://x/") == expected


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<" * 2_000_000, "<" * 2_000_000),
        ("a" + "<!--" * 500_000, "a"),
        ("a" + "<!" * 1_000_000, "a"),
        ("a" + '<a href="' * 200_000, "a"),
        ("a" + "<a x=" * 400_000, "a"),
        ("<script>" * 250_000, ""),
        ("<div>" * 200_000 + "a", "a"),
    ],
    ids=["less-than", "comment", "declaration", "quote", "attribute", "script", "deep"],
)
def test_a_hostile_page_is_parsed_in_linear_time(html: str, text: str) -> None:
    # If the time were not linear, each of these pages would take minutes.
    assert page_title_and_text(html, "http://x/")[1] == text


def test_invalid_html_is_still_converted_to_text() -> None:
    assert page_title_and_text("<p>a<script>x</p><div>b", "http://x/")[1] == "a"
    assert page_title_and_text("plain & <b>bold", "http://x/") == ("", "plain & bold")


@contextmanager
def silent_port() -> Iterator[str]:
    """A port that accepts connections and never replies."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield f"127.0.0.1:{listening.getsockname()[1]}"


def create_certificate(directory: Path, name: str) -> Path:
    """A self-signed certificate and its key in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    path = directory / "certificate.pem"
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path.write_bytes(made.public_bytes(serialization.Encoding.PEM) + secret)
    return path
