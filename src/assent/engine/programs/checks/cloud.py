"""Checks of container and cloud clients: no secret is printed, and no file or other host is read."""

from collections.abc import Callable, Iterable
from functools import partial

from assent.engine.base.lazy import regex
from assent.engine.programs import cloud, containers
from assent.engine.programs.flags import Scan, may_be_flag, parse_flags
from assent.engine.programs.word import UNKNOWN_MARK, Word

Files = tuple[Word, ...]

_OUTPUTS = {
    "json", "yaml", "wide", "name", "jsonpath", "jsonpath-as-json", "custom-columns", "go-template", "plaintext",
}  # fmt: skip
_SECRETS = {"secret", "secrets"}
_WORD = regex(r"[a-z][a-z0-9-]*")
_AWS_READS = regex(r"(?:describe|list)-[a-z0-9-]+")
_AWS_SECRET = regex(r"credential|password|secret-value|token|user-pool-client|identity-provider")
_BUCKET = regex(r"(?:s3://)?[\w.-]*(?:/[^\0]*)?")


def kubectl(words: Files, *, flags: str) -> Files | None:
    """Known output formats, no template from a file, and only the names of secrets."""
    scan = Scan(parse_flags(flags), words)
    operands = scan.operands()
    if operands is None:
        return None
    outputs = [
        word.text.removeprefix("=") for flag in ("-o", "--output") for word in scan.given.get(flag, [])
    ]
    kinds = {output.partition("=")[0] for output in outputs}
    prints_all = bool(kinds - {"wide", "name"}) or "--template" in scan.given
    return None if not kinds <= _OUTPUTS or (prints_all and _names_secrets(operands)) else ()


def compose(words: Files) -> Files | None:
    """Files of the project, none from an address; the configuration only in parts that hold no secrets."""
    if (
        words
        and words[-1].text == "--help"
        and all(_WORD.fullmatch(word.text) for word in words[:-1])
        and len(words) <= 2
    ):
        return ()
    scan = Scan(parse_flags(containers.COMPOSE_ANY), words)
    at = scan.first_operand()
    if at is None or at == len(words) or words[at].text not in containers.COMPOSE:
        return None
    inner = Scan(parse_flags(containers.COMPOSE[words[at].text]), words[at + 1 :])
    if inner.operands() is None or any(word.splits or word.glob for word in words[:at]):
        return None
    if words[at].text == "config" and not any(
        flag in inner.given for flag in containers.COMPOSE_CONFIG_NEEDS.split()
    ):
        return None
    named = [
        word
        for flag in ("-f", "--file", "--env-file", "--project-directory")
        for word in scan.given.get(flag, [])
    ]
    return None if any(":" in word.text for word in named) else tuple(named)


def local_chart(words: Files, *, flags: str) -> Files | None:
    """The last word is the path of a chart; any other name would be fetched from a repository."""
    operands = Scan(parse_flags(flags), words).operands() or [Word("")]
    return () if operands[-1].text == "." or operands[-1].text.startswith(("./", "../", "/")) else None


def aws(words: Files) -> Files | None:
    """A service, an operation that reads, and flags that only select or print."""
    scan = Scan(parse_flags(cloud.AWS_GLOBAL), words)
    at = scan.first_operand()
    if at is None or any(may_be_flag(word) or word.glob for word in words):
        return None
    match [word.text for word in words[at:]]:
        case []:
            known = "--version" in scan.given
        case ["s3", "ls", *rest]:
            known = all(_aws_flag(text) if text.startswith("-") else _BUCKET.fullmatch(text) for text in rest)
        case [service, operation, *rest]:
            known = _aws_reads(service, operation) and _aws_selects(rest)
        case _:
            known = False
    return () if known else None


def gcloud(words: Files) -> Files | None:
    """Known nouns, then `list` or `describe`: an unknown word before it could be a verb."""
    scan = Scan(parse_flags(cloud.GCLOUD_FLAGS), words)
    operands = scan.operands()
    if operands is None:
        return None
    path = [word.text for word in operands]
    if any(" ".join(path[:length]) in cloud.GCLOUD_EXACT for length in range(1, 5)):
        return ()
    verb = next((at for at, text in enumerate(path) if text in ("list", "describe")), 0)
    known = set(path[:verb]) <= cloud.GCLOUD_NOUNS if verb else not path and "--version" in scan.given
    return () if known else None


def az(words: Files) -> Files | None:
    """Known nouns, then one verb that shows; `@` in a word would read it from a file."""
    scan = Scan(parse_flags(cloud.AZ_FLAGS), words)
    operands = scan.operands()
    if operands is None or any("@" in word.text for word in words):
        return None
    *nouns, verb = [word.text for word in operands] or [""]
    if not nouns:
        return () if verb == "version" or (not verb and "--version" in scan.given) else None
    return () if verb in cloud.AZ_VERBS and set(nouns) <= cloud.AZ_NOUNS else None


def _names_secrets(operands: Iterable[Word]) -> bool:
    """Whether a kind is secrets or unknown; a kind is the first word or before a slash."""
    for at, word in enumerate(operands):
        for part in word.text.lower().split(","):
            kind, slash, _ = part.partition("/")
            if (at == 0 or slash) and (kind.partition(".")[0] in _SECRETS or UNKNOWN_MARK in kind):
                return True
    return False


def _aws_reads(service: str, operation: str) -> bool:
    if operation in cloud.AWS_OPERATIONS.get(service, "").split():
        return True
    return bool(_WORD.fullmatch(service) and _AWS_READS.fullmatch(operation)) and not _AWS_SECRET.search(
        operation
    )


def _aws_selects(texts: list[str]) -> bool:
    """Whether every word is a known flag or the value of one; `file://` would be read, another address fetched."""
    takes_value = False
    for text in texts:
        if text.startswith("-"):
            if not _aws_flag(text):
                return False
            takes_value = "=" not in text and text.removeprefix("--") not in cloud.AWS_SWITCHES
        elif not takes_value:
            return False
    return not any("://" in text for text in texts)


def _aws_flag(text: str) -> bool:
    return text.startswith("--") and text.removeprefix("--").partition("=")[0] in cloud.AWS_FLAGS


CHECKS: dict[str, Callable[[Files], Files | None]] = {
    "kubectl get": partial(kubectl, flags=containers.KUBECTL_GET),
    "kubectl": partial(kubectl, flags=containers.KUBECTL_PRINTS),
    "compose": compose,
    "helm show": partial(local_chart, flags=containers.HELM_SHOW),
    "helm template": partial(local_chart, flags=containers.HELM_TEMPLATE),
    "aws": aws,
    "gcloud": gcloud,
    "az": az,
}
