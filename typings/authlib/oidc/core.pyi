# What we use of Authlib's reading of an ID token.

from collections.abc import Mapping

class CodeIDToken(dict[str, object]):
    def __init__(
        self,
        claims: Mapping[str, object],
        header: Mapping[str, object],
        options: Mapping[str, Mapping[str, object]],
        params: Mapping[str, str],
    ) -> None: ...
    def validate(self, now: int, leeway: int) -> None: ...
