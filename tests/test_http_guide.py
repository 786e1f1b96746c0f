"""The requests of the HTTP guide get the replies that the guide shows."""

import http.client
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from tests.contracts.examples import ConsoleCommand, read_blocks, read_commands
from tests.contracts.tree import ROOT
from tests.serving import run_command, server

GUIDE = ROOT / "docs" / "guides" / "http-api.md"
ANY_TEXT = "…"
NAMES_IN_GUIDE = {"approval": "QUESTION", "digest": "DIGEST", "claim": "CLAIM"}
"""Fields of a reply that later requests of the guide use, and their names in the guide."""


def test_every_request_gets_the_reply_that_the_guide_shows(tmp_path: Path) -> None:
    with server(tmp_path) as running:
        _, token, _ = run_command(
            tmp_path, "token", "create", "--agent", "clerk", "--database", str(running.data / "assent.db")
        )
        variables = {
            "ASSENT": running.url,
            "AGENT": f"Authorization: Bearer {token.strip()}",
            "ANA": f"Authorization: Bearer {running.token}",
            "JSON": "Content-Type: application/json",
        }
        played = [_send_and_compare(command, variables) for command in _guide_requests()]

    assert len(played) == 16
    assert [one for one in played if one] == []


def _guide_requests() -> Iterator[ConsoleCommand]:
    for block in read_blocks(GUIDE):
        if block.language == "console":
            yield from (command for command in read_commands(block) if command.line.startswith("curl "))


def _send_and_compare(command: ConsoleCommand, variables: dict[str, str]) -> str:
    """Send one request, store variables for the next requests, and return a difference from the guide."""
    reply = _send_curl(shlex.split(_fill_variables(command.line, variables)))
    variables.update({name: str(reply[field]) for field, name in NAMES_IN_GUIDE.items() if reply.get(field)})
    shown = "\n".join(command.expected)
    agrees = _is_shown_part_equal(json.loads(shown), reply) if shown else not reply
    return "" if agrees else f"$ {command.line}\n{json.dumps(reply)}"


def _fill_variables(line: str, variables: dict[str, str]) -> str:
    return re.sub(r"\$([A-Z]+)", lambda found: variables[found[1]], line)


def _send_curl(words: list[str]) -> dict[str, object]:
    """Send the request of a `curl` command, with the options that the guide uses; return the reply."""
    options: dict[str, list[str]] = {}
    address, rest = "", iter(words[1:])
    for word in rest:
        if word == "-s":
            continue
        if word in ("-X", "-H", "-d"):
            options.setdefault(word, []).append(next(rest))
        else:
            address = word
    parts = urlsplit(address)
    body = options["-d"][0].encode() if "-d" in options else None
    method = options.get("-X", ["POST" if body else "GET"])[0]
    headers = dict(header.split(": ", 1) for header in options["-H"])
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=60)
    connection.request(method, parts.path, body, headers)
    text = connection.getresponse().read()
    connection.close()
    return cast("dict[str, object]", json.loads(text or b"{}"))


def _is_shown_part_equal(shown: object, actual: object) -> bool:
    """Whether the reply contains everything that the guide shows; other fields may have any value."""
    if isinstance(shown, dict) and isinstance(actual, dict):
        pairs, found = cast("dict[str, object]", shown).items(), cast("dict[str, object]", actual)
        return all(name in found and _is_shown_part_equal(value, found[name]) for name, value in pairs)
    return bool(actual) if shown == ANY_TEXT else shown == actual
