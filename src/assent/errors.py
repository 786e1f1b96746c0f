"""All errors: one class for each case that a caller can handle differently."""


class AssentError(Exception):
    """The base class of all errors; its message states the problem, where it is and the remedy."""


class RuleSyntaxError(AssentError):
    """A rule has invalid syntax; no rule of its file is loaded."""

    def __init__(self, text: str, reason: str, *, source: str = "") -> None:
        where = f" in {source}" if source else ""
        super().__init__(f"invalid rule `{text}`{where}: {reason}")
        self.text = text
        self.reason = reason
        self.source = source


class RuleExampleError(AssentError):
    """A rule contradicts one of the examples that are written with it."""

    def __init__(self, rule: str, example: str, verb: str, *, expected: bool, source: str = "") -> None:
        where = f" in {source}" if source else ""
        should, does = (verb, "does not") if expected else (f"never {verb}", "does")
        super().__init__(f"rule `{rule}`{where} should {should} `{example}`, but {does}")
        self.rule = rule
        self.example = example
        self.expected = expected
        self.source = source


class UnknownWordError(AssentError):
    """A mode, effect, tier or other word is none of the known words."""

    def __init__(self, kind: str, word: object, known: tuple[str, ...]) -> None:
        shown = word if isinstance(word, str) else type(word).__name__
        super().__init__(f"unknown {kind} `{shown}`: expected one of {', '.join(known)}")
        self.kind = kind
        self.word = word
        self.known = known


class ConfigError(AssentError):
    """A configuration file is missing, unreadable or invalid."""

    def __init__(self, path: str, reason: str, *, line: int | None = None) -> None:
        where = f"{path}, line {line}" if line else path
        super().__init__(f"cannot use {where}: {reason}")
        self.path = path
        self.line = line
        self.reason = reason


class InputError(AssentError):
    """The input of a person or a program is invalid."""


class NotFoundError(AssentError):
    """The requested object does not exist, or the caller may not see it; both give the same message."""

    def __init__(self, kind: str, id: str) -> None:
        super().__init__(f"there is no {kind} `{id}`")
        self.kind = kind
        self.id = id


class ForbiddenError(AssentError):
    """The principal lacks a right; the message names the missing right."""

    def __init__(self, who: str, missing: str) -> None:
        super().__init__(f"{who} may not do this: {missing}")
        self.who = who
        self.missing = missing


class ConflictError(AssentError):
    """Another request came first, or the state changed; the message names the current state."""


class StateError(ConflictError):
    """An approval is not in the state that a change requires."""

    def __init__(self, id: str, state: str, wanted: str, *, by: str = "") -> None:
        who = f" by {by}" if by else ""
        super().__init__(f"approval `{id}` cannot be {wanted}: it is {state}{who}")
        self.id = id
        self.state = state
        self.by = by


class LimitError(AssentError):
    """A limit is reached; a retry may succeed later."""


class PendingBytesError(LimitError):
    """The pending questions would use too many bytes; a retry may succeed after some are answered."""


class ThrottledError(LimitError):
    """Too many failed logins; a retry may succeed after some seconds."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many failed attempts: try again in {seconds} seconds")
        self.seconds = seconds


class UnavailableError(AssentError):
    """A part of the server is unavailable; everything else works, and a retry may succeed later."""


class LoginError(AssentError):
    """A login failed; the message does not reveal which part was wrong."""


class StoreError(AssentError):
    """A store is unavailable, so no call ran; the message names the store and the remedy."""

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        """What is wrong, without the name of the store, for everybody to read; empty if unknown."""


class SchemaError(StoreError):
    """A database has a schema that this version cannot use."""
