"""The one tree of errors: a class for each thing a caller could do differently."""


class AssentError(Exception):
    """Whatever Assent refuses to go on with; the message says what, where, and what to do."""


class RuleSyntaxError(AssentError):
    """A rule that cannot be read; nothing of its file is loaded."""

    def __init__(self, text: str, reason: str, *, source: str = "") -> None:
        where = f" in {source}" if source else ""
        super().__init__(f"invalid rule `{text}`{where}: {reason}")
        self.text = text
        self.reason = reason
        self.source = source


class RuleExampleError(AssentError):
    """A rule whose own examples contradict it."""

    def __init__(self, rule: str, example: str, verb: str, *, expected: bool, source: str = "") -> None:
        where = f" in {source}" if source else ""
        should, does = (verb, "does not") if expected else (f"never {verb}", "does")
        super().__init__(f"rule `{rule}`{where} should {should} `{example}`, but {does}")
        self.rule = rule
        self.example = example
        self.expected = expected
        self.source = source


class UnknownWordError(AssentError):
    """A mode, effect, tier or other word that is not one of ours."""

    def __init__(self, kind: str, word: object, known: tuple[str, ...]) -> None:
        shown = word if isinstance(word, str) else type(word).__name__
        super().__init__(f"unknown {kind} `{shown}`: expected one of {', '.join(known)}")
        self.kind = kind
        self.word = word
        self.known = known


class ConfigError(AssentError):
    """A configuration file that cannot be used as it stands."""

    def __init__(self, path: str, reason: str, *, line: int | None = None) -> None:
        where = f"{path}, line {line}" if line else path
        super().__init__(f"cannot use {where}: {reason}")
        self.path = path
        self.line = line
        self.reason = reason


class InputError(AssentError):
    """Something a person or a program handed in that is not a call we can decide."""


class NotFoundError(AssentError):
    """What was asked for is not there, or not there for whoever asked; the two look the same."""

    def __init__(self, kind: str, id: str) -> None:
        super().__init__(f"there is no {kind} `{id}`")
        self.kind = kind
        self.id = id


class ForbiddenError(AssentError):
    """Somebody lacks a right; the message names it."""

    def __init__(self, who: str, missing: str) -> None:
        super().__init__(f"{who} may not do this: {missing}")
        self.who = who
        self.missing = missing


class ConflictError(AssentError):
    """Somebody else was first, or the thing is not what it was; the message says what is true now."""


class MovedOnError(ConflictError):
    """An approval that is no longer in the state that a step starts from."""

    def __init__(self, id: str, state: str, wanted: str, *, by: str = "") -> None:
        who = f" by {by}" if by else ""
        super().__init__(f"approval `{id}` cannot be {wanted}: it is {state}{who}")
        self.id = id
        self.state = state
        self.by = by


class LimitError(AssentError):
    """More than somebody may have at one time; trying again later may work."""


class BytesError(LimitError):
    """A question that is too large for what is left of a budget; it may fit once others are answered."""


class ThrottledError(LimitError):
    """Too many failed tries to get in; trying again after some seconds may work."""

    def __init__(self, seconds: int) -> None:
        super().__init__(f"too many failed tries: wait {seconds} seconds, then try again")
        self.seconds = seconds


class UnavailableError(AssentError):
    """A part of the server that is not there now; everything else works, and trying again later may."""


class LoginError(AssentError):
    """Somebody who is not let in; whoever asks in vain does not learn how close they were."""


class StoreError(AssentError):
    """A store that cannot be used now; nothing was run. The message names it and says what to do."""

    def __init__(self, message: str, *, reason: str = "") -> None:
        super().__init__(message)
        self.reason = reason
        """What is wrong, without the name of the store, so that anybody may read it; empty if unknown."""


class SchemaError(StoreError):
    """A database whose schema this version does not know how to use."""
