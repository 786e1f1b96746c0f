"""The real `ai` and `@ai-sdk/react`, 6 and 7, drive a real server through every way a question can go.

The first releases of both and today's: what a first release cannot take must not reach it.
"""

from typing import Any, NamedTuple

import pytest

from tests.chat_node.serving import a_server, driven

TOLD = "This was a rehearsal; a model would have been told:\n- "
DENIED = '`write_file` (denied): {"error": "permission_denied", "tool": "write_file", "message": "'
FIRM = "a person denied this call; do not retry the same call"


class Driven(NamedTuple):
    """What a client found, and the files that were there in the end."""

    found: Any
    files: dict[str, str]

    def wrote(self, scenario: str) -> dict[str, str]:
        """The files of one scenario; each has names of its own."""
        return {name: text for name, text in self.files.items() if name.startswith(scenario)}


@pytest.fixture(params=["six", "seven", "first_six", "first_seven"], scope="module")
def client(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Driven:
    with a_server(tmp_path_factory.mktemp(f"chat-{request.param}")) as server:
        found = driven(server, request.param)
        return Driven(found, {one.name: one.read_text("utf-8") for one in server.work.iterdir()})


def ended(found: Any) -> tuple[list[str], list[str], list[str]]:
    """The calls and the cards of the last message, on the page and in the store, without any error."""
    assert found["errors"] == []
    assert found["shown"] == found["stored"]
    return found["shown"], found["cards"], found["text"]


@pytest.mark.proves("R004-22", "R000-19")
def test_an_approved_call_runs(client: Driven) -> None:
    found = client.found["approve"]

    assert found["before"] == ["approval-requested"]
    told = f"{TOLD}`write_file` (success): done: create approve.txt: +1 -0 lines"
    assert ended(found) == (["output-available"], ["done"], told)
    assert client.wrote("approve") == {"approve.txt": "yes"}


@pytest.mark.proves("R004-22", "R000-21")
def test_a_denied_call_does_not_run(client: Driven) -> None:
    found = client.found["deny"]

    assert ended(found) == (["output-denied"], ["denied"], f'{TOLD}{DENIED}{FIRM}"}}')
    assert client.wrote("deny") == {}


@pytest.mark.proves("R000-21")
def test_the_model_hears_the_reason_of_a_denial(client: Driven) -> None:
    found = client.found["deny_with_reason"]

    assert ended(found) == (["output-denied"], ["denied"], f'{TOLD}{DENIED}{FIRM} (they said: wrong file)"}}')
    assert client.wrote("reason") == {}


@pytest.mark.proves("R004-23", "R000-31")
def test_two_calls_are_answered_separately(client: Driven) -> None:
    found = client.found["two_separately"]

    assert found["between"] == ["approval-responded", "approval-requested"]
    shown, cards, _ = ended(found)
    # Which of two questions is put first nobody promises.
    assert (shown, sorted(cards)) == (["output-available", "output-denied"], ["denied", "done"])
    assert client.wrote("two-") == {"two-a.txt": "a"}


@pytest.mark.proves("R000-20", "R004-27")
def test_a_yes_for_the_chat_spares_the_next_question(client: Driven) -> None:
    found = client.found["always"]

    assert (found["saved"], found["first"]) == (200, ["output-available"])
    assert ended(found)[:2] == (["output-available"], [])
    assert client.wrote("always") == {"always-1.txt": "one", "always-2.txt": "two"}


def test_a_second_turn_follows_an_answered_one(client: Driven) -> None:
    found = client.found["second_turn"]

    assert (found["second"], found["count"]) == (["approval-requested"], 4)
    assert ended(found)[:2] == (["output-denied"], ["denied"])
    assert client.wrote("turn") == {"turn-1.txt": "one"}


@pytest.mark.proves("R000-44")
def test_a_helper_goes_on_with_the_answer_to_its_question(client: Driven) -> None:
    found = client.found["helper"]

    assert found["before"] == ["output-available", "approval-requested"]
    assert ended(found)[:2] == (["output-available", "output-available"], ["done"])
    assert client.wrote("helper") == {"helper.txt": "helped"}


@pytest.mark.proves("R000-38")
def test_a_card_is_there_after_a_reload(client: Driven) -> None:
    found = client.found["reload"]

    assert found["before"] == ["approval-requested"]
    assert ended(found)[:2] == (["output-available"], ["done"])
    assert client.wrote("reload") == {"reload.txt": "back"}


@pytest.mark.proves("R000-38", "R000-47")
def test_a_run_that_waits_outlives_its_page(client: Driven) -> None:
    found = client.found["reload_while_it_waits"]

    assert found["before"] == [["approval-requested"], ["pending"]]
    assert found["nothing"] == 204
    assert ended(found)[:2] == (["output-available"], ["done"])
    assert client.wrote("waits") == {"waits.txt": "still"}


@pytest.mark.proves("R000-45")
def test_stop_takes_the_question_back(client: Driven) -> None:
    found = client.found["stop"]

    assert (found["stopped"], found["late"]) == (204, 409)
    assert ended(found)[:2] == (["output-denied"], ["withdrawn"])
    assert client.wrote("stop") == {}


@pytest.mark.proves("R000-49")
def test_typing_over_a_card_ends_it(client: Driven) -> None:
    found = client.found["typed_over"]

    assert found["old"] == [["output-denied"], ["withdrawn"]]
    assert found["state"] == "withdrawn"
    assert ended(found)[:2] == ([], [])
    assert client.wrote("over") == {}


@pytest.mark.proves("R004-38")
def test_a_forged_approval_runs_nothing(client: Driven) -> None:
    found = client.found["forged"]

    assert (found["status"], found["said"]) == (200, False)
    assert ended(found)[:2] == ([], [])
    assert client.wrote("forged") == {}


def test_a_card_that_showed_other_arguments_answers_nothing(client: Driven) -> None:
    found = client.found["edited"]

    assert found["state"] == "pending"
    assert ended(found)[:2] == (["approval-requested"], ["pending"])
    assert client.wrote("edited") == {}


@pytest.mark.proves("R004-39", "R000-32")
def test_the_same_approval_three_times_at_once_runs_once(client: Driven) -> None:
    found = client.found["three_at_once"]

    assert found == {"outputs": [True, True, True], "stored": ["output-available"]}
    assert client.wrote("three") == {"three.txt": "once\n"}
