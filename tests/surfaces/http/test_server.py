"""A running server: behind proxies, with TLS, with a failing audit, and during shutdown."""

import datetime as dt
import http.client
import ipaddress
import json
import sqlite3
import ssl
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from assent.client.client import OutcomeKind
from tests.serving import RunningServer, server
from tests.surfaces.http.sockets import open_live_socket
from tests.waiting import wait_until


def fetch(running: RunningServer, path: str, **headers: str) -> tuple[int, Any]:
    parts = urlsplit(running.url)
    connection = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=60)
    connection.request("GET", path, headers={"Authorization": f"Bearer {running.token}", **headers})
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, text


def read_metric(running: RunningServer, name: str) -> float:
    _, text = fetch(running, "/metrics")
    return sum(float(line.split()[-1]) for line in text.splitlines() if line.startswith(f"{name} "))


@pytest.mark.proves("T-16")
def test_behind_a_proxy_the_server_accepts_its_public_name_with_and_without_the_base_path(
    tmp_path: Path,
) -> None:
    env = {"ASSENT_PUBLIC_URL": "https://assent.example.org", "ASSENT_BASE_PATH": "/gate"}
    with server(tmp_path, env=env) as running:
        port = json.loads((running.data / "server.json").read_text())["url"]
        local = RunningServer(running.process, port, running.token, "", running.data, running.log)
        found = {
            (path, host): fetch(local, path, **({"Host": host} if host else {}))[0]
            for path in ("/v1/me", "/gate/v1/me", "/gates/v1/me")
            for host in ("", "assent.example.org", "evil.example")
        }

    assert running.url == "https://assent.example.org/gate"
    assert running.login_url.startswith("https://assent.example.org/gate/login#")
    assert {key for key, status in found.items() if status == 200} == {
        (path, host) for path in ("/v1/me", "/gate/v1/me") for host in ("", "assent.example.org")
    }
    assert {status for (_, host), status in found.items() if host == "evil.example"} == {403}


def test_the_server_serves_https_with_its_certificate(tmp_path: Path) -> None:
    certificate, key = _make_certificate(tmp_path)
    env = {"ASSENT_TLS_CERT": str(certificate), "ASSENT_TLS_KEY": str(key)}
    with server(tmp_path, env=env) as running:
        parts = urlsplit(running.url)
        context = ssl.create_default_context(cafile=str(certificate))
        connection = http.client.HTTPSConnection("127.0.0.1", parts.port, timeout=60, context=context)
        connection.request("GET", "/v1/me", headers={"Authorization": f"Bearer {running.token}"})
        reply = connection.getresponse()
        reply.read()
        connection.close()

    assert (parts.scheme, reply.status) == ("https", 200)


def _make_certificate(directory: Path) -> tuple[Path, Path]:
    """A self-signed certificate for this machine."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "assent test")])
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - dt.timedelta(days=1))
        .not_valid_after(now + dt.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    files = directory / "cert.pem", directory / "key.pem"
    files[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    files[1].write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return files


def _query_rows(running: RunningServer, query: str) -> list[object]:
    _, text = fetch(running, f"/v1/audit?{query}")
    found: list[object] = json.loads(text)["items"]
    return found


@pytest.mark.proves("R-16")
def test_calls_continue_while_the_audit_cannot_be_written_and_metrics_count_it(tmp_path: Path) -> None:
    with server(tmp_path) as running:
        client = running.client()
        # The start itself writes audit rows for the owner, the token and the link first.
        wait_until(lambda: len(_query_rows(running, "view=changes")) == 3)
        _execute_sql(running, "ALTER TABLE audit RENAME TO audit_away")
        outcomes = [client.submit("Bash", {"command": "ls"}, id=f"{n}", agent="clerk").kind for n in range(3)]
        asked = client.submit("Bash", {"command": "make"}, id="asked", agent="clerk").kind
        wait_until(lambda: read_metric(running, "assent_audit_spooled") == 4)
        _execute_sql(running, "ALTER TABLE audit_away RENAME TO audit")
        client.submit("Bash", {"command": "ls"}, id="after", agent="clerk")
        wait_until(lambda: read_metric(running, "assent_audit_spooled") == 0)
        lost = read_metric(running, "assent_audit_lost_total")
        rows = _query_rows(running, "agent=clerk")

    assert (outcomes, asked, lost) == ([OutcomeKind.RUN] * 3, OutcomeKind.WAIT, 0)
    assert len(rows) == 5


def _execute_sql(running: RunningServer, statement: str) -> None:
    with closing(sqlite3.connect(running.data / "assent.db", timeout=60)) as connection:
        connection.execute(statement)
        connection.commit()


@pytest.mark.proves("R-23")
async def test_live_connections_end_with_a_hint_when_the_server_stops(tmp_path: Path) -> None:
    with server(tmp_path) as running:
        parts = urlsplit(running.url)
        stream = http.client.HTTPConnection("127.0.0.1", parts.port, timeout=60)
        stream.request("GET", "/v1/events", headers={"Authorization": f"Bearer {running.token}"})
        reply = stream.getresponse()
        while not reply.readline().startswith(b"event: ready"):
            pass
        async with open_live_socket(running) as socket:
            await socket.receive_until("ready")
            status = running.stop()
            code = await socket.wait_for_close_code()
        rest = reply.read()
        stream.close()

    assert (status, code) == (0, 1012)
    assert b"event: " not in rest
