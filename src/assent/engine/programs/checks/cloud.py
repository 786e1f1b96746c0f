"""Checks of container and cloud clients: they print no secret, and read no other file or host."""

from collections.abc import Callable, Iterable
from functools import partial

from assent.engine.base.lazy import regex
from assent.engine.programs import cloud, containers
from assent.engine.programs.flags import FlagScan, may_be_flag, parse_flags
from assent.engine.programs.word import UNKNOWN_MARK, Word

Words = tuple[Word, ...]

_OUTPUT_FORMATS = {
    "json", "yaml", "wide", "name", "jsonpath", "jsonpath-as-json", "custom-columns", "go-template", "plaintext",
}  # fmt: skip
_SECRET_KINDS = {"secret", "secrets"}
_LOWER_CASE_WORD = regex(r"[a-z][a-z0-9-]*")
_AWS_READ_OPERATION = regex(r"(?:describe|list)-[a-z0-9-]+")
_AWS_SECRET_OPERATION = regex(r"credential|password|secret-value|token|user-pool-client|identity-provider")
_BUCKET = regex(r"(?:s3://)?[\w.-]*(?:/[^\0]*)?")


def check_kubectl(words: Words, *, flags: str) -> Words | None:
    """Check that `kubectl` uses a known format and no template file, and prints only the names of secrets."""
    scan = FlagScan(parse_flags(flags), words)
    operands = scan.operands()
    if operands is None:
        return None
    outputs = [
        word.text.removeprefix("=") for flag in ("-o", "--output") for word in scan.given.get(flag, [])
    ]
    kinds = {output.partition("=")[0] for output in outputs}
    prints_all = bool(kinds - {"wide", "name"}) or "--template" in scan.given
    return None if not kinds <= _OUTPUT_FORMATS or (prints_all and _names_secrets(operands)) else ()


def check_compose(words: Words) -> Words | None:
    """Check that `docker compose` reads files of the project, and prints no configuration with secrets."""
    if (
        words
        and words[-1].text == "--help"
        and all(_LOWER_CASE_WORD.fullmatch(word.text) for word in words[:-1])
        and len(words) <= 2
    ):
        return ()
    scan = FlagScan(parse_flags(containers.COMPOSE_ANY), words)
    at = scan.first_operand()
    if at is None or at == len(words) or words[at].text not in containers.COMPOSE:
        return None
    inner = FlagScan(parse_flags(containers.COMPOSE[words[at].text]), words[at + 1 :])
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


def check_local_chart(words: Words, *, flags: str) -> Words | None:
    """Check that the last word is the path of a chart; another name would be downloaded from a repository."""
    operands = FlagScan(parse_flags(flags), words).operands() or [Word("")]
    return () if operands[-1].text == "." or operands[-1].text.startswith(("./", "../", "/")) else None


def check_aws(words: Words) -> Words | None:
    """Check that `aws` runs an operation that reads, with flags that only select or print."""
    scan = FlagScan(parse_flags(cloud.AWS_GLOBAL), words)
    at = scan.first_operand()
    if at is None or any(may_be_flag(word) or word.glob for word in words):
        return None
    match [word.text for word in words[at:]]:
        case []:
            known = "--version" in scan.given
        case ["s3", "ls", *rest]:
            known = all(
                _is_aws_flag(text) if text.startswith("-") else _BUCKET.fullmatch(text) for text in rest
            )
        case [service, operation, *rest]:
            known = _is_aws_read(service, operation) and _are_aws_flags_known(rest)
        case _:
            known = False
    return () if known else None


def check_gcloud(words: Words) -> Words | None:
    """Check that `gcloud` has known nouns before `list` or `describe`; an unknown word may be a verb."""
    scan = FlagScan(parse_flags(cloud.GCLOUD_FLAGS), words)
    operands = scan.operands()
    if operands is None:
        return None
    path = [word.text for word in operands]
    if any(" ".join(path[:length]) in cloud.GCLOUD_EXACT for length in range(1, 5)):
        return ()
    verb = next((at for at, text in enumerate(path) if text in ("list", "describe")), 0)
    known = set(path[:verb]) <= cloud.GCLOUD_NOUNS if verb else not path and "--version" in scan.given
    return () if known else None


def check_az(words: Words) -> Words | None:
    """Check that `az` has known nouns and one verb that shows; `@` in a word would read a file."""
    scan = FlagScan(parse_flags(cloud.AZ_FLAGS), words)
    operands = scan.operands()
    if operands is None or any("@" in word.text for word in words):
        return None
    *nouns, verb = [word.text for word in operands] or [""]
    if not nouns:
        return () if verb == "version" or (not verb and "--version" in scan.given) else None
    return () if verb in cloud.AZ_VERBS and set(nouns) <= cloud.AZ_NOUNS else None


def _names_secrets(operands: Iterable[Word]) -> bool:
    """Whether a kind of resource is `secret` or unknown; the kind is the first word, or before a slash."""
    for at, word in enumerate(operands):
        for part in word.text.lower().split(","):
            kind, slash, _ = part.partition("/")
            if (at == 0 or slash) and (kind.partition(".")[0] in _SECRET_KINDS or UNKNOWN_MARK in kind):
                return True
    return False


def _is_aws_read(service: str, operation: str) -> bool:
    """Whether an operation of an AWS service only reads, and returns no secret."""
    if operation in cloud.AWS_OPERATIONS.get(service, "").split():
        return True
    return bool(
        _LOWER_CASE_WORD.fullmatch(service) and _AWS_READ_OPERATION.fullmatch(operation)
    ) and not _AWS_SECRET_OPERATION.search(operation)


def _are_aws_flags_known(texts: list[str]) -> bool:
    """Whether every word is a known flag or its value; a `file://` or other address would be read."""
    takes_value = False
    for text in texts:
        if text.startswith("-"):
            if not _is_aws_flag(text):
                return False
            takes_value = "=" not in text and text.removeprefix("--") not in cloud.AWS_SWITCHES
        elif not takes_value:
            return False
    return not any("://" in text for text in texts)


def _is_aws_flag(text: str) -> bool:
    """Whether a word is a known flag of `aws`."""
    return text.startswith("--") and text.removeprefix("--").partition("=")[0] in cloud.AWS_FLAGS


CHECKS: dict[str, Callable[[Words], Words | None]] = {
    "kubectl get": partial(check_kubectl, flags=containers.KUBECTL_GET),
    "kubectl": partial(check_kubectl, flags=containers.KUBECTL_PRINTS),
    "compose": check_compose,
    "helm show": partial(check_local_chart, flags=containers.HELM_SHOW),
    "helm template": partial(check_local_chart, flags=containers.HELM_TEMPLATE),
    "aws": check_aws,
    "gcloud": check_gcloud,
    "az": check_az,
}
