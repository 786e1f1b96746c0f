# What we use of Authlib's client, which is one of httpx2.

from ssl import SSLContext
from types import TracebackType
from typing import Self

class OAuthError(Exception): ...

class AsyncOAuth2Client:
    def __init__(
        self,
        client_id: str,
        client_secret: str | None = None,
        *,
        token_endpoint_auth_method: str,
        scope: str,
        redirect_uri: str,
        code_challenge_method: str,
        timeout: float,
        follow_redirects: bool,
        verify: SSLContext,
    ) -> None: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...
    def create_authorization_url(
        self, url: str, state: str, code_verifier: str, *, nonce: str
    ) -> tuple[str, str]: ...
    async def fetch_token(self, url: str, *, code: str, code_verifier: str) -> dict[str, object]: ...
