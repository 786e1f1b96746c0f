"""The hook of a fleet's agent: a program that sends the event to the fleet and prints the answer.

The client starts it as `python -IS hook_program.py HOST:PORT [SECONDS]`. Every failure ends with status 2,
the only status that blocks a call. This file imports nothing of Assent, so that it starts quickly.
"""

import http.client
import json
import os
import sys

SECRET_VARIABLE = "ASSENT_FLEET_SECRET"
BLOCKED = 2
TIMEOUT_SECONDS = 120.0
"""How long an answer may take, unless the second argument says otherwise."""


def main(words: list[str]) -> int:
    """Send the event on standard input; return the exit status of the process."""
    try:
        seconds = float(words[1]) if len(words) > 1 else TIMEOUT_SECONDS
        sys.stdout.write(send_event(words[0], sys.stdin.buffer.read(), os.environ[SECRET_VARIABLE], seconds))
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - the edge: a failure must block the call
        problem = f"{type(error).__name__}: {error}"
        sys.stderr.write(f"assent: this call is blocked: the fleet gave no answer ({problem})\n")
        return BLOCKED
    return 0


def send_event(address: str, event: bytes, secret: str, seconds: float) -> str:
    """Send an event to the fleet and return what to print; raises an error for everything but an answer."""
    host, _, port = address.rpartition(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=seconds)
    try:
        headers = {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
        connection.request("POST", "/hook", event, headers)
        reply = connection.getresponse()
        body = reply.read().decode("utf-8")
    finally:
        connection.close()
    if reply.status == http.HTTPStatus.NO_CONTENT:
        return ""
    if reply.status != http.HTTPStatus.OK or not is_decision(body):
        raise ConnectionError(body.strip()[:500] or f"status {reply.status}")
    return body


def is_decision(body: str) -> bool:
    """Whether a text is a decision; after every other text the client would let the call go on."""
    try:
        output = json.loads(body)["hookSpecificOutput"]
        if output["hookEventName"] == "PermissionRequest":
            return output["decision"]["behavior"] in ("allow", "deny")
        return output["permissionDecision"] in ("allow", "ask", "deny")
    except (ValueError, LookupError, TypeError):
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
