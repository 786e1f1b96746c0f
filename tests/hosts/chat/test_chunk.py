"""A client gets only the chunks that its version accepts."""

import pytest

from assent.hosts.chat.chunk import Client, convert_for_client

ASKED = {
    "type": "tool-approval-request",
    "approvalId": "q",
    "toolCallId": "c",
    "reason": "default mode asks",
    "approvalDescriptor": {"category": "edit"},
}
MINIMAL = {"type": "tool-approval-request", "approvalId": "q", "toolCallId": "c"}
ANSWERED = {"type": "tool-approval-response", "approvalId": "q", "approved": True}
TEXT = {"type": "text-delta", "id": "1", "delta": "x"}


@pytest.mark.parametrize(
    ("client", "asked", "answered"),
    [(Client.SIX, MINIMAL, None), (Client.SEVEN, MINIMAL, ANSWERED), (Client.RICH, ASKED, ANSWERED)],
)
def test_each_client_version_gets_only_fields_it_accepts(
    client: Client, asked: object, answered: object
) -> None:
    assert convert_for_client(dict(ASKED), client) == asked
    assert convert_for_client(dict(ANSWERED), client) == answered
    assert convert_for_client(dict(TEXT), client) == TEXT
