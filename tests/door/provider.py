"""An OpenID Connect provider on loopback: signs tokens, rotates keys, and can send wrong claims."""

import asyncio
import base64
import hashlib
import json
import secrets
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from urllib.parse import parse_qs, urlsplit

from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

from tests.door.listening import serve_app


@cache
def sample_key(id: str, number: int) -> RSAKey:
    """A key with this id; tests share keys because generating one is slow."""
    return RSAKey.generate_key(2048, {"kid": id, "use": "sig"})


CLIENT = "assent-tests"
CLIENT_SECRET = "a secret of the client: % + /"

Claims = dict[str, object]


class Provider:
    """A provider whose behaviour a test can change."""

    def __init__(self) -> None:
        self.issuer = ""
        self.named_issuer: str | None = None
        self.key = sample_key("key-1", 0)
        self.published = [self.key]
        self.somebody: Claims = {"sub": "42", "name": "Ben", "preferred_username": "ben@example.org"}
        self.change: Callable[[Claims], Claims] = lambda claims: claims
        self.signed_token: Callable[[Claims], str] = self.signed_token
        self.asked: list[str] = []
        self._codes: dict[str, dict[str, str]] = {}

    def rotate_key(self, id: str) -> None:
        """Sign with a new key, and publish it beside the old one."""
        self.key = sample_key(id, len(self.published))
        self.published.append(self.key)

    def signed_token(self, claims: Claims) -> str:
        return jwt.encode({"alg": "RS256", "kid": self.key.kid}, claims, self.key)

    def unsigned_token(self, claims: Claims) -> str:
        """A token with the algorithm `none`."""
        header = _base64url(f'{{"alg":"none","kid":"{self.key.kid}"}}')
        return f"{header}.{self.signed_token(claims).split('.')[1]}."

    def signed_with_public_key(self, claims: Claims) -> str:
        """A token signed with HMAC, with the public key as its secret."""
        secret = OctKey.import_key(self.key.as_pem(private=False))
        header = {"alg": "HS256", "kid": self.key.kid}
        return jwt.encode(header, claims, secret, algorithms=["HS256"])

    def follow_redirect(self, url: str) -> tuple[str, str]:
        """Follow the redirect like a browser; returns the code and the state."""
        parts = urlsplit(url)
        asked = {name: values[0] for name, values in parse_qs(parts.query).items()}
        assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{self.issuer}/authorize"
        code = secrets.token_urlsafe(8)
        self._codes[code] = asked
        return code, asked["state"]

    async def __call__(self, scope: dict, receive: Callable, send: Callable) -> None:  # type: ignore[type-arg]
        self.asked.append(scope["path"])
        match scope["path"]:
            case "/.well-known/openid-configuration":
                await _send_reply(send, 200, self._metadata())
            case "/keys":
                await _send_reply(send, 200, {"keys": [key.as_dict(private=False) for key in self.published]})
            case "/token":
                await self._reply_with_token(scope, await _read_form(receive), send)
            case _:
                await _send_reply(send, 404, {})

    def _metadata(self) -> Claims:
        return {
            "issuer": self.named_issuer or self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/keys",
        }

    async def _reply_with_token(self, scope: dict, form: dict[str, str], send: Callable) -> None:  # type: ignore[type-arg]
        asked = self._codes.pop(form.get("code", ""), None)
        if asked is None or not _is_verified(asked, form) or not _is_client(scope):
            await _send_reply(send, 400, {"error": "invalid_grant"})
            return
        now = int(time.time())
        claims = {
            **self.somebody,
            "iss": self.issuer,
            "aud": CLIENT,
            "nonce": asked["nonce"],
            "iat": now,
            "exp": now + 300,
        }
        token = self.signed_token(self.change(claims))
        await _send_reply(send, 200, {"access_token": "at", "token_type": "Bearer", "id_token": token})


class _ProviderServer:
    """One server for all tests of a process, because its start is slow."""

    def __init__(self) -> None:
        self.provider = Provider()
        self.address = ""
        ready = threading.Event()
        threading.Thread(target=lambda: asyncio.run(self._run_server(ready)), daemon=True).start()
        ready.wait()

    async def __call__(self, scope: dict, receive: Callable, send: Callable) -> None:  # type: ignore[type-arg]
        await self.provider(scope, receive, send)

    async def _run_server(self, ready: threading.Event) -> None:
        async with serve_app(self) as self.address:
            ready.set()
            await asyncio.Event().wait()


_front = cache(_ProviderServer)


@asynccontextmanager
async def running_provider() -> AsyncIterator[Provider]:
    """A provider on loopback in its initial state."""
    front = _front()
    front.provider = Provider()
    front.provider.issuer = front.address
    yield front.provider


def _is_verified(asked: dict[str, str], form: dict[str, str]) -> bool:
    """Whether the code verifier matches the challenge (PKCE)."""
    challenge = _base64url(hashlib.sha256(form.get("code_verifier", "").encode()).digest())
    return (asked["code_challenge_method"], asked["code_challenge"]) == ("S256", challenge)


def _is_client(scope: dict) -> bool:  # type: ignore[type-arg]
    given = dict(scope["headers"]).get(b"authorization", b"").decode()
    wanted = base64.b64encode(f"{CLIENT}:{CLIENT_SECRET}".encode()).decode()
    return given == f"Basic {wanted}"


def _base64url(text: str | bytes) -> str:
    data = text.encode() if isinstance(text, str) else text
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


async def _read_form(receive: Callable) -> dict[str, str]:  # type: ignore[type-arg]
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    return {name: values[0] for name, values in parse_qs(body.decode()).items()}


async def _send_reply(send: Callable, status: int, said: Claims) -> None:  # type: ignore[type-arg]
    headers = [(b"content-type", b"application/json")]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": json.dumps(said).encode()})
