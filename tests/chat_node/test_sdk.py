"""The real `ai` and `@ai-sdk/react`, versions 6 and 7, test every end of a question on a real server.

Tested with the first and the current releases; a first release must not get unsupported chunks.
"""

from typing import Any, NamedTuple

import pytest

from tests.chat_node.serving import run_client, start_server

REHEARSAL_REPLY = "This was a rehearsal; a model would have been told:\n- "
DENIED = '`write_file` (denied): {"error": "permission_denied", "tool": "write_file", "message": "'
DENIAL_MESSAGE = "a person denied this call; do not retry the same call"


class ClientResult(NamedTuple):
    """The results of a client, and the files at the end."""

    found: Any
    files: dict[str, str]

    def files_of(self, scenario: str) -> dict[str, str]:
        """The files of one scenario, by their prefix."""
        return {name: text for name, text in self.files.items() if name.startswith(scenario)}


@pytest.fixture(params=["six", "seven", "first_six", "first_seven"], scope="module")
def client_result(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ClientResult:
    with start_server(tmp_path_factory.mktemp(f"chat-{request.param}")) as server:
        found = run_client(server, request.param)
        return ClientResult(found, {one.name: one.read_text("utf-8") for one in server.work.iterdir()})


def end_state(found: Any) -> tuple[list[str], list[str], list[str]]:
    """The calls and the cards of the last message, on the page and in the store, without any error."""
    assert found["errors"] == []
    assert found["shown"] == found["stored"]
    return found["shown"], found["cards"], found["text"]


@pytest.mark.supports("R000-19")
@pytest.mark.proves("R004-22")
def test_an_approved_call_runs(client_result: ClientResult) -> None:
    found = client_result.found["approve"]

    assert found["before"] == ["approval-requested"]
    told = f"{REHEARSAL_REPLY}`write_file` (success): done: create approve.txt: +1 -0 lines"
    assert end_state(found) == (["output-available"], ["done"], told)
    assert client_result.files_of("approve") == {"approve.txt": "yes"}


@pytest.mark.proves("R004-22", "R000-21")
def test_a_denied_call_does_not_run(client_result: ClientResult) -> None:
    found = client_result.found["deny"]

    assert end_state(found) == (
        ["output-denied"],
        ["denied"],
        f'{REHEARSAL_REPLY}{DENIED}{DENIAL_MESSAGE}"}}',
    )
    assert client_result.files_of("deny") == {}


@pytest.mark.proves("R000-21")
def test_the_model_gets_the_reason_of_a_denial(client_result: ClientResult) -> None:
    found = client_result.found["deny_with_reason"]

    assert end_state(found) == (
        ["output-denied"],
        ["denied"],
        f'{REHEARSAL_REPLY}{DENIED}{DENIAL_MESSAGE} (they said: \\"wrong file\\")"}}',
    )
    assert client_result.files_of("reason") == {}


@pytest.mark.proves("R004-23", "R000-31")
def test_two_calls_are_answered_separately(client_result: ClientResult) -> None:
    found = client_result.found["two_separately"]

    assert found["between"] == ["approval-responded", "approval-requested"]
    shown, cards, _ = end_state(found)
    # The order of the two questions is not defined.
    assert (shown, sorted(cards)) == (["output-available", "output-denied"], ["denied", "done"])
    assert client_result.files_of("two-") == {"two-a.txt": "a"}


@pytest.mark.proves("R000-20", "R004-27")
def test_an_approval_for_the_conversation_avoids_the_next_question(client_result: ClientResult) -> None:
    found = client_result.found["always"]

    assert (found["saved"], found["first"]) == (200, ["output-available"])
    assert end_state(found)[:2] == (["output-available"], [])
    assert client_result.files_of("always") == {"always-1.txt": "one", "always-2.txt": "two"}


def test_a_second_turn_works_after_an_answered_question(client_result: ClientResult) -> None:
    found = client_result.found["second_turn"]

    assert (found["second"], found["count"]) == (["approval-requested"], 4)
    assert end_state(found)[:2] == (["output-denied"], ["denied"])
    assert client_result.files_of("turn") == {"turn-1.txt": "one"}


@pytest.mark.proves("R000-44")
def test_a_subtask_continues_after_the_answer_to_its_question(client_result: ClientResult) -> None:
    found = client_result.found["helper"]

    assert found["before"] == ["output-available", "approval-requested"]
    assert end_state(found)[:2] == (["output-available", "output-available"], ["done"])
    assert client_result.files_of("helper") == {"helper.txt": "helped"}


@pytest.mark.proves("R000-38")
def test_a_card_is_shown_again_after_a_reload(client_result: ClientResult) -> None:
    found = client_result.found["reload"]

    assert found["before"] == ["approval-requested"]
    assert end_state(found)[:2] == (["output-available"], ["done"])
    assert client_result.files_of("reload") == {"reload.txt": "back"}


@pytest.mark.proves("R000-47")
@pytest.mark.supports("R000-38")
def test_a_waiting_run_continues_after_its_page_is_closed(client_result: ClientResult) -> None:
    found = client_result.found["reload_while_it_waits"]

    assert found["before"] == [["approval-requested"], ["pending"]]
    assert found["nothing"] == 204
    assert end_state(found)[:2] == (["output-available"], ["done"])
    assert client_result.files_of("waits") == {"waits.txt": "still"}


@pytest.mark.proves("R000-45")
def test_stop_withdraws_the_question(client_result: ClientResult) -> None:
    found = client_result.found["stop"]

    assert (found["stopped"], found["late"]) == (204, 409)
    assert end_state(found)[:2] == (["output-denied"], ["withdrawn"])
    assert client_result.files_of("stop") == {}


@pytest.mark.proves("R000-49")
def test_a_new_message_ends_an_open_card(client_result: ClientResult) -> None:
    found = client_result.found["typed_over"]

    assert found["old"] == [["output-denied"], ["withdrawn"]]
    assert found["state"] == "withdrawn"
    assert end_state(found)[:2] == ([], [])
    assert client_result.files_of("over") == {}


@pytest.mark.proves("R004-38")
def test_a_forged_approval_runs_nothing(client_result: ClientResult) -> None:
    found = client_result.found["forged"]

    assert (found["status"], found["said"]) == (200, False)
    assert end_state(found)[:2] == ([], [])
    assert client_result.files_of("forged") == {}


def test_a_card_that_showed_other_arguments_answers_nothing(client_result: ClientResult) -> None:
    found = client_result.found["edited"]

    assert found["state"] == "pending"
    assert end_state(found)[:2] == (["approval-requested"], ["pending"])
    assert client_result.files_of("edited") == {}


@pytest.mark.proves("R004-39", "R000-32")
def test_the_same_approval_three_times_at_once_runs_once(client_result: ClientResult) -> None:
    found = client_result.found["three_at_once"]

    assert found == {"outputs": [True, True, True], "stored": ["output-available"]}
    assert client_result.files_of("three") == {"three.txt": "once\n"}
